import Glibc
import TrackerBase
import TrackerLab

/// A point of a GPX track.
private struct TimedPosition {
  var position: TrackPosition
  var time_ms: Int64
  var line: Int

  /// Nil where there was no fix.
  init?(_ point: GPXPoint) {
    guard let time_ms = point.report.time_ms, let position = TrackPosition(point.report) else { return nil }
    self.time_ms = time_ms
    self.position = position
    line = point.line
  }
}

extension TrackPosition {
  fileprivate init?(_ report: GPSReport) {
    guard let latitude_deg = report.latitude_deg, let longitude_deg = report.longitude_deg else { return nil }
    self.init(
      latitude_deg: latitude_deg, longitude_deg: longitude_deg, altitude_m: report.altitude_m,
      speed_mps: report.speed_mps, course_deg: report.course_deg)
  }
}

/// GPX 1.0 and 1.1: every `<trkpt>` with its time, as epochs at 1 Hz.
enum GPXTrack {
  /// Between points farther apart than this nobody knows where the vehicle was: no fix.
  static let widestStep_ms: Int64 = 10_000
  static let longest_ms = 31 * UTCTime.day_ms

  /// One epoch for every whole second from the first point to the last, on the straight line between its
  /// neighbours, or without a fix where these are too far apart. Points may come in any order.
  static func epochs(_ bytes: [UInt8], file: String) throws(TrackError) -> [PlayedEpoch] {
    var points = try GPXRecording.points(bytes, file: file).compactMap(TimedPosition.init)
    // Stable: of two points with one time the first counts.
    points.sort { ($0.time_ms, $0.line) < ($1.time_ms, $1.line) }
    var distinct: [TimedPosition] = []
    for point in points where point.time_ms != distinct.last?.time_ms { distinct.append(point) }
    guard let first = distinct.first else { return [] }
    if let far = distinct.first(where: { $0.time_ms - first.time_ms > longest_ms }) {
      let days = (far.time_ms - first.time_ms) / UTCTime.day_ms
      let reason =
        "this point lies \(days) days after the first (line \(first.line)); at most 31 can be played"
      throw TrackError(file: file, line: far.line, reason: reason)
    }
    return interpolated(distinct)
  }

  private static func interpolated(_ points: [TimedPosition]) -> [PlayedEpoch] {
    var epochs: [PlayedEpoch] = []
    var index = 0
    var time_ms = (points[0].time_ms + 999) / 1000 * 1000
    while time_ms <= points[points.count - 1].time_ms {
      while index + 1 < points.count, points[index + 1].time_ms <= time_ms { index += 1 }
      let before = points[index]
      let after = index + 1 < points.count ? points[index + 1] : nil
      epochs.append(epoch(at: time_ms, before, after))
      time_ms += 1000
    }
    return epochs
  }

  private static func epoch(at time_ms: Int64, _ before: TimedPosition, _ after: TimedPosition?)
    -> PlayedEpoch
  {
    var position = before.position
    var speed_mps = before.position.speed_mps ?? 0
    if let after, after.time_ms - before.time_ms <= widestStep_ms {
      let share = Double(time_ms - before.time_ms) / Double(after.time_ms - before.time_ms)
      let way = Way(from: before.position, to: after.position)
      let mean_mps = way.length_m * 1000 / Double(after.time_ms - before.time_ms)
      position = way.position(at: share)
      speed_mps = blend(before.position.speed_mps, after.position.speed_mps, share) ?? mean_mps
    } else if time_ms != before.time_ms {
      var silent = DriveEpoch(at: position, speed_mps: 0, time_ms: time_ms)
      (silent.hasFix, silent.satellites, silent.hdop) = (false, 0, 99.9)
      return PlayedEpoch(silent)
    }
    return PlayedEpoch(DriveEpoch(at: position, speed_mps: speed_mps, time_ms: time_ms))
  }
}

/// The straight way between two positions, on the plane that touches the sphere half-way.
private struct Way {
  var from: TrackPosition
  var to: TrackPosition

  private var eastward_deg: Double {
    let difference = to.longitude_deg - from.longitude_deg
    return difference > 180 ? difference - 360 : difference < -180 ? difference + 360 : difference
  }

  private var offset_m: (north: Double, east: Double) {
    let middle = (from.latitude_deg + to.latitude_deg) / 2 * Double.pi / 180
    return (
      (to.latitude_deg - from.latitude_deg) * Vehicle.metresPerDegree,
      eastward_deg * Vehicle.metresPerDegree * cos(middle)
    )
  }

  var length_m: Double { (offset_m.north * offset_m.north + offset_m.east * offset_m.east).squareRoot() }

  /// The position at `share`, 0...1, of the way, heading along it.
  func position(at share: Double) -> TrackPosition {
    let longitude_deg = from.longitude_deg + eastward_deg * share
    let heading_deg = wrapped(atan2(offset_m.east, offset_m.north) * 180 / Double.pi)
    return TrackPosition(
      latitude_deg: from.latitude_deg + (to.latitude_deg - from.latitude_deg) * share,
      longitude_deg: longitude_deg > 180
        ? longitude_deg - 360 : longitude_deg < -180 ? longitude_deg + 360 : longitude_deg,
      altitude_m: blend(from.altitude_m, to.altitude_m, share),
      course_deg: from.course_deg ?? (length_m > 0.5 ? heading_deg : nil))
  }
}

private func blend(_ before: Double?, _ after: Double?, _ share: Double) -> Double? {
  guard let before, let after else { return before ?? after }
  return before + (after - before) * share
}
