/// How often a queue has begun another id, and when last.
public struct QueueIDChanges: Equatable, Sendable {
  public var count = 0
  /// Unix milliseconds.
  public var last_ms: Int64?

  public init(count: Int = 0, last_ms: Int64? = nil) { (self.count, self.last_ms) = (count, last_ms) }
}

/// Records of another box under the identities of ours.
extension Dispatch {
  mutating func renumber(_ sequences: [Int64], renews: Bool, of server: Int, chance: Double) {
    let count = sequences.count
    warn(
      .identityConflict,
      """
      \(servers[server].label)the server has other records under the identities of \(count) of ours, as when two boxes run \
      from one copied card: they are sent again under \(renews ? "another queue id" : "the queue's newest id")
      """,
      times: count)
    let stored = renumberUnstored(sequences, chance: chance)
    if !stored.isEmpty { want(.renumber(stored, renews: renews)) }
  }
}
