import Glibc
import TrackerCore

/// The records that wait for the server, in one SQLite file.
///
/// What `commit` has returned from is on storage and survives a power cut. A row leaves by `remove`,
/// `quarantine` or `enforceQuota`, and by nothing else. Used by one thread; the file is locked against any
/// second connection while the store lives. Every method may be called again after an error.
public final class QueueStore {
  public let path: String
  /// 60 random bits, made with the file: with a record's sequence it is the record's identity.
  public let queueID: UInt64
  public let openReport: QueueOpenReport

  let database: SQLiteDatabase
  private let statements: QueueStatements
  /// What the tables hold, so that nothing needs to be counted again. Changed only after a transaction.
  var counts: QueueCounts
  private var savedState: [String: String] = [:]
  private var savedTail: Record?
  private var lastSequence: Int64 = 0
  private var markedSequence: Int64 = 0

  /// Opens the file, making it and its folder when missing. See `openReport` for a file that was damaged.
  public convenience init(path: String) throws(QueueError) { try self.init(path: path, synchronous: .full) }

  package init(path: String, synchronous: QueueSynchronous) throws(QueueError) {
    self.path = path
    (database, openReport) = try QueueFile.open(path: path, synchronous: synchronous)
    queueID = try QueueSchema.queueID(database)
    statements = try QueueStatements(database)
    counts = QueueCounts(
      records: Int(try database.integer("SELECT count(*) FROM records")),
      events: Int(try database.integer("SELECT count(*) FROM records WHERE kind <> 0")),
      quarantined: Int(try database.integer("SELECT count(*) FROM quarantine")))
    markedSequence = try database.integer("SELECT value FROM meta WHERE key = 'last_sequence'")
    (savedState, savedTail, lastSequence) = try restore()
  }

  /// Records that wait.
  public var count: Int { counts.records }

  // MARK: Writing

  /// Makes everything in `commit` durable in one transaction. After an error nothing of it is, or, when the
  /// storage itself failed, that is not known; the same commit may be made again either way, since a
  /// sequence that is there already is left as it is.
  public func commit(_ commit: Commit) throws(QueueError) {
    let changedState = commit.state.filter { savedState[$0.key] != $0.value }
    if commit.records.isEmpty, changedState.isEmpty, commit.tail == savedTail { return }
    var counts = counts
    try database.transaction { () throws(QueueError) in
      for record in commit.records {
        try statements.insert.run(RecordColumns.values(record))
        if database.changes > 0 { counts.add(record.kind) }
      }
      if commit.tail != savedTail { try write(tail: commit.tail) }
      for (key, value) in changedState { try statements.replaceState.run(.text(key), .text(value)) }
    }
    self.counts = counts
    savedTail = commit.tail
    savedState.merge(changedState) { $1 }
    for record in commit.records { lastSequence = max(lastSequence, record.sequence) }
    lastSequence = max(lastSequence, commit.tail?.sequence ?? 0)
  }

  private func write(tail: Record?) throws(QueueError) {
    guard let tail else { return try statements.clearTail.run() }
    try statements.replaceTail.run(RecordColumns.values(tail))
  }

  /// The server has them. Sequences that are not there are passed over.
  public func remove(_ sequences: [Int64]) throws(QueueError) {
    if sequences.isEmpty { return }
    var counts = counts
    try leaving { () throws(QueueError) in
      for sequence in sequences { try delete(sequence, &counts) }
    }
    self.counts = counts
  }

