import TrackerAgent
import TrackerBase

/// The GPS module with its power line and gpsd: says what the recording says, but only while it is powered,
/// watched, and past its time to first fix.
public final class VirtualReceiver: GPSPort, PowerPort, Happening {
  /// A pause in the recording longer than this is a gap.
  static let longestStep_ms: Int64 = 10_000
  /// In a gap, and after the recording's end, the module goes on reporting at 1 Hz.
  static let gapStep_ms: Int64 = 1000

  public private(set) var isPowered = false
  /// When it had power, in the recording's time; the last one is still open while powered.
  public private(set) var powered: [Span] = []
  public private(set) var reports = 0
  /// Reports of a vehicle that was assumed to stand in a gap.
  public private(set) var assumedFixes = 0
  /// Of each report of the recording: whether the tracker got it, as a fix.
  private(set) var seen: [Bool]
  private let clock: VirtualClock
  private let entries: Reports
  private let assumptions: Assumptions
  /// The world's time plus this is the recording's time.
  private let offset_ms: Int64
  private var isWatched = false
  private var firstFixAt_ms: Int64 = 0
  private var ephemerisAt_ms: Int64?
  /// The first entry that is not yet due.
  private var cursor = 0
  private var said_ms: Int64 = .min

  /// - Parameter offset_ms: the recording's time at which the world's time is 0.
  public init(track: RecordedTrack, assumptions: Assumptions, clock: VirtualClock, offset_ms: Int64) {
    entries = track.entries
    seen = [Bool](repeating: false, count: entries.count)
    self.assumptions = assumptions
    self.clock = clock
    self.offset_ms = offset_ms
  }

  private var track_ms: Int64 { clock.now_ms + offset_ms }

  // MARK: power

  public func set(_ on: Bool) -> Event? {
    guard on != isPowered else { return nil }
    isPowered = on
    if on {
      powered.append(Span(start_ms: track_ms, end_ms: track_ms))
      firstFixAt_ms = track_ms + timeToFirstFix_ms
    } else {
      powered[powered.count - 1].end_ms = track_ms
    }
    return nil
  }

  private var timeToFirstFix_ms: Int64 {
    let times = assumptions.receiver
    guard let ephemerisAt_ms else { return milliseconds(times.cold_s) }
    let off_ms = track_ms - ephemerisAt_ms
    if off_ms <= milliseconds(times.hotUntil_s) { return milliseconds(times.hot_s) }
    return milliseconds(off_ms <= milliseconds(times.warmUntil_s) ? times.warm_s : times.cold_s)
  }

  // MARK: gpsd

  /// One that is not there stands for the socket: the agent only wants to know whether there is one.
  public var descriptors: [PollDescriptor] { isWatched ? [PollDescriptor(descriptor: -1)] : [] }

  public func connect() -> Event? {
    isWatched = true
    skip(to: track_ms)
    said_ms = track_ms
    return nil
  }

  public func disconnect() { isWatched = false }

  private func skip(to time_ms: Int64) {
    cursor = max(cursor, entries.indices.partitioningIndex { entries.cameAt_ms($0) > time_ms })
  }

  public var nextNews_ms: Int64? {
    guard isPowered, isWatched else { return nil }
    return nextReport_ms.map { $0 - offset_ms }
  }

  private var nextReport_ms: Int64? {
    guard cursor < entries.count else { return nil }
    let next_ms = entries.cameAt_ms(cursor)
    return isGap ? min(next_ms, said_ms + VirtualReceiver.gapStep_ms) : next_ms
  }

  private var isGap: Bool {
    guard cursor > 0, cursor < entries.count else { return cursor == 0 }
    return entries.cameAt_ms(cursor) - entries.cameAt_ms(cursor - 1) > VirtualReceiver.longestStep_ms
  }

  public func receive(ready: [Int32]) -> [Event] {
    guard isPowered, isWatched else { return [] }
    var news: [Event] = []
    while let next_ms = nextReport_ms, next_ms <= track_ms {
      said_ms = next_ms
      if next_ms == entries.cameAt_ms(cursor) {
        let report = told(entries[cursor].report, at: next_ms)
        seen[cursor] = report.mode >= 2
        news.append(.gpsReport(report))
        cursor += 1
      } else {
        news.append(.gpsReport(told(reportInGap(at: next_ms), at: next_ms)))
      }
    }
    reports += news.count
    return news
  }

  /// Before the first fix a module knows nothing but whether there are satellites.
  private func told(_ report: GPSReport, at time_ms: Int64) -> GPSReport {
    guard report.mode >= 2, time_ms >= firstFixAt_ms else {
      var blind = report.mode >= 2 ? GPSReport(mode: 1) : report
      if blind.sky == nil { blind.sky = report.satellites.map { SkyView(heard: $0) } }
      return blind
    }
    ephemerisAt_ms = time_ms
    return report
  }

  private func reportInGap(at time_ms: Int64) -> GPSReport {
    guard cursor > 0, staysInGap(from: entries[cursor - 1].report, to: entries[cursor].report) else {
      return GPSReport(mode: 1)
    }
    if time_ms >= firstFixAt_ms { assumedFixes += 1 }
    var report = entries[cursor - 1].report
    report.time_ms = time_ms
    report.speed_mps = 0
    report.course_deg = nil
    return report
  }

  private func staysInGap(from before: GPSReport, to after: GPSReport) -> Bool {
    guard before.mode >= 2, after.mode >= 2, let start = before.position, let end = after.position else {
      return false
    }
    return start.distance_m(to: end) <= assumptions.samePlace_m
  }
}
