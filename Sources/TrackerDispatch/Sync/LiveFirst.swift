import TrackerBase

/// With `order = "live_first"`: when the newest records go before older ones, so that the server sees where the
/// vehicle is now, and not where it was when the network went.
struct LiveFirst: Equatable, Sendable {
  /// A backlog is old once records have waited so long.
  static let oldAfter_ms: Int64 = 600_000

  private let isWanted: Bool
  private let interval_ms: Int64
  /// When the queue was last empty; nil: not since the start, and who knows how long before.
  private var emptyAt_ms: Int64?
  private var hasNews = false
  private var sentAt_ms: Int64?
  /// The newest record that went ahead of older ones, events in their lane among them.
  private var sentUpTo: Int64?
  /// The server refused the newest: the search for the bad one goes in sequence.
  private var isRefused = false

  init(settings: SyncSettings) {
    isWanted = settings.order == .liveFirst
    interval_ms = milliseconds(settings.interval_s)
  }

  /// What goes in sequence now is older than what the server has.
  var isBackfilling: Bool { sentUpTo != nil }

  mutating func queueChanged(from before: Int, to count: Int, at now_ms: Int64) {
    if count > before { hasNews = true }
    guard count == 0 else { return }
    emptyAt_ms = now_ms
    (hasNews, isRefused, sentAt_ms, sentUpTo) = (false, false, nil, nil)
  }

  /// - Parameter limit: what the next request in sequence would carry; the newest are not among it.
  func isDue(queued: Int, limit: Int, at now_ms: Int64) -> Bool {
    guard isWanted, hasNews, !isRefused, queued > limit else { return false }
    if let emptyAt_ms, now_ms - emptyAt_ms < LiveFirst.oldAfter_ms { return false }
    return sentAt_ms.map { now_ms - $0 >= interval_ms } ?? true
  }

  mutating func taken(_ sequences: [Int64], pick: UploadOrder.Pick, at now_ms: Int64) {
    guard let last = sequences.last else { return }
    if pick == .newest { (hasNews, sentAt_ms) = (false, now_ms) }
    if pick != .oldest, pick != .positions {
      sentUpTo = max(last, sentUpTo ?? last)
    } else if let sentUpTo, last > sentUpTo {
      self.sentUpTo = nil
    }
  }

  mutating func refused() { isRefused = true }

  /// The connection broke with it: before it is tried again there is time for what goes in sequence.
  mutating func dropped(at now_ms: Int64) { sentAt_ms = now_ms }
}
