import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Fixes that a slow line or a buffer holds back.
@Suite("Fixes that come late")
struct LateFixesTests {
  private func day(lag_s: @escaping (Double) -> Double, isSynchronised: Bool = true) throws -> TrackerTimeline
  {
    var drive = Drive()
    drive.park(60)
    drive.go(1200, speed_mps: 12)
    drive.park(600)
    let day = try TrackerTimeline(
      drive, isSynchronised: isSynchronised, wallError_s: isSynchronised ? 0 : -100 * 86_400
    ) { $0.motion.gpsOffWhenParked = false }
    var said: [Double: GPSReport] = [:]
    var last_s = -1.0
    day.onTheWay = { report, s in
      said[s] = report
      let due_s = (s - lag_s(s)).rounded(.down)
      defer { last_s = max(last_s, due_s) }
      return due_s > last_s ? [said[due_s]].compactMap { $0 } : []
    }
    return day
  }

  @Test("are dated by their own time, and how late they come is said once", arguments: [8.0, 16, 45])
  func constant(lag_s: Double) throws {
    let day = try day { _ in lag_s }
    day.run(to: 1900)
    #expect(ClockMatrixTests.wrongStamps(day) == 0)
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1 && abs(trip.distance_m - 14_400) < 300, "\(day.trips)")
    let status = day.tracker.status(at: day.now)
    #expect(status.gps.fixDelay_s == Int64(lag_s))
    // Before the first fix of the slowest line comes, the receiver is silent.
    let warnings = status.warnings.filter { $0.name != "gps_silent" || lag_s < 45 }
    #expect(warnings.map(\.name) == ["gps_late"] && warnings[0].count == 1, "\(warnings)")
    #expect(
      day.log.count {
        $0.contains("fixes come \(Int(lag_s)) s after their own time, by which they are dated")
      } == 1)
    #expect((status.gps.lastFixAgo_s ?? 0) >= Int64(lag_s))
  }

  @Test("a buffer that fills up in mid-trip: no date is wrong, and the warning ends with the delay")
  func growing() throws {
    let day = try day { s in s < 300 ? 0 : s < 1300 ? min(40, (s - 300) / 10) : 0 }
    day.run(to: 1500)
    #expect(day.tracker.warnings.entries[.late] != nil)
    day.run(to: 1900)
    #expect(ClockMatrixTests.wrongStamps(day) == 0)
    if case .over? = day.tracker.warnings.entries[.late]?.course {} else { Issue.record("it lasts") }
    #expect(day.tracker.receiver.quality.delay.last_ms == 0)
  }

  @Test("a date that is behind by the 18 leap seconds of GPS time is wrong, and the fix is not late")
  func leapSeconds() throws {
    let day = try ClockMatrixTests.timeline(.right, rules: [])
    day.dateError_s = { s, _ in s >= 900 ? -18 : 0 }
    day.run(to: 2600)
    #expect(ClockMatrixTests.wrongStamps(day) == 0 && day.tracker.warnings.entries[.late] == nil)
  }

  @Test(
    "4.9 s are not late; 5 s for 10 s are",
    arguments: [(4999, 20, false), (5000, 9, false), (5000, 10, true)])
  func limit(delay_ms: Int64, seconds: Int, isLate: Bool) {
    var delay = FixDelay()
    let news = (0...seconds).filter { delay.add(delay_ms, at: Int64($0) * 1000) }
    #expect(news.count == (isLate ? 1 : 0) && delay.isLate == isLate)
  }

  @Test("what waited in the socket while the agent could not read is not late")
  func stall() throws {
    let day = try day { _ in 0 }
    var waiting: [GPSReport] = []
    day.onTheWay = { report, s in
      waiting.append(report)
      if (700..<730).contains(s) { return [] }
      defer { waiting = [] }
      return waiting
    }
    day.run(to: 1000)
    #expect(day.tracker.warnings.entries[.late] == nil)
  }
}
