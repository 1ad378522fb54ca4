public struct WindowStatus: StatusGroup {
  @Figure("open", "Tracking is allowed now.")
  public var isOpen = false
  @Figure(
    "next_change", .time,
    "Next change of the schedule; absent while an operator's wish or safe mode goes before it.")
  public var nextChange_ms: Int64? = nil

  public init() {}
}
