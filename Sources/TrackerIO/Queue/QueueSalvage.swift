import TrackerCore

/// Reads what can be read of a damaged queue file. It is opened so that nothing in it changes.
enum QueueSalvage {
  /// How far the numbering jumps ahead: the newest numbers may be in the unreadable part, and a number that
  /// is used twice would make the server drop a record as already known. A gap does no harm.
  static let sequenceGap: Int64 = 1_000_000

  static func open(_ path: String) -> SQLiteDatabase? {
    guard let old = try? SQLiteDatabase(path: path, create: false) else { return nil }
    old.leaveLogOnClose(true)
    // A file that is no database refuses this; then there is no row to read either.
    try? old.execute("PRAGMA locking_mode = EXCLUSIVE")
    return old
  }

  /// Everything readable goes into `new`, in one transaction; returns how many records that were.
  ///
  /// - Parameters:
  ///   - pages: of the old files, for rows that SQLite does not reach; nil where it reaches all.
  ///   - otherwiseID: the queue's id, if the old file no longer has it.
  static func copy(
    from old: SQLiteDatabase?, pages: QueuePages?, into new: SQLiteDatabase, otherwiseID: UInt64?
  ) throws(QueueError) -> Int {
    try new.transaction { () throws(QueueError) in
      if let old {
        _ = try copyRecords(from: old, into: new)
        try copyQuarantine(from: old, into: new)
        try copyTail(from: old, into: new)
        try copyPairs("state", from: old, into: new)
        try copyPairs("ledger", from: old, into: new)
      }
      if let pages { try copyRows(on: pages, into: new) }
      try copyIdentity(from: old, pages, into: new, otherwiseID: otherwiseID)
      return Int(try new.integer("SELECT count(*) FROM records"))
    }
  }

  /// The rows on leaves to which no way may lead any more.
  private static func copyRows(on pages: QueuePages, into new: SQLiteDatabase) throws(QueueError) {
    let (records, quarantined) = (try new.prepare(insertSQL), try new.prepare(insertQuarantineSQL))
    try pages.eachInUse { page throws(QueueError) in
      for cell in SQLitePage(page).tableCells {
        guard let payload = pages.payload(cell), var row = SQLitePage.row(payload),
          [RecordColumns.count, RecordColumns.count + 2].contains(row.count)
        else { continue }
        // The key is the row's id.
        row[0] = .integer(cell.rowID)
        guard cell.rowID > 0, let record = RecordColumns.record(row) else { continue }
        let values = RecordColumns.values(record)
        if row.count == RecordColumns.count {
          try records.run(values)
        } else if case .text = row[RecordColumns.count], case .integer = row[RecordColumns.count + 1] {
          try quarantined.run(values + row[RecordColumns.count...])
        }
      }
    }
    try new.execute("DELETE FROM records WHERE sequence IN (SELECT sequence FROM quarantine)")
  }

  private static let insertSQL = """
    INSERT INTO records(\(RecordColumns.names)) VALUES (\(RecordColumns.placeholders))
    ON CONFLICT DO NOTHING
    """
  private static let insertQuarantineSQL = """
    INSERT INTO quarantine(\(RecordColumns.names), reason, quarantined_ms)
    VALUES (\(RecordColumns.placeholders), ?, ?) ON CONFLICT DO NOTHING
    """

  // MARK: Tables

  private static func copyRecords(
    from old: SQLiteDatabase, into new: SQLiteDatabase
  ) throws(QueueError) -> Int {
    let insert = try new.prepare(insertSQL)
    var salvaged = 0
    // From both ends: a bad page in the middle stops a walk, and hides what lies beyond it.
    for order in ["ASC", "DESC"] {
      let sql = "SELECT \(RecordColumns.names) FROM records ORDER BY sequence \(order)"
      let reachedEnd = try eachRow(of: sql, in: old) { row throws(QueueError) in
        guard let record = RecordColumns.record(row) else { return }
        try insert.run(RecordColumns.values(record))
        salvaged += new.changes
      }
      if reachedEnd { break }
    }
    return salvaged
  }

