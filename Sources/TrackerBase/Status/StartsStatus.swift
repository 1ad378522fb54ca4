public struct StartsStatus: StatusGroup {
  @Figure("boots", .gauge, "Boots of the board in which the agent was started.")
  public var boots: Int64 = 0
  @Figure("restarts", .gauge, "Further starts of the agent in the same boot, in order or not.")
  public var restarts: Int64 = 0
  @Figure(
    "crashes", .gauge, "Of these, starts after a run that ended without order: a crash, a kill, the watchdog."
  )
  public var crashes: Int64 = 0

  public init() {}
}
