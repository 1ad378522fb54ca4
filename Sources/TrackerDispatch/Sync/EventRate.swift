import TrackerBase

/// How often events may make a request each: a burst at once, then one each `interval_ms`, with all that came meanwhile.
///
/// The generic cell rate algorithm (ITU-T I.371): one time says how full the bucket is.
struct EventRate: Equatable, Sendable {
  static let interval_ms: Int64 = 10_000
  static let burst: Int64 = 10

  /// When all that was spent is there again.
  private var fullAt_ms: Int64 = -interval_ms * burst

  /// From when on the next request may begin.
  var next_ms: Int64 { fullAt_ms - (EventRate.burst - 1) * EventRate.interval_ms }

  mutating func spend(at now_ms: Int64) { fullAt_ms = max(fullAt_ms, now_ms) + EventRate.interval_ms }
}
