import TrackerCore
import TrackerIO

/// Does to the queue what it is ordered, and says how that went: Tests/Rig/storage-faults breaks the storage in between.
///
///     queue-writer PATH SEED orders
///
/// Orders come as lines on stdin and are each answered by one line; `failed WORDS` is possible for all.
///
///     open                  opened COUNT REPORT       what opening found, or `-`
///     start                 as open, but goes on without storage; REPORT then says `closed` or `unread`
///     commit N              committed SEQUENCE:CONTENT …     N new records and those that failed before, or
///                           pending N WORDS           so many are in memory now
///     rows                  rows SEQUENCE:CONTENT …
///     remove N              removed SEQUENCE …        the oldest
///     state                 state REOPENINGS REPORT FRONT    of the last opening; why the front takes nothing, or `-`
///     close                 closed
extension QueueWriter {
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
          nextSequence = try opened.restore().lastSequence + 1
          queue = opened
          say("opened \(opened.count) \(found(opened))")
        case "commit": commit(number, &pending, to: try wanted(queue))
        case "rows": say("rows", try wanted(queue).batch(limit: .max))
        case "remove": try remove(number, from: try wanted(queue))
        case "state":
          let queue = try wanted(queue)
          say("state \(queue.reopenings) \(found(queue)) \(queue.frontProblem.map { "\($0)" } ?? "-")")
        case "close":
          queue = nil
          say("closed")
        default: throw Refusal()
        }
      } catch let error as QueueError { say("failed \(error)") }
    }
  }

  private func wanted(_ queue: QueueStore?) throws -> QueueStore {
    guard let queue else { throw Refusal() }
    return queue
  }

  private mutating func commit(_ count: Int, _ pending: inout [Record], to queue: QueueStore) {
    for _ in 0..<count {
      var record = makeRecord()
      record.sequence = nextSequence
      nextSequence += 1
      pending.append(record)
    }
    do {
      if queue.isUnread { try goOn(pending: &pending, in: queue) }
      try queue.commit(Commit(records: pending))
      say("committed", pending)
      pending = []
    } catch { say("pending \(pending.count) \(error)") }
  }

  /// As the tracker does: the records made since the start come after those that the queue knows of.
  private mutating func goOn(pending: inout [Record], in queue: QueueStore) throws {
    try queue.readAtLast()
    let last = try queue.restore().lastSequence
    for index in pending.indices { pending[index].sequence += last }
    nextSequence += last
  }

  private func remove(_ count: Int, from queue: QueueStore) throws {
    let sequences = try queue.batch(limit: count).map(\.sequence)
    try queue.remove(sequences)
    say(sequences.reduce(into: "removed") { $0 += " \($1)" })
  }

  private func found(_ queue: QueueStore) -> String {
    let report = queue.openReport
    var words: [String] = []
    if queue.isUnread { words.append("unread") } else if queue.isClosed { words.append("closed") }
    if report.setAside != nil { words.append("set_aside:\(report.salvaged)") }
    words += report.findings.map { finding in
      switch finding {
      case .damaged: "damaged"
      case .removed: "removed:\(report.salvaged)"
      case .databaseOlder: "database_older"
      case .logMissing: "log_missing"
      case .databaseOfOtherQueue: "database_of_other"
      case .frontOfOtherQueue: "front_of_other"
      case .frontMissing: "front_missing"
      case .slotMissing: "front_cut"
      case .slotUnreadable: "front_unreadable"
      case .slotTorn: "front_damaged"
      case .slotMended: "front_mended"
      }
    }
    return words.isEmpty ? "-" : words.joined(separator: ",")
  }
}
