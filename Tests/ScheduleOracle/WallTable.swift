/// 2000-01-01 00:00, a Saturday: where the oracle's calendar begins.
public let calendarStart_s: Int64 = 946_684_800

/// A table of instants 30 s apart with what the wall clock shows at each, and the pages of the calendar that it
/// passes, made by counting days one by one.
public struct WallTable {
  public static let step_s: Int64 = 30
  private let from_s: Int64
  /// What each reading shows: minutes on the wall clock since the calendar's start. A number for comparing.
  private(set) var shown: [Int] = []
  /// The first reading that shows a minute of the calendar, or the first that shows a later one, by minutes from
  /// that of the first reading.
  private(set) var firstShowing: [Int] = []

  /// - Parameter offset_s: seconds east of UTC at an instant.
  public init(from from_s: Int64, to to_s: Int64, offset_s: (Int64) -> Int) {
    self.from_s = from_s
    let count = Int((to_s - from_s + WallTable.step_s - 1) / WallTable.step_s)
    shown.reserveCapacity(count)
    firstShowing.reserveCapacity(count / 2 + 2880)
    for reading in 0..<count {
      let unix_s = unix_s(of: reading)
      let minute = (Int(unix_s - calendarStart_s) + offset_s(unix_s)) / 60
      shown.append(minute)
      while shown[0] + firstShowing.count <= minute { firstShowing.append(reading) }
    }
  }

  /// How many readings there are.
  public var count: Int { shown.count }

  public func unix_s(of reading: Int) -> Int64 { from_s + Int64(reading) * WallTable.step_s }

  /// Two before that of the first reading: a clock may be set back there, and a window have begun a day before.
  var firstPage: Int { shown[0] / 1440 - 2 }

  /// The answer for each page of the calendar, from the first one to the last reading's.
  func pages(_ isWanted: (CalendarPage) -> Bool) -> [Bool] {
    let last = (shown[0] + firstShowing.count) / 1440
    return calendarPages[firstPage...last].map(isWanted)
  }
}

public struct CalendarPage: Equatable, Sendable {
  public var year: Int
  public var month: Int
  public var day: Int
  /// 1 = Sunday.
  public var weekday: Int
}

/// A calendar that turns its pages: every date from 2000 to 2069.
public let calendarPages: [CalendarPage] = {
  var pages = [CalendarPage(year: 2000, month: 1, day: 1, weekday: 7)]
  while pages[pages.count - 1].year < 2070 {
    var page = pages[pages.count - 1]
    let leap = page.year % 400 == 0 || (page.year % 4 == 0 && page.year % 100 != 0)
    let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    page.weekday = page.weekday % 7 + 1
    page.day += 1
    if page.day > lengths[page.month - 1] { (page.month, page.day) = (page.month + 1, 1) }
    if page.month > 12 { (page.year, page.month) = (page.year + 1, 1) }
    pages.append(page)
  }
  return pages
}()
