/// One of the five fields: what it is called, what it may hold.
private struct CronField {
  let name: String
  let range: ClosedRange<Int>
  /// Names of the numbers from `range.lowerBound` on.
  var names: [String] = []
  var hint = ""

  static let minute = CronField(name: "minute", range: 0...59)
  static let hour = CronField(name: "hour", range: 0...23)
  static let dayOfMonth = CronField(name: "day of month", range: 1...31)
  static let month = CronField(
    name: "month", range: 1...12,
    names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    hint: ", or jan to dec")
  static let weekday = CronField(
    name: "day of week", range: 0...7, names: CivilDate.weekdayNames,
    hint: " (0 and 7 are Sunday), or sun to sat")

  /// A comma-separated list of `*`, `n`, `a-b`, `*/step` and `a-b/step`, as in crontab(5).
  func parse(_ token: RuleToken) throws(RuleError) -> SmallSet {
    var set = SmallSet()
    for item in token.split(on: ",") {
      let parts = item.split(on: "/")
      guard parts.count <= 2 else { throw item.error("\"\(item.text)\" has more than one step") }
      let span = try parseSpan(parts[0])
      var step = 1
      if parts.count == 2 { step = try parseStep(parts[1], after: parts[0]) }
      for number in stride(from: span.lowerBound, through: span.upperBound, by: step) { set.insert(number) }
    }
    return set
  }

  private func parseSpan(_ token: RuleToken) throws(RuleError) -> ClosedRange<Int> {
    if token.text == "*" { return range }
    let ends = token.split(on: "-")
    guard ends.count <= 2 else { throw token.error("\"\(token.text)\" is not a range such as 9-17") }
    let first = try parseNumber(ends[0])
    var last = try parseNumber(ends[ends.count - 1])
    // Sunday ends the week here, so that fri-sun needs no wrapping.
    if range.upperBound == 7, last == 0, first > 0 { last = 7 }
    guard first <= last else {
      throw token.error("range \(token.text) runs backwards: ranges do not wrap in cron fields")
    }
    return first...last
  }

  private func parseNumber(_ token: RuleToken) throws(RuleError) -> Int {
    if let index = names.firstIndex(of: token.text.lowercased()) { return range.lowerBound + index }
    if let number = token.number {
      try token.check(name, number, in: range, hint)
      return number
    }
    if token.text.isEmpty { throw token.error("a \(name) is missing here") }
    let allowed = "*, or \(range.lowerBound)...\(range.upperBound)\(hint)"
    throw token.error("\"\(token.text)\" is not a \(name): write \(allowed)")
  }

  private func parseStep(_ token: RuleToken, after span: RuleToken) throws(RuleError) -> Int {
    guard span.text == "*" || span.text.contains("-") else {
      throw span.error("a step needs * or a range before it, not \(span.text) alone")
    }
    guard let step = token.number else { throw token.error("\"\(token.text)\" is not a step such as */15") }
    // A larger one would mean the first value only: */90 minutes is not every 90 minutes.
    try token.check("step", step, in: 1...(range.upperBound - range.lowerBound))
    return step
  }
}

/// The words after `cron`: five fields, `for`, a length.
func parseCron(_ words: [RuleToken]) throws(RuleError) -> CronRule {
  guard let split = words.firstIndex(where: { $0.text.lowercased() == "for" }) else {
    throw RuleError(column: nil, reason: "the length after the five cron fields is missing, such as for 8h")
  }
  guard split == 5 else {
    let fields = "(minute, hour, day of month, month, day of week)"
    throw words[min(split, 5)].error("five cron fields belong before for \(fields), not \(split)")
  }
  guard words.count > 6 else {
    throw RuleError(column: nil, reason: "the length after for is missing, such as 8h, 5m, 1h30m or 90s")
  }
  guard words.count == 7 else {
    throw words[7].error("nothing belongs after the length, which is one word, such as 1h30m")
  }
  var weekdays = try CronField.weekday.parse(words[4])
  if weekdays.contains(7) { weekdays.insert(0) }
  let (minutes, hours) = (try CronField.minute.parse(words[0]), try CronField.hour.parse(words[1]))
  return CronRule(
    starts: (0..<1440).filter { hours.contains($0 / 60) && minutes.contains($0 % 60) },
    daysOfMonth: try CronField.dayOfMonth.parse(words[2]), months: try CronField.month.parse(words[3]),
    weekdays: weekdays,
    bothDaysMustMatch: words[2].text.first == "*" || words[4].text.first == "*",
    length_s: try parseLength(words[6]))
}

/// Hours, minutes, seconds in this order, each at most once. Seconds.
private func parseLength(_ token: RuleToken) throws(RuleError) -> Int64 {
  let malformed = "\"\(token.text)\" is not a length: write 8h, 5m, 1h30m or 90s"
  var units: [(letter: Character, seconds: Int)] = [("h", 3600), ("m", 60), ("s", 1)]
  var rest = token.text
  var total_s = 0
  while !rest.isEmpty {
    let digits = rest.prefix { $0 != "h" && $0 != "m" && $0 != "s" }
    guard let number = RuleToken(text: digits, column: token.column).number,
      let letter = rest.dropFirst(digits.count).first,
      let unit = units.firstIndex(where: { $0.letter == letter })
    else { throw token.error(malformed) }
    total_s += number * units[unit].seconds
    units.removeFirst(unit + 1)
    rest = rest.dropFirst(digits.count + 1)
  }
  guard total_s > 0 else { throw token.error("a length of 0 never opens") }
  guard total_s <= 8784 * 3600 else { throw token.error("the length is over 8784h, which is a year") }
  return Int64(total_s)
}

/// Seconds in a length as schedule rules write it (`8h`, `1h30m`, `90s`); nil if it is none.
public func lengthInSeconds(_ text: String) -> Int64? {
  try? parseLength(RuleToken(text: text[...], column: 1))
}
