/// Builds the small JSON object of a record's extras. Keys and text values are our own words: letters, digits,
/// `_`, `-`, `.` and space, so nothing needs escaping; anything else is replaced by `?`. What a user wrote has
/// its own two ways in.
struct Extras {
  private var members: [String] = []

  var json: String { members.isEmpty ? "" : "{" + members.joined(separator: ",") + "}" }

  mutating func add(_ key: String, _ value: Int64) { members.append("\"\(key)\":\(value)") }

  mutating func add(_ key: String, _ value: Bool) { members.append("\"\(key)\":\(value)") }

  mutating func add(_ key: String, tenths value: Double) {
    // JSON knows no infinity.
    let tenths = value.isNaN ? 0 : min(max((value * 10).rounded() / 10, -1e15), 1e15)
    members.append("\"\(key)\":\(tenths)")
  }

  mutating func add(_ key: String, _ value: String) {
    let plain = String(value.map { Extras.isPlain($0) ? $0 : "?" })
    members.append("\"\(key)\":\"\(plain)\"")
  }

  /// Any text, such as a user's name for something.
  mutating func add(_ key: String, quoted value: String) {
    members.append("\"\(key)\":\(SettingText.quoted(value))")
  }

  /// Says in a trip's summary that the clock which dated its start and end was not trusted.
  mutating func addUntrusted() { members.append(Extras.untrusted) }

  private static let untrusted = "\"clock\":\"untrusted\""

  /// A trip's summary that says so with start and end as much later; any other as it is.
  static func dated(_ summary: String, by_ms: Int64) -> String {
    guard let mark = summary.firstRange(of: "," + untrusted) else { return summary }
    var dated = summary
    dated.removeSubrange(mark)
    for key in ["start_ms", "end_ms"] {
      guard let name = dated.firstRange(of: "\"\(key)\":") else { continue }
      let digits = dated[name.upperBound...].prefix { $0 == "-" || $0.isNumber }
      guard let time_ms = Int64(digits) else { continue }
      dated.replaceSubrange(digits.startIndex..<digits.endIndex, with: "\(time_ms &+ by_ms)")
    }
    return dated
  }

  /// - Parameter json: a JSON value that has been checked.
  mutating func add(_ key: String, json: String) { members.append("\"\(key)\":\(json)") }

  private static func isPlain(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "_-. ".contains(character))
  }
}
