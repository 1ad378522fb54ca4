/// The tables of the queue file, as a list of steps that is only ever appended to. docs/queue.md explains them.
enum QueueSchema {
  /// "Gdwt": marks the file as ours in its header (PRAGMA application_id).
  static let applicationID: Int64 = 0x4764_7774

  /// Each entry is one version: the statements that lead to it, run in one transaction.
  static let migrations: [[String]] = [
    [
      "PRAGMA application_id = \(applicationID)",
      "CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
      "CREATE TABLE records(sequence INTEGER PRIMARY KEY, \(RecordColumns.definitions))",
      """
      CREATE TABLE tail(slot INTEGER PRIMARY KEY CHECK (slot = 1), sequence INTEGER NOT NULL,
      \(RecordColumns.definitions))
      """,
      "CREATE TABLE state(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
      """
      CREATE TABLE quarantine(sequence INTEGER PRIMARY KEY, \(RecordColumns.definitions),
      reason TEXT NOT NULL, quarantined_ms INTEGER NOT NULL)
      """,
      "CREATE TABLE ledger(cause TEXT PRIMARY KEY, records INTEGER NOT NULL) WITHOUT ROWID",
    ],
    // The front: up to which of its slots the tables have everything. From here on `last_sequence` is never
    // behind the rows.
    [
      "INSERT INTO meta(key, value) VALUES ('generation', 0) ON CONFLICT DO NOTHING",
      "REPLACE INTO meta(key, value) SELECT 'last_sequence', (\(greatestSequenceSQL))",
    ],
    // More than one fix may be open.
    [
      "ALTER TABLE tail RENAME TO tail_before",
      "CREATE TABLE tail(slot INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, \(RecordColumns.definitions))",
      "INSERT INTO tail SELECT * FROM tail_before",
      "DROP TABLE tail_before",
    ],
  ]

  static let greatestSequenceSQL = """
    SELECT max(coalesce((SELECT max(sequence) FROM records), 0),
      coalesce((SELECT max(sequence) FROM quarantine), 0), coalesce((SELECT max(sequence) FROM tail), 0),
      coalesce((SELECT value FROM meta WHERE key = 'last_sequence'), 0))
    """

  static var version: Int { migrations.count }

  /// Takes an open file from `found` to `version`. A power cut leaves it at one version or the next.
  static func migrate(_ database: SQLiteDatabase, from found: Int) throws(QueueError) {
    for (offset, statements) in migrations.enumerated() where offset >= found {
      try database.transaction { () throws(QueueError) in
        for statement in statements { try database.execute(statement) }
        try database.execute("PRAGMA user_version = \(offset + 1)")
      }
    }
  }

  static func randomID() -> UInt64 { UInt64.random(in: 1..<(1 << 60)) }

  /// The queue's identity, made when there is none yet: 60 random bits.
  ///
  /// - Parameter wanted: for a queue that has none.
  static func queueID(_ database: SQLiteDatabase, wanted: UInt64? = nil) throws(QueueError) -> UInt64 {
    let made = Int64(bitPattern: wanted ?? randomID())
    try database.execute("INSERT INTO meta(key, value) VALUES ('queue_id', \(made)) ON CONFLICT DO NOTHING")
    // In the file itself: without its log it must still be known as the queue that the front belongs to.
    if database.changes > 0 { try database.execute("PRAGMA wal_checkpoint(FULL)") }
    return UInt64(bitPattern: try database.integer("SELECT value FROM meta WHERE key = 'queue_id'"))
  }
}
