/// What adds up over a day and over a month, both of UTC.
///
/// While the time is not trusted a day lasts 24 hours and a month 31 days by the boot clock, from the last new
/// day or from the start of the process, so that a device that never learns the time goes on. A trusted day
/// that differs begins anew, also when it is an earlier one: a date that was wrong once must not count for years.
package struct DayAndMonth<Sum: Summable>: Equatable, Sendable {
  package struct Period: Equatable, Sendable {
    /// Days since 1970, or months since year 0; nil: not known yet.
    package var number: Int?
    package var used = Sum.none
    /// Boot time of its beginning, as far as this process knows.
    package var since_ms: Int64
  }

  static var longestDay_ms: Int64 { 86_400_000 }
  package static var longestMonth_ms: Int64 { 31 * longestDay_ms }

  package var day: Period
  package var month: Period

  package init(at now_ms: Int64) { (day, month) = (Period(since_ms: now_ms), Period(since_ms: now_ms)) }

  package mutating func add(_ more: Sum) {
    day.used += more
    month.used += more
  }

  /// - Parameter trusted_ms: nil while the time is not trusted.
  package mutating func turn(trusted_ms: Int64?, at now_ms: Int64) {
    let today = trusted_ms.map { UTCDay.number($0) }
    // At nearly every event. A day's number goes with its month's.
    if let today, today == day.number, month.number != nil { return }
    let date = today.map { CivilDate(dayNumber: $0) }
    Self.turn(&day, to: today, longest_ms: Self.longestDay_ms, at: now_ms)
    Self.turn(
      &month, to: date.map { $0.year * 12 + $0.month - 1 }, longest_ms: Self.longestMonth_ms, at: now_ms)
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
package protocol Summable: Equatable, Sendable {
  static var none: Self { get }
  static func += (sum: inout Self, more: Self)
  /// Nothing of it is negative.
  var isSum: Bool { get }
}

extension Int64: Summable {
  package static var none: Int64 { 0 }
  package var isSum: Bool { self >= 0 }
}

package enum UTCDay {
  package static let length_ms: Int64 = 86_400_000

  /// Days since 1970.
  package static func number(_ time_ms: Int64) -> Int { Int(time_ms.flooredDivision(by: length_ms)) }

  /// Milliseconds from `time_ms` to the midnight after it.
  package static func left_ms(at time_ms: Int64) -> Int64 { Int64(number(time_ms) + 1) * length_ms - time_ms }
}

extension DayAndMonth: Savable where Sum: Savable {
  package var saved: JSONValue { SavedSums(day: day.saved, month: month.saved).saved }

  package init?(saved: JSONValue) {
    guard let sums = SavedSums(saved: saved), let day = Period(sums.day), let month = Period(sums.month)
    else { return nil }
    (self.day, self.month) = (day, month)
  }

  /// As a process before this one left it.
  package func resumed(at now_ms: Int64) -> DayAndMonth {
    var sums = self
    (sums.day.since_ms, sums.month.since_ms) = (now_ms, now_ms)
    return sums
  }
}

extension DayAndMonth.Period where Sum: Savable {
  fileprivate var saved: SavedPeriod { SavedPeriod(number: number, used: used == .none ? .null : used.saved) }

  /// nil: it makes no sense.
  fileprivate init?(_ saved: SavedPeriod) {
    self.init(number: saved.number, since_ms: 0)
    if saved.used == .null { return }
    guard let used = Sum(saved: saved.used), used.isSum else { return nil }
    self.used = used
  }
}

/// Of whatever adds up. No generic types: their key paths are made anew with each use.
private struct SavedSums: SavedObject {
  var day = SavedPeriod()
  var month = SavedPeriod()

  static let members: [SavedMember<SavedSums>] = [.init("day", \.day), .init("month", \.month)]
}

private struct SavedPeriod: SavedObject, Equatable {
  var number: Int?
  var used = JSONValue.null

  static let members: [SavedMember<SavedPeriod>] = [.init("number", \.number), .init("used", \.used)]
}
