import Glibc
import Testing
import TrackerBase
import TrackerCore

@testable import TrackerIO

/// Numbers that a module does not give, or gives as `nan`, through the real gpsd, libgps and a tracker.
extension RealGPSDTests {
  /// What the sentences of one second are, `TIME`, `DATE` and `PLACE` left open, and what the tracker makes of it.
  struct Absent: Sendable, CustomTestStringConvertible {
    var name: String
    var gga: String
    var gsa = "GPGSA,A,3,03,07,11,14,19,22,28,30,,,,,1.6,0.9,1.3"
    var rmc: String

    var testDescription: String { name }
  }

  static let withoutFix = [
    Absent(
      name: "no fix", gga: "GPGGA,TIME,,,,,0,00,99.9,,,,,,", gsa: "GPGSA,A,1,,,,,,,,,,,,,99.9,99.9,99.9",
      rmc: "GPRMC,TIME,V,,,,,,,DATE,,,N"),
    Absent(
      name: "every field empty", gga: "GPGGA,,,,,,,,,,,,,,", gsa: "GPGSA,,,,,,,,,,,,,,,,,",
      rmc: "GPRMC,,,,,,,,,,,,"),
    Absent(
      name: "a fix without a position", gga: "GPGGA,TIME,,,,,1,08,0.9,,M,,M,,",
      rmc: "GPRMC,TIME,A,,,,,20.0,45.0,DATE,,,A"),
    Absent(
      name: "nan everywhere", gga: "GPGGA,TIME,nan,N,nan,E,1,08,nan,nan,M,nan,M,,",
      gsa: "GPGSA,A,3,03,07,11,14,,,,,,,,,nan,nan,nan", rmc: "GPRMC,TIME,A,nan,N,nan,E,nan,nan,DATE,,,A"),
    Absent(
      name: "inf everywhere", gga: "GPGGA,TIME,inf,N,inf,E,1,08,inf,inf,M,inf,M,,",
      rmc: "GPRMC,TIME,A,inf,N,inf,E,inf,inf,DATE,,,A"),
    Absent(
      name: "numbers that no instrument gives",
      gga: "GPGGA,TIME,9999.99999,N,99999.99999,E,1,08,0.9,1e300,M,-1e300,M,,",
      rmc: "GPRMC,TIME,A,9999.99999,N,99999.99999,E,1e300,1e300,DATE,,,A"),
  ]

  static let withoutError = [
    Absent(
      name: "a position of which nothing reports the error", gga: "GPGGA,TIME,PLACE,1,,,,M,,M,,",
      gsa: "GPGSA,A,3,,,,,,,,,,,,,,,", rmc: "GPRMC,TIME,A,PLACE,,,DATE,,,A"),
    Absent(
      name: "a position, and nan for the rest", gga: "GPGGA,TIME,PLACE,1,08,nan,nan,M,nan,M,,",
      gsa: "GPGSA,A,3,03,07,11,14,,,,,,,,,nan,nan,nan", rmc: "GPRMC,TIME,A,PLACE,nan,inf,DATE,,,A"),
  ]

  @Test("a position without an error is a fix with the assumed accuracy", arguments: withoutError)
  func assumed(_ sentences: Absent) throws {
    let reports = played(sentences) { $0.count >= 8 }
    try #require(reports.count >= 8)
    let (status, _) = try judged(reports)
    #expect(status.gps.fixes > 0 && status.gps.accuracyAssumed > 0)
  }

  @Test("absent numbers make no fix and no record, and every report is counted", arguments: withoutFix)
  func absent(_ sentences: Absent) throws {
    let reports = played(sentences) { $0.count >= 8 }
    try #require(reports.count >= 8)
    for report in reports { expectNothingInvented(report) }
    let (status, records) = try judged(reports)
    #expect(status.gps.fixes == 0 && records.isEmpty)
    let rejected = status.gps.rejected.values.reduce(0, +)
    // The last one may wait for a second of its epoch.
    #expect(status.gps.reportsWithoutFix >= reports.count - 2 - status.gps.mergedReports)
    let counted = status.gps.reportsWithoutFix + rejected + status.gps.mergedReports
    #expect((reports.count - 1...reports.count).contains(counted), "\(counted) of \(reports.count)")
  }

  @Test("a fix without altitude and course is one, and they stay absent")
  func partly() throws {
    let sentences = Absent(
      name: "", gga: "GPGGA,TIME,PLACE,1,08,0.9,,M,,M,,", rmc: "GPRMC,TIME,A,PLACE,20.00,,DATE,,,A")
    let reports = played(sentences) { $0.filter { $0.mode >= 2 }.count >= 8 }
    let fix = try #require(reports.last { $0.mode >= 2 })
    #expect(fix.latitude_deg == 47.5 && fix.longitude_deg == 8.5)
    #expect(fix.accuracy_m != nil)
    #expect(fix.altitude_m == nil && fix.course_deg == nil)
    let (status, _) = try judged(reports)
    #expect(status.gps.fixes >= 6)
  }

  private func played(_ sentences: Absent, until isEnough: ([GPSReport]) -> Bool) -> [GPSReport] {
    let connection = gpsd.connect()
    var second = 0
    return connection.events { events in
      let text = nmea([sentences.gga, sentences.gsa, sentences.rmc], second: second, of: start)
      gpsd.write(Array(text.utf8))
      second += 1
      return isEnough(events.reports)
    }.reports
  }

  /// gpsd itself reads an empty speed as 0.
  private func expectNothingInvented(_ report: GPSReport) {
    #expect(report.latitude_deg == nil || report.latitude_deg == 47.5)
    #expect(report.longitude_deg == nil || report.longitude_deg == 8.5)
    #expect(report.altitude_m == nil || report.mode == 3 && report.latitude_deg == nil)
    #expect([nil, 0, 10.289].contains(report.speed_mps))
    #expect([nil, 45].contains(report.course_deg))
  }

  /// A tracker that is given the reports, one a second, and SIGTERM.
  private func judged(_ reports: [GPSReport]) throws -> (TrackerStatus, [Record]) {
    var settings = Settings()
    settings.gps.power.mode = .none
    var now = Moment(boot_ms: 1_000_000, wall_ms: Int64(start) * 1000)
    var tracker = Tracker(
      Configuration(settings: settings, schedule: try Schedule(rules: []), zone: FixedZone.utc),
      restored: .init(), notBefore_ms: 0, isSynchronised: true, at: now)
    var actions: [Action] = []
    let events = [Event.started, .timer] + reports.map { Event.gpsReport($0) } + [.stopping]
    for event in events {
      if case .gpsReport(let report) = event { now.wall_ms = report.time_ms ?? now.wall_ms }
      actions += tracker.handle(event, at: now, chance: 0.5)
      now.boot_ms += 1000
    }
    let commits = actions.compactMap { if case .commit(let commit) = $0 { commit } else { nil } }
    return (tracker.status(at: now), commits.flatMap { $0.records })
  }
}