  /// Moves one record to where it waits for a person, with the server's words (cut to 500 characters).
  public func quarantine(_ sequence: Int64, reason: String) throws(QueueError) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let now_ms = Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    var counts = counts
    try leaving { () throws(QueueError) in
      let text = SQLiteValue.text(String(reason.prefix(500)))
      try statements.quarantine.run(.integer(sequence), text, .integer(now_ms))
      counts.quarantined += database.changes
      try delete(sequence, &counts)
    }
    self.counts = counts
  }

  /// Adds to the ledger's exact count of what was dropped for `cause` elsewhere, such as in memory.
  public func countDropped(cause: String, records: Int) throws(QueueError) {
    if records > 0 { try statements.addToLedger.run(.text(cause), .integer(Int64(records))) }
  }

  // MARK: Reading

  /// What the last commit left. `lastSequence` is the greatest number ever given to a record, also to one
  /// that is delivered and gone, and to the tail: number on from there.
  public func restore() throws(QueueError) -> (state: [String: String], tail: Record?, lastSequence: Int64) {
    var state: [String: String] = [:]
    let pairs = try database.prepare("SELECT key, value FROM state")
    while try pairs.step() { state[pairs.text(0)] = pairs.text(1) }
    let row = try database.prepare("SELECT \(RecordColumns.names) FROM tail")
    let tail = try row.step() ? RecordColumns.record(row) : nil
    return (state, tail, try database.integer(QueueStore.greatestSequenceSQL))
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
    return records
  }

  static let greatestSequenceSQL = """
    SELECT max(coalesce((SELECT max(sequence) FROM records), 0),
      coalesce((SELECT max(sequence) FROM quarantine), 0), coalesce((SELECT sequence FROM tail), 0),
      coalesce((SELECT value FROM meta WHERE key = 'last_sequence'), 0))
    """

  // MARK: Parts

  /// A transaction in which rows leave. The greatest sequence is noted in it, once the rows themselves no
  /// longer tell: that costs nothing as long as records only come in.
  func leaving<Value>(_ body: () throws(QueueError) -> Value) throws(QueueError) -> Value {
    let value = try database.transaction { () throws(QueueError) in
      if lastSequence > markedSequence { try statements.mark.run(.integer(lastSequence)) }
      return try body()
    }
    markedSequence = lastSequence
    return value
  }

  /// Inside a transaction.
  func addToLedger(_ cause: String, _ records: Int) throws(QueueError) {
    try statements.addToLedger.run(.text(cause), .integer(Int64(records)))
  }

  private func delete(_ sequence: Int64, _ counts: inout QueueCounts) throws(QueueError) {
    statements.delete.bind([.integer(sequence)])
    while try statements.delete.step() { counts.remove(kind: statements.delete.integer(0)) }
  }
}

/// Rows in the tables.
struct QueueCounts: Equatable {
  var records = 0
  var events = 0
  var quarantined = 0

  mutating func add(_ kind: Record.Kind) {
    records += 1
    if kind.isEvent { events += 1 }
  }

  /// `kind` as it stands in the row.
  mutating func remove(kind: Int64?) {
    records -= 1
    if kind != Int64(Record.Kind.position.rawValue) { events -= 1 }
  }
}

/// The statements of every day, prepared once.
private struct QueueStatements {
  let insert, replaceTail, clearTail, replaceState, batch, delete, quarantine, addToLedger,
    mark: SQLiteStatement

  init(_ database: SQLiteDatabase) throws(QueueError) {
    let (names, placeholders) = (RecordColumns.names, RecordColumns.placeholders)
    insert = try database.prepare(
      "INSERT INTO records(\(names)) VALUES (\(placeholders)) ON CONFLICT(sequence) DO NOTHING")
    replaceTail = try database.prepare(
      "REPLACE INTO tail(\(names), slot) VALUES (\(placeholders), 1)")
    clearTail = try database.prepare("DELETE FROM tail")
    replaceState = try database.prepare("REPLACE INTO state(key, value) VALUES (?, ?)")
    batch = try database.prepare("SELECT \(names) FROM records ORDER BY sequence LIMIT ?")
    delete = try database.prepare("DELETE FROM records WHERE sequence = ? RETURNING kind")
    quarantine = try database.prepare(
      """
      INSERT INTO quarantine(\(names), reason, quarantined_ms)
      SELECT \(names), ?2, ?3 FROM records WHERE sequence = ?1 ON CONFLICT(sequence) DO NOTHING
      """)
    addToLedger = try database.prepare(
      """
      INSERT INTO ledger(cause, records) VALUES (?, ?)
      ON CONFLICT(cause) DO UPDATE SET records = records + excluded.records
      """)
    mark = try database.prepare("REPLACE INTO meta(key, value) VALUES ('last_sequence', ?)")
  }
}
