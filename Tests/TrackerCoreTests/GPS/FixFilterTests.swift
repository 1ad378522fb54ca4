import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Fix filter")
struct FixFilterTests {
  var filter = FixFilter(settings: GPSSettings())

  mutating func judge(_ report: GPSReport) -> FixFilter.Verdict {
    filter.judge(report, at: report.time_ms ?? 0)
  }

  mutating func judgeAll(_ reports: [GPSReport]) -> [String] {
    reports.map { report in
      switch filter.judge(report, at: report.time_ms ?? 0) {
      case .fix: "fix"
      case .returned: "returned"
      case .moved: "moved"
      case .jump(_, let isNew): isNew ? "new jump" : "jump"
      case .noFix: "no fix"
      case .rejected(let reason): reason.rawValue
      }
    }
  }

  @Test("takes a good report as it is")
  mutating func good() {
    let report = GPSReport.at(1, east_m: 10, speed_mps: 5).with { $0.course_deg = 90 }
    guard case .fix(let fix) = judge(report) else {
      Issue.record("not a fix")
      return
    }
    #expect(fix.time_ms == epoch_ms + 1000)
    #expect(fix.speed_mps == 5 && fix.course_deg == 90 && fix.accuracy_m == 5 && fix.satellites == 9)
  }

  @Test("a report without a solution is no fix", arguments: [0, 1])
  mutating func noFix(mode: Int) {
    #expect(judge(.at(1).with { $0.mode = mode }) == .noFix)
    #expect(judge(.at(1).with { $0.latitude_deg = nil }) == .noFix)
    #expect(judge(.at(1).with { $0.longitude_deg = nil }) == .noFix)
  }

  @Test(
    "impossible positions are rejected",
    arguments: [
      (0.0, 0.0), (90.001, 8), (-90.001, 8), (47, 180.001), (47, -180.001), (.nan, 8), (47, .nan),
      (.infinity, 8),
    ])
  mutating func impossible(latitude_deg: Double, longitude_deg: Double) {
    let report = GPSReport.at(1).with {
      $0.latitude_deg = latitude_deg
      $0.longitude_deg = longitude_deg
    }
    #expect(judge(report) == .rejected(.position))
  }

  @Test(
    "the edges of the earth are possible", arguments: [(90.0, 8.0), (-90, 180), (47, -180), (0, 8), (47, 0)])
  mutating func edges(latitude_deg: Double, longitude_deg: Double) {
    let report = GPSReport.at(1).with {
      $0.latitude_deg = latitude_deg
      $0.longitude_deg = longitude_deg
    }
    guard case .fix = judge(report) else {
      Issue.record("not a fix")
      return
    }
  }

  @Test(
    "accuracy decides up to 100 m; an unknown one counts as gps.unknown_accuracy_m, and 0 is unknown",
    arguments: [
      (100.0, nil, 100), (100.1, nil, nil), (.infinity, nil, nil), (0, nil, 15), (-1, nil, 15),
      (.nan, nil, 15),
      (0, 2, 20), (nil, 10, 100), (nil, 10.1, nil), (nil, 0, 15), (nil, nil, 15), (20, 99, 20),
    ]
      as [(Double?, Double?, Double?)])
  mutating func accuracy(_ accuracy_m: Double?, _ hdop: Double?, _ taken_m: Double?) {
    let report = GPSReport.at(1, accuracy_m: accuracy_m).with { $0.hdop = hdop }
    if case .fix(let fix) = judge(report) {
      #expect(fix.accuracy_m == taken_m)
    } else {
      #expect(taken_m == nil)
      #expect(filter.judge(report, at: report.time_ms ?? 0) == .rejected(.accuracy))
    }
  }

  @Test("a report without a time is rejected")
  mutating func noTime() {
    #expect(judge(.at(1).with { $0.time_ms = nil }) == .rejected(.noTime))
  }

