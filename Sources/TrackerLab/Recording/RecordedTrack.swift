import TrackerBase

/// What a receiver said along the way, in the order in which it said it.
public struct RecordedTrack: Equatable, Sendable {
  /// One report and when it came, in Unix milliseconds of GPS time.
  public struct Entry: Equatable, Sendable {
    public var at_ms: Int64
    public var report: GPSReport

    public init(at_ms: Int64, report: GPSReport) {
      self.at_ms = at_ms
      self.report = report
    }
  }

  /// The ignition was switched.
  public struct IgnitionEdge: Equatable, Sendable {
    public var at_ms: Int64
    public var isOn: Bool

    public init(at_ms: Int64, isOn: Bool) {
      self.at_ms = at_ms
      self.isOn = isOn
    }
  }

  /// The ignition was switched when a report came, counted from 0.
  struct IgnitionSwitch: Equatable, Sendable {
    var report: Int
    var isOn: Bool
  }

  /// The file's name, for people.
  public var name: String
  /// Never empty; `at_ms` never falls.
  public private(set) var entries: Reports
  /// In order; the first one gives the state at its time. Empty where the recording says nothing of an ignition.
  public private(set) var ignition: [IgnitionEdge] = []
  /// Lines of the file that were passed over, such as a last one that was cut off.
  public var skippedLines = 0
  /// What is wrong with the first of them; nil where nobody said so.
  public var firstSkipped: TrackError?

  /// A report cannot come more than this long after the one before it: its date is wrong, not its arrival.
  static let longestPause_ms: Int64 = 31 * 86_400_000
  /// What is taken for the time between two reports where they do not give it.
  static let usualStep_ms: Int64 = 1000

  /// Reports without a time, or with one that runs backwards or leaps by more than a month, came a second after
  /// the one before, or as long after it as both claim; what they claim stays in the report, and is the
  /// tracker's to judge. The first fix with a time is believed: before it, receivers make dates up.
  ///
  /// - Returns: nil if no report has a time.
  public init?(name: String, reports: some Sequence<GPSReport>) {
    self.init(name: name, reports: Reports(reports))
  }

  init?(name: String, reports: Reports) {
    let dated = reports.indices.lazy.filter { reports.time_ms($0) != nil }
    guard let first = dated.first(where: { reports.mode($0) >= 2 }) ?? dated.first,
      let first_ms = reports.time_ms(first)
    else { return nil }
    self.name = name
    entries = reports
    var at_ms = first_ms
    entries.date(first, at_ms: at_ms)
    for index in (0..<first).reversed() {
      let own_ms = reports.time_ms(index).flatMap { RecordedTrack.isPause(at_ms - $0) ? $0 : nil }
      at_ms = own_ms ?? at_ms - RecordedTrack.usualStep_ms
      entries.date(index, at_ms: at_ms)
    }
    at_ms = first_ms
    var claimed_ms = first_ms
    for index in reports.indices.dropFirst(first + 1) {
      let last_ms = at_ms
      at_ms += RecordedTrack.usualStep_ms
      if let time_ms = reports.time_ms(index) {
        if RecordedTrack.isPause(time_ms - last_ms) {
          at_ms = time_ms
        } else if RecordedTrack.isPause(time_ms - claimed_ms) {
          at_ms = last_ms + time_ms - claimed_ms
        }
        claimed_ms = time_ms
      }
      entries.date(index, at_ms: at_ms)
    }
  }

  private static func isPause(_ pause_ms: Int64) -> Bool { (0...longestPause_ms).contains(pause_ms) }

  /// The reports of a file; an error if there is nothing in them to replay.
  public init(file: String, reports: some Sequence<GPSReport>) throws(TrackError) {
    try self.init(file: file, reports: Reports(reports), ignition: [])
  }

  init(file: String, reports: Reports, ignition: [IgnitionSwitch] = []) throws(TrackError) {
    guard reports.indices.contains(where: { reports.hasFix($0) }) else {
      throw TrackError(
        file: file, reason: "has not one fix, so there is nothing to replay; record under open sky")
    }
    let name = file.split(separator: "/").last.map(String.init) ?? file
    guard let track = RecordedTrack(name: name, reports: reports) else {
      throw TrackError(
        file: file, reason: "has not one time, so nobody knows when anything was; record it with times")
    }
    self = track
    self.ignition = ignition.map { IgnitionEdge(at_ms: track.entries.cameAt_ms($0.report), isOn: $0.isOn) }
  }

  public var start_ms: Int64 { entries.cameAt_ms(0) }
  public var end_ms: Int64 { entries.cameAt_ms(entries.count - 1) }
}

extension GPSReport {
  var position: Position? {
    guard let latitude_deg, let longitude_deg else { return nil }
    return Position(latitude_deg: latitude_deg, longitude_deg: longitude_deg)
  }
}
