import TrackerBase

/// How long to wait after failures, and at what pace a backlog goes after them: a whole fleet comes back at the same time.
struct SyncPace: Equatable, Sendable {
  /// In a row.
  private(set) var failures = 0
  /// The next batch of a backlog waits a random time up to this. It doubles with each failure, up to the longest
  /// back-off, and falls with each batch that is delivered.
  private var backlog_ms: Int64 = 0
  @Shared var settings: SyncSettings

  /// Between two requests, whatever chance says.
  static let least_ms: Int64 = 1000
  /// Retry-After is believed up to a day.
  static let maxRetryAfter_s = 86_400
  /// With this, 5,000 devices that come back after a day's outage stay below the rate of their first attempts
  /// (docs/simulate.md, A fleet).
  static let decay = 0.9

  init(settings: SyncSettings) { self.settings = settings }

  var backoff: Backoff { Backoff(base_s: settings.retryBase_s, max_s: settings.retryMax_s) }

  mutating func delivered() {
    // What was over before the longest wait was reached has kept no fleet waiting.
    if failures > 0, backlog_ms < milliseconds(settings.retryMax_s) { backlog_ms = 0 }
    failures = 0
  }

  /// - Parameter isOutage: it has kept a fleet waiting.
  mutating func failed(isOutage: Bool) {
    failures += 1
    if isOutage { slowDown() }
  }

  private mutating func slowDown() {
    backlog_ms = min(
      milliseconds(settings.retryMax_s), max(milliseconds(settings.retryBase_s), 2 * backlog_ms))
  }

  /// It was a record, and no outage.
  mutating func outageWasNone() { backlog_ms = 0 }

  /// There is no outage to spread a fleet after.
  var isFree: Bool { backlog_ms == 0 }

  /// Before the next batch of a backlog.
  mutating func backlogWait_ms(chance: Double) -> Int64 {
    defer { backlog_ms = Int64(saturating: Double(backlog_ms) * SyncPace.decay) }
    return Int64(saturating: Double(backlog_ms) * chance)
  }

  /// What was delivered is still in the queue. As long as this lasts the waits grow.
  mutating func removalWait_ms(chance: Double) -> Int64 {
    slowDown()
    return max(SyncPace.least_ms, Int64(saturating: Double(backlog_ms) * (1 + chance) / 2))
  }

  /// Before the next attempt. - Parameter chance: nil for the shortest wait.
  func wait_ms(after reply: UploadReply, chance: Double?) -> Int64 {
    var wait_ms = chance.map { backoff.wait_ms(failures: failures, chance: $0) } ?? SyncPace.least_ms
    if reply.verdict(settings.ack) == .unauthorised { wait_ms = milliseconds(settings.unauthorisedRetry_s) }
    // On top of it, or everyone who was asked would come back at the same instant.
    let asked_s = min(max(0, reply.retryAfter_s ?? 0), SyncPace.maxRetryAfter_s)
    return max(wait_ms + Int64(asked_s) * 1000, SyncPace.least_ms)
  }

  /// A wait that has become shorter, since what it waited for is there.
  func shortWait_ms(longest_s: Double, chance: Double) -> Int64 {
    let most_s = min(longest_s, settings.retryMax_s)
    let jitter = Backoff(base_s: min(settings.retryBase_s, most_s), max_s: most_s)
    return jitter.wait_ms(failures: failures, chance: chance) + SyncPace.least_ms
  }
}
