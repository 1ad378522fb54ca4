import TrackerBase

/// The last zone that could be read, as text beside the state: tzdata may be gone at the next start.
public enum SavedZone {
  private static let title = "godwit zone 1"

  /// - Parameter setting: what `timezone` says.
  public static func text(_ zone: SystemZone, setting: String) -> String {
    let (initial_s, changes) = zone.transitions
    let lines =
      [title, "setting \(setting)", "name \(zone.name)", "initial \(initial_s)"]
      + changes.map { "\($0.at_s) \($0.offset_s)" }
    let body = lines.map { $0 + "\n" }.joined()
    return TextSum.appended(to: body)
  }

  /// - Returns: nil if it is another zone's, or not as it was written.
  public static func zone(in text: String, setting: String) -> SystemZone? {
    guard let body = TextSum.body(of: text) else { return nil }
    let lines = body.split(separator: "\n").map { String($0) }
    guard lines.count >= 4, lines[0] == title, lines[1] == "setting \(setting)", lines[2].hasPrefix("name "),
      lines[3].hasPrefix("initial "), let initial_s = Int(lines[3].dropFirst(8))
    else { return nil }
    var changes: [TransitionZone.Transition] = []
    for line in lines.dropFirst(4) {
      let words = line.split(separator: " ")
      guard words.count == 2, let at_s = Int64(words[0]), let offset_s = Int(words[1]) else { return nil }
      changes.append(.init(at_s: at_s, offset_s: offset_s))
    }
    return SystemZone(
      name: String(lines[2].dropFirst(5)), table: TransitionZone(initial_s: initial_s, transitions: changes))
  }
}

/// The last line of a text that is to be found whole: `sum` and 16 hexadecimal digits of what stands before it.
public enum TextSum {
  public static func appended(to body: String) -> String { body + "sum \(of(body))\n" }

  static func of(_ body: String) -> String {
    var hash = FNV1a()
    hash.add(body)
    return SettingText.hex(hash.value, digits: 16)
  }

  /// nil where it is not whole.
  public static func body(of text: String) -> String? {
    let bytes = Array(text.utf8)
    // "sum ", the digits, a newline.
    guard bytes.count >= 21 else { return nil }
    let body = String(decoding: bytes.dropLast(21), as: UTF8.self)
    return text == body + "sum \(of(body))\n" ? body : nil
  }
}
