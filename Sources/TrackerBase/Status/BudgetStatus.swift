public struct BudgetStatus: StatusGroup {
  @Figure("sends", "What may still be sent; events: the rest is kept for them and the status.")
  public var level = Allowance.Level.all
  @Figure("day_bytes", .gauge, "Bytes since the day (UTC) began; absent without a limit.")
  public var day_bytes: Int64? = nil
  @Figure("day_limit_bytes", .gauge, "Limit of a day, budget_day_kb; absent without one.")
  public var dayLimit_bytes: Int64? = nil
  @Figure("month_bytes", .gauge, "Bytes since the month (UTC) began; absent without a limit.")
  public var month_bytes: Int64? = nil
  @Figure("month_limit_bytes", .gauge, "Limit of a month, budget_month_mb; absent without one.")
  public var monthLimit_bytes: Int64? = nil

  public init() {}

  /// - Parameters: limits are 0 for none.
  public init(
    level: Allowance.Level, day_bytes: Int64, dayLimit_bytes: Int64, month_bytes: Int64,
    monthLimit_bytes: Int64
  ) {
    self.level = level
    if dayLimit_bytes > 0 { (self.day_bytes, self.dayLimit_bytes) = (day_bytes, dayLimit_bytes) }
    if monthLimit_bytes > 0 { (self.month_bytes, self.monthLimit_bytes) = (month_bytes, monthLimit_bytes) }
  }
}
