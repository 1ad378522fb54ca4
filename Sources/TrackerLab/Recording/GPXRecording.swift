import TrackerBase

/// A `<trkpt>`.
public struct GPXPoint: Equatable, Sendable {
  /// With a time; without a position where the file says that there was no fix.
  public var report: GPSReport
  /// Where the point begins, from 1.
  public var line: Int
}

/// GPX 1.0 and 1.1, piece by piece: every `<trkpt>` that has a `<time>`, and what it has of `<ele>`, `<speed>` (m/s),
/// `<course>`, `<hdop>`, `<sat>` and `<fix>`. Speed, course, HDOP and satellites may be in extensions too. Nothing is
/// interpolated. Segments that are out of order are put into the order of their times.
public final class GPXRecording {
  private let file: String
  private var skipped: SkippedRows
  private var point: OpenPoint?
  private var reports = Reports()
  /// Of each report.
  private var lines: [Int32] = []
  /// Where each segment begins in `reports`.
  private var segments = [0]
  /// Ended the reading: a malformed point, where none may be left out.
  private var failure: TrackError?
  /// Behind it nothing can be read.
  private var isBroken = false
  private lazy var xml = XMLReader(self)

  /// - Parameter skipsBad: points that are malformed are left out and counted.
  public init(file: String, skipsBad: Bool = false) {
    self.file = file
    skipped = SkippedRows(isAllowed: skipsBad)
  }

  public static func read(
    _ bytes: [UInt8], file: String, skipsBad: Bool = false
  ) throws(TrackError) -> RecordedTrack {
    let recording = GPXRecording(file: file, skipsBad: skipsBad)
    try recording.take(bytes)
    return try recording.finish()
  }

  /// The points in the order of their segments; at least one.
  public static func points(_ bytes: [UInt8], file: String) throws(TrackError) -> [GPXPoint] {
    let recording = GPXRecording(file: file)
    try recording.take(bytes)
    try recording.end()
    return recording.reports.indices.map {
      GPXPoint(report: recording.reports.report(at: $0), line: Int(recording.lines[$0]))
    }
  }

  /// Takes the next bytes, which may end anywhere.
  public func take(_ piece: [UInt8]) throws(TrackError) { try parse(piece, isLast: false) }

  public func finish() throws(TrackError) -> RecordedTrack {
    try end()
    for index in reports.indices.dropFirst() {
      let pause_ms = (reports.time_ms(index) ?? 0) - (reports.time_ms(index - 1) ?? 0)
      guard pause_ms > RecordedTrack.longestPause_ms else { continue }
      let reason =
        "this point lies \(pause_ms / 86_400_000) days after the one before it; at most 31 can be replayed. "
        + "Cut the file here, or delete the point if its time is wrong."
      throw TrackError(file: file, line: Int(lines[index]), reason: reason)
    }
    return skipped.note(in: try RecordedTrack(file: file, reports: reports))
  }

  private func parse(_ piece: [UInt8], isLast: Bool) throws(TrackError) {
    if isBroken { return }
    let words = xml.take(piece, isLast: isLast)
    if let failure { throw failure }
    guard let words else { return }
    isBroken = true
    let reason = "the XML is broken here (\(words)), so nothing behind it can be read"
    try skipped.add(TrackError(file: file, line: xml.line, reason: reason))
  }

  private func end() throws(TrackError) {
    try parse([], isLast: true)
    try skipped.check(file: file, good: reports.count)
    if reports.isEmpty { throw TrackError(file: file, reason: "has no track point (<trkpt>)") }
    sortSegments()
  }

  /// Only where their first times are not in order.
  private func sortSegments() {
    func time_ms(_ segment: Range<Int>) -> Int64 { reports.time_ms(segment.lowerBound) ?? 0 }
    let spans = zip(segments, segments.dropFirst() + [reports.count]).map { $0..<$1 }.filter { !$0.isEmpty }
    guard zip(spans, spans.dropFirst()).contains(where: { time_ms($0) > time_ms($1) }) else { return }
    let order = spans.enumerated()
      .sorted { (time_ms($0.element), $0.offset) < (time_ms($1.element), $1.offset) }.flatMap(\.element)
    reports = Reports(order.lazy.map { [reports] in reports.report(at: $0) })
    lines = order.map { lines[$0] }
  }
}

