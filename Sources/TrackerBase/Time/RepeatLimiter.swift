/// Keeps a message that repeats from filling the log: the first of a kind is reported at once, those that follow are counted
/// and reported together, at most once an interval.
public struct RepeatLimiter<Kind: Hashable & Sendable>: Sendable {
  /// Of each kind there may be such a line so often.
  public static var interval_ms: Int64 { 600_000 }

  private struct Entry: Sendable {
    var reportedAt_ms: Int64
    var unreported = 0
  }

  private var entries: [Kind: Entry] = [:]

  public init() {}

  /// It has happened once more. - Returns: how often it has since it was last reported, if it is to be reported now; else nil.
  public mutating func happened(_ kind: Kind, at boot_ms: Int64) -> Int? {
    guard let entry = entries[kind], boot_ms - entry.reportedAt_ms < Self.interval_ms else {
      let count = (entries[kind]?.unreported ?? 0) + 1
      entries[kind] = Entry(reportedAt_ms: boot_ms)
      return count
    }
    entries[kind]?.unreported += 1
    return nil
  }
}
