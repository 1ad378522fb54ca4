/// Judges each report of the GPS daemon: a fix to work with, or a reason why not.
///
/// Order: is there a fix, has it a time, a possible position, a known accuracy, is it new, could it be reached.
public struct FixFilter: Equatable, Sendable {
  public enum Rejection: String, CaseIterable, Sendable {
    case noTime = "no_time"
    case position = "impossible_position"
    case accuracy = "accuracy"
    case stale = "stale"
    case duplicate = "duplicate"
    case backwards = "time_backwards"
    case ahead = "time_ahead"
    case undated = "date_not_known"
  }

  public enum Verdict: Equatable, Sendable {
    case fix(Fix)
    /// Real as far as anyone knows, but too far away to be reached: kept with a flag, moves nothing.
    case jump(Fix)
    case noFix
    case rejected(Rejection)
  }

  /// Metres at 95 % for one unit of HDOP, where the receiver gives no accuracy of its own: twice a user range
  /// error of 5 m (GPS SPS Performance Standard, 5th edition, table B.2-1, single frequency, rounded up).
  static let metresPerHDOP = 10.0
  /// So many fixes in a row that contradict the last good one and agree among themselves replace it.
  static let fixesToChangeBase = 3
  private let settings: GPSSettings
  /// GPS time that is so far ahead of the boot clock since the last good fix is a garbled date, once.
  static let maxAhead_ms: Int64 = 3_600_000

  private var base: Fix?
  private var baseAt_ms: Int64 = 0
  private var rival: Fix?
  private var rivalCount = 0

  public init(settings: GPSSettings) {
    self.settings = settings
  }

  public mutating func sessionStarted() {
    rival = nil
    rivalCount = 0
  }

  /// Whether it says where and when, whatever that is worth.
  static func isDated(_ report: GPSReport) -> Bool {
    report.mode >= 2 && report.latitude_deg != nil && report.longitude_deg != nil
      && report.time_ms.map { GPSDate.possible_ms.contains($0) } ?? false
  }

  /// - Parameters:
  ///   - report: with a date that `ClockKeeper` has judged.
  ///   - now_ms: boot time.
  public mutating func judge(_ report: GPSReport, at now_ms: Int64) -> Verdict {
    guard report.mode >= 2, let latitude = report.latitude_deg, let longitude = report.longitude_deg else {
      return .noFix
    }
    guard let time_ms = report.time_ms, GPSDate.possible_ms.contains(time_ms) else {
      return .rejected(.noTime)
    }
    guard abs(latitude) <= 90, abs(longitude) <= 180, latitude != 0 || longitude != 0 else {
      return .rejected(.position)
    }
    guard
      let accuracy_m = report.accuracy_m ?? report.hdop.map({ $0 * FixFilter.metresPerHDOP }),
      accuracy_m > 0, accuracy_m <= settings.maxAccuracy_m
    else { return .rejected(.accuracy) }
    let fix = Fix(
      time_ms: time_ms,
      position: Position(latitude_deg: latitude, longitude_deg: longitude),
      altitude_m: report.mode >= 3 ? report.altitude_m : nil, speed_mps: report.speed_mps,
      course_deg: report.course_deg, accuracy_m: accuracy_m, altitudeAccuracy_m: report.altitudeAccuracy_m,
      speedAccuracy_mps: report.speedAccuracy_mps, courseAccuracy_deg: report.courseAccuracy_deg,
      satellites: report.satellites)
    return place(fix, at: now_ms)
  }

  private mutating func place(_ fix: Fix, at now_ms: Int64) -> Verdict {
    guard let base else { return accept(fix, at: now_ms) }
    if fix.time_ms == base.time_ms { return .rejected(.duplicate) }
    let isAhead = fix.time_ms - base.time_ms > now_ms - baseAt_ms + FixFilter.maxAhead_ms
    if fix.time_ms > base.time_ms, !isAhead, isReachable(fix, from: base) { return accept(fix, at: now_ms) }
    if let rival, fix.time_ms > rival.time_ms, isReachable(fix, from: rival) {
      rivalCount += 1
    } else {
      rivalCount = 1
    }
    rival = fix
    if rivalCount >= FixFilter.fixesToChangeBase { return accept(fix, at: now_ms) }
    if isAhead { return .rejected(.ahead) }
    return fix.time_ms < base.time_ms ? .rejected(.backwards) : .jump(fix)
  }

  private mutating func accept(_ fix: Fix, at now_ms: Int64) -> Verdict {
    base = fix
    baseAt_ms = now_ms
    rival = nil
    rivalCount = 0
    return .fix(fix)
  }

  private func isReachable(_ fix: Fix, from earlier: Fix) -> Bool {
    let seconds = Double(fix.time_ms - earlier.time_ms) / 1000
    let slack_m = fix.accuracy_m + earlier.accuracy_m
    return earlier.position.distance_m(to: fix.position) <= settings.maxSpeed_mps * seconds + slack_m
  }
}
