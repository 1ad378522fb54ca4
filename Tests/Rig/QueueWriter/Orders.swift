import TrackerBase
import TrackerIO

/// Does to the queue what it is ordered, and says how that went: Tests/Rig/storage-faults breaks the storage in between.
///
///     queue-writer PATH SEED orders
///
/// Orders come as lines on stdin and are each answered by one line; `failed WORDS` is possible for all. RECORD is
/// `SEQUENCE:QUEUE-ID:CONTENT`.
///
///     open                  opened COUNT REPORT       what opening found, or `-`
///     start                 as open, but goes on without storage; REPORT then says `closed`, `unread` or `new`
///     commit N              committed RECORD …        N new records and those that failed before, or
///                           pending N WORDS           so many are in memory now
///     rows                  rows RECORD …
///     remove N              removed RECORD …          the oldest
///     quota                 kept                      a quota that nothing exceeds: with it the files are looked for
///     state                 state REOPENINGS REPORT   of the last opening
///     close                 closed
extension QueueWriter {
  /// In place of the clock, by which a process numbers that cannot read what was given.
  private static let unreadBase: Int64 = 1_700_000_000_000

  mutating func obey() throws {
    var queue: QueueStore?
    var pending: [Record] = []
    while let line = readLine() {
      let words = line.split(separator: " ")
      let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
      do {
        switch words.first {
        case "open", "start":
          let opened = try QueueStore(path: path, goesOnWithoutStorage: words.first == "start")
          begin(opened)
          queue = opened
          say("opened \(opened[0].count) \(found(opened))")
        case "commit": commit(number, &pending, to: try wanted(queue))
        case "rows":
          let queue = try wanted(queue)
          say("rows", try queue[0].batch(limit: .max), in: queue)
        case "remove": try remove(number, from: try wanted(queue))
        case "quota":
          try wanted(queue).enforceQuota(maxBytes: .max)
          say("kept")
        case "state":
          let queue = try wanted(queue)
          say("state \(queue.reopenings) \(found(queue))")
        case "close":
          queue = nil
          say("closed")
        default: throw Refusal()
        }
      } catch let error as StoreError { say("failed \(error)") }
    }
  }

  private func wanted(_ queue: QueueStore?) throws -> QueueStore {
    guard let queue else { throw Refusal() }
    return queue
  }

  private mutating func begin(_ opened: QueueStore) {
    let isUnread = opened.isUnread
    nextSequence = isUnread ? QueueWriter.unreadBase : opened.restore().lastSequence + 1
    ownID = 0
    if opened.isClosed { storageFails() }
  }

  /// As the tracker does: what is made from here on has a queue id of its own, and keeps it.
  private mutating func storageFails() {
    if ownID == 0 { ownID = .random(in: 1..<(1 << 53), using: &random) }
  }

  private mutating func commit(_ count: Int, _ pending: inout [Record], to queue: QueueStore) {
    for _ in 0..<count {
      var record = makeRecord()
      (record.sequence, record.queueID) = (nextSequence, ownID)
      nextSequence += 1
      pending.append(record)
    }
    do {
      try queue.commit(Commit(records: pending))
      ownID = 0
      say("committed", pending, in: queue)
      pending = []
      // If it fails, it is reported again.
      try? queue.reportTaken()
    } catch {
      storageFails()
      say("pending \(pending.count) \(error)")
    }
  }

  private func remove(_ count: Int, from queue: QueueStore) throws {
    let records = try queue[0].batch(limit: count)
    try queue[0].remove(records.map(\.sequence))
    say("removed", records, in: queue)
  }

  private func found(_ queue: QueueStore) -> String {
    var words: [String] = []
    if queue.isUnread {
      words.append("unread")
    } else if queue.isClosed {
      words.append("closed")
    }
    words += queue.openReport.findings.map { finding in
      switch finding {
      case .replaced(_, let salvaged, _, wasRemoved: false): "set_aside:\(salvaged)"
      case .replaced(_, let salvaged, _, wasRemoved: true): "removed:\(salvaged)"
      case .logMissing: "log_missing"
      case .stateLost: "state_lost"
      }
    }
    return words.isEmpty ? "-" : words.joined(separator: ",")
  }
}
