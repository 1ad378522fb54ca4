import Glibc
import TrackerBase
import TrackerIO

/// Does to the queue what the agent does, without pause, and reports the observer outside of the file system.
///
///     queue-writer PATH SEED FULL|NORMAL
///
/// It writes one line to stdout after each change that has returned, with RECORD for `SEQUENCE:QUEUE-ID:CONTENT`, where
/// CONTENT is a hash of everything but the identity before it. The lines:
///
///     open FOUND-ID QUEUE-ID BOARD LAST COMMITS THROUGH TAIL SALVAGED SET-ASIDE OTHERS UNKNOWN LEDGER
///                                       then waits for `go OPERATIONS`
///     rows RECORD …                     what the queue holds, after `open` and `dropped`
///     commit COMMITS TAIL RECORD …
///     send RECORD …                     then waits for `stored`, `silence` or `refused SEQUENCE`
///     removed SEQUENCE …
///     quarantined SEQUENCE
///     quota, dropped POSITIONS QUARANTINED EVENTS     before and after
///     closing                           after so many OPERATIONS: closes the queue, and begins again with `open`
///     error WORDS                       and ends
///
/// Each commit carries as state how many COMMITS there were and THROUGH which sequence they went. FOUND-ID is the queue
/// id that was in the file, QUEUE-ID the one of new records, on BOARD. OTHERS counts what opening found besides a file
/// that was SET-ASIDE; UNKNOWN is the ledger's entry for damage, LEDGER the sum of the others.
struct QueueWriter {
  let path: String
  private let synchronous: StoreSynchronous
  var random: SeededRandom
  var nextSequence: Int64 = 1
  /// Of records that are made while storage fails; 0: they get the store's.
  var ownID: UInt64 = 0
  private var commits: Int64 = 0

  init(path: String, seed: UInt64, synchronous: StoreSynchronous) {
    self.path = path
    self.synchronous = synchronous
    random = SeededRandom(state: seed)
  }

  /// One life of the agent: opens, works, closes.
  mutating func live() throws {
    let queue = try QueueStore(path: path, synchronous: synchronous)
    var restoredTail = try report(opened: queue)
    let words = try answer()
    try queue.reportTaken()
    guard words.first == "go", let operations = words.last.flatMap({ Int($0) }) else { throw Refusal() }
    for _ in 0..<operations {
      switch Int.random(in: 0..<100, using: &random) {
      case ..<60:
        try commit(to: queue, after: restoredTail)
        restoredTail = []
      case ..<94: try deliver(from: queue)
      default: try keepQuota(of: queue)
      }
    }
    // Not closed before the observer knows.
    withExtendedLifetime(queue) { say("closing") }
  }

  // MARK: Opening

  /// Returns the open fixes of the last life, which are recorded now.
  private mutating func report(opened queue: QueueStore) throws -> [Record] {
    let (state, tail, last) = queue.restore()
    nextSequence = last + 1
    commits = state["commits"]?.integer ?? 0
    let through = state["through"]?.integer ?? 0
    let (opened, found) = (queue.openReport, queue.queueID)
    // Now and then the card has come from another board: cuts fall into that, too.
    let board = UInt8.random(in: 0..<3, using: &random)
    _ = queue.noteHost(HostIdentity(board: "\(board)"))
    var ledger = try queue[0].summary().ledger
    let unknown = ledger.removeValue(forKey: "damage_unknown") ?? 0
    let others = opened.findings.count { if case .replaced = $0 { false } else { true } }
    say(
      "open \(found) \(queue.queueID) \(board) \(last) \(commits) \(through) \(word(tail)) \(opened.salvaged) "
        + "\(opened.setAside == nil ? 0 : 1) \(others) \(unknown) \(ledger.values.reduce(0, +))")
    say("rows", try queue[0].batch(limit: .max), in: queue)
    return tail
  }

  // MARK: Working

  private mutating func commit(to queue: QueueStore, after restoredTail: [Record]) throws {
    // Mostly what 10 s bring; now and then what a long stall left.
    let count = Int.random(in: 0..<20, using: &random) == 0 ? 60 : Int.random(in: 1...10, using: &random)
    var records = (0..<count).map { _ in makeRecord() }
    records.insert(contentsOf: restoredTail, at: 0)
    // An open fix that is recorded now has the identity of a new record.
    for index in records.indices {
      (records[index].sequence, records[index].queueID) = (nextSequence + Int64(index), 0)
    }
    let tail = (0..<Int.random(in: 0...2, using: &random)).map { _ in makeRecord(.position) }
    nextSequence += Int64(records.count)
    commits += 1
    let state: [String: JSONValue] = ["commits": .integer(commits), "through": .integer(nextSequence - 1)]
    try queue.commit(Commit(records: records, tail: tail, state: state))
    say("commit \(commits) \(word(tail))", records, in: queue)
  }

  private mutating func deliver(from queue: QueueStore) throws {
    let batch = try queue[0].batch(limit: Int.random(in: 1...100, using: &random))
    if batch.isEmpty { return }
    say("send", batch, in: queue)
    let words = try answer()
    switch words.first {
    case "stored":
      try queue[0].remove(batch.map(\.sequence))
      say("removed " + batch.map { "\($0.sequence)" }.joined(separator: " "))
    case "refused":
      guard let sequence = words.last.flatMap({ Int64($0) }) else { throw Refusal() }
      try queue[0].quarantine(sequence, reason: "refused by the receiver")
      say("quarantined \(sequence)")
    default: break
    }
  }

  private func keepQuota(of queue: QueueStore) throws {
    say("quota")
    try queue.enforceQuota(maxBytes: 160 * 1024)
    let dropped = queue.takeDropped()
    let counts = ["quota_positions", "quota_quarantined", "quota_events"].map { "\(dropped[$0] ?? 0)" }
    say("dropped " + counts.joined(separator: " "))
    say("rows", try queue[0].batch(limit: .max), in: queue)
  }

  // MARK: Talking

  private func word(_ tail: [Record]) -> String {
    tail.isEmpty ? "-" : tail.map { content(of: $0) }.joined(separator: "+")
  }

  /// - Parameter queue: whose id a record has that was just committed without one of its own.
  func say(_ words: String, _ records: [Record], in queue: QueueStore) {
    let newID = queue.queueID
    say(
      records.reduce(into: words) { line, record in
        line += " \(record.sequence):\(record.queueID == 0 ? newID : record.queueID):\(content(of: record))"
      })
  }

  func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      // The observer is gone, and with it the reason to go on.
      if count < 0, errno != EINTR { exit(1) }
      sent += max(0, count)
    }
  }

  private func answer() throws -> [Substring] {
    guard let line = readLine() else { throw Refusal() }
    return line.split(separator: " ")
  }
}

/// The observer has closed its end, or says what the writer does not understand.
struct Refusal: Error {}
