/// What the journey makes of the GPS, `sampling` and `probes`, is its own; the rest is the receiver's.
public struct GPSStatus: StatusGroup {
  public enum DynamicModelProgress: String, FigureChoice {
    case pending, set, failed
    case otherDriver = "other_driver"
  }

  @Figure(
    "powered", "The module is to have power; gps_power_line is a warning while it could not be switched.")
  public var isPowered = false
  @Figure("on_s", .counter, "Time for which the module had power.")
  public var on_s: Int64 = 0
  @Figure("on_today_s", .gauge, "Time for which it had power since local midnight; it outlives restarts.")
  public var onToday_s: Int64 = 0
  @Figure(
    "device", "The receiver in use, by gpsd's path of it; absent until one has given a fix or is preferred.")
  public var receiver: String? = nil
  @Figure("gpsd_devices", "What gpsd has, by its own names; absent before it has said so.")
  public var gpsdDevices: [String]? = nil
  @Figure("device_changes", .counter, "Changes to another receiver (docs/power.md#several-receivers).")
  public var receiverChanges = 0
  @Figure("reports_of_others", .counter, "Reports of receivers that are not in use.")
  public var reportsOfOthers = 0
  @Figure(
    "dynamic_model",
    """
    How far gps.dynamic_model is (docs/power.md#the-receivers-dynamic-model): set is read back, other_driver a receiver \
    that is left alone; absent where none is to be set.
    """)
  public var dynamicModel: DynamicModelProgress? = nil
  @Figure("sessions", .counter, "GPS sessions, from power-on to power-off.")
  public var sessions = 0
  @Figure("sessions_today", .gauge, "Sessions that began since local midnight; it outlives restarts.")
  public var sessionsToday = 0
  @Figure(
    "time_to_first_fix_s", .gauge,
    """
    Time to first fix of the last session that had one; sessions in which gpsd was away or silent before it do not count.
    """)
  public var timeToFirstFix_s: Double? = nil
  @Figure(
    "time_to_first_fix_after", .gauge, metric: "time_to_first_fix_after_s", label: "gap", absent: [:],
    "The last one by the age of the fix before it, in seconds; longer is also an age that nobody knows.")
  public var startTimes_s: [StartGap: Double] = [:]
  @Figure("satellites", .gauge, "Satellites that the receiver uses; absent while the GPS is off.")
  public var satellites: Int? = nil
  @Figure(
    "satellites_heard", .gauge,
    "Satellites with a signal, used or not; absent while the GPS is off, and where the receiver does not say it."
  )
  public var heard: Int? = nil
  @Figure(
    "cn0_dbhz", .gauge, decimals: 1,
    "Mean C/N0 of the four satellites that are heard best, in dB-Hz; absent with fewer, and while the GPS is off."
  )
  public var cn0_dBHz: Double? = nil
  @FigureGroup(
    "health",
    "Antenna and module over weeks (docs/status.md#the-receivers-health); absent before the first day that counts."
  )
  public var health: GPSHealthStatus? = nil
  @Figure("last_fix", .time, "GPS time of the last fix that was used.")
  public var lastFix_ms: Int64? = nil
  @Figure("last_fix_ago_s", .gauge, "Its age; absent before the first one.")
  public var lastFixAgo_s: Int64? = nil
  @Figure(
    "fix_delay_s", .gauge,
    "How long after its own time the last fix came; absent before the first one, and while no clock says it.")
  public var fixDelay_s: Int64? = nil
  @Figure("fixes", .counter, "Fixes that were used.")
  public var fixes = 0
  public var sampling = SamplingStatus()
  @Figure("reports_without_fix", .counter, "Reports in which the receiver knows no position.")
  public var reportsWithoutFix = 0
  @Figure("held_until_settled", .counter, "First fixes of a session, before their accuracy had settled.")
  public var heldUntilSettled = 0
  @Figure(
    "merged_reports", .counter, "Reports of an epoch that there was one of already: gpsd reports some twice.")
  public var mergedReports = 0
  @Figure(
    "accuracy_assumed", .counter, absent: 0,
    "Fixes that came without an accuracy and count with gps.unknown_accuracy_m; absent where there are none.")
  public var accuracyAssumed = 0
  @Figure(
    "speeds_refused", .counter, "Reported speeds that no vehicle can have: their fixes are used without.")
  public var speedsRefused = 0
  public var probes = ProbeStatus()
  @Figure(
    "rejected", .counter, label: "reason",
    """
    Fixes that were not used, by reason. date_not_known: it waited for the time until there was no room, or the \
    process ended. elsewhere: another place, out of reach.
    """)
  public var rejected: [FixRejection: Int] = [:]

  public init() {}
}

public struct SamplingStatus: StatusGroup {
  @Figure("kept", .counter, "Of the fixes that were used, those that are in the track.")
  public var kept = 0

  public init() {}
}

public struct ProbeStatus: StatusGroup {
  @Figure("probes", .counter, "Short GPS sessions to see whether the parked vehicle has left.")
  public var begun = 0
  @Figure("probes_unanswered", .counter, "Probes that ended without an answer.")
  public var unanswered = 0

  public init() {}
}
