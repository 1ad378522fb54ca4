import TrackerBase

/// Records that the server refuses since it has another box's under their identity.
extension SyncMachine {
  /// Those get another queue id, and wait: with none of them anything is wrong.
  ///
  /// Records under an id that was given up already get the newest, which each does once. Where they have the newest, the
  /// queue begins another one, as often as the limit allows; beyond, they are refused like any others.
  ///
  /// - Returns: empty where there are none, or not now.
  mutating func renumbered(_ reply: UploadReply, at now_ms: Int64) -> [Int64] {
    let conflicts = reply.conflicts.subtracting(reply.echoed ?? []).sorted()
    if conflicts.isEmpty { return [] }
    return reply.hasFormerID || renewals.take(at: now_ms) ? conflicts : []
  }
}

extension SyncMachine {
  mutating func pace(_ settings: SyncSettings) {
    self.settings = settings
    status.pace(settings)
  }
}
