import TrackerBase

/// What the uploads have cost today and this month (UTC), and what may still be sent.
struct ByteBudget: Equatable, Sendable {
  /// From this share on the rest is kept for events and the status.
  static let shareForAll = 0.8

  private var spent: DayAndMonth<Int64>
  /// 0: no limit.
  let day_bytes: Int64
  let month_bytes: Int64

  init(day_kb: Double, month_mb: Double, saved: DayAndMonth<Int64>?, at now_ms: Int64) {
    day_bytes = Int64(saturating: day_kb * 1000)
    month_bytes = Int64(saturating: month_mb * 1_000_000)
    spent = DayAndMonth(saved, at: now_ms)
  }

  var day: DayAndMonth<Int64>.Period { spent.day }
  var month: DayAndMonth<Int64>.Period { spent.month }

  var isLimited: Bool { day_bytes > 0 || month_bytes > 0 }

  /// nil without a limit.
  var left_bytes: Int64? {
    let left = [(day, day_bytes), (month, month_bytes)].filter { $1 > 0 }.map { max(0, $1 - $0.used) }
    return left.min()
  }

  /// nil without a limit.
  var saved: DayAndMonth<Int64>? { isLimited ? spent : nil }

  /// - Parameter trusted_ms: nil while the time is not trusted.
  mutating func turn(trusted_ms: Int64?, at now_ms: Int64) {
    if isLimited { spent.turn(trusted_ms: trusted_ms, at: now_ms) }
  }

  mutating func spend(_ bytes: Int64) { spent.add(max(0, bytes)) }

  /// - Parameter trusted_ms: as for `turn`, which comes first.
  func allowance(trusted_ms: Int64?, at now_ms: Int64) -> Allowance {
    let tight = [(day, day_bytes, endOfDay_ms), (month, month_bytes, endOfMonth_ms)]
      .map { (level: ByteBudget.level($0.used, of: $1), end_ms: $2(trusted_ms, now_ms)) }
      .filter { $0.level != .all }
    // The tighter of both rules, and lasts.
    guard let worst = tight.last(where: { $0.level == .none }) ?? tight.last else { return Allowance() }
    return Allowance(level: worst.level, renewsAt_ms: max(worst.end_ms, now_ms + 1))
  }

  private static func level(_ used: Int64, of limit: Int64) -> Allowance.Level {
    if limit == 0 { return .all }
    if used >= limit { return .none }
    return Double(used) >= shareForAll * Double(limit) ? .events : .all
  }

  private func endOfDay_ms(_ trusted_ms: Int64?, _ now_ms: Int64) -> Int64 {
    guard let trusted_ms else { return spent.daySince_ms + UTCDay.length_ms }
    return now_ms + UTCDay.left_ms(at: trusted_ms)
  }

  private func endOfMonth_ms(_ trusted_ms: Int64?, _ now_ms: Int64) -> Int64 {
    guard let trusted_ms else { return spent.monthSince_ms + DayAndMonth<Int64>.longestMonth_ms }
    let date = CivilDate(dayNumber: UTCDay.number(trusted_ms))
    let next = CivilDate(
      year: date.month == 12 ? date.year + 1 : date.year, month: date.month % 12 + 1, day: 1)
    return now_ms + Int64(next.dayNumber) * UTCDay.length_ms - trusted_ms
  }
}
