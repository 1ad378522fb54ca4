import TrackerBase

/// Positions that come without a time, and none with one: some receivers never give a time. Others leave it out now and
/// then, mostly as they start.
package struct TimelessFixes: Equatable, Sendable {
  /// So long a receiver may leave it out.
  static let patience_ms: Int64 = 10_000

  /// Boot time of the first one.
  private var since_ms: Int64?
  private var count = 0
  private var last_ms: Int64 = 0
  /// What was reported last: whether a clock dates them.
  private var reported: Bool?

  /// The receiver counts as one that never gives a time.
  private(set) var isProven = false

  /// One more. - Returns: whether the receiver counts as one that never gives a time.
  mutating func add(at now_ms: Int64) -> Bool {
    let since_ms = since_ms ?? now_ms
    self.since_ms = since_ms
    (count, last_ms) = (count + 1, now_ms)
    if now_ms - since_ms >= TimelessFixes.patience_ms { isProven = true }
    return isProven
  }

  /// Where so many, or so few, come that their sentences seem to be cut; for the agent's log and `godwit doctor` alike.
  var advice: String {
    guard let since_ms, last_ms > since_ms else { return "" }
    let length_ms = Int(last_ms - since_ms)
    let rate = (count * 1000 + 500) / length_ms
    if rate >= 2 {
      return
        "; \(rate) a second may be too many for its line, so that sentences arrive cut: lower the rate, or raise the baud rate"
    }
    return count * 2000 > length_ms
      ? ""
      : "; only \(count) came in \(length_ms / 1000) s, so sentences seem to arrive cut: the rate is too high for the line, or another program, such as a second gpsd, reads it"
  }

  /// No clock dates them, and that was reported.
  package var isUndated: Bool { reported == false }

  /// Whether it is to be reported what becomes of them: once, until that changes.
  mutating func isNews(isDated: Bool) -> Bool {
    defer { reported = isDated }
    return reported != isDated
  }
}
