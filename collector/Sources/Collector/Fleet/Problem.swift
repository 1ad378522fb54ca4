/// What makes somebody look at a vehicle, by its name, and how much that hurries.
///
/// Beside these there are the names of warnings (docs/status.md), which are `notice`s unless they stand here.
enum Problem {
  enum Severity: Int, Encodable, Comparable, Sendable {
    case none, notice, warning, alarm

    static func < (one: Severity, other: Severity) -> Bool { one.rawValue < other.rawValue }
  }

  /// Nothing has come for longer than ``FleetClock/silentAfter_ms``.
  static let silent = "silent"
  /// The vehicle runs an older version than the admin has set as the target.
  static let oldVersion = "old_version"
  /// Two queues of the device have records of the same time.
  static let twoAtOnce = "two_at_once"

  /// Records were refused since others have their identity: the collector's own word for what the device says too.
  static let conflict = "identity_conflict"

  private static let alarms: Set<String> = [
    "safe_mode", "power_lost", "records_dropped", "storage_failed", "queue_damaged", "towed",
  ]
  private static let warnings: Set<String> = [
    silent, twoAtOnce, "undervoltage", "battery_low", "gps_antenna", "gps_jamming", "gps_weak", conflict,
    "records_refused", "config_refused", "settings_refused", "budget_exhausted", "crashed", "board_hot",
    "storage_low",
    "card_worn",
  ]

  static func severity(of problem: String) -> Severity {
    if alarms.contains(problem) { return .alarm }
    return warnings.contains(problem) ? .warning : .notice
  }

  /// A device may warn of what it likes, and as often.
  static let most = 32
  /// There were more than ``most``.
  static let more = "more_problems"

  /// The most urgent ones.
  static func bounded(_ problems: Set<String>) -> [String] {
    let all = sorted(Array(problems))
    return all.count <= most ? all.sorted() : (all.prefix(most - 1) + [more]).sorted()
  }

  /// The most urgent first, those of one urgency by name.
  static func sorted(_ problems: [String]) -> [String] {
    problems.sorted { (-severity(of: $0).rawValue, $0) < (-severity(of: $1).rawValue, $1) }
  }
}

/// A version such as 0.2.1: whole numbers between dots. What follows the numbers does not count.
public struct AgentVersion: Comparable, Sendable {
  var numbers: [Int]

  /// Nil for what begins with no number.
  public init?(_ text: String?) {
    guard let text else { return nil }
    let head = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    numbers = head.split(separator: ".").compactMap { Int($0) }
    if numbers.isEmpty { return nil }
    while numbers.last == 0 { numbers.removeLast() }
  }

  public static func < (one: AgentVersion, other: AgentVersion) -> Bool {
    one.numbers.lexicographicallyPrecedes(other.numbers)
  }
}
