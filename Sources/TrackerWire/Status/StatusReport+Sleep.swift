import TrackerBase

/// The board's sleep, for a person.
extension StatusReport {
  /// nil where the board never sleeps.
  static func sleep(_ sleep: JSONValue?) -> String? {
    guard let sleep else { return nil }
    var parts: [String] = []
    if sleep["state"]?.string == "asleep" {
      parts.append(
        "asleep until \(word(sleep["until"])), because: \(word(sleep["because"]).replacingUnderscores)")
    } else if let hold = sleep["held_by"]?.string {
      parts.append("awake: \(hold.replacingUnderscores)")
    } else {
      parts.append("awake")
    }
    if let cause = sleep["woken_by"]?.string {
      let slept = sleep["slept_s"].map { " after \(duration($0))" } ?? ""
      parts.append("last woken by \(cause) at \(word(sleep["woken"]))\(slept)")
    }
    return parts.joined(separator: ", ")
  }
}
