import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// A receiver that has fixes which cannot be used: its cause is named, and is never "no sky".
@Suite("Fixes that are refused")
struct RefusedFixesTests {
  typealias Change = @Sendable (_ report: inout GPSReport, _ s: Double) -> Void

  /// Under way from 400 s to 1600 s.
  private func day(_ change: @escaping Change) throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(400)
    drive.go(1200, speed_mps: 12)
    drive.park(900)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.onTheWay = { report, s in [report.with { change(&$0, s) }] }
    return day
  }

  private func gaps(_ day: TrackerTimeline) -> [String] {
    day.disk.committed.compactMap { record in
      guard case .gap(let gap) = record.content else { return nil }
      return gap.cause.rawValue
    }
  }

  static let cases: [(String, String, Change)] = [
    ("accuracy", "gps_accuracy", { report, _ in report.accuracy_m = 1500 }),
    (
      "fixes_refused", "gps_fixes_refused",
      { report, _ in (report.latitude_deg, report.longitude_deg) = (0, 0) }
    ),
    ("fixes_refused", "gps_fixes_refused", { report, _ in report.time_ms = epoch_ms + 30_000 }),
    (
      "no_fix", "gps_no_fix",
      { report, _ in report = GPSReport(mode: 1, sky: SkyView(heard: 3)) }
    ),
    (
      "no_sky", "gps_no_sky",
      { report, _ in report = GPSReport(mode: 1, sky: SkyView(heard: 0)) }
    ),
    ("no_sky", "gps_no_sky", { report, _ in report = GPSReport(mode: 1) }),
  ]

  @Test("all of a session: status, warning and record name the reason", arguments: 0..<6)
  func wholeSession(index: Int) throws {
    let (cause, warning, change) = RefusedFixesTests.cases[index]
    let day = try day(change)
    day.run(to: 700)
    let status = day.tracker.status(at: day.now)
    #expect(status.noTrackCause?.rawValue == cause)
    let warnings = status.warnings.filter { $0.name.hasPrefix("gps_") }
    #expect(warnings.map(\.name) == [warning], "\(warnings)")
    #expect(day.log.contains { $0.contains("no fix: the GPS stays on; ") }, "\(day.log)")
  }

  @Test("before the time-out it says accuracy, not that it waits for a fix")
  func soon() throws {
    let day = try day { report, _ in report.accuracy_m = 500 }
    day.run(to: 60)
    #expect(day.tracker.status(at: day.now).noTrackCause == .accuracy)
    #expect(day.tracker.status(at: day.now).gps.rejected[.accuracy] ?? 0 >= 30)
  }

  @Test(
    "80 s of a trip: the gap has the cause, without a time-out",
    arguments: [("accuracy", 500.0), ("no_sky", 0)])
  func gap(cause: String, accuracy_m: Double) throws {
    let day = try day { report, s in
      guard (800..<880).contains(s) else { return }
      if accuracy_m > 0 { report.accuracy_m = accuracy_m } else { report = GPSReport(mode: 1, satellites: 0) }
    }
    day.run(to: 2500)
    #expect(gaps(day).filter { !["acquiring", "parked"].contains($0) } == [cause], "\(gaps(day))")
  }

  @Test("a tunnel with one poor fix at its end is a tunnel")
  func tunnel() throws {
    let day = try day { report, s in
      if (800..<880).contains(s) { report = GPSReport(mode: 1, satellites: 0) }
      if (880..<883).contains(s) { report.accuracy_m = 400 }
    }
    day.run(to: 2500)
    #expect(gaps(day).filter { !["acquiring", "parked"].contains($0) } == ["no_sky"], "\(gaps(day))")
  }

  @Test("the first usable fix afterwards says what it was")
  func back() throws {
    let day = try day { report, s in if s < 700 { report.accuracy_m = 500 } }
    day.run(to: 2500)
    let lost = day.records(.warning).map(\.content)
    #expect(lost == [] || lost == [.warning(.gpsLost(cause: .accuracy))])
    #expect(day.log.contains { $0.contains("GPS back after") })
  }
}
