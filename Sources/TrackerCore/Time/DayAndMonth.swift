/// What adds up over a day and over a month, both of UTC.
///
/// While the time is not trusted a day lasts 24 hours and a month 31 days by the boot clock, from the last new
/// day or from the start of the process, so that a device that never learns the time goes on. A trusted day
/// that differs begins anew, also when it is an earlier one: a date that was wrong once must not count for years.
struct DayAndMonth<Sum: Summable>: Equatable, Sendable {
  struct Period: Equatable, Sendable {
    /// Days since 1970, or months since year 0; nil: not known yet.
    var number: Int?
    var used = Sum.none
    /// Boot time of its beginning, as far as this process knows.
    var since_ms: Int64
  }

  static var longestDay_ms: Int64 { 86_400_000 }
  static var longestMonth_ms: Int64 { 31 * longestDay_ms }

  var day: Period
  var month: Period

  init(at now_ms: Int64) { (day, month) = (Period(since_ms: now_ms), Period(since_ms: now_ms)) }

  mutating func add(_ more: Sum) {
    day.used += more
    month.used += more
  }

  /// - Parameter trusted_ms: nil while the time is not trusted.
  mutating func turn(trusted_ms: Int64?, at now_ms: Int64) {
    let today = trusted_ms.map { UTCDay.number($0) }
    // At nearly every event. A day's number goes with its month's.
    if let today, today == day.number, month.number != nil { return }
    let date = today.map { CivilDate(dayNumber: $0) }
    Self.turn(&day, to: today, longest_ms: Self.longestDay_ms, at: now_ms)
    Self.turn(
      &month, to: date.map { $0.year * 12 + $0.month - 1 }, longest_ms: Self.longestMonth_ms, at: now_ms)
  }

  /// What had been counted before this began with nothing.
  mutating func add(_ before: DayAndMonth) {
    Self.add(before.day, to: &day)
    Self.add(before.month, to: &month)
  }

  private static func add(_ before: Period, to period: inout Period) {
    let number = period.number ?? before.number
    guard before.number == nil || before.number == number else { return }
    period.number = number
    period.used += before.used
  }

  private static func turn(_ period: inout Period, to number: Int?, longest_ms: Int64, at now_ms: Int64) {
    if let number, number != period.number {
      // What was counted before the first date is known belongs to it.
      let used = period.number == nil ? period.used : .none
      period = Period(number: number, used: used, since_ms: now_ms)
    } else if number == nil, now_ms - period.since_ms >= longest_ms {
      period = Period(number: period.number, since_ms: now_ms)
    }
  }
}

/// Beginning with nothing.
protocol Summable: Equatable, Sendable {
  static var none: Self { get }
  static func += (sum: inout Self, more: Self)
}

extension Int64: Summable {
  static var none: Int64 { 0 }
}

enum UTCDay {
  static let length_ms: Int64 = 86_400_000

  /// Days since 1970.
  static func number(_ time_ms: Int64) -> Int { Int(time_ms.flooredDivision(by: length_ms)) }

  /// Milliseconds from `time_ms` to the midnight after it.
  static func left_ms(at time_ms: Int64) -> Int64 { Int64(number(time_ms) + 1) * length_ms - time_ms }
}

/// Whole numbers of the saved state, with room for sums.
enum SavedNumber {
  static let most: Int64 = 1_000_000_000_000_000

  /// -1 for what is not known.
  static func read(_ word: Substring) -> Int64? {
    Int64(word).flatMap { (-1...most).contains($0) ? $0 : nil }
  }

  /// A day's or month's number; nil for one that is not known.
  static func number(_ saved: Int64) -> Int? { saved < 0 ? nil : Int(exactly: saved) }
}
