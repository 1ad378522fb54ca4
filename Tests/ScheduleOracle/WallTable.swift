/// 2000-01-01 00:00, a Saturday: where the oracle's calendar begins.
public let calendarStart_s: Int64 = 946_684_800

/// What the wall clock and the calendar show at one instant of the oracle's table.
public struct WallReading {
  public var unix_s: Int64
  /// Minutes on the wall clock since the calendar's start; a number for comparing.
  var localMinute: Int
  var year: Int
  var month: Int
  var day: Int
  /// 1 = Sunday.
  var weekday: Int
  var minuteOfDay: Int
}

/// A table of instants 30 s apart, each with its calendar reading made by counting days one by one.
public struct WallTable {
  public static let step_s: Int64 = 30
  public private(set) var readings: [WallReading] = []
  /// The first instant that shows a minute of the calendar, or the first that shows a later one, by minutes from
  /// that of the first reading.
  private(set) var firstShown: [Int64] = []

  /// - Parameter offset_s: seconds east of UTC at an instant.
  public init(from from_s: Int64, to to_s: Int64, offset_s: (Int64) -> Int) {
    readings.reserveCapacity(Int((to_s - from_s) / WallTable.step_s))
    for unix_s in stride(from: from_s, to: to_s, by: Int64.Stride(WallTable.step_s)) {
      let minute = (Int(unix_s - calendarStart_s) + offset_s(unix_s)) / 60
      readings.append(WallReading(unix_s: unix_s, localMinute: minute))
      let first = readings[0].localMinute
      while first + firstShown.count <= minute { firstShown.append(unix_s) }
    }
  }
}

extension WallReading {
  init(unix_s: Int64, localMinute: Int) {
    let page = calendarPages[localMinute / 1440]
    self.init(
      unix_s: unix_s, localMinute: localMinute, year: page.year, month: page.month, day: page.day,
      weekday: (localMinute / 1440 + 6) % 7 + 1, minuteOfDay: localMinute % 1440)
  }
}

public typealias CalendarPage = (year: Int, month: Int, day: Int)

/// A calendar that turns its pages: every date from 2000 to 2069.
public let calendarPages: [CalendarPage] = {
  var pages = [(year: 2000, month: 1, day: 1)]
  while pages[pages.count - 1].year < 2070 {
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
