import TrackerBase

/// A zone's rule without a list of years: what may stand in `TZ` (POSIX.1, 8.3, as tzset(3) reads it) and in the last
/// line of a zone's file (RFC 9636, 3.3.1), such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Equatable {
  /// Seconds east of UTC.
  private let standard_s: Int
  private let summer: Summer?

  private struct Summer: Equatable {
    var offset_s: Int
    var begin: Change
    var end: Change
  }

  /// - Parameter time_s: on the wall before the change, from the day's midnight on; may lie on another day.
  fileprivate struct Change: Equatable {
    var day: Day
    var time_s: Int
  }

  fileprivate enum Day: Equatable {
    /// 1...365, without 29 February.
    case julian(Int)
    /// 0...365, with it.
    case ofYear(Int)
    /// - Parameters:
    ///   - week: 5 is the last.
    ///   - weekday: 0 is Sunday.
    case weekday(month: Int, week: Int, weekday: Int)
  }

  /// nil: it is no such rule.
  init?(_ text: some StringProtocol) {
    var reader = RuleReader(text)
    guard reader.skipName(), let west_s = reader.time_s(mostHours: 24) else { return nil }
    standard_s = -west_s
    if reader.isAtEnd {
      summer = nil
      return
    }
    guard reader.skipName() else { return nil }
    var offset_s = standard_s + 3600
    if !reader.isAtEnd, !reader.isNext(",") {
      guard let west_s = reader.time_s(mostHours: 24) else { return nil }
      offset_s = -west_s
    }
    // As libc does where none are given.
    if reader.isAtEnd { reader = RuleReader(",M3.2.0,M11.1.0") }
    guard let begin = Self.change(&reader), let end = Self.change(&reader), reader.isAtEnd else { return nil }
    summer = Summer(offset_s: offset_s, begin: begin, end: end)
  }

  private static func change(_ reader: inout RuleReader) -> Change? {
    guard reader.take(","), let day = day(&reader) else { return nil }
    guard reader.take("/") else { return Change(day: day, time_s: 7200) }
    return reader.time_s(mostHours: 167).map { Change(day: day, time_s: $0) }
  }

  private static func day(_ reader: inout RuleReader) -> Day? {
    if reader.take("J") { return reader.number(in: 1...365).map { .julian($0) } }
    guard reader.take("M") else { return reader.number(in: 0...365).map { .ofYear($0) } }
    guard let month = reader.number(in: 1...12), reader.take("."), let week = reader.number(in: 1...5),
      reader.take("."), let weekday = reader.number(in: 0...6)
    else { return nil }
    return .weekday(month: month, week: week, weekday: weekday)
  }

  /// The offset where there is no change, and before the first.
  var initial_s: Int { standard_s }

  /// In order.
  func changes(years: ClosedRange<Int>) -> [TZif.Change] {
    guard let summer else { return [] }
    let begins = years.map { year in
      TZif.Change(at_s: summer.begin.local_s(year) - Int64(standard_s), offset_s: summer.offset_s)
    }
    // Summer time all year ends when it begins.
    let begun = Set(begins.map(\.at_s))
    let ends = years.map { year in
      TZif.Change(at_s: summer.end.local_s(year) - Int64(summer.offset_s), offset_s: standard_s)
    }
    return (begins + ends.filter { !begun.contains($0.at_s) }).sorted { $0.at_s < $1.at_s }
  }
}

extension ZoneRule.Change {
  /// Seconds since 1970-01-01 00:00 on the wall.
  fileprivate func local_s(_ year: Int) -> Int64 { Int64(day.number(in: year)) * 86_400 + Int64(time_s) }
}

extension ZoneRule.Day {
  /// Days since 1970-01-01.
  fileprivate func number(in year: Int) -> Int {
    let first = CivilDate(year: year, month: 1, day: 1).dayNumber
    let march = CivilDate(year: year, month: 3, day: 1).dayNumber
    switch self {
    // The 60th is 1 March in every year.
    case .julian(let day): return day < 60 ? first + day - 1 : march + day - 60
    case .ofYear(let day): return first + day
    case .weekday(let month, let week, let weekday):
      let (begin, end) = (
        CivilDate(year: year, month: month, day: 1).dayNumber,
        month == 12
          ? CivilDate(year: year + 1, month: 1, day: 1).dayNumber
          : CivilDate(year: year, month: month + 1, day: 1).dayNumber
      )
      let beginsOn = CivilDate.weekday(dayNumber: begin)
      let day = begin + (weekday - beginsOn + 7) % 7 + 7 * (week - 1)
      return day < end ? day : day - 7
    }
  }
}

private struct RuleReader {
  private var rest: ArraySlice<UInt8>

  init(_ text: some StringProtocol) { rest = Array(text.utf8)[...] }

  var isAtEnd: Bool { rest.isEmpty }

  func isNext(_ letter: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: letter) }

  mutating func take(_ letter: Unicode.Scalar) -> Bool {
    guard isNext(letter) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Three letters or more, or anything of that length between `<` and `>`.
  mutating func skipName() -> Bool {
    if take("<") {
      let name = rest.prefix { $0 != UInt8(ascii: ">") }
      rest = rest.dropFirst(name.count)
      return name.count >= 3 && take(">")
    }
    let name = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
    rest = rest.dropFirst(name.count)
    return name.count >= 3
  }

  /// `[+-]hh[:mm[:ss]]`.
  mutating func time_s(mostHours: Int) -> Int? {
    let isNegative = take("-")
    if !isNegative { _ = take("+") }
    guard var seconds = number(in: 0...mostHours).map({ $0 * 3600 }) else { return nil }
    for unit_s in [60, 1] {
      guard take(":") else { break }
      guard let number = number(in: 0...59) else { return nil }
      seconds += number * unit_s
    }
    return isNegative ? -seconds : seconds
  }

  mutating func number(in range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest = rest.dropFirst(digits.count)
    guard (1...3).contains(digits.count) else { return nil }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return range.contains(number) ? number : nil
  }
}
