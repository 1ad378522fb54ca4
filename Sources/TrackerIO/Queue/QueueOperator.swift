import TrackerCore

/// What an operator's change has done.
public struct QueueChange: Equatable, Sendable {
  /// Records that were purged, or moved back.
  public var records = 0
  /// Rows that hold no record and stay where they are.
  public var unreadable = 0
  /// A step: the next one begins after this sequence; nil: nothing is left.
  public var last: Int64?
  /// What had to make room on a full disk, by cause, as in the ledger.
  public var dropped: [String: Int] = [:]
}

/// What a person may do to the queue. Each step is bounded, so that the agent can do it between two fixes.
extension QueueStore {
  static let purgedCause = "purged"

  /// Deletes those of the next `limit` rows after the sequence `after`, up to the sequence `through`, that are
  /// selected, in one transaction with their entry `purged` in the ledger.
  public func purge(
    _ selection: QueueSelection, after: Int64, through: Int64, limit: Int
  ) throws(QueueError) -> QueueChange {
    var change = QueueChange()
    let isHeld = held.rows.contains {
      $0.sequence > after && $0.sequence <= through && selection.contains($0)
    }
    if isHeld { change.dropped = try store(held) }
    let end = min(try part(after: after, limit: limit).end, through)
    guard end > after else { return change }
    let statement = try database.prepare(
      "DELETE FROM records WHERE \(QueueSelection.condition) RETURNING kind")
    statement.bind([.integer(after), .integer(end)] + selection.parameters)
    var counts = counts
    change.records = try database.transaction { () throws(QueueError) in
      var purged = 0
      while try statement.step() {
        purged += 1
        counts.remove(kind: statement.integer(0))
      }
      if purged > 0 { try addToLedger(QueueStore.purgedCause, purged) }
      return purged
    }
    changed(to: counts)
    change.last = end < through ? end : nil
    return change
  }

  /// Moves records from quarantine back to those that wait, with the sequence that they always had, and so
  /// with the same identity: a server that did take one knows it again. Other sequences are passed over.
  public func retry(_ sequences: [Int64]) throws(QueueError) -> QueueChange {
    var readable: [Int64] = []
    var change = QueueChange()
    for sequence in sequences {
      guard let row = try quarantined(after: sequence - 1, limit: 1).first, row.sequence == sequence else {
        continue
      }
      if row.record == nil { change.unreadable += 1 } else { readable.append(sequence) }
    }
    if readable.isEmpty { return change }
    let names = RecordColumns.names
    let insert = try database.prepare(
      """
      INSERT INTO records(\(names)) SELECT \(names) FROM quarantine WHERE sequence = ?
      ON CONFLICT(sequence) DO NOTHING
      """)
    let leave = try database.prepare("DELETE FROM quarantine WHERE sequence = ? RETURNING kind")
    var counts = counts
    eventsFrom = readable.reduce(eventsFrom, min)
    change.dropped = try makingRoom { () throws(QueueError) in
      (counts, change.records) = (self.counts, 0)
      for sequence in readable {
        try insert.run(.integer(sequence))
        let isNew = try database.changes > 0
        leave.bind([.integer(sequence)])
        while try leave.step() {
          change.records += 1
          counts.quarantined -= 1
          if isNew { counts.add(kind: leave.integer(0)) }
        }
      }
    }
    changed(to: counts)
    return change
  }
}
