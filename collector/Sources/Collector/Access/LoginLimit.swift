/// Counts passwords that were wrong, by the keys of ``LoginAttempt``. Sessions that are open, and the commands on the
/// collector's own machine, need no password.
final class LoginLimit: Sendable {
  static let span_ms: Int64 = 15 * 60_000
  /// So many keys are remembered; the oldest goes.
  static let mostKeys = 10_000

  private struct Count {
    var failures = 0
    var began_ms: Int64
  }

  private let counts = Locked<[String: Count]>([:])

  /// - Returns: how long to wait; nil: not at all.
  func wait_s(for attempt: LoginAttempt, at now_ms: Int64) -> Int64? {
    counts.with { counts in
      attempt.limits.compactMap { limit in
        guard let count = counts[limit.key], count.failures >= limit.most else { return nil }
        return Self.left_ms(of: count, now_ms).map { ($0 + 999) / 1000 }
      }.max()
    }
  }

  func failed(_ attempt: LoginAttempt, at now_ms: Int64) {
    counts.with { counts in
      for key in attempt.limits.map(\.key) {
        if counts[key] == nil, counts.count >= Self.mostKeys,
          let oldest = counts.min(by: { $0.value.began_ms < $1.value.began_ms })?.key
        {
          counts[oldest] = nil
        }
        var count = counts[key] ?? Count(began_ms: now_ms)
        if Self.left_ms(of: count, now_ms) == nil { count = Count(began_ms: now_ms) }
        count.failures += 1
        counts[key] = count
      }
    }
  }

  func succeeded(_ attempt: LoginAttempt) {
    counts.with { counts in for limit in attempt.ownLimits { counts[limit.key] = nil } }
  }

  /// Nil: the span is over, or the clock was set back.
  private static func left_ms(of count: Count, _ now_ms: Int64) -> Int64? {
    (0..<span_ms).contains(now_ms - count.began_ms) ? span_ms - (now_ms - count.began_ms) : nil
  }
}
