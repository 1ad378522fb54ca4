/// What became of the settings that the server has sent. Never a value.
public struct ConfigStatus: StatusGroup {
  @Figure(
    "desired", .gauge, metric: "desired_version",
    "The newest version that the server has sent and that was looked at; absent before any.")
  public var desired: Int64? = nil
  @Figure(
    "in_force", .gauge, metric: "version_in_force",
    "The version in force, on trial or kept; absent where the file alone counts.")
  public var inForce: Int64? = nil
  @Figure("trial_left_s", .gauge, "Time that the trial still has; absent without one.")
  public var trialLeft_s: Int64? = nil
  @Figure("trial_until", .time, "When the trial ends; absent without one, and while it waits.")
  public var trialUntil_ms: Int64? = nil
  @Figure("trial_waits_for", "What the time of the trial waits for, since no sync is allowed; absent else.")
  public var trialWaitsFor: String? = nil
  @Figure(
    "refused", .gauge, metric: "refused_version",
    "The version that was refused or rolled back, until a newer one is in force; absent if what was refused had none."
  )
  public var refused: Int64? = nil
  @Figure("refused_because", "Why the last one was refused, with the settings concerned; absent if none was.")
  public var refusedBecause: String? = nil
  @Figure(
    "off_because", "Why a kept version does not count: it no longer fits the settings file; absent else.")
  public var offBecause: String? = nil
  @Figure(
    "not_saved_because",
    "Why storage does not take what the server sets, so no new version either; absent else.")
  public var notSavedBecause: String? = nil
  @Figure(
    "waits", .gauge, metric: "waiting_version",
    "A version that is not looked at yet, since too many came within an hour; absent else.")
  public var waits: Int64? = nil
  @Figure("waits_until", .time, "From when on it is looked at, if it is offered then.")
  public var waitsUntil_ms: Int64? = nil
  @Figure(
    "ignored", .counter,
    """
    Offers that were passed over: older than one before, more than six an hour, not the server's for certain, or while \
    sync.config is false.
    """
  )
  public var ignored = 0

  public init() {}
}
