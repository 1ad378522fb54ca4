import DriveGenerator
import Glibc
import Testing
import TrackerBase
import TrackerCore

@testable import TrackerIO

/// What a serial line can bring besides good sentences, through the real gpsd.
extension RealGPSDTests {
  @Test("five and ten reports a second arrive each with its own time", arguments: [5, 10])
  func subsecond(rate_hz: Int) throws {
    let connection = gpsd.connect()
    let events = gpsd.play(from: start, rate_hz: rate_hz, to: connection) { events in
      events.reports.filter { $0.mode == 3 }.count >= 4 * rate_hz
    }
    let times = events.reports.filter { $0.mode == 3 }.compactMap(\.time_ms)
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }.filter { $0 != 0 }
    #expect(steps.count >= 2 * rate_hz)
    // What the module says while gpsd opens it is lost, so the first steps may be longer.
    #expect(steps.suffix(2 * rate_hz).allSatisfy { $0 == Int64(1000 / rate_hz) }, "\(steps)")
  }

  @Test("a megabyte of noise on the line: no trap, and after a restart of gpsd a good module is heard")
  func noise() throws {
    let connection = gpsd.connect()
    var random = RandomSource(seed: 11)
    let sentence = Array(nmea(second: 0, of: start).utf8)
    for _ in 0..<250 {
      var bytes = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }
      // Half of it looks like something: true sentences with a few bytes changed.
      if Bool.random(using: &random) {
        bytes = (0..<8).flatMap { _ in sentence }
        for _ in 0..<40 {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      }
      gpsd.write(bytes)
      for report in connection.receive(ready: []).reports { expectSane(report) }
    }
    expectHeard(after: connection)
  }

  @Test(
    "recordings of other receivers' lines, binary ones too: no trap, and after a restart of gpsd a good module is heard",
    .enabled(
      if: !receiverLogs.isEmpty, "GODWIT_GPSD_LOGS does not name a folder with *.log (gpsd's test/daemon)"))
  func recordings() throws {
    let connection = gpsd.connect()
    var counts = (reports: 0, fixes: 0, bytes: 0)
    for path in receiverLogs {
      let bytes = [UInt8](try #require(fileBytes(path)))
      for begin in stride(from: 0, to: bytes.count, by: 4096) {
        gpsd.write(Array(bytes[begin..<min(begin + 4096, bytes.count)]))
        let reports = connection.receive(ready: []).reports
        for report in reports { expectSane(report) }
        counts.reports += reports.count
        counts.fixes += reports.filter { $0.mode >= 2 }.count
      }
      counts.bytes += bytes.count
    }
    print(
      "receivers' logs: \(receiverLogs.count), \(counts.bytes) bytes, \(counts.reports) reports, \(counts.fixes) fixes"
    )
    expectHeard(after: connection)
  }

  @Test(
    "a GREIS receiver that gives no time: the tracker uses its positions, 10 s later, by a clock that is kept right",
    .enabled(if: greisLog != nil, "GODWIT_GPSD_LOGS does not name a folder with greis-test.log"))
  func timeless() throws {
    let bytes = try #require(greisLog.flatMap { fileBytes($0) })
    let connection = gpsd.connect()
    var reports: [GPSReport] = []
    let isEnough = waits {
      for begin in stride(from: 0, to: bytes.count, by: 1024) {
        gpsd.write(Array(bytes[begin..<min(begin + 1024, bytes.count)]))
        reports += connection.receive(ready: []).reports.filter { $0.latitude_deg != nil }
      }
      return reports.count >= 20
    }
    #expect(isEnough && reports.allSatisfy { $0.time_ms == nil }, "\(reports.count)")
    var now = Moment(boot_ms: 1_000_000, wall_ms: Int64(start) * 1000)
    var tracker = Tracker(
      Configuration(settings: Settings(), schedule: try Schedule(rules: []), zone: nil), restored: .init(),
      notBefore_ms: 0, isSynchronised: true, at: now)
    _ = tracker.handle(.started, at: now, chance: 0.5)
    _ = tracker.handle(.timer, at: now, chance: 0.5)
    for report in reports.prefix(20) {
      _ = tracker.handle(.gpsReport(report), at: now, chance: 0.5)
      now.boot_ms += 1000
      now.wall_ms += 1000
    }
    let status = tracker.status(at: now)
    #expect(
      status.gps.fixes == 10 && Set(status.gps.rejected.keys) == [.noTime], "\(status.gps)")
  }

  /// With a gpsd that has begun anew: six bytes (10 13 55 07 10 03) are a Trimble packet for version 3.22, which from
  /// then on throws NMEA away, whatever its clients do (docs/power.md).
  private func expectHeard(after noisy: GPSDConnection) {
    _ = noisy.receive(ready: [])
    gpsd.stop(SIGKILL)
    gpsd.start()
    let lost = noisy.events { $0.isLost }
    #expect(lost.isLost && noisy.isClosed)
    #expect(waits { (try? noisy.open()) != nil })
    let after = gpsd.play(from: start + 3600, to: noisy) { $0.reports.contains { isGood($0) } }
    #expect(after.reports.contains { isGood($0) }, "\(after.count) events, lost \(after.isLost)")
  }

  private func isGood(_ report: GPSReport) -> Bool { report.mode == 3 && report.latitude_deg == 47.5 }

  private func expectSane(_ report: GPSReport) {
    let numbers = [
      report.latitude_deg, report.longitude_deg, report.altitude_m, report.speed_mps, report.course_deg,
      report.accuracy_m, report.hdop,
    ]
    #expect(numbers.allSatisfy { $0.map { $0.isFinite && abs($0) < 1e9 } ?? true })
    #expect((1...3).contains(report.mode))
  }
}

private let receiverLogs: [String] = {
  let folder = getenv("GODWIT_GPSD_LOGS").map { String(cString: $0) } ?? "../shared/data/gpsd"
  return fileNames(in: folder).filter { $0.hasSuffix(".log") }.map { "\(folder)/\($0)" }
}()

private let greisLog = receiverLogs.first { $0.hasSuffix("/greis-test.log") }
