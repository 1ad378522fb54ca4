/// A date of the proleptic Gregorian calendar. It has no zone; a day is counted as days since 1970-01-01.
public struct CivilDate: Equatable, Sendable {
  /// Seconds from midnight to midnight on a wall clock that is not changed.
  package static let day_s: Int64 = 86_400
  static let weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  public var year: Int
  /// 1...12
  public var month: Int
  /// 1...31
  public var day: Int

  /// Any numbers; `isReal` says whether the calendar has such a day.
  public init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The inverse of `dayNumber`: `civil_from_days` of Howard Hinnant's "chrono-Compatible Low-Level Date
  /// Algorithms", https://howardhinnant.github.io/date_algorithms.html#civil_from_days.
  public init(dayNumber: Int) {
    let shifted = dayNumber + 719_468
    let era = shifted.flooredDivision(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970-01-01, for a real date: `days_from_civil` of the same paper.
  public var dayNumber: Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = marchYear.flooredDivision(by: 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  public var isReal: Bool {
    (1...12).contains(month) && day >= 1 && day <= CivilDate.days(inMonth: month, year: year)
  }

  /// 28...31, for a month of 1...12.
  public static func days(inMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  public static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// 0 = Sunday … 6 = Saturday, as in cron. 1970-01-01 was a Thursday.
  public static func weekday(dayNumber: Int) -> Int {
    let weekday = (dayNumber + 4) % 7
    return weekday < 0 ? weekday + 7 : weekday
  }
}

/// What a wall clock and a calendar show. Its `seconds` are the seconds since 1970-01-01 00:00 on that clock:
/// Unix time plus the offset of the zone.
public struct CivilTime: Equatable, Sendable {
  public var date: CivilDate
  public var hour: Int
  public var minute: Int
  public var second: Int

  public init(date: CivilDate, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    self.date = date
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  public init(seconds: Int64) {
    let dayNumber = seconds.flooredDivision(by: 86_400)
    let rest = Int(seconds - dayNumber * 86_400)
    self.init(
      date: CivilDate(dayNumber: Int(dayNumber)), hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60
    )
  }

  public var seconds: Int64 {
    Int64(date.dayNumber) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }
}

extension BinaryInteger {
  /// Division rounding towards minus infinity, for a positive divisor: times before 1970 count backwards.
  public func flooredDivision(by divisor: Self) -> Self {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
