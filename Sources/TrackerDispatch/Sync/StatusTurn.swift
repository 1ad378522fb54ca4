import TrackerBase

/// When the status document rides with a request, and when it makes one of its own.
package struct StatusTurn: Equatable, Sendable {
  /// It rides with any request once this has passed, and makes one of its own a little later.
  private var dueAt_ms: Int64
  /// The server refused one, or broke the connection over a request that had one: none rides before that time.
  private var notBefore_ms: Int64
  /// One by itself was refused.
  private var askNotBefore_ms: Int64
  private var sentAt_ms: Int64?
  private var isAtOnce = false
  private let isCarried: Bool
  private var interval_ms: Int64 = 0
  /// Warnings that repeat make no more requests of their own than records would.
  private var leastBetween_ms: Int64 = 0

  init(settings: SyncSettings, at now_ms: Int64) {
    isCarried = settings.format.traits.carriesStatus
    (dueAt_ms, notBefore_ms, askNotBefore_ms) = (now_ms, now_ms, now_ms)
    pace(settings)
  }

  /// Other intervals from here on.
  mutating func pace(_ settings: SyncSettings) {
    interval_ms = milliseconds(settings.statusInterval_s)
    leastBetween_ms = min(milliseconds(settings.interval_s), interval_ms)
  }

  /// After the status is due, so long other records may still take it along: a minute in each hour.
  private var patience_ms: Int64 { min(60_000, interval_ms / 60) }

  mutating func wanted(at now_ms: Int64) { dueAt_ms = min(dueAt_ms, now_ms) }

  /// It has not been sent since.
  package var isWantedAtOnce: Bool { isCarried && isAtOnce }

  /// It makes a request of its own now.
  package mutating func wantedAtOnce(at now_ms: Int64) {
    wanted(at: now_ms)
    isAtOnce = true
  }

  /// Why none would make a request of its own now, whoever wanted it; nil: it would.
  func hold(at now_ms: Int64) -> SyncHold? {
    if !isCarried { return .nothingToSend }
    return now_ms < notBefore_ms ? .statusRefused(wait_s: (notBefore_ms - now_ms) / 1000) : nil
  }

  /// nil: the format carries none.
  var aloneAt_ms: Int64? {
    guard isCarried else { return nil }
    if isAtOnce { return max(dueAt_ms, notBefore_ms) }
    let next_ms = sentAt_ms.map { $0 + leastBetween_ms } ?? dueAt_ms
    return max(dueAt_ms + patience_ms, notBefore_ms, next_ms)
  }

  func rides(at now_ms: Int64) -> Bool { isCarried && now_ms >= max(dueAt_ms, notBefore_ms) }

  /// Whether one may be sent to see if the server takes anything at all.
  func mayAsk(at now_ms: Int64) -> Bool { isCarried && now_ms >= askNotBefore_ms }

  mutating func taken(at now_ms: Int64) {
    dueAt_ms = now_ms + interval_ms
    sentAt_ms = now_ms
    isAtOnce = false
  }

  /// What was refused was too large, and the next one is not.
  mutating func shortened(at now_ms: Int64) {
    (notBefore_ms, askNotBefore_ms) = (min(notBefore_ms, now_ms), min(askNotBefore_ms, now_ms))
  }

  /// - Parameter alone: no record was beside it, so that it was the status.
  mutating func refused(alone: Bool, at now_ms: Int64) {
    notBefore_ms = now_ms + interval_ms
    if alone { askNotBefore_ms = notBefore_ms }
  }
}