  @Test(
    "times that no receiver can mean are rejected and trap nothing",
    arguments: [Int64.min, Int64.min / 2, -1, 9_000_000_000_000_000, Int64.max / 2, Int64.max])
  mutating func absurdTime(time_ms: Int64) {
    _ = judge(.at(1))
    let report = GPSReport.at(2).with { $0.time_ms = time_ms }
    #expect(filter.judge(report, at: epoch_ms) == .rejected(.noTime))
  }

  @Test("a flat fix has no altitude")
  mutating func altitude() {
    let flat = GPSReport.at(1).with {
      $0.mode = 2; $0.altitude_m = 400
    }
    guard case .fix(let fix) = judge(flat) else {
      Issue.record("not a fix")
      return
    }
    #expect(fix.altitude_m == nil)
  }

  @Test("the same epoch twice is a duplicate, an earlier one goes backwards")
  mutating func order() {
    #expect(judgeAll([.at(1), .at(1), .at(2), .at(1.5)]) == ["fix", "duplicate", "fix", "time_backwards"])
  }

  @Test(
    "a speed of 120 m/s with the fixes' accuracy can be reached",
    arguments: [(129.0, "fix"), (131, "new jump")])
  mutating func reachable(east_m: Double, expected: String) {
    #expect(judgeAll([.at(1), .at(2, east_m: east_m)]) == ["fix", expected])
  }

  @Test("one jump is flagged, and the track goes on where it was")
  mutating func oneJump() {
    let reports: [GPSReport] = [.at(1), .at(2, east_m: 5000), .at(3), .at(4)]
    #expect(judgeAll(reports) == ["fix", "new jump", "fix", "fix"])
  }

  @Test("a first place is given up for another one that has agreed with itself for 10 s, at any rate")
  mutating func rebase() {
    let far: [GPSReport] = (2...13).map { .at(Double($0), east_m: 50_000 + 10 * Double($0)) }
    let expected = ["fix", "new jump"] + Array(repeating: "jump", count: 9) + ["moved", "fix"]
    #expect(judgeAll([.at(1)] + far) == expected)
  }

  @Test("jumps that contradict each other never become the base")
  mutating func scattered() {
    let scatter: [GPSReport] = (2...9).map { .at(Double($0), east_m: $0 % 2 == 0 ? 50_000 : -50_000) }
    #expect(judgeAll([.at(1)] + scatter).dropFirst().allSatisfy { $0.hasSuffix("jump") })
  }

  @Test("a first date far in the future is given up for two seconds of dates that agree")
  mutating func future() {
    let wrong = GPSReport.at(1).with { $0.time_ms = epoch_ms + 20 * 365 * 86_400_000 }
    #expect(judgeAll([wrong, .at(2), .at(3), .at(4)]) == ["fix", "time_backwards", "time_backwards", "fix"])
  }

  @Test(
    "one date far ahead in mid-trip is rejected; two seconds of them that agree are believed",
    arguments: [1, 5])
  mutating func ahead(fixes: Int) {
    let dated = (2..<(2 + fixes)).map { s in
      (GPSReport.at(Double(s)).with { $0.time_ms! += 86_400_000 }, Int64(s))
    }
    _ = filter.judge(.at(1), at: 1000)
    let verdicts = dated.map { filter.judge($0.0, at: $0.1 * 1000) }
    #expect(verdicts.prefix(2).allSatisfy { $0 == .rejected(.ahead) })
    guard case .fix = fixes == 1 ? filter.judge(.at(3), at: 3000) : verdicts[2] else {
      Issue.record("not a fix")
      return
    }
  }

  @Test("a GPS that was off for a night is not ahead")
  mutating func night() {
    _ = filter.judge(.at(1), at: 1000)
    guard case .fix = filter.judge(.at(40_000), at: 40_000_000) else {
      Issue.record("not a fix")
      return
    }
  }

  @Test("after hours without fixes a vehicle may be anywhere that it could drive to")
  mutating func ferry() {
    #expect(judgeAll([.at(1), .at(7200, east_m: 800_000)]) == ["fix", "fix"])
  }
}
