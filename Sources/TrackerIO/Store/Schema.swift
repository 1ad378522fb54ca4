/// The tables of the store, as a list of steps that is only ever appended to. docs/queue.md explains them.
enum StoreSchema {
  /// "Gdwt": marks the file as ours in its header (PRAGMA application_id).
  static let applicationID: Int64 = 0x4764_7774
  /// A position takes about 80 bytes, a commit of ten of them one or two pages: docs/decisions.md has what other sizes
  /// write in a day.
  static let pageBytes: Int64 = 1024

  /// Each entry is one version: the statements that lead to it, run in one transaction.
  static let migrations: [[String]] = [
    [
      "PRAGMA application_id = \(applicationID)",
      // `waiting` has a bit for each server that has not confirmed the record.
      "CREATE TABLE records(sequence INTEGER PRIMARY KEY, waiting INTEGER NOT NULL, \(RecordColumns.definitions))",
      "CREATE INDEX events ON records(sequence) WHERE kind <> 0",
      """
      CREATE TABLE refused(server TEXT NOT NULL, sequence INTEGER NOT NULL, \(RecordColumns.definitions),
      reason TEXT NOT NULL, refused_ms INTEGER NOT NULL, PRIMARY KEY (server, sequence)) WITHOUT ROWID
      """,
      "CREATE TABLE ledger(cause TEXT PRIMARY KEY, records INTEGER NOT NULL) WITHOUT ROWID",
      "CREATE TABLE state(id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL)",
      "INSERT INTO state(id, json) VALUES (1, '')",
    ]
  ]

  static var version: Int { migrations.count }

  /// Takes an open file from `found` to `version`. A power cut leaves it at one version or the next.
  static func migrate(_ database: SQLiteDatabase, from found: Int) throws(StoreError) {
    for (offset, statements) in migrations.enumerated() where offset >= found {
      try database.transaction { () throws(StoreError) in
        for statement in statements { try database.execute(statement) }
        try database.execute("PRAGMA user_version = \(offset + 1)")
      }
    }
  }

  /// The schema version of a file that is ours; 0 for an empty one.
  static func knownVersion(_ database: SQLiteDatabase) throws(StoreError) -> Int {
    let version = Int(try database.integer("PRAGMA user_version"))
    let applicationID = try database.integer("PRAGMA application_id")
    if applicationID == 0, try database.integer("SELECT count(*) FROM sqlite_schema") == 0 { return 0 }
    guard applicationID == StoreSchema.applicationID else {
      throw .foreignFile(applicationID: Int32(truncatingIfNeeded: applicationID))
    }
    guard version <= StoreSchema.version else {
      throw .newerVersion(found: version, known: StoreSchema.version)
    }
    return version
  }

  /// 60 bits, so that it fits into a UUID beside the sequence.
  static func randomID() -> UInt64 { UInt64.random(in: 1..<(1 << 60)) }
}

/// The statements of every day, prepared once.
struct StoreStatements {
  let insert, oldest, countEvents, share, delete, refuse, addToLedger, writeState: SQLiteStatement

  init(_ database: SQLiteDatabase) throws(StoreError) {
    let (names, placeholders) = (RecordColumns.names, RecordColumns.placeholders)
    insert = try database.prepare(
      "INSERT INTO records(\(names), waiting) VALUES (\(placeholders), ?) ON CONFLICT(sequence) DO NOTHING")
    oldest = try database.prepare(
      "SELECT \(names) FROM records WHERE sequence >= ?1 AND waiting & ?2 ORDER BY sequence LIMIT ?3")
    let range = "FROM records WHERE sequence BETWEEN ?1 AND ?2"
    countEvents = try database.prepare("SELECT count(*) \(range) AND kind <> 0 AND waiting & ?3")
    // Some other server still wants it.
    share = try database.prepare(
      "UPDATE records SET waiting = waiting & ~?3 WHERE sequence BETWEEN ?1 AND ?2 AND waiting & ?3 AND waiting <> ?3"
    )
    delete = try database.prepare("DELETE \(range) AND waiting = ?3")
    refuse = try database.prepare(
      """
      INSERT INTO refused(server, \(names), reason, refused_ms)
      SELECT ?3, \(names), ?4, ?5 FROM records WHERE sequence = ?1 AND waiting & ?2 ON CONFLICT DO NOTHING
      """)
    addToLedger = try database.prepare(
      """
      INSERT INTO ledger(cause, records) VALUES (?, ?)
      ON CONFLICT(cause) DO UPDATE SET records = records + excluded.records
      """)
    writeState = try database.prepare("UPDATE state SET json = ? WHERE id = 1")
  }
}
