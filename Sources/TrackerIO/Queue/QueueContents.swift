import Glibc

/// What the store keeps in memory of its files.
struct QueueContents {
  var identity = QueueIdentity(first: 0)
  var report = QueueOpenReport()
  var counts = QueueCounts()
  var stored = QueueSaved()
  var greatestStored: Int64 = 0
  var held = FrontContent()
  var ledger: [String: Int] = [:]
  var found = QueueFront.Found()

  var queueID: UInt64 { identity.ids.first }

  /// Of files of which nothing is known.
  init() {}

  init(_ opened: QueueConnection) throws(QueueError) {
    try self.init(opened.database, queueID: opened.queueID, report: opened.report, found: opened.found)
  }

  /// Without writing a byte. - Returns: nil when they cannot be read.
  ///
  /// - Throws: when they are not for this program.
  init?(reading path: String) throws(QueueError) {
    do throws(QueueError) {
      try QueueFile.refuseStrangers(path)
      let database = try SQLiteDatabase(path: path, readOnly: true)
      database.leaveLogOnClose(true)
      // Otherwise it wants to make shared memory.
      try database.execute("PRAGMA locking_mode = EXCLUSIVE")
      guard try QueueFile.knownVersion(database) == QueueSchema.version else { return nil }
      try QueueFile.check(database)
      let value = { (key: String) throws(QueueError) in
        try database.integer("SELECT value FROM meta WHERE key = '\(key)'")
      }
      let queueID = UInt64(bitPattern: try value("queue_id"))
      var found = QueueFront.found(
        path: path + "-front", queueID: queueID, stored: try value("generation"))
      if access(path + "-wal", F_OK) != 0 { found.note(.logMissing) }
      // What is to be reported is reported when it is opened.
      try self.init(database, queueID: queueID, report: QueueOpenReport(), found: found)
    } catch {
      switch error {
      case .newerVersion, .foreignFile: throw error
      default: return nil
      }
    }
  }

  private init(
    _ database: SQLiteDatabase, queueID: UInt64, report: QueueOpenReport, found: QueueFront.Found
  ) throws(QueueError) {
    identity = try QueueIdentity(first: queueID, database)
    (self.report, self.found) = (report, found)
    ledger = try QueueCounts.ledger(database)
    counts = try QueueCounts(database)
    stored = try QueueSaved(database)
    greatestStored = try database.integer(QueueSchema.greatestSequenceSQL)
    held = found.content ?? FrontContent(tail: stored.tail)
    // The tables had these once. What was delivered since is sent again, and the server knows it.
    let findings = report.findings + found.findings
    let isOlder = findings.contains { finding in
      if case .damaged = finding { true } else { finding == .databaseOlder || finding == .logMissing }
    }
    if isOlder { for row in found.olderRows { held.insert(row) } }
    try dropStored(database)
    // How much was given and delivered since the tables were last written, nobody knows.
    held.lastSequence =
      max(held.lastSequence, found.lastSequence, greatestStored) + (findings.map(\.sequenceGap).max() ?? 0)
  }

  /// What the tables have is not held back.
  private mutating func dropStored(_ database: SQLiteDatabase) throws(QueueError) {
    let rows = held.rows
    held.rows = []
    let find = try database.prepare(QueueStatements.findSQL)
    for row in rows {
      find.bind([.integer(row.sequence)])
      if try !find.step() { held.insert(row) }
      find.reset()
    }
  }
}
