import TrackerBase
import TrackerIO

/// What the doctor sends where no agent runs and no record waits: a record like any other, with a number of its own, so
/// that a lost answer or another run of the doctor makes no second one.
enum TestRecord {
  static func add(to queue: QueueStore, at path: String) throws {
    let found = queue.restore()
    // On a copied card the next numbers are another box's.
    if let words = queue.noteHost(.read(queuePath: path)) {
      Terminal.error("godwit: \(words)\n")
    }
    let now = HostClock.now()
    let record = Record(
      sequence: found.lastSequence + 1, content: .status(.tested), time_ms: now.wall_ms,
      timeSource: HostClock.isSynchronised() ? .trustedWallClock : .untrustedWallClock, boot_ms: now.boot_ms,
      fix: nil, isMoving: false, tripID: nil, odometer_m: found.state["odometer_m"]?.number ?? 0)
    try queue.commit(Commit(records: [record]))
  }

  /// It is confirmed. What else was sent waits for the agent.
  ///
  /// - Returns: the record was the doctor's.
  static func remove(_ sequences: [Int64], from queue: QueueStore) -> Bool {
    let own = ((try? queue[0].batch(limit: 1)) ?? [])
      .filter { $0.content == .status(.tested) && sequences.contains($0.sequence) }
    // One that stays is sent again, and counts once.
    _ = try? queue[0].remove(own.map(\.sequence))
    return !own.isEmpty
  }
}
