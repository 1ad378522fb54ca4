import DriveGenerator
import Glibc
import TrackerBase
import TrackerLab

/// Ten hours with six trips of about twenty minutes, parked between.
enum ReferenceDay {
  static func track(csv path: String?) throws -> RecordedTrack {
    guard let path else { return generated() }
    return try CSVRecording.read(try read(path), file: path)
  }

  private static func generated() -> RecordedTrack {
    var legs: [DriveLeg] = [.park(duration_s: 4114)]
    for _ in 0..<6 {
      for _ in 0..<5 { legs += block }
      legs += [.straight(length_m: 120, limit_mps: 8.3), .park(duration_s: 4114)]
    }
    let drive = Drive(plan: DrivePlan(legs: legs), seed: 1, start_ms: 1_772_434_800_000)
    guard let track = RecordedTrack(name: "reference day", reports: drive.epochs.map(report)) else {
      preconditionFailure("a drive has times")
    }
    return track
  }

  /// Four minutes through a town.
  private static let block: [DriveLeg] = [
    .straight(length_m: 420, limit_mps: 13.9), .light(halt_s: 35),
    .bend(radius_m: 12, turn_deg: 90, limit_mps: 13.9), .straight(length_m: 650, limit_mps: 16.7),
    .bend(radius_m: 180, turn_deg: -55, limit_mps: 13.9), .straight(length_m: 380, limit_mps: 13.9),
    .light(halt_s: 20), .bend(radius_m: 10, turn_deg: -90, limit_mps: 13.9),
    .straight(length_m: 700, limit_mps: 13.9), .bend(radius_m: 90, turn_deg: 60, limit_mps: 11),
  ]

  private static func report(_ epoch: DriveEpoch) -> GPSReport {
    guard epoch.hasFix else { return GPSReport(mode: 1, time_ms: epoch.time_ms) }
    return GPSReport(
      mode: 3, time_ms: epoch.time_ms, latitude_deg: epoch.latitude_deg, longitude_deg: epoch.longitude_deg,
      altitude_m: epoch.altitude_m, speed_mps: epoch.speed_mps, course_deg: epoch.course_deg,
      accuracy_m: 6, hdop: epoch.hdop, satellites: epoch.satellites)
  }

  private static func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else {
      throw BenchmarkError("\(path): \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }
}

struct BenchmarkError: Error, CustomStringConvertible {
  var description: String
  init(_ text: String) { description = text }
}
