@testable import TrackerCore

/// What the wall clock and the calendar show at one instant of the oracle's table.
struct WallReading {
  var unix_s: Int64
  /// Minutes on the wall clock since 2000-01-01 00:00, a Saturday; a number for comparing.
  var localMinute: Int
  var year: Int
  var month: Int
  var day: Int
  /// 1 = Sunday.
  var weekday: Int
  var minuteOfDay: Int
}

/// A table of instants 30 s apart, each with its calendar reading made by counting days one by one.
struct WallTable {
  static let step_s: Int64 = 30
  var readings: [WallReading] = []
  /// The first instant that shows a local minute.
  var firstShown: [Int: Int64] = [:]

  init(from from_s: Int64, to to_s: Int64, zone: TransitionZone) {
    let start2000: Int64 = 946_684_800
    var unix_s = from_s
    while unix_s < to_s {
      let local = Int(unix_s - start2000) + zone.offset_s(at: unix_s)
      let date = calendarPages[local / 86_400]
      readings.append(
        WallReading(
          unix_s: unix_s, localMinute: local / 60, year: date.year, month: date.month, day: date.day,
          weekday: (local / 86_400 + 6) % 7 + 1, minuteOfDay: local / 60 % 1440))
      if firstShown[local / 60] == nil { firstShown[local / 60] = unix_s }
      unix_s += WallTable.step_s
    }
  }
}

/// A calendar that turns its pages: every date from 2000 to 2039.
let calendarPages: [(year: Int, month: Int, day: Int)] = {
  var pages = [(year: 2000, month: 1, day: 1)]
  while pages[pages.count - 1].year < 2040 {
    var (year, month, day) = pages[pages.count - 1]
    let leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
    let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    day += 1
    if day > lengths[month - 1] { (month, day) = (month + 1, 1) }
    if month > 12 { (year, month) = (year + 1, 1) }
    pages.append((year, month, day))
  }
  return pages
}()

/// A random rule: its text, and the same meaning in the plainest form there is.
enum OracleRule {
  /// Days as a question about a date, times in minutes.
  case daily(text: String, onDay: (WallReading) -> Bool, start: Int, end: Int)
  case cron(text: String, at: (WallReading) -> Bool, length_s: Int64)

  var text: String {
    switch self {
    case .daily(let text, _, _, _), .cron(let text, _, _): text
    }
  }

  /// Whether the rule is open at each instant of the table. The first three days serve as history.
  func open(in table: WallTable) -> [Bool] {
    switch self {
    case .daily(_, let onDay, let start, let end): daily(table, onDay, start, end)
    case .cron(_, let at, let length_s): cron(table, at, length_s)
    }
  }

  private func daily(_ table: WallTable, _ onDay: (WallReading) -> Bool, _ start: Int, _ end: Int) -> [Bool] {
    return table.readings.map { now in
      if end > start { return onDay(now) && now.minuteOfDay >= start && now.minuteOfDay < end }
      if onDay(now) && now.minuteOfDay >= start { return true }
      var yesterday = now
      let date = calendarPages[now.localMinute / 1440 - 1]
      (yesterday.year, yesterday.month, yesterday.day) = date
      yesterday.weekday = now.weekday == 1 ? 7 : now.weekday - 1
      return onDay(yesterday) && now.minuteOfDay < end
    }
  }

  /// Every minute of the calendar that matches is looked for on the wall clock: the first instant that shows it
  /// or, when none does, the first instant that shows a later one.
  private func cron(_ table: WallTable, _ at: (WallReading) -> Bool, _ length_s: Int64) -> [Bool] {
    guard let begin = table.readings.first, let last = table.readings.map(\.localMinute).max() else {
      return []
    }
    var starts: Set<Int64> = []
    for minute in begin.localMinute...last {
      let date = calendarPages[minute / 1440]
      let wanted = WallReading(
        unix_s: 0, localMinute: minute, year: date.year, month: date.month, day: date.day,
        weekday: (minute / 1440 + 6) % 7 + 1, minuteOfDay: minute % 1440)
      guard at(wanted) else { continue }
      let jumpEnd = { table.readings.first { $0.localMinute > minute }?.unix_s ?? begin.unix_s }
      starts.insert(table.firstShown[minute] ?? jumpEnd())
    }
    var openUntil = begin.unix_s
    return table.readings.map { reading in
      if starts.contains(reading.unix_s) { openUntil = reading.unix_s + length_s }
      return reading.unix_s < openUntil
    }
  }
}
