import Glibc
import TrackerCore

/// The records that wait for the server: one SQLite file, and before it a small file, the front, which takes
/// most commits in one write (docs/queue.md).
///
/// What `commit` has returned from is on storage and survives a power cut. A row leaves by `remove`,
/// `quarantine`, `enforceQuota`, or to make room on a full disk, and by nothing else. Used by one thread; the
/// file is locked against any second connection while the store lives. Every method may be called again after
/// an error.
public final class QueueStore {
  public let path: String
  /// 60 random bits, made with the file: with a record's sequence it is the record's identity.
  public let queueID: UInt64
  public let openReport: QueueOpenReport

  let database: SQLiteDatabase
  let statements: QueueStatements
  let front: QueueFront
  let room: QueueRoom
  /// What the tables hold, so that nothing needs to be counted again. Changed only after a transaction.
  var counts: QueueCounts
  /// What is committed and not in the tables. Its state and tail stand beside the tables' own.
  var held = FrontContent()
  /// Tail and state in the tables.
  var stored: QueueSaved
  /// No row of the tables has a greater number.
  var greatestStored: Int64

  /// Opens the file, making it and its folder when missing. See `openReport` for a file that was damaged.
  public convenience init(path: String) throws(QueueError) { try self.init(path: path, synchronous: .full) }

  package init(path: String, synchronous: QueueSynchronous) throws(QueueError) {
    self.path = path
    var report: QueueOpenReport
    (database, report) = try QueueFile.open(path: path, synchronous: synchronous)
    queueID = try QueueSchema.queueID(database)
    statements = try QueueStatements(database)
    counts = try QueueCounts(database)
    stored = try QueueSaved(database)
    greatestStored = try database.integer(QueueSchema.greatestSequenceSQL)
    room = try QueueRoom(path: path, database: database)
    var found = QueueFront.Found()
    front = try QueueFront(
      path: path + "-front", queueID: queueID,
      stored: try database.integer("SELECT value FROM meta WHERE key = 'generation'"),
      synchronous: synchronous, found: &found)
    report.note(found)
    openReport = report
    held = try heldAgain(found, afterDamage: report.setAside != nil)
  }

  /// Everything goes into the tables, for whoever looks at them with other programs.
  deinit {
    if !held.isEmpty(beside: stored) { _ = try? store(held) }
    room.emptyLog()
  }

  /// Records that wait.
  public var count: Int { counts.records + held.rows.count }

  // MARK: Writing

  /// Makes everything in `commit` durable together. After an error nothing of it is, or, when the storage
  /// itself failed, that is not known; the same commit may be made again either way, since a sequence that is
  /// there already is left as it is.
  ///
  /// - Returns: how many records had to be dropped to make room on a full disk, by cause, as in the ledger.
  @discardableResult
  public func commit(_ commit: Commit) throws(QueueError) -> [String: Int] {
    var next = held
    for record in commit.records {
      let isStored = try isStored(record.sequence)
      if !isStored { next.insert(RecordColumns.values(record)) }
      next.lastSequence = max(next.lastSequence, record.sequence)
    }
    next.tail = commit.tail.map { RecordColumns.values($0) }
    for record in commit.tail { next.lastSequence = max(next.lastSequence, record.sequence) }
    next.state.merge(commit.state) { $1 }
    next.state = next.state.filter { stored.state[$0.key] != $0.value }
    if !commit.dropped.isEmpty { return try store(next, dropped: commit.dropped) }
    if next == held { return [:] }
    return try keep(next)
  }

  /// The server has them. Sequences that are not there are passed over.
  public func remove(_ sequences: [Int64]) throws(QueueError) {
    let leaving = Set(sequences)
    var next = held
    next.rows.removeAll { leaving.contains($0.sequence) }
    if leaving.count > held.rows.count - next.rows.count, counts.records > 0 {
      var counts = counts
      try database.transaction { () throws(QueueError) in
        for sequence in sequences { try delete(sequence, &counts) }
      }
      self.counts = counts
    }
    if next != held { try keep(next) }
  }

