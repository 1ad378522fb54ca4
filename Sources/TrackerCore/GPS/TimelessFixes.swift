/// Positions that come without a time, and none with one: some receivers never give a time. Others leave it out now and
/// then, mostly as they start.
struct TimelessFixes: Equatable, Sendable {
  /// So long a receiver may leave it out.
  static let patience_ms: Int64 = 10_000

  /// Boot time of the first one.
  private var since_ms: Int64?
  /// What was reported last: whether a clock dates them.
  private var reported: Bool?

  /// The receiver counts as one that never gives a time.
  private(set) var isProven = false

  /// One more. - Returns: whether the receiver counts as one that never gives a time.
  mutating func add(at now_ms: Int64) -> Bool {
    let since_ms = since_ms ?? now_ms
    self.since_ms = since_ms
    if now_ms - since_ms >= TimelessFixes.patience_ms { isProven = true }
    return isProven
  }

  /// No clock dates them, and that was reported.
  var isUndated: Bool { reported == false }

  /// Whether it is to be reported what becomes of them: once, until that changes.
  mutating func isNews(isDated: Bool) -> Bool {
    defer { reported = isDated }
    return reported != isDated
  }
}
