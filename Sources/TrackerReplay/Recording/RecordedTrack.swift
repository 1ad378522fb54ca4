import TrackerCore

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

  /// The file's name, for people.
  public var name: String
  /// Never empty; `at_ms` never falls.
  public private(set) var entries: [Entry]

  /// A report cannot come more than this long after the one before it: its date is wrong, not its arrival.
  static let longestPause_ms: Int64 = 31 * 86_400_000
  /// What is taken for the time between two reports where they do not tell it.
  static let usualStep_ms: Int64 = 1000

  /// Reports without a time, or with one that runs backwards or leaps by more than a month, came a second after
  /// the one before; what they claim stays in the report, and is the tracker's to judge.
  ///
  /// - Returns: nil if no report has a time.
  public init?(name: String, reports: [GPSReport]) {
    guard let first = reports.firstIndex(where: { $0.time_ms != nil }), let first_ms = reports[first].time_ms
    else { return nil }
    self.name = name
    entries = []
    entries.reserveCapacity(reports.count)
    var last_ms = first_ms - Int64(first + 1) * RecordedTrack.usualStep_ms
    for report in reports {
      var at_ms = last_ms + RecordedTrack.usualStep_ms
      if let time_ms = report.time_ms, time_ms >= last_ms,
        time_ms - last_ms <= RecordedTrack.longestPause_ms
      {
        at_ms = time_ms
      }
      entries.append(Entry(at_ms: at_ms, report: report))
      last_ms = at_ms
    }
  }

  public var start_ms: Int64 { entries[0].at_ms }
  public var end_ms: Int64 { entries[entries.count - 1].at_ms }
}
