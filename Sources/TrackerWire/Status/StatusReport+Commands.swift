import TrackerBase

/// What a server has set and wanted done, and whose records these are, for a person.
extension StatusReport {
  /// Empty where there was none, or nothing is left to say of it.
  static func update(_ update: JSONValue?) -> [String] {
    guard let update, let state = update["state"]?.string, let version = update["version"]?.string,
      state != UpdateState.good.rawValue
    else { return [] }
    let reason = update["reason"]?.string.map { ": \($0)" } ?? ""
    let group = update["group"]?.string.map { ", group \($0)" } ?? ""
    return folded("update", "\(version) \(state.replacingUnderscores)\(reason)\(group)")
  }

  /// Empty where no server has set anything.
  static func config(_ config: JSONValue?) -> [String] {
    guard let config else { return [] }
    var parts = [
      config["in_force"]?.integer.map { "settings of version \($0) in force" } ?? "no settings in force"
    ]
    if let left = config["trial_left_s"] { parts.append("on trial for \(duration(left)) more") }
    if let cause = config["trial_waits_for"]?.string { parts.append("which wait for \(cause)") }
    let ignored = count(config["ignored"])
    if ignored > 0 { parts.append("\(counted(ignored, "offer")) passed over since the start") }
    var lines = folded("from afar", parts.joined(separator: ", "))
    if let because = config["not_saved_because"]?.string { lines += folded("  NOT SAVED", because) }
    if let because = config["off_because"]?.string {
      lines += folded("  off", "version \(count(config["desired"])): \(because)")
    }
    if let because = config["refused_because"]?.string {
      lines += folded("  refused", "\(version(config["refused"])): \(because)")
    }
    if let until = config["waits_until"]?.string {
      lines += folded(
        "  waits", "\(version(config["waits"])), until \(until): too many came within an hour")
    }
    return lines
  }

  private static func version(_ number: JSONValue?) -> String {
    number?.integer.map { "version \($0)" } ?? "what had no version"
  }

  /// Empty where no server has sent any. The newest result stands first: a screen may have no room for the others.
  static func commands(_ commands: JSONValue?) -> [String] {
    guard let commands else { return [] }
    let counts = [
      "done", "refused", "failed", "expired", "repeated", "passed_over",
    ].compactMap { key -> String? in
      let number = commands[key]?.integer ?? 0
      return number > 0 ? "\(number) \(key.replacingUnderscores)" : nil
    }
    let sum = counts.isEmpty ? "none" : counts.joined(separator: ", ")
    return folded("commands", sum + " since the start") + topic(commands)
      + (commands["results"]?.array ?? []).reversed().flatMap { folded("  " + word($0["id"]), result($0)) }
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

  private static let (indent, columns) = (13, 80)

  /// In lines of 80 columns, behind the title or below one that leaves no gap.
  private static func folded(_ title: String, _ text: String) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + 1 + word.count <= columns - indent {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    let isLong = title.count >= indent
    let below = String(repeating: " ", count: indent)
    let first = isLong ? below : title + below.dropFirst(title.count)
    return (isLong ? [title] : []) + lines.enumerated().map { ($0 == 0 ? first : below) + $1 }
  }
}