extension GPXRecording: XMLHandler {
  func begin(_ name: String, attributes: XMLAttributes, line: Int) {
    switch name {
    case "trkseg": if segments.last != reports.count { segments.append(reports.count) }
    case "trkpt":
      do throws(TrackError) { point = try OpenPoint(attributes, line: line, file: file) } catch {
        refuse(error)
      }
    default: point?.depth += 1
    }
  }

  func end(_ name: String, text: [UInt8], line: Int) {
    guard var point else { return }
    if name == "trkpt" {
      self.point = nil
      guard let report = point.report else {
        // One that a recorder left without a time costs no more than that point.
        return skipped.count(TrackError(file: file, line: point.line, reason: OpenPoint.noTime))
      }
      reports.append(report)
      return lines.append(Int32(clamping: point.line))
    }
    do throws(TrackError) {
      try point.take(name, text[...].trimmed, line: line, file: file)
      self.point = point
    } catch { refuse(error) }
  }

  private func refuse(_ error: TrackError) {
    point = nil
    do throws(TrackError) { try skipped.add(error) } catch {
      failure = error
      xml.stop()
    }
  }
}

/// A `<trkpt>` that is being read.
private struct OpenPoint {
  static let noTime = "<trkpt> has no <time>; a track without times cannot be played"

  let line: Int
  /// Of the elements that are open inside the point.
  var depth = 0
  private var read = GPSReport(mode: 0)
  /// As `<fix>` has it.
  private var mode: Int?
  /// What the point itself has; an element of an extension does not replace it.
  private var own: Set<String> = []

  init(_ attributes: XMLAttributes, line: Int, file: String) throws(TrackError) {
    func angle(_ name: String, limit: Double) throws(TrackError) -> Double {
      guard let text = attributes[name] else {
        throw TrackError(file: file, line: line, reason: "<trkpt> has no \(name)")
      }
      guard let value = NumberText.double(Array(text.utf8)[...].trimmed), value.magnitude <= limit else {
        let reason = "\(name) of <trkpt> is not a number from -\(Int(limit)) to \(Int(limit))"
        throw TrackError(file: file, line: line, reason: reason)
      }
      return value
    }
    self.line = line
    read.latitude_deg = try angle("lat", limit: 90)
    read.longitude_deg = try angle("lon", limit: 180)
  }

  /// Nil without a time.
  var report: GPSReport? {
    guard read.time_ms != nil else { return nil }
    var report = read
    report.mode = mode ?? (report.altitude_m == nil ? 2 : 3)
    return report.withinMode
  }

  /// Takes an element that ends inside the point.
  mutating func take(_ name: String, _ text: ArraySlice<UInt8>, line: Int, file: String) throws(TrackError) {
    depth -= 1
    let isOwn = depth == 0
    guard isOwn || !own.contains(name) else { return }
    if isOwn { own.insert(name) }
    func number() throws(TrackError) -> Double? {
      try OpenPoint.number(name, text, line: line, file: file)
    }
    switch name {
    case "time" where isOwn:
      guard let time_ms = TimeText.unix_ms(text) else {
        let reason = "<time> is not ISO 8601, as in 2026-03-02T07:00:00Z"
        throw TrackError(file: file, line: line, reason: reason)
      }
      read.time_ms = time_ms
    case "ele" where isOwn: read.altitude_m = try number()
    case "fix" where isOwn: mode = OpenPoint.mode(text)
    // Phones write -1 where they have none.
    case "speed": read.speed_mps = try number().flatMap { $0 >= 0 ? $0 : nil }
    case "course": read.course_deg = try number().flatMap(GPSReport.course_deg)
    case "hdop": read.hdop = try number().flatMap(GPSReport.hdop)
    case "sat": read.satellites = try number().flatMap { $0 >= 0 ? Int($0) : nil }
    default: break
    }
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
  private static func number(
    _ name: String, _ text: ArraySlice<UInt8>, line: Int, file: String
  ) throws(TrackError) -> Double? {
    if text.isEmpty { return nil }
    // Farther than any height, speed or course; also keeps infinity out.
    guard let value = NumberText.double(text), value.magnitude < 100_000 else {
      let reason = "<\(name)> is not a number; correct it or delete the element"
      throw TrackError(file: file, line: line, reason: reason)
    }
    return value
  }
}
