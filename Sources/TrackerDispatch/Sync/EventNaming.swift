import TrackerBase

/// A server that names the positions that it has stored, and never an event.
///
/// Its events would come to fill each batch, and no position would go any more: so they go alone, with growing waits
/// of their own.
struct EventNaming: Equatable, Sendable {
  /// So many answers in a row show it.
  static let mostAnswers = 3

  private var answers = 0
  private var failures = 0
  /// Events that went alone and were not named.
  private(set) var waiting = 0
  private(set) var notBefore_ms: Int64 = 0

  var areApart: Bool { answers >= EventNaming.mostAnswers }

  /// - Returns: whether it was a request of events alone of which none was named; its next attempt waits by itself.
  mutating func answered(
    _ reply: UploadReply, _ order: UploadOrder, _ backoff: Backoff, at now_ms: Int64, chance: Double
  ) -> Bool {
    guard let names = reply.namesEvents, (200..<300).contains(reply.status), reply.failure == nil else {
      return false
    }
    if names {
      self = EventNaming()
      return false
    }
    let wereApart = areApart
    answers += 1
    guard wereApart, order.pick == .events else { return false }
    (failures, waiting) = (failures + 1, reply.sent.count)
    notBefore_ms = now_ms + max(EventRate.interval_ms, backoff.wait_ms(failures: failures, chance: chance))
    return true
  }
}
