/// Counts passwords that were wrong. A name is closed for a while after ten, whoever has tried; sessions that are open,
/// and the commands on the collector's own machine, go on.
final class LoginLimit: Sendable {
  static let mostOfName = 10
  static let span_ms: Int64 = 15 * 60_000
  /// Of all names, in a minute.
  static let mostOfAll = 60
  /// So many names are remembered; the oldest goes.
  static let mostNames = 1000

  private struct Count {
    var failures = 0
    var began_ms: Int64
  }

  private struct Counts {
    var names: [String: Count] = [:]
    var all = Count(began_ms: 0)
  }

  private let counts = Locked(Counts())

  /// - Returns: how long to wait; nil: not at all.
  func wait_s(for name: String, at now_ms: Int64) -> Int64? {
    counts.with { counts in
      if let count = counts.names[name], count.failures >= Self.mostOfName,
        let left_ms = Self.left_ms(of: count, Self.span_ms, now_ms)
      {
        return (left_ms + 999) / 1000
      }
      if counts.all.failures >= Self.mostOfAll, let left_ms = Self.left_ms(of: counts.all, 60_000, now_ms) {
        return (left_ms + 999) / 1000
      }
      return nil
    }
  }

  func failed(_ name: String, at now_ms: Int64) {
    counts.with { counts in
      Self.add(to: &counts.all, 60_000, now_ms)
      if counts.names[name] == nil, counts.names.count >= Self.mostNames,
        let oldest = counts.names.min(by: { $0.value.began_ms < $1.value.began_ms })?.key
      {
        counts.names[oldest] = nil
      }
      Self.add(to: &counts.names[name, default: Count(began_ms: now_ms)], Self.span_ms, now_ms)
    }
  }

  func succeeded(_ name: String) { counts.with { $0.names[name] = nil } }

  private static func add(to count: inout Count, _ span_ms: Int64, _ now_ms: Int64) {
    if left_ms(of: count, span_ms, now_ms) == nil { count = Count(began_ms: now_ms) }
    count.failures += 1
  }

  /// Nil: the span is over, or the clock was set back.
  private static func left_ms(of count: Count, _ span_ms: Int64, _ now_ms: Int64) -> Int64? {
    (0..<span_ms).contains(now_ms - count.began_ms) ? span_ms - (now_ms - count.began_ms) : nil
  }
}
