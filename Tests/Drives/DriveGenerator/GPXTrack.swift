import Glibc

/// A point of a GPX track.
private struct TrackPoint {
  var position: TrackPosition
  var time_ms: Int64
  var line: Int
}

/// GPX 1.0 and 1.1: every `<trkpt>` with its time, as epochs at 1 Hz.
enum GPXTrack {
  /// Between points farther apart than this nobody knows where the vehicle was: no fix.
  static let widestStep_ms: Int64 = 10_000
  static let longest_ms = 31 * UTCTime.day_ms

  /// One epoch for every whole second from the first point to the last, on the straight line between its
  /// neighbours, or without a fix where these are too far apart. Points may come in any order.
  static func epochs(_ bytes: [UInt8], file: String) throws(TrackError) -> [PlayedEpoch] {
    var points = try points(bytes, file: file)
    // Stable: of two points with one time the first counts.
    points.sort { ($0.time_ms, $0.line) < ($1.time_ms, $1.line) }
    var distinct: [TrackPoint] = []
    for point in points where point.time_ms != distinct.last?.time_ms { distinct.append(point) }
    guard let first = distinct.first else {
      throw TrackError(file: file, reason: "has no track point (<trkpt>)")
    }
    if let far = distinct.first(where: { $0.time_ms - first.time_ms > longest_ms }) {
      let days = (far.time_ms - first.time_ms) / UTCTime.day_ms
      let reason =
        "this point lies \(days) days after the first (line \(first.line)); at most 31 can be played"
      throw TrackError(file: file, line: far.line, reason: reason)
    }
    return interpolated(distinct)
  }

  private static func interpolated(_ points: [TrackPoint]) -> [PlayedEpoch] {
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

  private static func epoch(at time_ms: Int64, _ before: TrackPoint, _ after: TrackPoint?) -> PlayedEpoch {
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

  private static func points(_ bytes: [UInt8], file: String) throws(TrackError) -> [TrackPoint] {
    var scanner = XMLScanner(bytes)
    var points: [TrackPoint] = []
    var open: OpenPoint?
    while let tag = scanner.next() {
      if tag.name == "trkpt" {
        if let closing = open { points.append(try closing.finished(file: file)) }
        open = tag.isEnd ? nil : try OpenPoint(tag, file: file)
      } else if tag.isEnd {
        try open?.take(tag, file: file)
      }
      if tag.name == "trkpt", tag.isEmpty, let closing = open {
        points.append(try closing.finished(file: file))
        open = nil
      }
    }
    if let open { throw TrackError(file: file, line: open.line, reason: "the file ends inside this <trkpt>") }
    return points
  }
}

/// A `<trkpt>` that is being read.
private struct OpenPoint {
  var position: TrackPosition
  var time_ms: Int64?
  var line: Int

  init(_ tag: XMLTag, file: String) throws(TrackError) {
    func angle(_ name: String, limit: Double) throws(TrackError) -> Double {
      guard let text = tag.attributes[name] else {
        throw TrackError(file: file, line: tag.line, reason: "<trkpt> has no \(name)")
      }
      guard let value = Double(text), abs(value) <= limit else {
        let reason = "\(name) of <trkpt> is not a number from -\(Int(limit)) to \(Int(limit))"
        throw TrackError(file: file, line: tag.line, reason: reason)
      }
      return value
    }
    position = TrackPosition(
      latitude_deg: try angle("lat", limit: 90), longitude_deg: try angle("lon", limit: 180))
    line = tag.line
  }

  /// Takes what an end tag inside the point closes.
  mutating func take(_ end: XMLTag, file: String) throws(TrackError) {
    let text = end.text.trimmed
    switch end.name {
    case "time":
      guard let time = UTCTime(iso8601: text) else {
        let reason = "<time> is not ISO 8601, as in 2026-03-02T07:00:00Z"
        throw TrackError(file: file, line: end.line, reason: reason)
      }
      time_ms = time.unix_ms
    case "ele": position.altitude_m = try number(text, in: end, file: file)
    case "speed": position.speed_mps = try number(text, in: end, file: file)
    case "course": position.course_deg = wrapped(try number(text, in: end, file: file))
    default: break
    }
  }

  func finished(file: String) throws(TrackError) -> TrackPoint {
    guard let time_ms else {
      let reason = "<trkpt> has no <time>; a track without times cannot be played"
      throw TrackError(file: file, line: line, reason: reason)
    }
    return TrackPoint(position: position, time_ms: time_ms, line: line)
  }

  private func number(_ text: String, in tag: XMLTag, file: String) throws(TrackError) -> Double {
    // Farther than any height, speed or course; also keeps infinity out.
    guard let value = Double(text), abs(value) < 100_000 else {
      throw TrackError(file: file, line: tag.line, reason: "<\(tag.name)> is not a number")
    }
    return value
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

extension String {
  /// Without white space at both ends.
  fileprivate var trimmed: String {
    let start = drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}
