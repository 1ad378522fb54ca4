import Glibc
import Testing
import TrackerCore

@testable import TrackerIO

@Suite("A power cut in a migration of the queue file")
struct QueueMigrationTests {
  let folder = QueueFolder()
  let after = QueueFolder()

  @Test(
    "after any statement of any migration nothing is lost, and the file becomes one of the newest version")
  func eachStatement() throws {
    for version in QueueSchema.migrations.indices {
      for statements in 0...QueueSchema.migrations[version].count {
        try check(version: version, cutAfter: statements, isCommitted: false)
      }
      try check(version: version, cutAfter: QueueSchema.migrations[version].count, isCommitted: true)
    }
  }

  private func check(version: Int, cutAfter statements: Int, isCommitted: Bool) throws {
    for name in folder.files + after.files {
      unlink(folder.path + "/" + name)
      unlink(after.path + "/" + name)
    }
    do {
      let old = try makeFile(version: version)
      // So that pages of the open transaction come into the log, too.
      try old.execute("PRAGMA cache_size = 1")
      try old.execute("BEGIN IMMEDIATE")
      for statement in QueueSchema.migrations[version].prefix(statements) { try old.execute(statement) }
      if isCommitted {
        try old.execute("PRAGMA user_version = \(version + 1)")
        try old.execute("COMMIT")
      }
      folder.copyAsCut(to: after)
    }
    let store = try QueueStore(path: after.queue)
    #expect(store.openReport == QueueOpenReport())
    #expect(try store.database.integer("PRAGMA user_version") == Int64(QueueSchema.version))
    #expect(try store.database.text("PRAGMA integrity_check") == "ok")
    guard version > 0 else { return }
    #expect(store.queueID == 4711)
    #expect(try store.batch(limit: 999) == makeRecords(5...300))
    #expect(try store.restore().tail == [makeRecord(301)])
    #expect(try store.restore().state == ["a": "1"])
    #expect(try store.restore().lastSequence == 301)
    #expect(try store.summary().ledger == ["purged": 7])
    #expect(try store.quarantined(after: 0, limit: 9).map(\.sequence) == [2])
  }

  /// As a program of that version left it; version 0 is an empty file.
  private func makeFile(version: Int) throws -> SQLiteDatabase {
    let old = try SQLiteDatabase(path: folder.queue)
    try old.execute("PRAGMA journal_mode = WAL")
    guard version > 0 else { return old }
    for statements in QueueSchema.migrations.prefix(version) {
      for statement in statements { try old.execute(statement) }
    }
    try old.execute("PRAGMA user_version = \(version)")
    try old.execute("REPLACE INTO meta VALUES ('queue_id', 4711)")
    try old.execute("INSERT INTO state VALUES ('a', '1')")
    try old.execute("INSERT INTO ledger VALUES ('purged', 7)")
    let (names, places) = (RecordColumns.names, RecordColumns.placeholders)
    let insert = try old.prepare("INSERT INTO records(\(names)) VALUES (\(places))")
    for record in makeRecords(5...300) { try insert.run(RecordColumns.values(record)) }
    try old.prepare("INSERT INTO tail(\(names)) VALUES (\(places))")
      .run(RecordColumns.values(makeRecord(301)))
    try old.prepare("INSERT INTO quarantine(\(names), reason, quarantined_ms) VALUES (\(places), 'no', 1)")
      .run(RecordColumns.values(makeRecord(2)))
    return old
  }
}
