/// What the uploads have cost today and this month (UTC), and what may still be sent.
///
/// While the time is not trusted a day lasts 24 hours and a month 31 days by the boot clock, from the last new
/// day or from the start of the process, so that a device that never learns the time still sends. A trusted day
/// that differs begins anew, also when it is an earlier one: a date that was wrong once must not close the budget
/// for years.
struct ByteBudget: Equatable, Sendable {
  struct Period: Equatable, Sendable {
    /// Days since 1970, or months since year 0; nil: not known yet.
    var number: Int?
    var used: Int64 = 0
    /// Boot time of its beginning, as far as this process knows.
    var since_ms: Int64
  }

  static let day_ms: Int64 = 86_400_000
  static let longestMonth_ms = 31 * day_ms
  /// From this share on the rest is kept for events and the status.
  static let shareForAll = 0.8

  private(set) var day: Period
  private(set) var month: Period
  /// 0: no limit.
  let day_bytes: Int64
  let month_bytes: Int64

  /// - Parameter saved: what `saved` gave.
  init(settings: SyncSettings, saved: String, at now_ms: Int64) {
    day_bytes = Int64(saturating: settings.budgetDay_kb * 1000)
    month_bytes = Int64(saturating: settings.budgetMonth_mb * 1_000_000)
    (day, month) = (Period(since_ms: now_ms), Period(since_ms: now_ms))
    guard let numbers = ByteBudget.numbers(saved) else { return }
    day.number = numbers[0] < 0 ? nil : Int(exactly: numbers[0])
    month.number = numbers[2] < 0 ? nil : Int(exactly: numbers[2])
    (day.used, month.used) = (numbers[1], numbers[3])
  }

  /// - Returns: nil for what `saved` does not make, with room for sums.
  static func numbers(_ saved: String) -> [Int64]? {
    let numbers = saved.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count == 4, numbers.allSatisfy({ (-1...1_000_000_000_000_000).contains($0) }),
      numbers[1] >= 0, numbers[3] >= 0
    else { return nil }
    return numbers
  }

  var isLimited: Bool { day_bytes > 0 || month_bytes > 0 }

  /// `day bytes month bytes`, -1 for a day or month that is not known; empty without a limit.
  var saved: String {
    isLimited ? "\(day.number ?? -1) \(day.used) \(month.number ?? -1) \(month.used)" : ""
  }

  /// - Parameter trusted_ms: nil while the time is not trusted.
  mutating func turn(trusted_ms: Int64?, at now_ms: Int64) {
    guard isLimited else { return }
    let today = trusted_ms.map { ByteBudget.dayNumber($0) }
    let date = today.map { CivilDate(dayNumber: $0) }
    ByteBudget.turn(&day, to: today, longest_ms: ByteBudget.day_ms, at: now_ms)
    ByteBudget.turn(
      &month, to: date.map { $0.year * 12 + $0.month - 1 }, longest_ms: ByteBudget.longestMonth_ms, at: now_ms
    )
  }

  /// What had been spent before this began with nothing.
  mutating func add(_ before: ByteBudget) {
    ByteBudget.add(before.day, to: &day)
    ByteBudget.add(before.month, to: &month)
  }

  private static func add(_ before: Period, to period: inout Period) {
    let number = period.number ?? before.number
    guard before.number == nil || before.number == number else { return }
    period.number = number
    period.used += before.used
  }

  mutating func spend(_ bytes: Int64) {
    day.used += max(0, bytes)
    month.used += max(0, bytes)
  }

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
    guard let trusted_ms else { return day.since_ms + ByteBudget.day_ms }
    return now_ms + Int64(ByteBudget.dayNumber(trusted_ms) + 1) * ByteBudget.day_ms - trusted_ms
  }

  private func endOfMonth_ms(_ trusted_ms: Int64?, _ now_ms: Int64) -> Int64 {
    guard let trusted_ms else { return month.since_ms + ByteBudget.longestMonth_ms }
    let date = CivilDate(dayNumber: ByteBudget.dayNumber(trusted_ms))
    let next = CivilDate(
      year: date.month == 12 ? date.year + 1 : date.year, month: date.month % 12 + 1, day: 1)
    return now_ms + Int64(next.dayNumber) * ByteBudget.day_ms - trusted_ms
  }

  private static func turn(_ period: inout Period, to number: Int?, longest_ms: Int64, at now_ms: Int64) {
    if let number, number != period.number {
      // What was sent before the first date is known belongs to it.
      let used = period.number == nil ? period.used : 0
      period = Period(number: number, used: used, since_ms: now_ms)
    } else if number == nil, now_ms - period.since_ms >= longest_ms {
      period = Period(number: period.number, since_ms: now_ms)
    }
  }

  private static func dayNumber(_ time_ms: Int64) -> Int {
    Int(time_ms.flooredDivision(by: day_ms))
  }
}
