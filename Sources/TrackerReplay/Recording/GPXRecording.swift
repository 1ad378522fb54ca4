import TrackerCore

/// A `<trkpt>`.
public struct GPXPoint: Equatable, Sendable {
  /// With a time; without a position where the file says that there was no fix.
  public var report: GPSReport
  /// Where the point begins, from 1.
  public var line: Int
}

/// GPX 1.0 and 1.1: every `<trkpt>` with its `<time>`, and what it has of `<ele>`, `<speed>` (m/s), `<course>`,
/// `<hdop>`, `<sat>` and `<fix>`, also in extensions. Nothing is interpolated; segments do not matter.
public enum GPXRecording {
  /// The points in the order of the file; at least one.
  public static func points(_ bytes: [UInt8], file: String) throws(TrackError) -> [GPXPoint] {
    var skipped = SkippedRows(isAllowed: false)
    return try points(bytes, file: file, skipped: &skipped)
  }

  private static func points(
    _ bytes: [UInt8], file: String, skipped: inout SkippedRows
  ) throws(TrackError) -> [GPXPoint] {
    var scanner = XMLScanner(bytes)
    var reader = PointReader(file: file)
    while let tag = scanner.next() {
      do throws(TrackError) { try reader.take(tag) } catch {
        reader.open = nil
        try skipped.add(error)
      }
    }
    if let line = reader.open?.line {
      try skipped.add(TrackError(file: file, line: line, reason: "the file ends inside this <trkpt>"))
    }
    try skipped.check(file: file, good: reader.points.count)
    if reader.points.isEmpty { throw TrackError(file: file, reason: "has no track point (<trkpt>)") }
    return reader.points
  }

  /// - Parameter skipsBad: points that are malformed are passed over and counted.
  public static func read(
    _ bytes: [UInt8], file: String, skipsBad: Bool = false
  ) throws(TrackError) -> RecordedTrack {
    var skipped = SkippedRows(isAllowed: skipsBad)
    let points = try points(bytes, file: file, skipped: &skipped)
    for (before, point) in zip(points, points.dropFirst()) {
      let pause_ms = (point.report.time_ms ?? 0) - (before.report.time_ms ?? 0)
      guard pause_ms > RecordedTrack.longestPause_ms else { continue }
      let reason =
        "this point lies \(pause_ms / 86_400_000) days after the one before it; at most 31 can be replayed. "
        + "Cut the file here, or delete the point if its time is wrong."
      throw TrackError(file: file, line: point.line, reason: reason)
    }
    return skipped.note(in: try RecordedTrack(file: file, reports: points.map(\.report)))
  }
}

private struct PointReader {
  let file: String
  private(set) var points: [GPXPoint] = []
  var open: OpenPoint?

  init(file: String) { self.file = file }

  /// What is wrong with a point is found out at the latest where it ends.
  mutating func take(_ tag: XMLTag) throws(TrackError) {
    if tag.name == "trkpt" {
      let closing = open
      open = nil
      if let closing { points.append(try closing.finished(file: file)) }
      if !tag.isEnd { open = try OpenPoint(tag, file: file) }
    } else if tag.isEnd {
      try open?.take(tag, file: file)
    }
    if tag.name == "trkpt", tag.isEmpty, let closing = open {
      open = nil
      points.append(try closing.finished(file: file))
    }
  }
}

/// A `<trkpt>` that is being read.
private struct OpenPoint {
  let line: Int
  private var report = GPSReport(mode: 0)
  /// As `<fix>` has it.
  private var mode: Int?

  init(_ tag: XMLTag, file: String) throws(TrackError) {
    func angle(_ name: String, limit: Double) throws(TrackError) -> Double {
      guard let text = tag.attribute(name) else {
        throw TrackError(file: file, line: tag.line, reason: "<trkpt> has no \(name)")
      }
      guard let value = NumberText.double(text.trimmed), value.magnitude <= limit else {
        let reason = "\(name) of <trkpt> is not a number from -\(Int(limit)) to \(Int(limit))"
        throw TrackError(file: file, line: tag.line, reason: reason)
      }
      return value
    }
    line = tag.line
    report.latitude_deg = try angle("lat", limit: 90)
    report.longitude_deg = try angle("lon", limit: 180)
  }

  /// Takes what an end tag inside the point closes.
  mutating func take(_ end: XMLTag, file: String) throws(TrackError) {
    switch end.name {
    case "time":
      guard let time_ms = TimeText.unix_ms(end.text.trimmed) else {
        let reason = "<time> is not ISO 8601, as in 2026-03-02T07:00:00Z"
        throw TrackError(file: file, line: end.line, reason: reason)
      }
      report.time_ms = time_ms
    case "ele": report.altitude_m = try number(in: end, file: file)
    // Phones write -1 where they have none.
    case "speed": report.speed_mps = try number(in: end, file: file).flatMap { $0 >= 0 ? $0 : nil }
    case "course": report.course_deg = try number(in: end, file: file).flatMap(GPSReport.course_deg)
    case "hdop": report.hdop = try number(in: end, file: file).flatMap(GPSReport.hdop)
    case "sat": report.satellites = try number(in: end, file: file).flatMap { $0 >= 0 ? Int($0) : nil }
    case "fix": mode = OpenPoint.mode(end.text.trimmed)
    default: break
    }
  }

  func finished(file: String) throws(TrackError) -> GPXPoint {
    guard report.time_ms != nil else {
      let reason = "<trkpt> has no <time>; a track without times cannot be played"
      throw TrackError(file: file, line: line, reason: reason)
    }
    var report = report
    report.mode = mode ?? (report.altitude_m == nil ? 2 : 3)
    return GPXPoint(report: report.withinMode, line: line)
  }

  /// Nil where the file does not say, or in words that GPX does not have.
  private static func mode(_ text: ArraySlice<UInt8>) -> Int? {
    switch String(decoding: text, as: UTF8.self) {
    case "none": 1
    case "2d": 2
    case "3d": 3
    default: nil
    }
  }

  /// Nil for an empty element.
  private func number(in tag: XMLTag, file: String) throws(TrackError) -> Double? {
    let text = tag.text.trimmed
    if text.isEmpty { return nil }
    // Farther than any height, speed or course; also keeps infinity out.
    guard let value = NumberText.double(text), value.magnitude < 100_000 else {
      throw TrackError(
        file: file, line: tag.line, reason: "<\(tag.name)> is not a number; correct it or delete the element")
    }
    return value
  }
}
