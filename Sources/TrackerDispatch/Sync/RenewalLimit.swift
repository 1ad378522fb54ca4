import TrackerBase

/// How often a server may make the queue begin another id. One that refuses every record as another box's would have it
/// do so for ever.
struct RenewalLimit: Equatable, Sendable {
  static let interval_ms: Int64 = 3_600_000
  /// In the life of the process.
  static let most = 8

  private var count = 0
  private var lastAt_ms: Int64?

  /// Records that the server refuses since it has another box's under their identity: those get another queue id, and
  /// wait, for with none of them anything is wrong.
  ///
  /// Records under an id that was given up already get the newest, which each does once. Where they have the newest, the
  /// queue begins another one, as often as the limit allows; beyond, they are refused like any others.
  ///
  /// - Returns: empty where there are none, or not now.
  mutating func renumbered(_ reply: UploadReply, at now_ms: Int64) -> [Int64] {
    let conflicts = reply.conflicts.subtracting(reply.echoed ?? []).sorted()
    if conflicts.isEmpty || reply.hasFormerID { return conflicts }
    return take(at: now_ms) ? conflicts : []
  }

  /// - Returns: whether it may now; then it counts.
  mutating func take(at now_ms: Int64) -> Bool {
    if let lastAt_ms, now_ms - lastAt_ms < RenewalLimit.interval_ms { return false }
    guard count < RenewalLimit.most else { return false }
    (count, lastAt_ms) = (count + 1, now_ms)
    return true
  }
}
