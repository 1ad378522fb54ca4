/// A random rule: its text, and the same meaning in the plainest form there is.
public enum OracleRule {
  /// Days as a question about a date, times in minutes.
  case daily(text: String, onDay: (WallReading) -> Bool, start: Int, end: Int)
  case cron(text: String, at: (WallReading) -> Bool, length_s: Int64)

  public var text: String {
    switch self {
    case .daily(let text, _, _, _), .cron(let text, _, _): text
    }
  }

  /// Whether the rule is open at each instant of the table. The first three days serve as history.
  public func open(in table: WallTable) -> [Bool] {
    switch self {
    case .daily(_, let onDay, let start, let end): daily(table, onDay, start, end)
    case .cron(_, let at, let length_s): cron(table, at, length_s)
    }
  }

  private func daily(_ table: WallTable, _ onDay: (WallReading) -> Bool, _ start: Int, _ end: Int) -> [Bool] {
    table.readings.map { now in
      if end > start { return onDay(now) && now.minuteOfDay >= start && now.minuteOfDay < end }
      if onDay(now) && now.minuteOfDay >= start { return true }
      return now.minuteOfDay < end && onDay(WallReading(unix_s: 0, localMinute: now.localMinute - 1440))
    }
  }

  /// Every minute of the calendar that matches is looked for on the wall clock: the first instant that shows it
  /// or, when none does, the first instant that shows a later one.
  private func cron(_ table: WallTable, _ at: (WallReading) -> Bool, _ length_s: Int64) -> [Bool] {
    guard let begin = table.readings.first else { return [] }
    var starts: Set<Int64> = []
    for (minute, instant) in table.firstShown.enumerated()
    where at(WallReading(unix_s: instant, localMinute: begin.localMinute + minute)) {
      starts.insert(instant)
    }
    var openUntil = begin.unix_s
    return table.readings.map { reading in
      if starts.contains(reading.unix_s) { openUntil = reading.unix_s + length_s }
      return reading.unix_s < openUntil
    }
  }
}

/// Whether any of the rules is open, at each instant of the table.
public func open(_ rules: [OracleRule], in table: WallTable) -> [Bool] {
  var isOpen = [Bool](repeating: false, count: table.readings.count)
  for rule in rules {
    for (index, yes) in rule.open(in: table).enumerated() where yes { isOpen[index] = true }
  }
  return isOpen
}
