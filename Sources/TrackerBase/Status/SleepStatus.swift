/// The board's sleep.
public struct SleepStatus: StatusGroup {
  public enum State: String, FigureChoice {
    case awake, asleep
  }

  @Figure("state", "asleep: also while it is on its way there, so that the last status that came says it.")
  public var state = State.awake
  @Figure("held_by", "What keeps it awake; absent while it is going to sleep.")
  public var heldBy: SleepHold? = nil
  @Figure("because", "Why it sleeps; absent while it is awake.")
  public var because: SleepReason? = nil
  @Figure("until", .time, "When it is to be woken, if nothing wakes it before; absent while it is awake.")
  public var until_ms: Int64? = nil
  @Figure("woken_by", "What ended the last sleep of this boot; absent before one.")
  public var wake: WakeCause? = nil
  @Figure("woken", .time, "When that was.")
  public var wokeAt_ms: Int64? = nil
  @Figure("slept_s", .gauge, "For how long it had slept; absent where the clock was not right.")
  public var slept_s: Int64? = nil
  @Figure("lead_s", .gauge, "It is woken so long before the next window.")
  public var lead_s: Int64? = nil

  public init() {}
}
