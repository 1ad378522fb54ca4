public struct WarningStatus: StatusGroup {
  /// Its key in the document.
  public var name = ""
  @Figure("count", .counter, metric: "", "How often the warning came.")
  public var count = 0
  @Figure("last", .time, "When it came last.")
  public var last_ms: Int64 = 0
  @Figure("since", .time, "When what it came for began; absent for what does not last.")
  public var since_ms: Int64? = nil
  @Figure("until", .time, "When that ended; absent while it goes on.")
  public var until_ms: Int64? = nil

  public init() {}

  public init(name: String, count: Int, last_ms: Int64, since_ms: Int64? = nil, until_ms: Int64? = nil) {
    (self.name, self.count, self.last_ms) = (name, count, last_ms)
    (self.since_ms, self.until_ms) = (since_ms, until_ms)
  }
}
