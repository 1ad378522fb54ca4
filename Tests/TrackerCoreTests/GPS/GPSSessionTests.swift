import Testing

@testable import TrackerBase
@testable import TrackerReceiver

/// Feeds a GPS session with virtual time and writes down what it did, as "second action".
struct SessionTimeline {
  var session: GPSSession
  private(set) var log: [String] = []
  private(set) var now_ms: Int64 = 0
  /// gpsd refuses each connection.
  var refusesConnections = false

  init(_ change: (inout GPSSettings) -> Void = { _ in }) {
    var settings = GPSSettings()
    settings.power.mode = .level
    change(&settings)
    session = GPSSession(settings: settings)
  }

  /// Lets time pass up to `s`, ticking at each deadline.
  mutating func run(to s: Double) {
    let until_ms = milliseconds(s)
    while let deadline_ms = session.deadline_ms, deadline_ms <= until_ms {
      now_ms = max(now_ms, deadline_ms)
      note(session.tick(at: now_ms))
      if let next_ms = session.deadline_ms, next_ms <= now_ms, session.tick(at: now_ms).isEmpty {
        Issue.record("a deadline that ticking does not move")
        return
      }
    }
    now_ms = until_ms
  }

  mutating func want(_ wanted: Bool, at s: Double) {
    run(to: s)
    note(session.wantChanged(to: wanted, at: now_ms))
  }

  mutating func report(at s: Double, accuracy_m: Double? = nil) {
    run(to: s)
    session.reportArrived(at: now_ms)
    guard let accuracy_m else { return }
    note(session.fixArrived(.at(s, accuracy_m: accuracy_m), at: now_ms).actions)
  }

  /// One report a second, from `first` up to `last`.
  mutating func reports(_ first: Int, _ last: Int, accuracy_m: Double? = nil) {
    for s in first...last { report(at: Double(s), accuracy_m: accuracy_m) }
  }

  mutating func listed(missing: GPSSession.MissingDevice?, at s: Double) {
    run(to: s)
    session.devicesListed(missing: missing, at: now_ms)
  }

  mutating func lost(at s: Double) {
    run(to: s)
    note(session.linkLost(at: now_ms))
  }

  private mutating func note(_ actions: [GPSSession.Action]) {
    for action in actions {
      let at = now_ms % 1000 == 0 ? "\(now_ms / 1000)" : "\(Double(now_ms) / 1000)"
      log.append("\(at) \(words(action))")
      if action == .connect, refusesConnections { note(session.linkLost(at: now_ms)) }
    }
  }

  private func words(_ action: GPSSession.Action) -> String {
    switch action {
    case .setPower(let on): on ? "on" : "off"
    case .connect: "connect"
    case .disconnect: "disconnect"
    case .failed(let failure, let pause_ms): "\(failure.rawValue) pause \(pause_ms / 1000)"
    case .listensOn: "listens on"
    case .reopening: "reopening"
    case .noDevice(let missing): "no device: \(missing)"
    case .firstFix(let first):
      "first fix after \(Double(first.afterPowerOn_ms) / 1000)" + (first.isSpoilt ? ", spoilt" : "")
    }
  }

  func lines(with word: String) -> [String] { log.filter { $0.contains(word) } }
}

