import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Speeds that no vehicle can have")
struct SpeedCheckTests {
  /// What is left of the speeds of fixes on a straight way, `interval_s` apart.
  static func speeds(
    _ reported_mps: [Double?], way_mps: Double, interval_s: Double = 1
  ) -> (used_mps: [Double?], refused: Int) {
    var check = SpeedCheck(maxSpeed_mps: 120)
    let used_mps = reported_mps.enumerated().map { n, speed_mps in
      let s = Double(n) * interval_s
      return check.checked(.at(s, east_m: way_mps * s, speed_mps: speed_mps)).speed_mps
    }
    return (used_mps, check.refused)
  }

  @Test(
    "above the highest speed, negative or no number: refused", arguments: [900.0, 120.1, -1, .infinity, .nan])
  func absurd(speed_mps: Double) {
    let (used_mps, refused) = SpeedCheckTests.speeds([speed_mps], way_mps: 0)
    #expect(used_mps == [nil] && refused == 1)
  }

  @Test("a speed that the positions disprove is refused, at any rate", arguments: [1.0, 0.2, 0.04])
  func disproved(interval_s: Double) {
    let before = Array(repeating: 15.0, count: Int(2 / interval_s))
    let (used_mps, refused) = SpeedCheckTests.speeds(before + [80, 15], way_mps: 15, interval_s: interval_s)
    #expect(used_mps == before + [nil, 15] && refused == 1)
  }

  @Test(
    "a single sample that no brake explains is refused, as one that no engine explains is",
    arguments: [0.0, 3, 28], [1.0, 0.2, 0.04])
  func single(garbled_mps: Double, interval_s: Double) {
    let before = Array(repeating: 15.0, count: Int(2 / interval_s))
    let (used_mps, refused) = SpeedCheckTests.speeds(
      before + [garbled_mps, 15], way_mps: 15, interval_s: interval_s)
    #expect(used_mps == before + [nil, 15] && refused == 1)
  }

  @Test("a speed that stays is believed, however it came about")
  func stays() {
    let (used_mps, refused) = SpeedCheckTests.speeds([15, 0, 0, 0, 25, 25, 25], way_mps: 15)
    #expect(used_mps == [15, nil, 0, 0, nil, nil, 25] && refused == 3)
  }

  @Test("hard driving is believed: 0 to 30 m/s in three seconds")
  func hard() {
    var check = SpeedCheck(maxSpeed_mps: 120)
    for s in 0...4 {
      let speed_mps = min(Double(s) * 10, 30)
      _ = check.checked(.at(Double(s), east_m: Double(s * s) * 5, speed_mps: speed_mps))
    }
    #expect(check.refused == 0)
  }

  @Test("after a stretch without fixes the positions say nothing of the speed now")
  func gap() {
    var check = SpeedCheck(maxSpeed_mps: 120)
    _ = check.checked(.at(0, speed_mps: 0))
    #expect(check.checked(.at(60, east_m: 200, speed_mps: 40)).speed_mps == 40)
  }
}

extension SpeedCheck {
  fileprivate mutating func checked(_ fix: Fix) -> Fix {
    var fix = fix
    check(&fix)
    return fix
  }
}
