/// Counts the codes that were refused. A right code is never held up by the wrong ones of others: 80 bits cannot be
/// guessed at any rate, so the limit keeps the log and the answers short, and slows who asks without end.
final class EnrolmentLimit: Sendable {
  enum Verdict: Equatable {
    /// - Parameter count: since the start, with this one.
    case said(count: Int)
    /// - Parameter isFirst: of this minute.
    case tooMany(isFirst: Bool, count: Int)
  }

  /// So many refusals a minute are answered with words.
  static let most = 30
  static let minute_ms: Int64 = 60_000

  private struct Counts {
    var all = 0
    var ofMinute = 0
    var began_ms = Int64.min
  }

  // Requests run in parallel; the lock guards nothing but these numbers.
  private let counts = Locked(Counts())

  func refused(at now_ms: Int64) -> Verdict {
    counts.with { counts in
      counts.all += 1
      let isOver = counts.began_ms == .min || !(0..<Self.minute_ms).contains(now_ms - counts.began_ms)
      if isOver { (counts.began_ms, counts.ofMinute) = (now_ms, 0) }
      counts.ofMinute += 1
      if counts.ofMinute <= Self.most { return .said(count: counts.all) }
      return .tooMany(isFirst: counts.ofMinute == Self.most + 1, count: counts.all)
    }
  }
}
