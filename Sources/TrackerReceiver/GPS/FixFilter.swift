import TrackerBase

/// Judges each report of the GPS daemon: a fix to work with, or a reason why not.
///
/// Order: is there a fix, has it a possible position, accuracy enough, a time, is it new, could it be reached.
public struct FixFilter: Equatable, Sendable {
  public enum Verdict: Equatable, Sendable {
    case fix(Fix)
    /// The vehicle has not left where it was at `from`; fixes since then reported another place.
    indirect case returned(Fix, from: Fix)
    /// The place believed so far was wrong: the vehicle is here, and nobody drove from there to here.
    case moved(Fix)
    /// Too far away to be reached: moves nothing. `isNew`: the first of an episode, kept with a flag.
    case jump(Fix, isNew: Bool)
    case noFix
    case rejected(FixRejection)
  }

  /// Dates that contradict the last good one, and have agreed among themselves for so long, replace it.
  static let changeDate_ms: Int64 = 2000
  @Shared private var settings: GPSSettings
  /// GPS time that is so far ahead of the boot clock since the last good fix is a garbled date, once.
  static let maxAhead_ms: Int64 = 3_600_000

  /// GPS time and boot time of the last good fix.
  private var base_ms: Int64?
  private var baseAt_ms: Int64 = 0
  /// A date that contradicts that, and GPS time since which the dates before it agree with it.
  private var rival_ms: Int64?
  private var rivalSince_ms: Int64 = 0
  private var places: PlaceFilter
  private var speeds: SpeedCheck
  var unknownAccuracy = UnknownAccuracy()
  /// Reported speeds that no vehicle can have: their fixes are used without.
  public var speedsRefused: Int { speeds.refused }

  public init(settings: GPSSettings) {
    self.settings = settings
    places = PlaceFilter(maxSpeed_mps: settings.maxSpeed_mps)
    speeds = SpeedCheck(maxSpeed_mps: settings.maxSpeed_mps)
  }

  mutating func adopt(_ settings: GPSSettings) {
    self.settings = settings
    (places.maxSpeed_mps, speeds.maxSpeed_mps) = (settings.maxSpeed_mps, settings.maxSpeed_mps)
  }

  /// Where the process before this one had the vehicle.
  mutating func begin(at fix: Fix) { places.begin(at: fix) }

  public mutating func sessionStarted() { rival_ms = nil }

  /// All dates until now were wrong by so much; the places were not.
  mutating func clockJumped(by shift_ms: Int64) {
    (base_ms, rival_ms) = (nil, nil)
    places.redate(by: shift_ms)
    speeds.forget()
  }

  /// Whether it says where, whatever that is worth.
  static func isPlace(_ report: GPSReport) -> Bool {
    report.mode >= 2 && report.latitude_deg != nil && report.longitude_deg != nil
  }

  /// Whether it says when, too.
  static func isDated(_ report: GPSReport) -> Bool {
    isPlace(report) && report.time_ms.map { GPSDate.possible_ms.contains($0) } ?? false
  }

  /// - Parameters:
  ///   - report: with a date that `ClockKeeper` has judged.
  ///   - now_ms: boot time.
  public mutating func judge(_ report: GPSReport, at now_ms: Int64) -> Verdict {
    switch FixFilter.judgeAlone(report, settings) {
    case .noFix: return .noFix
    case .rejected(let reason): return .rejected(reason)
    case .fix(let core):
      let hasAccuracy = report.givenAccuracy_m != nil
      guard unknownAccuracy.believes(hasAccuracy: hasAccuracy, at: now_ms) else {
        return .rejected(.accuracy)
      }
      var fix = Fix(report, core)
      return place(&fix, at: now_ms)
    }
  }

  /// What no fix can do without.
  struct FixCore: Equatable {
    var time_ms: Int64
    var position: Position
    var accuracy_m: Double
  }

