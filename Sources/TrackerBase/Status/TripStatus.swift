public struct TripStatus: StatusGroup {
  @Figure("id", .gauge, "Number of the trip that is going on; absent without one.")
  public var id: Int64? = nil
  @Figure("distance_m", .gauge, decimals: 0, "Length of that trip so far.")
  public var distance_m: Double? = nil
  @Figure("ended", .counter, "Trips that have ended.")
  public var ended = 0
  @Figure("odometer_m", .gauge, decimals: 0, "Distance of all trips; it outlives restarts.")
  public var odometer_m = 0.0
  @Figure("noticed_by", "What noticed the last departure since the start ([motion.md](motion.md#states)).")
  public var noticedBy: DepartureCause? = nil
  @Figure(
    "noticed_within_s", .gauge, "It had left at most so long before; 0: it was seen to, or the key told.")
  public var noticedWithin_s: Int? = nil

  public init() {}
}
