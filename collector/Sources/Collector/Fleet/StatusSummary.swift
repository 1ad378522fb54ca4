/// What a status says that somebody should look at, for the list of the fleet.
struct StatusSummary: Equatable {
  var version: String?
  var noTrackBecause: String?
  /// Unix milliseconds: the board is off until then, by what it says. Nil for one that is awake.
  var asleepUntil_ms: Int64?
  var asleepBecause: String?
  /// By the device's clock.
  var made_ms: Int64?
  /// For the fleet's table, by the names of ``figures(of:)``; those that the status lacks are left out.
  var figures: [String: JSONValue] = [:]
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
    figures = Self.figures(of: status)
    for (problem, isSo) in [
      ("board_hot", (figures["board_c"]?.double ?? 0) >= Self.hot_c),
      ("storage_low", (figures["free_mb"]?.double ?? .infinity) < Self.low_mb),
      ("card_worn", (figures["card_used_percent"]?.double ?? 0) >= Self.worn_percent),
    ] where isSo { found.insert(problem) }
    made_ms = status?["time"]?.string.flatMap(Timestamp.milliseconds)
    for (name, warning) in status?["warnings"]?.members ?? [:]
    where Self.isName(name) && Self.isOn(name, warning, made_ms: made_ms) { found.insert(name) }
    problems = Problem.bounded(found)
  }

  /// From these on somebody should look: boards slow down at 80 °C, and a card's last tenth goes fast.
  static let (hot_c, low_mb, worn_percent) = (80.0, 200.0, 90.0)

  private static func figures(of status: JSONValue?) -> [String: JSONValue] {
    func number(_ group: String, _ key: String, per divisor: Double = 1) -> JSONValue? {
      (status?[group]?[key]?.double).map { .rounded($0 / divisor) }
    }
    let gps = status?["gps"]
    var figures = [
      "battery_v": (status?["battery"]?["volts"]?.double).map {
        JSONValue.number(($0 * 100).rounded() / 100)
      },
      "board_c": number("host", "temperature_c"), "free_mb": number("host", "disk_free_bytes", per: 1e6),
      "card_used_percent": number("host", "card_life_used"),
      "gps_dbhz": (gps?["health"]?["cn0_dbhz"]?.double ?? gps?["cn0_dbhz"]?.double).map { .rounded($0) },
      "link_dbm": number("link", "signal_dbm"), "waiting_records": number("queue", "records"),
      "odometer_m": number("trip", "odometer_m"),
    ]
    if let next = status?["window"]?["next_change"]?.string, Timestamp.milliseconds(next) != nil {
      figures[status?["window"]?["open"] == .bool(true) ? "window_until" : "next_window"] = .string(next)
    }
    // What DeviceConfig.State is told by.
    let config = status?["config"]?.members?.filter {
      ["desired", "in_force", "refused", "trial_until", "trial_left_s"].contains($0.key)
        && ($0.value.integer != nil || $0.value.string.map { $0.utf8.count <= 40 } == true)
    }
    figures["config"] = config.map { .object($0) }
    figures["settings_refused_because"] =
      (status?["config"]?["refused_because"]?.string).map { .string(String($0.prefix(200))) }
    return figures.compactMapValues(\.self)
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
