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
    /// Of another place, see `Verdict.jump`.
    case elsewhere = "elsewhere"
  }

  public enum Verdict: Equatable, Sendable {
    case fix(Fix)
    /// The vehicle has not left where it was at `from`; fixes since then told of another place.
    case returned(Fix, from: Fix)
    /// The place believed so far was wrong: the vehicle is here, and nobody drove from there to here.
    case moved(Fix)
    /// Too far away to be reached: moves nothing. `isNew`: the first of an episode, kept with a flag.
    case jump(Fix, isNew: Bool)
    case noFix
    case rejected(Rejection)
  }

  /// Metres at 95 % for one unit of HDOP, where the receiver gives no accuracy of its own: twice a user range
  /// error of 5 m (GPS SPS Performance Standard, 5th edition, table B.2-1, single frequency, rounded up).
  static let metresPerHDOP = 10.0
  /// Dates that contradict the last good one, and have agreed among themselves for so long, replace it.
  static let changeDate_ms: Int64 = 2000
  /// Fixes of a new session that look old, but whose time has gone on for so long, are believed.
  static let believeOld_ms: Int64 = 2000
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
  /// A fix whose date contradicts the base, and GPS time since which the dates before it agree with it.
  private var rival: Fix?
  private var rivalSince_ms: Int64 = 0
  private var places: PlaceFilter
  private var speeds: SpeedCheck
  /// Reported speeds that no vehicle can have: their fixes are used without.
  public var speedsRefused: Int { speeds.refused }
  /// Reports whose date was moved by whole rollovers.
  public private(set) var rolloversRepaired = 0

  /// - Parameter notBefore_ms: when this program was built; no true GPS time is earlier.
  public init(settings: GPSSettings, notBefore_ms: Int64) {
    self.settings = settings
    self.notBefore_ms = notBefore_ms
    places = PlaceFilter(maxSpeed_mps: settings.maxSpeed_mps)
    speeds = SpeedCheck(maxSpeed_mps: settings.maxSpeed_mps)
  }

  /// Where the process before this one had the vehicle.
  mutating func begin(at fix: Fix) { places.begin(at: fix) }

  /// A new GPS session: the next fix may be stale, since a daemon or a module may hand out its last one.
  public mutating func sessionStarted() {
    rival = nil
    freshSession = true
    lastOld_ms = nil
  }
  private var freshSession = true
  /// GPS times of fixes in a row of a fresh session that look old although their time goes on: the first and the last.
  private var firstOld_ms: Int64 = 0
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
      altitude_m: report.mode >= 3 ? finite(report.altitude_m) : nil, speed_mps: report.speed_mps,
      course_deg: finite(report.course_deg), accuracy_m: accuracy_m,
      altitudeAccuracy_m: finite(report.altitudeAccuracy_m),
      speedAccuracy_mps: finite(report.speedAccuracy_mps),
      courseAccuracy_deg: finite(report.courseAccuracy_deg), satellites: report.satellites)
    if freshSession, let wall_ms, isStale(fix, wall_ms: wall_ms), !contradictsClock(fix) {
      return .rejected(.stale)
    }
    freshSession = false
    return place(fix, at: now_ms)
  }

  private func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }

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
    if !goesOn { firstOld_ms = fix.time_ms }
    lastOld_ms = fix.time_ms
    guard fix.time_ms - firstOld_ms >= FixFilter.believeOld_ms else { return false }
    clockContradictions += 1
    return true
  }

  private mutating func place(_ fix: Fix, at now_ms: Int64) -> Verdict {
    guard let base else { return placed(fix, at: now_ms) }
    if fix.time_ms == base.time_ms { return .rejected(.duplicate) }
    let isAhead = fix.time_ms - base.time_ms > now_ms - baseAt_ms + FixFilter.maxAhead_ms
    if fix.time_ms > base.time_ms, !isAhead { return placed(fix, at: now_ms) }
    guard isDateBelieved(of: fix) else { return .rejected(isAhead ? .ahead : .backwards) }
    places.redate(by: fix.time_ms - base.time_ms - max(0, now_ms - baseAt_ms))
    speeds.forget()
    self.base = fix
    baseAt_ms = now_ms
    return placed(fix, at: now_ms)
  }

  /// Dates that contradict the last good one and go on among themselves are right in the end.
  private mutating func isDateBelieved(of fix: Fix) -> Bool {
    let goesOn = rival.map { fix.time_ms > $0.time_ms && fix.time_ms - $0.time_ms < FixFilter.maxAhead_ms }
    if goesOn != true { rivalSince_ms = fix.time_ms }
    rival = fix
    return fix.time_ms - rivalSince_ms >= FixFilter.changeDate_ms
  }

  private mutating func placed(_ fix: Fix, at now_ms: Int64) -> Verdict {
    switch places.judge(fix) {
    case .elsewhere(let isNew): return .jump(fix, isNew: isNew)
    case .here: return .fix(accepted(fix, at: now_ms))
    case .returned(let last):
      speeds.forget()
      return .returned(accepted(fix, at: now_ms), from: last)
    case .moved:
      speeds.forget()
      return .moved(accepted(fix, at: now_ms))
    }
  }

  private mutating func accepted(_ fix: Fix, at now_ms: Int64) -> Fix {
    base = fix
    baseAt_ms = now_ms
    rival = nil
    return speeds.checked(fix)
  }
}
