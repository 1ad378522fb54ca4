import TrackerBase

/// Many devices, one server, and what happens to them. The model is described in docs/simulate.md.
struct FleetPlan: Equatable, Sendable {
  enum Scenario: String, CaseIterable, Sendable {
    /// The windows of all devices open in the same instant.
    case windowOpens = "window"
    /// The windows of all devices end in the same instant.
    case windowEnds = "window-end"
    /// All devices sync as usual; then the server is away for `outage_s`, and comes back.
    case outage
  }

  /// What a device meets while the server is away.
  enum Away: String, CaseIterable, Sendable {
    /// The connection is refused.
    case refused
    /// 503 from what stands before the server, with `retryAfter_s` if set.
    case busy
    /// The devices have no network; all links come back in the same instant.
    case offline
  }

  var settings: SyncSettings
  var scenario: Scenario
  var devices = 5000
  /// Requests that the server answers in a second.
  var capacity_rps = 100
  /// A request that would wait longer than this for its turn is answered 503 at once.
  var backlog_s = 2.0
  /// Mean time from the start of a request to its reply, without waiting; each takes 0.5 to 1.5 of it.
  var latency_s = 0.8
  /// Retry-After of each 503; nil for none.
  var retryAfter_s: Int?
  var outage_s: Int64 = 86_400
  var away = Away.refused
  /// Records that each device makes, evenly spaced. After the end of a window none.
  var recordsPerHour = 60.0
  /// Records that each device holds when it begins.
  var queued = 10
  /// After the instant the fleet is watched for at least so long, and until its backlog is delivered.
  var watch_s: Int64 = 900
  var seed: UInt64 = 1

  init(settings: SyncSettings, scenario: Scenario) {
    self.settings = settings
    self.scenario = scenario
  }

  /// Before an outage the fleet runs for so long …
  static let lead_ms: Int64 = 3_600_000
  /// … and its devices start one by one in the first part of it.
  static let starts_ms: Int64 = 1_800_000
  /// A backlog that is not delivered after so long never will be.
  static let patience_ms: Int64 = 172_800_000

  /// Virtual time of the instant: windows open or end, the server is back. The start is 0.
  var instant_ms: Int64 { scenario == .outage ? FleetPlan.lead_ms + outage_s * 1000 : 0 }

  func isAway(at now_ms: Int64) -> Bool {
    scenario == .outage && now_ms >= FleetPlan.lead_ms && now_ms < instant_ms
  }
}
