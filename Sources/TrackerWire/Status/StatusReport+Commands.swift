/// What a server wanted done, and whose records these are, for a person.
extension StatusReport {
  /// Empty where no server has sent any.
  static func commands(_ commands: JSONValue?) -> [String] {
    guard let commands else { return [] }
    let counts = [
      "done", "refused", "failed", "expired", "repeated", "passed_over",
    ].compactMap { key -> String? in
      let number = commands[key]?.integer ?? 0
      return number > 0 ? "\(number) \(key.replacingUnderscores)" : nil
    }
    let sum = counts.isEmpty ? "none so far" : counts.joined(separator: ", ")
    return folded("commands", sum) + topic(commands)
      + (commands["results"]?.array ?? []).flatMap { folded("  " + word($0["id"]), result($0)) }
  }

  private static func result(_ result: JSONValue) -> String {
    let because = result["why"]?.string.map { ": \($0)" } ?? ""
    return "\(word(result["command"])) \(word(result["result"])) at \(word(result["at"]))\(because)"
  }

  /// Over MQTT.
  private static func topic(_ commands: JSONValue) -> [String] {
    var parts: [String] = []
    if commands["topic_rests"]?.bool == true { parts.append("RESTS until the next day (UTC)") }
    let cuts = commands["topic_cut_off"]?.integer ?? 0
    if cuts > 0 { parts.append("cut off \(times(cuts)), and what the broker held given up") }
    if let bytes = commands["topic_today_bytes"]?.integer { parts.append("\(size(bytes)) today") }
    return parts.isEmpty ? [] : folded("  topic", parts.joined(separator: ", "))
  }

  /// Empty where nothing ever spoke for two boxes with one identity.
  static func identity(_ status: JSONValue) -> [String] {
    var parts: [String] = []
    let changes = status["queue"]?["id_changes"]?.integer ?? 0
    if changes > 0 {
      let last = status["queue"]?["id_changed"]?.string.map { ", last \($0)" } ?? ""
      parts.append("the queue began another id \(times(changes))\(last)")
    }
    if let conflict = status["warnings"]?["identity_conflict"] {
      let count = conflict["count"]?.integer ?? 0
      parts.append(
        "the server had records of another box under this one's \(times(count)), last \(word(conflict["last"]))"
      )
    }
    return parts.isEmpty ? [] : folded("identity", parts.joined(separator: "; "))
  }

  private static func times(_ count: Int64) -> String { count == 1 ? "once" : "\(count) times" }

  private static let columns = 80

  /// A title that leaves no gap stands above.
  private static func folded(_ title: String, _ text: String) -> [String] {
    let words = text.split(separator: " ").map { String($0) }
    let isLong = title.count >= StatusScreen.indent
    return (isLong ? [title] : [])
      + StatusScreen.folded(isLong ? "" : title, words, room: columns - StatusScreen.indent)
  }
}
