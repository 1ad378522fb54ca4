/// Why a rule is malformed.
struct RuleError: Error {
  /// From 1; nil when something is missing at the end.
  var column: Int?
  var reason: String
}

/// A piece of a rule, and where it stands.
struct RuleToken {
  let text: Substring
  /// Of its first character, from 1.
  let column: Int

  /// The words of a rule. Spaces and tabs stand between words only.
  static func words(of rule: String) -> [RuleToken] {
    RuleToken(text: rule[...], column: 1).split { $0 == " " || $0 == "\t" }.filter { !$0.text.isEmpty }
  }

  /// The pieces between the separators; empty ones are kept.
  func split(where isSeparator: (Character) -> Bool) -> [RuleToken] {
    var pieces: [RuleToken] = []
    var pieceColumn = column
    for piece in text.split(omittingEmptySubsequences: false, whereSeparator: isSeparator) {
      pieces.append(RuleToken(text: piece, column: pieceColumn))
      pieceColumn += piece.count + 1
    }
    return pieces
  }

  func split(on separator: Character) -> [RuleToken] { split { $0 == separator } }

  /// nil unless the text is one to eight decimal digits.
  var number: Int? {
    let isPlain = (1...8).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isPlain ? Int(text) : nil
  }

  func error(_ reason: String) -> RuleError { RuleError(column: column, reason: reason) }

  /// A number of exactly so many digits, or nil.
  func number(digits: Int) -> Int? { text.count == digits ? number : nil }

  func check(_ what: String, _ value: Int, in range: ClosedRange<Int>, _ hint: String = "") throws(RuleError)
  {
    guard !range.contains(value) else { return }
    throw error("\(what) \(value) is not in \(range.lowerBound)...\(range.upperBound)\(hint)")
  }
}

func parseRule(_ rule: String) throws(RuleError) -> any OpeningRule {
  let words = RuleToken.words(of: rule)
  guard let first = words.first else {
    throw RuleError(
      column: nil, reason: "the rule is empty: write days and times, such as mon-fri 09:00-17:00")
  }
  if first.text.lowercased() == "cron" { return try parseCron(Array(words.dropFirst())) }
  return try parseDaily(words)
}

/// Days and a time range, in two words.
private func parseDaily(_ words: [RuleToken]) throws(RuleError) -> DailyRule {
  guard words.count >= 2 else {
    if words[0].text.contains(":") {
      throw words[0].error("the days before the times are missing: sun-sat means every day")
    }
    throw RuleError(column: nil, reason: "the times after the days are missing, such as 09:00-17:00")
  }
  if words.count > 2 {
    throw words[2].error("two words belong here, days and one time range, with no space inside either")
  }
  let days = try parseDays(words[0])
  let times = words[1].split(on: "-")
  guard times.count == 2 else {
    throw words[1].error("\"\(words[1].text)\" is not a time range such as 09:00-17:00")
  }
  return DailyRule(days: days, startMinute: try parseTime(times[0]), endMinute: try parseTime(times[1]))
}

private func parseTime(_ token: RuleToken) throws(RuleError) -> Int {
  let parts = token.split(on: ":")
  guard parts.count == 2, let hour = parts[0].number(digits: 2), let minute = parts[1].number(digits: 2)
  else {
    throw token.error("\"\(token.text)\" is not a time: write hh:mm, such as 09:00")
  }
  let hint = hour == 24 ? ": the end of a day is written 00:00" : ""
  try parts[0].check("hour", hour, in: 0...23, hint)
  try parts[1].check("minute", minute, in: 0...59)
  return hour * 60 + minute
}

private func parseDays(_ token: RuleToken) throws(RuleError) -> DailyRule.Days {
  // No list of weekdays begins with four digits.
  if token.text.count >= 4, token.text.prefix(4).allSatisfy({ $0.isASCII && $0.isNumber }) {
    return .dates(try parseDates(token))
  }
  var weekdays = SmallSet()
  for item in token.split(on: ",") {
    let ends = item.split(on: "-")
    guard ends.count <= 2 else { throw item.error("\"\(item.text)\" is not a range of days such as mon-fri") }
    let last = try parseWeekday(ends[ends.count - 1])
    var day = try parseWeekday(ends[0])
    weekdays.insert(day)
    while day != last {
      day = (day + 1) % 7
      weekdays.insert(day)
    }
  }
  return .weekdays(weekdays)
}

/// 0 = Sunday … 6 = Saturday, from a name or from 1...7.
private func parseWeekday(_ token: RuleToken) throws(RuleError) -> Int {
  if let day = CivilDate.weekdayNames.firstIndex(of: token.text.lowercased()) { return day }
  if let number = token.number {
    try token.check("day", number, in: 1...7, " (1 is Sunday, 7 is Saturday)")
    return number - 1
  }
  if token.text.isEmpty { throw token.error("a day is missing here") }
  throw token.error("\"\(token.text)\" is not a day: write 1 (Sunday) to 7 (Saturday), or sun to sat")
}

/// One date, or two with `..` between them.
private func parseDates(_ token: RuleToken) throws(RuleError) -> ClosedRange<Int> {
  let pieces = token.split(on: ".")
  guard pieces.count == 1 || pieces.count == 3 && pieces[1].text.isEmpty else {
    throw token.error("\"\(token.text)\" is not a range of dates such as 2026-04-15..2026-04-20")
  }
  let first = try parseDate(pieces[0])
  let last = try parseDate(pieces[pieces.count - 1])
  guard first <= last else { throw token.error("the range of dates ends before it starts") }
  return first...last
}

private func parseDate(_ token: RuleToken) throws(RuleError) -> Int {
  let parts = token.split(on: "-")
  guard parts.count == 3, let year = parts[0].number(digits: 4), let month = parts[1].number(digits: 2),
    let day = parts[2].number(digits: 2)
  else {
    throw token.error("\"\(token.text)\" is not a date: write yyyy-mm-dd, such as 2026-04-15")
  }
  try parts[0].check("year", year, in: 2000...2099)
  try parts[1].check("month", month, in: 1...12)
  let lastDay = CivilDate.days(inMonth: month, year: year)
  try parts[2].check("day", day, in: 1...lastDay, " in \(parts[0].text)-\(parts[1].text)")
  return CivilDate(year: year, month: month, day: day).dayNumber
}
