import TrackerBase

/// What `godwit pause`, `resume` and `track` answer: what is in force now, and until when.
public enum IntentReport {
  /// - Parameter json: the status document after the wish was obeyed.
  /// - Returns: nil if that is none.
  public static func text(_ json: String, zone: some ZoneRules) -> String? {
    guard let status = JSONReader.parse(Array(json.utf8)), status["schema"] != nil else { return nil }
    let now_s = status["time"]?.string.flatMap { ISO8601.unix_ms($0) }.map { $0 / 1000 }
    let clock = Clock(zone: zone, now_s: now_s)
    var lines = [inForce(status, clock)]
    if status["intent"]?["kind"]?.string == "pause", let next = status["intent"]?["then"] {
      lines.append("the pause goes first; track\(clock.end(next)) counts when it ends before that")
    }
    if status["intent"]?["saved"]?.bool == false {
      lines.append("it could not be saved and lasts only as long as the agent runs: see godwit status")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What is saved while no agent runs.
  ///
  /// - Parameters:
  ///   - wishes: see `Intents.wishes`.
  ///   - trusted_ms: Unix milliseconds if the time is trusted.
  public static func text(
    _ wishes: [(kind: IntentKind, left_ms: Int64?)], trusted_ms: Int64?, zone: some ZoneRules
  ) -> String {
    let clock = Clock(zone: zone, now_s: trusted_ms.map { $0 / 1000 })
    // One may have come to its end while nobody was there to end it.
    let wishes = wishes.filter { $0.left_ms != 0 }
    if wishes.isEmpty { return "resumed: the schedule rules when the agent starts\n" }
    let ends = wishes.map { kind, left_ms -> String in
      let left_s = left_ms.map { ($0 + 999) / 1000 }
      let until_s = trusted_ms.flatMap { now in left_s.map { now / 1000 + $0 } }
      return "\(kind == .pause ? "paused" : "tracking")\(clock.end(left_s: left_s, until_s: until_s))"
    }
    return ends.joined(separator: "; after that ") + "\n"
  }

  private static func inForce(_ status: JSONValue, _ clock: Clock<some ZoneRules>) -> String {
    switch status["intent"]?["kind"]?.string {
    case "pause"?: return "paused" + clock.end(status["intent"])
    case "track"? where status["safe_mode"] == nil: return "tracking" + clock.end(status["intent"])
    case nil where status["safe_mode"] == nil, "none"? where status["safe_mode"] == nil:
      return "resumed: " + scheduled(status, clock)
    default:
      let left = clock.length(status["safe_mode"]?["left_s"]?.integer ?? 0)
      return "safe mode after crashes keeps the GPS off for another \(left)"
    }
  }

  private static func scheduled(_ status: JSONValue, _ clock: Clock<some ZoneRules>) -> String {
    if status["no_track_because"]?.string == "learning_time" {
      return "the time is unknown, and the GPS is on to learn it"
    }
    let isOpen = status["window"]?["open"]?.bool == true
    if !isOpen, status["clock"]?.string == "untrusted" { return "closed as long as the time is unknown" }
    let state = isOpen ? "open" : "closed"
    let change = status["window"]?["next_change"]?.string.flatMap { ISO8601.unix_ms($0) }
    guard let change else { return "the schedule says \(state)" }
    return "the schedule says \(state) until \(clock.time(change / 1000))"
  }

  /// Local times as briefly as they are clear.
  private struct Clock<Zone: ZoneRules> {
    let zone: Zone
    let now_s: Int64?

    /// ` until 16:20 local, 2 h 00 min left`
    func end(_ intent: JSONValue?) -> String {
      let until_ms = intent?["until"]?.string.flatMap { ISO8601.unix_ms($0) }
      return end(left_s: intent?["left_s"]?.integer, until_s: until_ms.map { $0 / 1000 })
    }

    func end(left_s: Int64?, until_s: Int64?) -> String {
      guard let left_s else { return " until godwit resume" }
      guard let until_s else { return ", \(length(left_s)) left" }
      return " until \(time(until_s)), \(length(left_s)) left"
    }

    /// `16:20 local` on the same day, else with weekday and date.
    func time(_ unix_s: Int64) -> String {
      let time = CivilTime(seconds: zone.local_s(at: unix_s))
      let clock = "\(padded(time.hour)):\(padded(time.minute)) local"
      let today = now_s.map { CivilTime(seconds: zone.local_s(at: $0)).date }
      return time.date == today ? clock : "\(time.date.weekday) \(time.date.text) \(clock)"
    }

    func length(_ seconds: Int64) -> String {
      if seconds < 60 { return "\(seconds) s" }
      let minutes = (seconds + 30) / 60
      return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(padded(Int(minutes % 60))) min"
    }
  }
}