  private static func copyQuarantine(
    from old: SQLiteDatabase, into new: SQLiteDatabase
  ) throws(QueueError) {
    let insert = try new.prepare(insertQuarantineSQL)
    let sql = "SELECT \(RecordColumns.names), reason, quarantined_ms FROM quarantine"
    let reasonColumn = Int32(RecordColumns.count)
    try eachRow(of: sql, in: old) { row throws(QueueError) in
      guard let record = RecordColumns.record(row) else { return }
      let extra = [SQLiteValue.text(row.text(reasonColumn)), .integer(row.integer(reasonColumn + 1) ?? 0)]
      try insert.run(RecordColumns.values(record) + extra)
    }
  }

  private static func copyTail(from old: SQLiteDatabase, into new: SQLiteDatabase) throws(QueueError) {
    let insert = try new.prepare(
      "INSERT INTO tail(\(RecordColumns.names)) VALUES (\(RecordColumns.placeholders))")
    let sql = "SELECT \(RecordColumns.names) FROM tail ORDER BY slot"
    try eachRow(of: sql, in: old) { row throws(QueueError) in
      if let record = RecordColumns.record(row) { try insert.run(RecordColumns.values(record)) }
    }
  }

  /// `state` and `ledger`: a key and a value each. The value keeps its type by the column's affinity.
  private static func copyPairs(
    _ table: String, from old: SQLiteDatabase, into new: SQLiteDatabase
  ) throws(QueueError) {
    let insert = try new.prepare("REPLACE INTO \(table) VALUES (?, ?)")
    try eachRow(of: "SELECT * FROM \(table)", in: old) { row throws(QueueError) in
      let value = row.integer(1)
      let isText = table == "state"
      try insert.run(.text(row.text(0)), isText ? .text(row.text(1)) : .integer(value ?? 0))
    }
  }

  /// The old id is kept, so that the server still knows what it has.
  private static func copyIdentity(
    from old: SQLiteDatabase?, _ pages: QueuePages?, into new: SQLiteDatabase, otherwiseID: UInt64?
  ) throws(QueueError) {
    let insert = try new.prepare("REPLACE INTO meta(key, value) VALUES (?, ?)")
    let onPages = pages?.meta() ?? [:]
    let read = { (key: String) in
      max((try? old?.integer("SELECT value FROM meta WHERE key = '\(key)'")) ?? 0, onPages[key] ?? 0)
    }
    let readID = read("queue_id")
    let queueID = (1..<(1 << 60)).contains(readID) ? readID : otherwiseID.map { Int64($0) }
    let newest = max(read("last_sequence"), try new.integer(QueueSchema.greatestSequenceSQL))
    // With a new id numbering may go on as it is.
    let gap = queueID == nil ? 0 : sequenceGap
    try insert.run(.text("last_sequence"), .integer(newest &+ gap))
    guard let queueID else { return }
    try insert.run(.text("queue_id"), .integer(queueID))
    try insert.run(.text("generation"), .integer(max(0, read("generation"))))
    let first = UInt64(bitPattern: queueID)
    let inOld = try? old.map { old throws(QueueError) in try QueueIdentity(first: first, old) }
    let identity = inOld ?? QueueIdentity(first: first, meta: onPages)
    for (key, value) in identity.meta { try insert.run(.text(key), .integer(value)) }
  }

  // MARK: Reading

  /// Calls `body` for each row that can be read; false when damage ended it. Only `body`'s errors are thrown:
  /// they are of the new file.
  @discardableResult
  private static func eachRow(
    of sql: String, in old: SQLiteDatabase, _ body: (SQLiteStatement) throws(QueueError) -> Void
  ) throws(QueueError) -> Bool {
    guard let statement = try? old.prepare(sql) else { return false }
    while true {
      guard let isRow = try? statement.step() else { return false }
      if !isRow { return true }
      try body(statement)
    }
  }
}
