import TrackerBase

/// How often a server may make the queue begin another id. One that refuses every record as another box's would have it
/// do so for ever.
struct RenewalLimit: Equatable, Sendable {
  static let interval_ms: Int64 = 3_600_000
  /// In the life of the process.
  static let most = 8

  private var count = 0
  private var lastAt_ms: Int64?

  /// - Returns: whether it may now; then it counts.
  mutating func take(at now_ms: Int64) -> Bool {
    if let lastAt_ms, now_ms - lastAt_ms < RenewalLimit.interval_ms { return false }
    guard count < RenewalLimit.most else { return false }
    (count, lastAt_ms) = (count + 1, now_ms)
    return true
  }
}
