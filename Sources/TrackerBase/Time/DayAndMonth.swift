/// What adds up over a day and over a month, both of UTC.
///
/// While the time is not trusted a day lasts 24 hours and a month 31 days by the boot clock, from the last new
/// day or from the start of the process, so that a device that never learns the time goes on. A trusted day
/// that differs begins anew, also when it is an earlier one: a date that was wrong once must not count for years.
package struct DayAndMonth<Sum: Summable>: Savable, Equatable, Sendable {
  package struct Period: Equatable, Sendable {
    /// Days since 1970, or months since year 0; nil: not known yet.
    package var number: Int?
    package var used = Sum.none
  }

  package static var longestMonth_ms: Int64 { 31 * UTCDay.length_ms }

  package var day = Period()
  package var month = Period()
  /// Boot times of their beginnings, as far as this process knows.
  package private(set) var daySince_ms: Int64 = 0
  package private(set) var monthSince_ms: Int64 = 0

  package init() {}

  /// - Parameter saved: as a process before this one left it.
  package init(_ saved: Self? = nil, at now_ms: Int64) {
    self = saved ?? Self()
    (daySince_ms, monthSince_ms) = (now_ms, now_ms)
  }

  package var saved: JSONValue { SavedSums(day: day.saved, month: month.saved).saved }

  package init?(saved: JSONValue) {
    guard let sums = SavedSums(saved: saved), let day = Period(sums.day), let month = Period(sums.month)
    else { return nil }
    (self.day, self.month) = (day, month)
  }

  package mutating func add(_ more: Sum) {
    day.used += more
    month.used += more
  }

  /// - Parameter trusted_ms: nil while the time is not trusted.
  package mutating func turn(trusted_ms: Int64?, at now_ms: Int64) {
    let today = trusted_ms.map { UTCDay.number($0) }
    // At nearly every event. A day's number goes with its month's.
    if let today, today == day.number, month.number != nil { return }
    let thisMonth = today.map { CivilDate(dayNumber: $0) }.map { $0.year * 12 + $0.month - 1 }
    if day.turn(to: today, isOver: now_ms - daySince_ms >= UTCDay.length_ms) { daySince_ms = now_ms }
    if month.turn(to: thisMonth, isOver: now_ms - monthSince_ms >= Self.longestMonth_ms) {
      monthSince_ms = now_ms
    }
  }
}

extension DayAndMonth.Period {
  /// - Parameter isOver: by the boot clock. - Returns: whether another one begins.
  fileprivate mutating func turn(to number: Int?, isOver: Bool) -> Bool {
    guard let number else {
      if isOver { used = .none }
      return isOver
    }
    if number == self.number { return false }
    // What was counted before the first date is known belongs to it.
    if self.number != nil { used = .none }
    self.number = number
    return true
  }

  fileprivate var saved: SavedPeriod { SavedPeriod(number: number, used: used == .none ? .null : used.saved) }

  /// nil: it makes no sense.
  fileprivate init?(_ saved: SavedPeriod) {
    guard let used = saved.used == .null ? Sum.none : Sum(saved: saved.used), used.isSum else { return nil }
    (number, self.used) = (saved.number, used)
  }
}

/// Sums of any kind. No generic types: their key paths are made anew with each use.
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

/// Beginning with nothing.
package protocol Summable: Savable, Equatable, Sendable {
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
