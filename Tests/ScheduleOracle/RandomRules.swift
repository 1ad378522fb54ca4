import DriveGenerator

/// Random rules near a date, as text and as the oracle's meaning.
public struct RandomRules {
  private var generator: RandomSource
  /// Page of the calendar around which dates are drawn.
  private let aroundPage: Int

  public init(seed: UInt64, around unix_s: Int64) {
    generator = RandomSource(seed: seed)
    aroundPage = Int(unix_s - calendarStart_s) / 86_400
  }

  public mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  private mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }

  /// One to three rules.
  public mutating func rules() -> [OracleRule] { (0..<number(1...3)).map { _ in rule() } }

  public mutating func rule() -> OracleRule {
    switch number(0...5) {
    case 0, 1: weekdayRule()
    case 2: dateRule()
    default: cronRule()
    }
  }

  private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Often at the hours when clocks change, often at midnight, often the same minute twice.
  private mutating func times() -> (text: String, start: Int, end: Int) {
    func one(_ rules: inout RandomRules) -> Int {
      switch rules.number(0...3) {
      case 0: 0
      case 1: rules.number(0...3) * 60 + rules.pick([0, 15, 30, 59])
      default: rules.number(0...1439)
      }
    }
    let start = one(&self)
    let end = number(0...7) == 0 ? start : one(&self)
    let text = [start, end].map { "\(twoDigits($0 / 60)):\(twoDigits($0 % 60))" }.joined(separator: "-")
    return (text, start, end)
  }

  private mutating func weekdayRule() -> OracleRule {
    let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    var items: [String] = []
    var days: Set<Int> = []
    for _ in 0..<number(1...3) {
      let first = number(1...7)
      let extra = number(0...3)
      for step in 0...extra { days.insert((first - 1 + step) % 7 + 1) }
      let last = (first - 1 + extra) % 7 + 1
      let ends = (extra == 0 ? [first] : [first, last]).map { number(0...1) == 0 ? "\($0)" : names[$0 - 1] }
      items.append(ends.joined(separator: "-"))
    }
    let (text, start, end) = times()
    return .daily(
      text: "\(items.joined(separator: ",")) \(text)", onDay: { days.contains($0.weekday) }, start: start,
      end: end)
  }

  private mutating func dateRule() -> OracleRule {
    func text(_ date: CalendarPage) -> String {
      "\(date.year)-\(twoDigits(date.month))-\(twoDigits(date.day))"
    }
    let firstPage = aroundPage + number(-4...4)
    let first = calendarPages[firstPage]
    let last = calendarPages[firstPage + number(0...3)]
    let (times, start, end) = times()
    let onDay: (CalendarPage) -> Bool = { page in
      let date = (page.year, page.month, page.day)
      return date >= (first.year, first.month, first.day) && date <= (last.year, last.month, last.day)
    }
    let days = first == last ? text(first) : "\(text(first))..\(text(last))"
    return .daily(text: "\(days) \(times)", onDay: onDay, start: start, end: end)
  }

  /// A field as text, as the set of its numbers, and whether its text begins with a star.
  private typealias Field = (text: String, numbers: Set<Int>, star: Bool)

  private mutating func field(_ low: Int, _ high: Int, starOften: Bool = false) -> Field {
    switch number(starOften ? -3...3 : 0...3) {
    case 1:
      let step = number(1...max(1, (high - low) / 2))
      return ("*/\(step)", Set(stride(from: low, through: high, by: step)), true)
    case 2:
      let first = number(low...high)
      let last = number(first...high)
      let step = number(1...3)
      return (
        step == 1 ? "\(first)-\(last)" : "\(first)-\(last)/\(step)",
        Set(stride(from: first, through: last, by: step)), false
      )
    case 3:
      let numbers = Set((0..<number(1...3)).map { _ in number(low...high) })
      return (numbers.map(String.init).joined(separator: ","), numbers, false)
    default: return ("*", Set(low...high), true)
    }
  }

  private mutating func cronRule() -> OracleRule {
    let minute = field(0, 59)
    // Half of them in the hours when clocks change.
    let hour = number(0...1) == 0 ? field(0, 23) : field(0, 3)
    let isEarly = hour.text == "*" || hour.text.hasPrefix("*/")
    let hours = isEarly ? Set((0...23).filter { starMatches(hour.text, $0) }) : hour.numbers
    let monthDay = field(1, 31, starOften: true)
    let month = field(1, 12, starOften: true)
    var weekday = field(0, 7, starOften: true)
    if weekday.numbers.contains(7) { weekday.numbers.insert(0) }
    let length_s = Int64(pick([30, 60, 90, 300, 1800, 3600, 5400, 7200, 28_800, 86_400, 108_000]))
    let onDay: (CalendarPage) -> Bool = { page in
      let byMonthDay = monthDay.numbers.contains(page.day)
      let byWeekday = weekday.numbers.contains(page.weekday - 1)
      let byDay = monthDay.star || weekday.star ? byMonthDay && byWeekday : byMonthDay || byWeekday
      return byDay && month.numbers.contains(page.month)
    }
    let atMinute: (Int) -> Bool = { now in
      hours.contains(now / 60) && minute.numbers.contains(now % 60)
    }
    let fields = [minute.text, hour.text, monthDay.text, month.text, weekday.text].joined(separator: " ")
    let text = "cron \(fields) for \(lengthText(length_s))"
    return .cron(text: text, onDay: onDay, atMinute: atMinute, length_s: length_s)
  }

  private func starMatches(_ text: String, _ hour: Int) -> Bool {
    text == "*" || hour % (Int(text.dropFirst(2)) ?? 1) == 0
  }

  private mutating func lengthText(_ length_s: Int64) -> String {
    if number(0...1) == 0 { return "\(length_s)s" }
    let parts = [(length_s / 3600, "h"), (length_s / 60 % 60, "m"), (length_s % 60, "s")]
    return parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
  }
}
