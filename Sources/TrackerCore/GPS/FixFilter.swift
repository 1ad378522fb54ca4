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
  /// So many fixes of a new session that look old, but whose time goes on, are believed.
  static let oldFixesToBelieve = 3
  /// 1024 weeks: the GPS week number is sent in ten bits (IS-GPS-200, 20.3.3.3.1.1).
  static let weekRollover_ms: Int64 = 1024 * 7 * 86_400_000
  /// From the GPS epoch up to the year 2100; anything else is a garbled report.
  static let datesOfGPS_ms: Range<Int64> = 315_964_800_000..<4_102_444_800_000

  private let settings: GPSSettings
  private let notBefore_ms: Int64
  /// GPS time that is so far ahead of the boot clock since the last good fix is a garbled date, once.
  static let maxAhead_ms: Int64 = 3_600_000

  private var base: Fix?
  private var baseAt_ms: Int64 = 0
  private var rival: Fix?
  private var rivalCount = 0
  /// Reports whose date was moved by whole rollovers.
  public private(set) var rolloversRepaired = 0

  /// - Parameter notBefore_ms: when this program was built; no true GPS time is earlier.
  public init(settings: GPSSettings, notBefore_ms: Int64) {
    self.settings = settings
    self.notBefore_ms = notBefore_ms
  }

  /// A new GPS session: the next fix may be stale, since a daemon or a module may hand out its last one.
  public mutating func sessionStarted() {
    rival = nil
    rivalCount = 0
    freshSession = true
    oldFixes = 0
    lastOld_ms = nil
  }
  private var freshSession = true
  /// Fixes in a row of a fresh session that look old although their time goes on.
  private var oldFixes = 0
  private var lastOld_ms: Int64?
  /// Sessions whose fixes looked old only because the trusted wall clock is wrong.
  public private(set) var clockContradictions = 0

  /// - Parameters:
  ///   - wall_ms: the wall clock if it is trusted.
  ///   - now_ms: boot time.
  public mutating func judge(_ report: GPSReport, wall_ms: Int64?, at now_ms: Int64) -> Verdict {
    guard report.mode >= 2, let latitude = report.latitude_deg, let longitude = report.longitude_deg else {
      return .noFix
    }
    guard let rawTime_ms = report.time_ms, FixFilter.datesOfGPS_ms.contains(rawTime_ms) else {
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
      time_ms: repaired(rawTime_ms),
      position: Position(latitude_deg: latitude, longitude_deg: longitude),
      altitude_m: report.mode >= 3 ? report.altitude_m : nil, speed_mps: report.speed_mps,
      course_deg: report.course_deg, accuracy_m: accuracy_m, altitudeAccuracy_m: report.altitudeAccuracy_m,
      speedAccuracy_mps: report.speedAccuracy_mps, courseAccuracy_deg: report.courseAccuracy_deg,
      satellites: report.satellites)
    if freshSession, let wall_ms, isStale(fix, wall_ms: wall_ms), !contradictsClock(fix) {
      return .rejected(.stale)
    }
    freshSession = false
    return place(fix, at: now_ms)
  }

  private mutating func repaired(_ time_ms: Int64) -> Int64 {
    guard time_ms < notBefore_ms else { return time_ms }
    rolloversRepaired += 1
    let missing = (notBefore_ms - time_ms + FixFilter.weekRollover_ms - 1) / FixFilter.weekRollover_ms
    return time_ms + missing * FixFilter.weekRollover_ms
  }

  // Later fixes of a session are kept even if late: after a stall of ours they come from the socket's buffer,
  // and they are as true as they were. A difference of a day or more says that the two clocks do not speak of
  // the same time (a recording), and nothing about age.
  private func isStale(_ fix: Fix, wall_ms: Int64) -> Bool {
    let age_ms = wall_ms - fix.time_ms
    return age_ms > milliseconds(settings.maxFixAge_s) && age_ms < 86_400_000
  }

  /// A daemon's or a module's last fix is one fix. Several whose time goes on are new: the clock is wrong.
  private mutating func contradictsClock(_ fix: Fix) -> Bool {
    let goesOn = lastOld_ms.map { fix.time_ms > $0 } ?? false
    oldFixes = goesOn ? oldFixes + 1 : 1
    lastOld_ms = fix.time_ms
    guard oldFixes >= FixFilter.oldFixesToBelieve else { return false }
    clockContradictions += 1
    return true
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
