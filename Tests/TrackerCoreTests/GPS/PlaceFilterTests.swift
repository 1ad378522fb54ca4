import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("One place, and others that are none")
struct PlaceFilterTests {
  var filter = PlaceFilter(maxSpeed_mps: 120)

  /// Fixes each `interval_s` in a place, and what they were judged to be, each verdict once.
  mutating func report(
    _ seconds: ClosedRange<Double>, east_m: Double, speed_mps: Double = 0, interval_s: Double = 1
  ) -> [PlaceFilter.Verdict] {
    var verdicts: [PlaceFilter.Verdict] = []
    for s in stride(from: seconds.lowerBound, through: seconds.upperBound, by: interval_s) {
      let way_m = speed_mps * (s - seconds.lowerBound)
      let verdict = filter.judge(.at(s, east_m: east_m + way_m, speed_mps: speed_mps))
      if verdicts.last != verdict { verdicts.append(verdict) }
    }
    return verdicts
  }

  static let elsewhere: [PlaceFilter.Verdict] = [.elsewhere(isNew: true), .elsewhere(isNew: false)]

  @Test(
    "another place is followed after as long as the first one had been, 10 s at least and 330 s at most",
    arguments: [(1.0, 10.0), (9, 10), (60, 60), (300, 300), (2000, 330)], [1, 0.2])
  mutating func proof(first: (followed_s: Double, needed_s: Double), interval_s: Double) {
    let (followed_s, needed_s) = first
    #expect(report(0...followed_s, east_m: 0, interval_s: interval_s) == [.here])
    let begun_s = followed_s + 1
    let before = report(begun_s...begun_s + needed_s - interval_s, east_m: 100_000, interval_s: interval_s)
    #expect(before == PlaceFilterTests.elsewhere)
    #expect(report(begun_s + needed_s...begun_s + needed_s + 2, east_m: 100_000) == [.moved, .here])
  }

  @Test(
    "while the believed place is heard too, no other one is ever believed", arguments: [500.0, 5000, 1e6])
  mutating func interleaved(away_m: Double) {
    for s in 0..<3000 {
      let isOther = s % 2 == 1
      let verdict = filter.judge(.at(Double(s), east_m: isOther ? away_m : 0))
      #expect(verdict == (isOther ? .elsewhere(isNew: s == 1) : .here))
    }
  }

  @Test("leaps to a third place take nothing from the proof of the other one")
  mutating func third() {
    _ = report(0...400, east_m: 0)
    for s in 401...780 {
      let isLeap = s % 20 == 0
      let verdict = filter.judge(.at(Double(s), east_m: isLeap ? 300_000 : 100_000))
      if verdict == .moved {
        #expect(abs(s - 732) <= 2, "\(s)")
        return
      }
      #expect(verdict == .elsewhere(isNew: s == 401))
    }
    Issue.record("not believed after 380 s")
  }

  @Test("time does not bring a place into reach that began out of reach", arguments: [300.0, 500, 1000])
  mutating func half(away_m: Double) {
    _ = report(0...400, east_m: 0)
    #expect(report(401...700, east_m: away_m) == PlaceFilterTests.elsewhere)
    #expect(report(701...710, east_m: 0) == [.here])
  }

  @Test("a receiver's own hop of up to 250 m is a step that was too quick, no other place")
  mutating func hop() {
    _ = report(0...400, east_m: 0)
    #expect(report(401...403, east_m: 200) == [.elsewhere(isNew: true), .here])
  }

  @Test("after a stretch without fixes every place is in reach that could be driven to")
  mutating func unseen() {
    _ = report(0...400, east_m: 0, speed_mps: 20)
    #expect(report(10_800...10_900, east_m: 60_000, speed_mps: 20) == [.here])
  }

  @Test("back in the old place after a leap over an unseen stretch: at once, if it was known for longer")
  mutating func returned() {
    _ = report(0...400, east_m: 0)
    #expect(report(1000...1060, east_m: 20_000) == [.here])
    #expect(report(1061...1070, east_m: 0) == [.returned(from: .at(400)), .here])
    #expect(report(1071...1080, east_m: 20_000) == PlaceFilterTests.elsewhere)
  }

  @Test("the place before a leap is over once the one after it is as well known as a place can be")
  mutating func secondTunnel() {
    #expect(report(0...400, east_m: 0, speed_mps: 15) == [.here])
    // Each time slow before 60 s of tunnel and fast in it: no step that goes on as before.
    #expect(report(460...860, east_m: 8500, speed_mps: 15) == [.here])
    #expect(report(920...1320, east_m: 17_000, speed_mps: 15) == [.here])
  }

  @Test("a place out of reach of each other's steps never agrees with itself")
  mutating func scattered() {
    _ = report(0...20, east_m: 0)
    for s in 21..<400 {
      let verdict = filter.judge(.at(Double(s), east_m: Double(s * 7919 % 101 + 5) * 10_000))
      #expect(verdict == .elsewhere(isNew: s == 21))
    }
  }

  @Test("a jump of 500 m after five seconds without a fix, at a speed that cannot be: another place")
  mutating func speedConsistency() {
    _ = report(0...400, east_m: 0, speed_mps: 15)
    #expect(filter.judge(.at(405, east_m: 6075 + 500, speed_mps: 15)) == .elsewhere(isNew: true))
    #expect(filter.judge(.at(406, east_m: 6090, speed_mps: 15)) == .here)
  }

  @Test("a receiver whose speed is always 0 is followed through gaps all the same")
  mutating func speedZero() {
    for s in stride(from: 0.0, through: 400, by: 5) {
      #expect(filter.judge(.at(s, east_m: 100 * s)) == .here)
    }
  }

  @Test("an episode ends after a minute without such a fix")
  mutating func episodes() {
    _ = report(0...400, east_m: 0)
    #expect(report(401...402, east_m: 9000) == PlaceFilterTests.elsewhere)
    _ = report(403...460, east_m: 0)
    #expect(report(461...461, east_m: 9000) == [.elsewhere(isNew: false)])
    _ = report(462...522, east_m: 0)
    #expect(report(523...523, east_m: 9000) == [.elsewhere(isNew: true)])
  }
}