  enum VerdictAlone: Equatable {
    case fix(FixCore)
    case noFix
    case rejected(FixRejection)
  }

  /// Whatever came before it. What has all but a time is `.rejected(.noTime)`.
  static func judgeAlone(_ report: GPSReport, _ settings: GPSSettings) -> VerdictAlone {
    guard report.mode >= 2, let latitude = report.latitude_deg, let longitude = report.longitude_deg else {
      return .noFix
    }
    guard abs(latitude) <= 90, abs(longitude) <= 180, latitude != 0 || longitude != 0 else {
      return .rejected(.position)
    }
    let accuracy_m = report.givenAccuracy_m ?? settings.unknownAccuracy_m
    guard accuracy_m <= settings.maxAccuracy_m else { return .rejected(.accuracy) }
    guard let time_ms = report.time_ms, GPSDate.possible_ms.contains(time_ms) else {
      return .rejected(.noTime)
    }
    return .fix(
      FixCore(
        time_ms: time_ms, position: Position(latitude_deg: latitude, longitude_deg: longitude),
        accuracy_m: accuracy_m))
  }

  // A fix is large, and each report becomes one: it is changed where it lies.

  private mutating func place(_ fix: inout Fix, at now_ms: Int64) -> Verdict {
    guard let base_ms else { return placed(&fix, at: now_ms) }
    if fix.time_ms == base_ms { return .rejected(.duplicate) }
    let isAhead = fix.time_ms - base_ms > now_ms - baseAt_ms + FixFilter.maxAhead_ms
    if fix.time_ms > base_ms, !isAhead { return placed(&fix, at: now_ms) }
    guard isDateBelieved(fix.time_ms) else { return .rejected(isAhead ? .ahead : .backwards) }
    places.redate(by: fix.time_ms - base_ms - max(0, now_ms - baseAt_ms))
    speeds.forget()
    self.base_ms = fix.time_ms
    baseAt_ms = now_ms
    return placed(&fix, at: now_ms)
  }

  /// Dates that contradict the last good one and go on among themselves are right in the end.
  private mutating func isDateBelieved(_ time_ms: Int64) -> Bool {
    let goesOn = rival_ms.map { time_ms > $0 && time_ms - $0 < FixFilter.maxAhead_ms }
    if goesOn != true { rivalSince_ms = time_ms }
    rival_ms = time_ms
    return time_ms - rivalSince_ms >= FixFilter.changeDate_ms
  }

  private mutating func placed(_ fix: inout Fix, at now_ms: Int64) -> Verdict {
    switch places.judge(fix) {
    case .elsewhere(let isNew): return .jump(fix, isNew: isNew)
    case .here:
      accept(&fix, at: now_ms)
      return .fix(fix)
    case .returned(let last):
      speeds.forget()
      accept(&fix, at: now_ms)
      return .returned(fix, from: last)
    case .moved:
      speeds.forget()
      accept(&fix, at: now_ms)
      return .moved(fix)
    }
  }

  private mutating func accept(_ fix: inout Fix, at now_ms: Int64) {
    (base_ms, baseAt_ms) = (fix.time_ms, now_ms)
    rival_ms = nil
    speeds.check(&fix)
  }
}

extension Fix {
  fileprivate init(_ report: borrowing GPSReport, _ core: FixFilter.FixCore) {
    self.init(
      time_ms: core.time_ms, position: core.position,
      altitude_m: report.mode >= 3 ? Fix.finite(report.altitude_m) : nil, speed_mps: report.speed_mps,
      course_deg: Fix.finite(report.course_deg), accuracy_m: core.accuracy_m,
      altitudeAccuracy_m: Fix.finite(report.altitudeAccuracy_m),
      speedAccuracy_mps: Fix.finite(report.speedAccuracy_mps),
      courseAccuracy_deg: Fix.finite(report.courseAccuracy_deg), satellites: report.satellites,
      hdop: Fix.finite(report.hdop))
  }

  private static func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }
}
