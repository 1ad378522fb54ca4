/// What a status says that somebody should look at, for the list of the fleet.
struct StatusSummary: Equatable {
  var version: String?
  var noTrackBecause: String?
  /// Unix milliseconds: the board is off until then, by what it says. Nil for one that is awake.
  var asleepUntil_ms: Int64?
  var asleepBecause: String?
  /// By the device's clock.
  var made_ms: Int64?
  /// Names of ``Problem``, and of warnings (docs/status.md) that go on or have come within a day before the status.
  var problems: [String] = []

  /// Warnings that have no end of their own: they are shown for so long after they came.
  static let momentary: Set<String> = [
    "records_dropped", "queue_damaged", "crashed", "towed", "identity_conflict", "records_refused",
    "config_refused",
  ]
  static let momentary_ms: Int64 = 86_400_000

  /// - Parameter status: a status document; whatever of it is of another type counts as absent.
  init(_ status: JSONValue?) {
    version = status?["version"]?.string.map { String($0.prefix(40)) }
    noTrackBecause = status?["no_track_because"]?.string.map { String($0.prefix(40)) }
    if let sleep = status?["sleep"], sleep["state"]?.string == "asleep" {
      asleepUntil_ms = sleep["until"]?.string.flatMap(Timestamp.milliseconds)
      asleepBecause = sleep["because"]?.string.map { String($0.prefix(40)) }
    }
    var found: Set<String> = []
    if status?["safe_mode"]?.members != nil { found.insert("safe_mode") }
    if status?["undervoltage"] == .bool(true) { found.insert("undervoltage") }
    if status?["external_power"] == .bool(false) { found.insert("power_lost") }
    if status?["battery"]?["low"] == .bool(true) { found.insert("battery_low") }
    if status?["queue"]?["storage"]?.string == "failed" { found.insert("storage_failed") }
    made_ms = status?["time"]?.string.flatMap(Timestamp.milliseconds)
    for (name, warning) in status?["warnings"]?.members ?? [:]
    where Self.isName(name) && Self.isOn(name, warning, made_ms: made_ms) { found.insert(name) }
    problems = Problem.bounded(found)
  }

  /// A device may say what it likes.
  private static func isName(_ text: String) -> Bool {
    (1...40).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
      }
  }

  private static func isOn(_ name: String, _ warning: JSONValue, made_ms: Int64?) -> Bool {
    if warning["since"]?.string != nil { return warning["until"]?.string == nil }
    guard momentary.contains(name), let made_ms,
      let last_ms = warning["last"]?.string.flatMap(Timestamp.milliseconds)
    else { return false }
    return made_ms - last_ms <= momentary_ms
  }
}