  /// Moves one record to where it waits for a person, with the server's words (cut to 500 characters).
  public func quarantine(_ sequence: Int64, reason: String) throws(QueueError) {
    if held.rows.contains(where: { $0.sequence == sequence }) { try store(held) }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let now_ms = Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    let text = SQLiteValue.text(String(reason.prefix(500)))
    var counts = counts
    _ = try makingRoom { () throws(QueueError) in
      counts = self.counts
      try statements.quarantine.run(.integer(sequence), text, .integer(now_ms))
      counts.quarantined += database.changes
      try delete(sequence, &counts)
    }
    self.counts = counts
  }

  /// Adds to the ledger's exact count of what was dropped for `cause` elsewhere, such as in memory.
  public func countDropped(cause: String, records: Int) throws(QueueError) {
    if records > 0 { try addToLedger(cause, records) }
  }

  /// Whoever must know of `openReport` knows: the next opening does not tell it again.
  public func reportTaken() throws(QueueError) {
    if openReport.setAside == nil { return }
    try database.execute("DELETE FROM meta WHERE key IN ('set_aside_s', 'salvaged')")
  }

  // MARK: Reading

  /// What the last commit left. `lastSequence` is the greatest number ever given to a record, also to one
  /// that is delivered and gone, and to the tail: number on from there.
  public func restore() throws(QueueError) -> (state: [String: String], tail: [Record], lastSequence: Int64) {
    let tail = held.tail.compactMap { RecordColumns.record($0) }
    return (stored.state.merging(held.state) { $1 }, tail, held.lastSequence)
  }

  /// Up to `limit` records, in the order of their making.
  ///
  /// A row that does not hold a record, which only damage makes, is put into quarantine on the way: it must
  /// not stand before the others for ever.
  public func batch(limit: Int) throws(QueueError) -> [Record] {
    var records: [Record] = []
    var unreadable: [Int64] = []
    statements.batch.bind([.integer(Int64(limit))])
    while try statements.batch.step() {
      if let record = RecordColumns.record(statements.batch) {
        records.append(record)
      } else {
        unreadable.append(statements.batch.integer(0) ?? 0)
      }
    }
    for sequence in unreadable { try quarantine(sequence, reason: "the row is unreadable") }
    let waiting = held.rows.prefix(limit).compactMap { RecordColumns.record($0) }
    let isInOrder = (records.last?.sequence ?? 0) < (waiting.first?.sequence ?? .max)
    records += waiting
    if !isInOrder { records.sort { $0.sequence < $1.sequence } }
    return Array(records.prefix(limit))
  }

  // MARK: Parts

  /// On storage as the front, or in the tables when that does not take it.
  @discardableResult
  private func keep(_ next: FrontContent) throws(QueueError) -> [String: Int] {
    guard front.write(next) else { return try store(next) }
    held = next
    return [:]
  }

  private func isStored(_ sequence: Int64) throws(QueueError) -> Bool {
    // Numbers rise, so this is rarely asked.
    if sequence > greatestStored { return false }
    statements.find.bind([.integer(sequence)])
    defer { statements.find.reset() }
    return try statements.find.step()
  }

  /// Inside a transaction.
  func addToLedger(_ cause: String, _ records: Int) throws(QueueError) {
    try statements.addToLedger.run(.text(cause), .integer(Int64(records)))
  }

  private func delete(_ sequence: Int64, _ counts: inout QueueCounts) throws(QueueError) {
    statements.delete.bind([.integer(sequence)])
    while try statements.delete.step() { counts.remove(kind: statements.delete.integer(0)) }
  }

  /// What the front holds after opening.
  private func heldAgain(
    _ found: QueueFront.Found, afterDamage: Bool
  ) throws(QueueError) -> FrontContent {
    var content = found.content ?? FrontContent(tail: stored.tail)
    var rows = content.rows
    // The tables had these once. What was delivered since is sent again, and the server knows it.
    if afterDamage {
      rows += found.olderRows
      content.lastSequence = max(content.lastSequence, found.lastSequence + QueueSalvage.sequenceGap)
    }
    content.rows = []
    for row in rows {
      let isStored = try isStored(row.sequence)
      if !isStored { content.insert(row) }
    }
    content.lastSequence = max(content.lastSequence, greatestStored)
    if found.isSlotDamaged { content.lastSequence += QueueFront.sequenceGap }
    return content
  }
}