@Suite("GPS session")
struct GPSSessionTests {
  @Test("power, settling, connection, fix, off")
  func plain() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 1)
    timeline.reports(2, 30)
    timeline.report(at: 31, accuracy_m: 5)
    timeline.want(false, at: 40)
    timeline.run(to: 4000)
    #expect(
      timeline.log == ["1 on", "1.2 connect", "31 first fix after 30.0", "40 disconnect", "40 off"])
    #expect(timeline.session.deadline_ms == nil)
  }

  @Test("a module that is always powered needs no settling")
  func alwaysPowered() {
    var timeline = SessionTimeline { $0.power.mode = .none }
    timeline.want(true, at: 1)
    timeline.run(to: 1)
    #expect(timeline.log == ["1 on", "1 connect"])
  }

  @Test(
    "the first session of a window waits 300 s for a fix, the next ones 120 s, each third 300 s, with growing pauses"
  )
  func noSky() {
    var timeline = SessionTimeline()
    timeline.session.windowOpened()
    timeline.want(true, at: 0)
    timeline.reports(1, 1200)
    #expect(
      timeline.lines(with: "no_fix") == [
        "300 no_fix pause 10", "430 no_fix pause 20", "750 no_fix pause 40", "910 no_fix pause 80",
        "1110 no_fix pause 160",
      ])
    #expect(
      timeline.log.prefix(7) == [
        "0 on", "0.2 connect", "300 disconnect", "300 off", "300 no_fix pause 10", "310 on", "310.2 connect",
      ])
    #expect(timeline.session.failures == 5)
  }

  @Test("a module that always needs 150 s gets there, and from then on has the time it needs")
  func slowModule() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.reports(1, 599)
    #expect(timeline.session.failures == 2)
    timeline.report(at: 600, accuracy_m: 5)
    #expect(timeline.session.startTimes[.longer] == 150_000)
    timeline.want(false, at: 1000)
    timeline.want(true, at: 2000)
    timeline.reports(2001, 2149)
    timeline.report(at: 2150, accuracy_m: 5)
    #expect(timeline.lines(with: "no_fix").count == 2 && timeline.session.failures == 0)
  }

  @Test(
    "the time to the first fix is learnt by the age of the fix before, and each kind of start gets its own")
  func startTimes() {
    var timeline = SessionTimeline()
    // The first of all, one after a minute, one after a night.
    for (on_s, needed_s) in [(0, 90), (200, 3), (50_000, 30)] {
      timeline.want(true, at: Double(on_s))
      timeline.reports(on_s + 1, on_s + needed_s - 1)
      timeline.report(at: Double(on_s + needed_s), accuracy_m: 5)
      timeline.want(false, at: Double(on_s + 100))
    }
    let times = timeline.session.startTimes
    #expect(StartGap.allCases.map { times[$0] } == [3000, 30_000, 90_000])
    #expect(timeline.session.expectedTTFF_ms(at: 50_200_000) == 3000)
    #expect(timeline.session.expectedTTFF_ms(at: 100_000_000) == 30_000)
    #expect(timeline.session.expectedTTFF_ms(at: 900_000_000) == 90_000)
  }

  @Test(
    "a fix before power-on is so old",
    arguments: [
      (nil, .longer), (0, .hours), (7_199_999, .hours), (7_200_000, .days), (604_799_999, .days),
      (604_800_000, .longer),
    ] as [(Int64?, StartGap)])
  func gaps(gap_ms: Int64?, expected: StartGap) {
    #expect(StartGap(gap_ms) == expected)
  }

  @Test(
    "pauses stop growing at their cap",
    arguments: [
      (600, ["10", "20", "40", "80", "160", "320", "600", "600", "600"]),
      (60, ["10", "20", "40", "60", "60", "60", "60", "60", "60"]),
    ] as [(Double, [Substring])])
  func pauseCap(most_s: Double, expected: [Substring]) {
    var timeline = SessionTimeline { $0.retryPauseMax_s = most_s }
    timeline.want(true, at: 0)
    timeline.reports(1, 9000)
    let pauses = timeline.lines(with: "no_fix").map { $0.split(separator: " ").last! }
    #expect(pauses.prefix(9) == expected[...])
  }

  @Test("fixes that stop coming are missed after 120 s", arguments: [(119.0, true), (120, false)])
  func fixesStop(seconds: Double, powered: Bool) {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.reports(1, 50, accuracy_m: 5)
    timeline.reports(51, 50 + Int(seconds))
    #expect(timeline.session.isPowered == powered)
  }

  @Test("silence for 30 s opens the connection anew, 30 s more cycles the power")
  func silence() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.reports(1, 10, accuracy_m: 5)
    timeline.run(to: 85)
    #expect(
      timeline.log.dropFirst(3) == [
        "40 disconnect", "40 reopening", "40 connect",
        "70 disconnect", "70 off", "70 gps_silent pause 10",
        "80 on", "80.2 connect",
      ])
  }

  @Test("a module that stays silent is cycled ever more rarely, and never given up")
  func silentForADay() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.run(to: 86_400)
    let cycles = timeline.lines(with: " on").count
    #expect((120...140).contains(cycles), "\(cycles) power cycles in a day")
    #expect(
      timeline.log.prefix(8) == [
        "0 on", "0.2 connect", "30.2 disconnect", "30.2 reopening", "30.2 connect",
        "60.2 disconnect", "60.2 off", "60.2 gps_silent pause 10",
      ])
    #expect(timeline.session.deadline_ms != nil)
  }

  @Test("one report after reopening forgives the silence")
  func forgiven() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.reports(1, 10, accuracy_m: 5)
    timeline.report(at: 45, accuracy_m: 5)
    timeline.run(to: 80)
    #expect(timeline.lines(with: "reopening") == ["40 reopening", "75 reopening"])
    #expect(timeline.session.isPowered)
  }

  @Test("gpsd gone: again after 1, 2, 4, 8, 8 s")
  func reconnect() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.reports(1, 10, accuracy_m: 5)
    timeline.refusesConnections = true
    timeline.lost(at: 10)
    timeline.run(to: 50)
    #expect(
      timeline.lines(with: " connect") == [
        "0.2 connect", "11 connect", "13 connect", "17 connect", "25 connect", "33 connect", "41 connect",
        "49 connect",
      ])
    timeline.refusesConnections = false
    timeline.run(to: 57)
    timeline.reports(58, 60, accuracy_m: 5)
    timeline.lost(at: 60)
    timeline.run(to: 61)
    #expect(timeline.log.last == "61 connect", "a report starts the pauses anew")
  }

  @Test("a report that was under way when gpsd went leaves the connection to be made")
  func strayReport() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.report(at: 0.1)
    timeline.run(to: 0.2)
    #expect(timeline.log == ["0 on", "0.2 connect"])
    timeline.lost(at: 5)
    timeline.report(at: 5)
    timeline.run(to: 6)
    #expect(timeline.log.last == "6 connect")
  }

  @Test("gpsd gone for hours is not want of sky, and found again within a minute")
  func gpsdGone() {
    var timeline = SessionTimeline()
    timeline.refusesConnections = true
    timeline.want(true, at: 0)
    timeline.run(to: 10_000)
    #expect(timeline.lines(with: "no_fix").isEmpty)
    let pauses = timeline.lines(with: "pause")
    #expect(pauses.first == "300 gpsd_lost pause 10")
    #expect(pauses.dropFirst(2).allSatisfy { $0.hasSuffix("gpsd_lost pause 30") })
  }

  @Test("once off, the module rests for 5 s", arguments: [(1.0, 15.0), (4.999, 15), (5, 15), (7, 17)])
  func rest(pause_s: Double, on_s: Double) {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.want(false, at: 10)
    timeline.want(true, at: 10 + pause_s)
    timeline.run(to: 30)
    #expect(timeline.lines(with: " on").last == "\(Int(on_s)) on")
  }

  @Test("flapping wishes do not shorten the rest")
  func flapping() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.want(false, at: 10)
    for tenth in 1...40 { timeline.want(tenth % 2 == 1, at: 10 + Double(tenth) / 10) }
    timeline.want(true, at: 14.5)
    timeline.run(to: 20)
    #expect(timeline.lines(with: " on") == ["0 on", "15 on"])
  }

  @Test("a pause ends when nobody wants the GPS any more, and its failures are forgotten")
  func unwantedPause() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.reports(1, 301)
    #expect(timeline.session.failures == 1)
    timeline.want(false, at: 302)
    #expect(timeline.session.failures == 0 && timeline.session.deadline_ms == nil)
    timeline.want(true, at: 306)
    #expect(timeline.log.last == "306 on")
  }

  @Test("failures are forgotten with the first settled fix")
  func failuresReset() {
    var timeline = SessionTimeline()
    timeline.want(true, at: 0)
    timeline.reports(1, 320)
    timeline.report(at: 321, accuracy_m: 80)
    #expect(timeline.session.failures == 1)
    #expect(timeline.log.last == "321 first fix after 11.0", "inaccurate, but a fix")
    timeline.report(at: 322, accuracy_m: 50)
    #expect(timeline.session.failures == 0)
  }

  @Test("the first fixes are held until one is accurate to 50 m, or for 10 s", arguments: [50.0, 51])
  func settling(accuracy_m: Double) {
    var session = GPSSession(settings: GPSSettings())
    _ = session.wantChanged(to: true, at: 0)
    let usable = (0...11).map {
      session.fixArrived(.at(Double($0), accuracy_m: accuracy_m), at: $0 * 1000).usable
    }
    #expect(usable.firstIndex(of: true) == (accuracy_m <= 50 ? 0 : 10))
    let later = session.fixArrived(.at(12, accuracy_m: 99), at: 12_000)
    #expect(later.usable, "once settled, settled")
  }

  @Test("a fix without power is nobody's")
  func unpowered() {
    var session = GPSSession(settings: GPSSettings())
    let arrival = session.fixArrived(.at(1), at: 1000)
    #expect(!arrival.usable && arrival.actions.isEmpty)
    #expect(session.linkLost(at: 1000).isEmpty)
  }

  @Test(
    "any order of events: no power unwanted, no deadline in the past, on and off in turn",
    arguments: 1...200 as ClosedRange<UInt64>)
  func anything(seed: UInt64) {
    var random = SeededRandom(seed)
    var settings = GPSSettings()
    settings.power.mode = seed % 3 == 0 ? .none : .level
    settings.minOff_s = Double(seed % 7)
    var session = GPSSession(settings: settings)
    var now_ms: Int64 = 0
    var wanted = false
    var isOn = false
    for _ in 0..<400 {
      now_ms += Int64.random(in: 0...(Bool.random(using: &random) ? 1500 : 60_000), using: &random)
      var actions: [GPSSession.Action] = []
      switch Int.random(in: 0...7, using: &random) {
      case 0: wanted.toggle()
      case 1: actions = session.linkLost(at: now_ms)
      case 2: session.windowOpened()
      case 3, 4: session.reportArrived(at: now_ms)
      case 5: actions = session.fixArrived(.at(Double(now_ms) / 1000, accuracy_m: 40), at: now_ms).actions
      default: actions = session.tick(at: now_ms)
      }
      // As the tracker does after each event.
      actions += session.wantChanged(to: wanted, at: now_ms)
      var ticks = 0
      while let deadline_ms = session.deadline_ms, deadline_ms <= now_ms, ticks < 5 {
        actions += session.tick(at: now_ms)
        ticks += 1
      }
      #expect(ticks < 5, "a deadline that does not move")
      for case .setPower(let on) in actions {
        #expect(on != isOn, "switched \(on ? "on" : "off") twice")
        isOn = on
      }
      #expect(isOn == session.isPowered)
      #expect(wanted || !isOn, "power without a wish")
    }
  }

  @Test("settings read anew while the module starts: it still gets its time before gpsd is asked")
  func reloadWhileSettling() {
    var settings = GPSSettings()
    settings.power.mode = .level
    settings.power.settle_ms = 5000
    var session = GPSSession(settings: settings)
    #expect(session.wantChanged(to: true, at: 0) == [.setPower(true)])
    session.adopt(settings, isAlwaysOn: false, at: 1000)
    #expect(session.deadline_ms == Int64(5000))
    #expect(session.tick(at: 5000) == [.connect])
    session.adopt(settings, isAlwaysOn: false, at: 6000)
    #expect(session.tick(at: 6000) == [.connect])
  }
}
