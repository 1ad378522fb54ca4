import Glibc

/// Files that were cut under an open queue, and what damage has cost.
extension QueueStore {
  /// The ledger's cause for records that damage of the files is proved to have taken.
  static let damageCause = "damage"
  /// For those that it has taken at most: only the lost part knew.
  static let damageAtMostCause = "damage_at_most"

  /// Everything that is committed and has not left.
  var records: Int { counts.records + counts.quarantined + held.rows.count }

  var census: QueueCensus {
    QueueCensus(records: counts.records, quarantined: counts.quarantined, ledger: ledger)
  }

  /// After a transaction that changed how much the tables hold.
  func changed(to counts: QueueCounts) {
    self.counts = counts
    reportFront()
  }

  /// So that the front knows what the tables hold. Nothing depends on it as long as they are whole.
  func reportFront() {
    guard let connection else { return }
    if isLedgerChanged, let read = try? QueueCounts.ledger(connection.database) {
      (ledger, isLedgerChanged) = (read, false)
    }
    _ = connection.front.write(held, census: census)
  }

  /// A front that lacks a slot of ours gets both: from then on it is known that there must be two.
  func startFront(_ found: QueueFront.Found) {
    guard let connection, found.isWithoutOwn || found.findings.contains(.slotMissing) else { return }
    let isFirst = connection.front.generation == 0
    for _ in 0..<2 where !connection.front.write(held, census: census) { return }
    // Below what was just written, which goes on to count.
    if isFirst { try? connection.statements.mark.run(.text("generation"), .integer(1)) }
  }

  // MARK: What is lost

  /// - Parameter expected: so many records there were, as memory knows; nil: as the front knows.
  func countLost(_ found: QueueFront.Found, expected: Int?) {
    guard connection != nil else { return }
    let isDatabaseDamaged = openReport.hasDamage(of: .database)
    let isFrontDamaged = openReport.hasDamage(of: .front)
    lost = [:]
    if expected == nil, isFrontDamaged, !found.wasClosed { openReport.lostAtMost = QueueFront.capacity }
    if expected == nil, !found.wasClosed, isUncountable(found) {
      openReport.lost = nil
    } else if isDatabaseDamaged || isFrontDamaged && expected != nil {
      let known = found.census.map { $0.records + $0.quarantined + found.rowsInSlot - dropped(since: $0) }
      openReport.lost = (expected ?? known).map { max(0, $0 - records) }
    }
    lost[QueueStore.damageCause] = openReport.lost
    lost[QueueStore.damageAtMostCause] = openReport.lostAtMost
    // What was dropped before is not to be forgotten with the table that said so.
    if isDatabaseDamaged, let before = found.census?.ledger {
      for (cause, records) in before where records > ledger[cause] ?? 0 {
        lost[cause, default: 0] += records - (ledger[cause] ?? 0)
      }
    }
    lost = lost.filter { $0.value > 0 }
  }

  /// The power may have gone between a drop and the census that knows of it: the ledger counts it already.
  private func dropped(since census: QueueCensus) -> Int {
    ledger.filter { QueueStore.isTakenFromTables($0.key) }
      .reduce(0) { $0 + max(0, $1.value - (census.ledger[$1.key] ?? 0)) }
  }

  /// Nobody is left who knows how much there was: which of two queues is ours, or what was in the log.
  private func isUncountable(_ found: QueueFront.Found) -> Bool {
    openReport.findings.contains { finding in
      if case .frontOfOtherQueue = finding { true } else { finding == .frontMissing && found.isLogCut }
    }
  }

  // MARK: Cut while open

  /// Looks at the sizes of the open files. What was cut off them is taken from memory as far as that has it, and the
  /// rest is counted.
  func mendIfCut() throws(QueueError) {
    if hasMoved { return }
    if connection?.isDatabaseCut == true {
      let rows = try newestRows(database)
      try openAnew { () throws(QueueError) in
        // Before anything of it is looked at: a lock of this process goes with any descriptor of the file.
        close(because: .closed(after: "queue: its files were cut while they were open"))
        try QueueFile.replace(path, rows: rows, otherwiseID: queueID)
      }
    } else if connection?.front.isCut == true {
      try openAnew { () throws(QueueError) in unreported.merge(try store(held), uniquingKeysWith: +) }
    }
  }

  private func openAnew(_ prepare: () throws(QueueError) -> Void) throws(QueueError) {
    var before = held.rows
    Supervisor.working(most_s: 60)
    do throws(QueueError) {
      try prepare()
      // Of a full disk it may have dropped some, which are counted.
      let expected = records
      before = held.rows
      close(because: .closed(after: "queue: its files were cut while they were open"))
      let opened = try QueueConnection(path: path, synchronous: synchronous, otherwiseID: queueID)
      let contents = try QueueContents(opened)
      take(contents, opened)
      try holdAgain(before)
      countLost(contents.found, expected: expected)
      startFront(contents.found)
    } catch {
      close(because: error)
      for row in before { held.insert(row) }
      throw error
    }
  }

  /// As many as SQLite still has in its memory, and a few thousand at most.
  private func newestRows(_ database: SQLiteDatabase) -> [[SQLiteValue]] {
    var rows: [[SQLiteValue]] = []
    let sql = "SELECT \(RecordColumns.names) FROM records ORDER BY sequence DESC LIMIT 5000"
    guard let row = try? database.prepare(sql) else { return rows }
    while (try? row.step()) == true {
      if let record = RecordColumns.record(row) { rows.append(RecordColumns.values(record)) }
    }
    return rows
  }
}

extension QueueConnection {
  /// Nothing is held back.
  func markClosed() throws(QueueError) {
    try statements.mark.run(.text("closed"), .integer(1))
  }

  var hasMoved: Bool { database.hasMoved || front.hasMoved || access(room.logPath, F_OK) != 0 }

  /// Database or log are shorter than they were.
  var isDatabaseCut: Bool { room.isCut }
}
