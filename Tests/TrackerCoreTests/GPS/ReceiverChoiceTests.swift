import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Which of several receivers is followed")
struct ReceiverChoiceTests {
  private func choice(preferred: String, _ change: (inout GPSSettings) -> Void = { _ in }) -> ReceiverChoice {
    var settings = GPSSettings()
    (settings.device, settings.deviceTimeout_s) = (preferred, 20)
    change(&settings)
    return ReceiverChoice(settings: settings)
  }

  private func report(_ device: String?, hasFix: Bool = true, at s: Int = 0) -> GPSReport {
    .at(Double(s)).with {
      $0.device = device
      $0.mode = hasFix ? 3 : 1
    }
  }

  /// What changes, with its second, while each receiver reports once a second: a fix, none (false), or nothing (nil).
  private func changes(
    _ choice: inout ReceiverChoice, in seconds: ClosedRange<Int>,
    own: (_ s: Int) -> Bool?, modem: (_ s: Int) -> Bool? = { _ in true },
    saying change: (inout GPSReport) -> Void = { _ in }
  ) -> [String] {
    var reported: [String] = []
    for s in seconds {
      for (device, hasFix) in [("own", own(s)), ("modem", modem(s))] {
        guard let hasFix else { continue }
        let report = report(device, hasFix: hasFix, at: s).with(change)
        switch choice.reportArrived(report, at: Int64(s) * 1000).change {
        case .tookOver(let used, let lost): reported.append("\(s) \(lost) lost, \(used) used")
        case .back(let used): reported.append("\(s) \(used) back")
        case .missing(let used, let preferred): reported.append("\(s) \(preferred) missing, \(used) used")
        case nil: break
        }
      }
    }
    return reported
  }

  @Test(
    "another takes over 20 s after the preferred one's last fix, and gives way after 20 s of its fixes",
    arguments: [nil, false])
  func preferred(outage: Bool?) {
    var choice = choice(preferred: "own")
    let reported = changes(&choice, in: 0...300, own: { (101..<200).contains($0) ? outage : true })
    #expect(reported == ["120 own lost, modem used", "220 own back"])
  }

  @Test("a preferred one whose fixes come and go is not used again", arguments: [nil, false])
  func flaky(outage: Bool?) {
    var choice = choice(preferred: "own")
    // Runs of 19 s.
    let reported = changes(
      &choice, in: 0...2000, own: { $0 <= 10 || $0 > 40 && $0 % 40 >= 21 ? true : outage })
    #expect(reported == ["30 own lost, modem used"])
  }

  /// Each spoils the preferred one's fixes from 100 s on.
  static let spoilt: [(name: String, change: @Sendable (inout GPSReport) -> Void)] = [
    ("said again", { $0.time_ms = epoch_ms + 100_000 }),
    ("0/0", { ($0.latitude_deg, $0.longitude_deg) = (0, 0) }),
    ("off the earth", { $0.latitude_deg = 91 }),
    ("no time", { $0.time_ms = nil }),
    ("a poor accuracy", { $0.accuracy_m = 500 }),
  ]

  @Test("one that says what is no fix to work with is replaced as a silent one is", arguments: spoilt)
  func worthless(_ spoil: (name: String, change: @Sendable (inout GPSReport) -> Void)) {
    var choice = choice(preferred: "own")
    let reported = changes(
      &choice, in: 0...300, own: { _ in true },
      saying: { if $0.device == "own", $0.time_ms! > epoch_ms + 100_000 { spoil.change(&$0) } })
    #expect(reported == ["120 own lost, modem used"])
  }

  @Test("where nobody gives a time, one is replaced and used again as ever")
  func timeless() {
    var choice = choice(preferred: "own")
    let reported = changes(
      &choice, in: 0...300, own: { (101..<200).contains($0) ? nil : true }, saying: { $0.time_ms = nil })
    #expect(reported == ["120 own lost, modem used", "220 own back"])
  }

  @Test("the preferred one is used at once when nobody else has a fix any more")
  func modemLost() {
    var choice = choice(preferred: "own")
    let reported = changes(
      &choice, in: 0...300, own: { $0 >= 150 }, modem: { $0 < 100 })
    #expect(reported == ["20 own lost, modem used", "150 own back"])
  }

  @Test("a preferred one that stays away while another works is reported once a session, a slow start is not")
  func missing() {
    var choice = choice(preferred: "own")
    for first in [1000, 2000] {
      choice.sessionStarted(at: Int64(first) * 1000)
      #expect(changes(&choice, in: first...(first + 299), own: { _ in false }).count <= 1)
      let reported = changes(&choice, in: (first + 300)...(first + 900), own: { _ in false })
      #expect(reported == ["\(first + 300) own missing, modem used"])
    }
    choice.sessionStarted(at: 3_000_000)
    #expect(changes(&choice, in: 3000...3900, own: { $0 >= 3280 }) == ["3300 own back"])
  }

  @Test("without a preference the first that gives a fix is used until it gives none, and the next stays")
  func noPreference() {
    var choice = choice(preferred: "")
    let reported = changes(&choice, in: 0...300, own: { $0 < 50 || $0 > 100 })
    #expect(reported == ["69 own lost, modem used"])
    #expect(choice.used == "modem")
  }

  @Test("of the others nothing goes further, and a fix too inaccurate to be used is none")
  func others() {
    var choice = choice(preferred: "own") { $0.maxAccuracy_m = 50 }
    #expect(!choice.reportArrived(report("modem", hasFix: false), at: 0).isUsed)
    #expect(choice.reportArrived(report("own").with { $0.accuracy_m = 51 }, at: 10_000).isUsed)
    #expect(!choice.reportArrived(report("modem"), at: 19_999).isUsed)
    #expect(choice.reportArrived(report("modem", at: 20), at: 20_000).isUsed)
    #expect(!choice.reportArrived(report("own", at: 20), at: 20_001).isUsed)
  }

  @Test("of sixteen receivers each is known by what it said last: that said again is no fix")
  func many() {
    var choice = choice(preferred: "own")
    let others = (1..<ReceiverChoice.mostReceivers).map { "other \($0)" }
    for device in ["own"] + others { _ = choice.reportArrived(report(device), at: 0) }
    for device in others {
      #expect(!choice.reportArrived(report(device), at: 30_000).isUsed, "\(device)")
    }
    #expect(choice.reportArrived(report("other 7", at: 30), at: 30_000).isUsed)
    #expect(choice.used == "other 7")
  }

  @Test("a session gives the one in use its time again; a report that names none is of the one in use")
  func sessions() {
    var choice = choice(preferred: "own")
    choice.sessionStarted(at: 1_000_000)
    #expect(!choice.reportArrived(report("modem"), at: 1_019_999).isUsed)
    #expect(choice.reportArrived(report(nil), at: 1_019_999).isUsed)
    #expect(!choice.reportArrived(report("modem"), at: 1_020_000).isUsed)
    #expect(choice.used == "own")
  }

  @Test("the session is not taken for silent before another can take over")
  func silence() {
    var choice = choice(preferred: "own") { $0.silenceTimeout_s = 5 }
    let reported = changes(&choice, in: 0...10, own: { _ in nil })
    #expect(reported == ["5 own lost, modem used"])
  }

  @Test("other settings leave the one in use, unless another is preferred")
  func reload() {
    var old = choice(preferred: "own")
    _ = changes(&old, in: 0...30, own: { _ in nil })
    var settings = GPSSettings()
    settings.device = "own"
    old.adopt(settings, at: 0)
    #expect(old.used == "modem")
    settings.device = "third"
    old.adopt(settings, at: 0)
    #expect(old.used == "third")
  }
}
