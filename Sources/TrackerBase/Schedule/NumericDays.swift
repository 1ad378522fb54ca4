/// Days that a rule names by number. 1 is Sunday here, and Monday elsewhere (ISO 8601), so they are said in words.
struct NumericDays: Equatable {
  /// `Sunday to Thursday`
  let words: String
  /// The same days as the rule may name them: `sun-thu`.
  let names: String
  /// What the numbers are where 1 is Monday: `mon-fri`.
  let namesFromMonday: String

  /// - Returns: nil for a rule without such a number, of cron (whose numbers are everybody's), or malformed.
  init?(of rule: String) {
    guard let days = RuleToken.words(of: rule).first, days.text.lowercased() != "cron",
      Schedule.check(rule) == nil
    else { return nil }
    let items = days.split(on: ",").map { $0.split(on: "-").map(\.text) }
    let ends = items.flatMap { $0 }
    // Of a date the numbers have more digits.
    guard ends.contains(where: { Self.day($0) != nil }), ends.allSatisfy({ $0.count < 4 }) else { return nil }
    words = Self.joined(items.map { $0.map(Self.word).joined(separator: " to ") })
    names = Self.rule(items) { Self.name($0, shift: 0) }
    namesFromMonday = Self.rule(items) { Self.name($0, shift: 1) }
  }

  /// 0 = Sunday; nil for a name.
  private static func day(_ text: Substring) -> Int? { Int(text).map { $0 - 1 } }

  private static func name(_ text: Substring, shift: Int) -> String {
    day(text).map { CivilDate.weekdayNames[($0 + shift) % 7] } ?? text.lowercased()
  }

  private static func word(_ text: Substring) -> String {
    let long = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    let day = day(text) ?? CivilDate.weekdayNames.firstIndex(of: text.lowercased())
    return day.map { long[$0 % 7] } ?? String(text)
  }

  private static func rule(_ items: [[Substring]], _ name: (Substring) -> String) -> String {
    items.map { $0.map(name).joined(separator: "-") }.joined(separator: ",")
  }

  /// `a, b and c`
  private static func joined(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " and " + last
  }
}

extension Schedule {
  /// A line for each rule that names days by number: which days they are, and how to say so plainly.
  public static func notes(on rules: [String]) -> [String] {
    rules.compactMap { rule in
      NumericDays(of: rule).map {
        "schedule rule \(SettingText.shown(rule)) means \($0.words), since day 1 is Sunday: write \($0.names), "
          + "or \($0.namesFromMonday) if day 1 is to be Monday"
      }
    }
  }
}
