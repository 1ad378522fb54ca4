/// How often a queue has begun another id, and when last.
public struct QueueIDChanges: Equatable, Sendable {
  public var count = 0
  /// Unix milliseconds.
  public var last_ms: Int64?

  public init(count: Int = 0, last_ms: Int64? = nil) { (self.count, self.last_ms) = (count, last_ms) }

  public init(_ ids: QueueIDs) { self.init(count: ids.changes, last_ms: ids.changed_ms) }
}

/// Records of another box under the identities of ours.
extension Dispatch {
  mutating func renumber(_ sequences: [Int64], renews: Bool, of server: Int, at now_ms: Int64) {
    let count = sequences.count
    warn(
      .identityConflict,
      """
      \(servers[server].label)the server has other records under the identities of \(count) of ours, as when two boxes run \
      from one copied card: they are sent again under \(renews ? "another queue id" : "the queue's newest id")
      """,
      times: count)
    let wanted = Renumbering(sequences, renews: renews, sentFromMemory: outbox.mayHaveBeenSent)
    want(.renumber(wanted, server: server))
  }
}
