import TrackerCore

/// From the front into the tables.
extension QueueStore {
  /// Puts `content` into the tables in one transaction, with the generation up to which they now have
  /// everything; nothing is held back after it.
  ///
  /// - Parameter lost: what the ledger is to count besides, by cause.
  /// - Returns: what had to be dropped to make room, by cause.
  @discardableResult
  func store(
    _ content: FrontContent, dropped lost: [String: Int] = [:]
  ) throws(QueueError) -> [String: Int] {
    let dropped = try write(content, dropped: lost)
    try renewIfMoved()
    return dropped
  }

  private func write(
    _ content: FrontContent, dropped lost: [String: Int]
  ) throws(QueueError) -> [String: Int] {
    var counts = counts
    let state = content.state.merging(content.periodic) { $1 }
    try front.willStore()
    if let first = content.rows.first { eventsFrom = min(eventsFrom, first.sequence) }
    let dropped = try makingRoom { () throws(QueueError) in
      counts = self.counts
      for row in content.rows {
        try statements.insert.run(row)
        if try database.changes > 0 { counts.add(row) }
      }
      if content.tail != stored.tail { try write(tail: content.tail) }
      for (key, value) in state { try statements.replaceState.run(.text(key), .text(value)) }
      for (cause, records) in lost { try addToLedger(cause, records) }
      try statements.mark.run(.text("generation"), .integer(front.generation))
      try statements.mark.run(.text("last_sequence"), .integer(content.lastSequence))
    }
    try front.stored()
    self.counts = counts
    greatestStored = max(greatestStored, content.lastSequence)
    stored.tail = content.tail
    stored.state.merge(state) { $1 }
    held = FrontContent(tail: content.tail, lastSequence: content.lastSequence)
    reportFront()
    return dropped
  }

  private func write(tail: [[SQLiteValue]]) throws(QueueError) {
    try statements.clearTail.run()
    for (slot, row) in tail.enumerated() { try statements.addTail.run(row + [.integer(Int64(slot + 1))]) }
  }
}

extension FrontContent {
  /// By sequence; one that is there is left as it is.
  mutating func insert(_ row: [SQLiteValue]) {
    let index = rows.lastIndex { $0.sequence <= row.sequence }
    if let index, rows[index].sequence == row.sequence { return }
    rows.insert(row, at: index.map { $0 + 1 } ?? 0)
  }

  func isEmpty(beside stored: QueueSaved) -> Bool {
    rows.isEmpty && state.isEmpty && periodic.isEmpty && tail == stored.tail
  }
}

/// Tail and state in the tables.
struct QueueSaved {
  var tail: [[SQLiteValue]] = []
  var state: [String: String] = [:]

  init() {}

  init(_ database: SQLiteDatabase) throws(QueueError) {
    let pairs = try database.prepare("SELECT key, value FROM state")
    while try pairs.step() { state[pairs.text(0)] = pairs.text(1) }
    let row = try database.prepare("SELECT \(RecordColumns.names) FROM tail ORDER BY slot")
    while try row.step() {
      if let record = RecordColumns.record(row) { tail.append(RecordColumns.values(record)) }
    }
  }
}

/// Rows in the tables.
struct QueueCounts: Equatable {
  var records = 0
  var events = 0
  var quarantined = 0

  init() {}

  init(_ database: SQLiteDatabase) throws(QueueError) {
    records = Int(try database.integer("SELECT count(*) FROM records"))
    events = Int(try database.integer("SELECT count(*) FROM records WHERE kind <> 0"))
    quarantined = Int(try database.integer("SELECT count(*) FROM quarantine"))
  }

  /// Everything ever dropped, by cause.
  static func ledger(_ database: SQLiteDatabase) throws(QueueError) -> [String: Int] {
    var ledger: [String: Int] = [:]
    let rows = try database.prepare("SELECT cause, records FROM ledger")
    while try rows.step() { ledger[rows.text(0)] = Int(rows.integer(1) ?? 0) }
    return ledger
  }

  mutating func add(_ row: [SQLiteValue]) { add(kind: row.integer(1)) }

  /// `kind` as it stands in the row.
  mutating func add(kind: Int64?) {
    records += 1
    if kind != Int64(Record.Kind.position.rawValue) { events += 1 }
  }

  mutating func remove(kind: Int64?) {
    records -= 1
    if kind != Int64(Record.Kind.position.rawValue) { events -= 1 }
  }
}

/// The statements of every day, prepared once.
struct QueueStatements {
  let insert, addTail, clearTail, replaceState, find, batch, countEvents, delete, quarantine,
    addToLedger, mark: SQLiteStatement

  /// Among the records or in quarantine.
  static let findSQL =
    "SELECT 1 FROM records WHERE sequence = ?1 UNION ALL SELECT 1 FROM quarantine WHERE sequence = ?1"

  init(_ database: SQLiteDatabase) throws(QueueError) {
    let (names, placeholders) = (RecordColumns.names, RecordColumns.placeholders)
    insert = try database.prepare(
      "INSERT INTO records(\(names)) VALUES (\(placeholders)) ON CONFLICT(sequence) DO NOTHING")
    addTail = try database.prepare("INSERT INTO tail(\(names), slot) VALUES (\(placeholders), ?)")
    clearTail = try database.prepare("DELETE FROM tail")
    replaceState = try database.prepare("REPLACE INTO state(key, value) VALUES (?, ?)")
    find = try database.prepare(QueueStatements.findSQL)
    batch = try database.prepare("SELECT \(names) FROM records ORDER BY sequence LIMIT ?")
    countEvents = try database.prepare(
      "SELECT count(*) FROM records WHERE sequence BETWEEN ? AND ? AND kind <> 0")
    delete = try database.prepare("DELETE FROM records WHERE sequence BETWEEN ? AND ?")
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
    mark = try database.prepare("REPLACE INTO meta(key, value) VALUES (?, ?)")
  }
}
