/// A random rule: its text, and the same meaning in the plainest form there is. Days are a question about a page of
/// the calendar; times are minutes of the day.
public enum OracleRule {
  case daily(text: String, onDay: (CalendarPage) -> Bool, start: Int, end: Int)
  case cron(text: String, onDay: (CalendarPage) -> Bool, atMinute: (Int) -> Bool, length_s: Int64)

  public var text: String {
    switch self {
    case .daily(let text, _, _, _), .cron(let text, _, _, _): text
    }
  }

  /// Whether the rule is open at each reading of the table. The first three days serve as history.
  public func open(in table: WallTable) -> [Bool] {
    switch self {
    case .daily(_, let onDay, let start, let end): daily(table, table.pages(onDay), start, end)
    case .cron(_, let onDay, let atMinute, let length_s):
      cron(table, table.pages(onDay), (0..<1440).map(atMinute), length_s)
    }
  }

  private func daily(_ table: WallTable, _ days: [Bool], _ start: Int, _ end: Int) -> [Bool] {
    table.shown.map { shown in
      let (page, minute) = (shown / 1440 - table.firstPage, shown % 1440)
      if end > start { return days[page] && minute >= start && minute < end }
      return (days[page] && minute >= start) || (days[page - 1] && minute < end)
    }
  }

  /// Every minute of the calendar that matches is looked for on the wall clock: the first reading that shows it
  /// or, when none does, the first that shows a later one.
  private func cron(_ table: WallTable, _ days: [Bool], _ minutes: [Bool], _ length_s: Int64) -> [Bool] {
    var isStart = [Bool](repeating: false, count: table.count)
    for (offset, reading) in table.firstShowing.enumerated() {
      let minute = table.shown[0] + offset
      if days[minute / 1440 - table.firstPage], minutes[minute % 1440] { isStart[reading] = true }
    }
    var openUntil = table.unix_s(of: 0)
    return isStart.indices.map { reading in
      let now = table.unix_s(of: reading)
      if isStart[reading] { openUntil = now + length_s }
      return now < openUntil
    }
  }
}

/// Whether any of the rules is open, at each reading of the table.
public func open(_ rules: [OracleRule], in table: WallTable) -> [Bool] {
  var isOpen = [Bool](repeating: false, count: table.count)
  for rule in rules {
    for (reading, yes) in rule.open(in: table).enumerated() where yes { isOpen[reading] = true }
  }
  return isOpen
}
