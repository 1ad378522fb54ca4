import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A receiver that never gives a time")
struct TimelessReceiverTests {
  /// Under way from 60 s to 1260 s.
  private func day(isSynchronised: Bool) throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(60)
    drive.go(1200, speed_mps: 12)
    drive.park(600)
    let day = try TrackerTimeline(
      drive, isSynchronised: isSynchronised, wallError_s: isSynchronised ? 0 : -100 * 86_400
    ) { $0.motion.gpsOffWhenParked = false }
    day.onTheWay = { report, _ in [report.with { $0.time_ms = nil }] }
    return day
  }

  private func positions(_ day: TrackerTimeline) -> [Record] { day.records(.position) }

  @Test("with a clock that is kept right it makes a track, dated by the clock, and that is said once")
  func dated() throws {
    let day = try day(isSynchronised: true)
    day.run(to: 1800)
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1 && abs(trip.distance_m - 14_400) < 200, "\(day.trips)")
    #expect(ClockMatrixTests.wrongStamps(day) == 0)
    #expect(positions(day).allSatisfy { $0.timeSource == .trustedWallClock } && !positions(day).isEmpty)
    #expect(day.log.count { $0.contains("positions without a time: they have that of their arrival") } == 1)
    #expect(day.tracker.warnings.entries[.noTime] == nil)
  }

  @Test(
    "without such a clock its positions are refused, with a warning; once the clock is right there is a track"
  )
  func refused() throws {
    let day = try day(isSynchronised: false)
    day.run(to: 700)
    #expect(positions(day).isEmpty && day.trips.isEmpty)
    // One when it is seen, and one of each of the two sessions without a fix.
    #expect(day.tracker.warnings.entries[.noTime]?.count == 3)
    #expect(day.tracker.receiver.figures.rejected[.noTime] ?? 0 > 100)
    let words =
      "the receiver gives positions without a time, and no clock gives it: they are refused until the system's clock is synchronised"
    #expect(day.log.count { $0.hasSuffix(words) } == 1)
    day.wallError_s = 0
    day.happen(.clockStepped(isSynchronised: true))
    day.run(to: 1800)
    #expect(day.trips.count == 1 && ClockMatrixTests.wrongStamps(day) == 0)
  }

  @Test("at several a second the words name the line, which may be too slow")
  func cut() throws {
    let day = try day(isSynchronised: false)
    day.interval_ms = 100
    day.run(to: 100)
    let words =
      "the system's clock is synchronised; 10 a second may be too many for its line, so that sentences arrive cut: lower the rate, or raise the baud rate"
    #expect(day.log.count { $0.hasSuffix(words) } == 1, "\(day.log)")
  }

  @Test("where one in twenty comes, sentences are cut")
  func few() throws {
    let day = try day(isSynchronised: false)
    day.onTheWay = { report, s in Int(s) % 20 == 0 ? [report.with { $0.time_ms = nil }] : [] }
    day.run(to: 100)
    #expect(
      day.log.contains { $0.contains("; only 2 came in 20 s, so sentences seem to arrive cut: ") },
      "\(day.log)")
  }

  @Test("one that leaves the time out now and then loses those fixes alone")
  func nowAndThen() throws {
    let day = try day(isSynchronised: true)
    day.onTheWay = { report, s in [Int(s) % 10 == 5 ? report.with { $0.time_ms = nil } : report] }
    day.run(to: 1800)
    #expect(positions(day).allSatisfy { $0.timeSource == .gps })
    #expect(
      day.tracker.receiver.figures.rejected[.noTime] ?? 0 > 100
        && day.tracker.warnings.entries[.noTime] == nil)
  }

  @Test("positions that may have waited in the socket are refused: nothing says for how long")
  func stall() throws {
    let day = try day(isSynchronised: true)
    var waiting: [GPSReport] = []
    day.onTheWay = { report, s in
      waiting.append(report.with { $0.time_ms = nil })
      if (700..<730).contains(s) { return [] }
      defer { waiting = [] }
      return waiting
    }
    day.run(to: 1800)
    #expect(day.trips.count == 1 && ClockMatrixTests.wrongStamps(day) == 0)
  }
}
