import Glibc
import Testing
import TrackerCore

@testable import TrackerIO

/// What needs a disk that fails by itself is in Tests/Rig/storage-faults.
@Suite("The queue after a failure of the storage")
struct QueueFaultTests {
  let folder = QueueFolder()

  @Test("the next commit opens the file again; records, held or not, are as they were")
  func openedAgain() throws {
    let store = try QueueStore(path: folder.queue)
    let queueID = store.queueID
    try store.commit(Commit(records: makeRecords(1...100)))
    try store.commit(Commit(records: makeRecords(101...103), tail: [makeRecord(104)], state: ["a": "1"]))
    try fail(store)
    #expect(store.reopenings == 0)
    try store.commit(Commit(records: [makeRecord(104)], tail: [makeRecord(105)], state: ["a": "2"]))
    #expect(store.reopenings == 1)
    #expect(store.queueID == queueID && store.openReport.setAside == nil)
    #expect(try store.batch(limit: 999) == makeRecords(1...104))
    #expect(store.count == 104)
    #expect(try store.restore().tail == [makeRecord(105)])
    try store.commit(Commit(records: [makeRecord(105)]))
    #expect(store.reopenings == 1)
    #expect(folder.files == ["queue.db", "queue.db-front", "queue.db-wal"])
  }

  @Test("what it reads from storage that failed counts as committed only when it has been written again")
  func writtenAgain() throws {
    let store = try QueueStore(path: folder.queue)
    let commit = Commit(records: makeRecords(1...3))
    try store.commit(commit)
    try fail(store)
    let before = folder.read("queue.db-front")
    try store.commit(commit)
    #expect(folder.read("queue.db-front") != before)
    #expect(store.count == 3)
  }

  @Test("records that were held back and are no longer in the front are committed again")
  func frontLost() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3)))
    folder.write(Array(repeating: 0xAA, count: FrontFile.bytes), to: "queue.db-front")
    try fail(store)
    try store.commit(Commit(records: [makeRecord(4)]))
    let after = QueueFolder()
    folder.copyAsCut(to: after)
    #expect(try QueueStore(path: after.queue).batch(limit: 9).map(\.sequence) == [1, 2, 3, 4])
  }

  @Test("while it cannot be opened everything says why, and nothing is forgotten")
  func closed() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3)))
    try fail(store)
    rename(folder.queue, folder.path + "/away.db")
    mkdir(folder.queue, 0o700)
    let first = thrown(QueueError.self) { try store.commit(Commit(records: [makeRecord(4)])) }
    let refusal = "\(try #require(first))"
    #expect(refusal.contains("is a directory and not a file"))
    let second = thrown(QueueError.self) { try store.summary() }
    let words = "\(try #require(second))"
    #expect(words.hasSuffix("; until it can be opened again, records are held in memory"))
    #expect(throws: QueueError.self) { try store.remove([1, 99]) }
    #expect(store.count == 3)
    rmdir(folder.queue)
    rename(folder.path + "/away.db", folder.queue)
    try store.commit(Commit(records: [makeRecord(4)]))
    #expect(try store.batch(limit: 9) == makeRecords(1...4))
  }

  @Test("a page that was damaged under an open queue is met, and the file replaced without a restart")
  func damagedWhileOpen() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...20_000)))
    try store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try store.database.execute("PRAGMA shrink_memory")
    damage(page: 20)
    #expect(throws: QueueError.self) { try store.batch(limit: 20_000) }
    let left = try store.batch(limit: 20_000)
    #expect(store.openReport.setAside != nil && store.openReport.salvaged == left.count)
    #expect(left.count > 19_900 && left.count < 20_000)
    try store.commit(Commit(records: [makeRecord(20_001)]))
    #expect(try store.batch(limit: 30_000).last == makeRecord(20_001))
  }

  @Test("a header that makes each new chunk look used does not fill the disk, nor cost a record")
  func header() throws {
    do { try QueueStore(path: folder.queue).commit(Commit(records: makeRecords(1...3000))) }
    // As large as it says it is, so that the check at opening has no reason to doubt.
    var bytes = folder.read("queue.db")
    let pages = bytes[28..<32].reduce(0) { $0 << 8 | Int($1) }
    bytes = Array(bytes[..<(pages * 4096)])
    bytes[24] ^= 0x40
    folder.write(bytes, to: "queue.db")
    let store = try QueueStore(path: folder.queue)
    var next: Int64 = 3001
    while next < 12_000 {
      let records = makeRecords(next...(next + 99))
      if (try? store.commit(Commit(records: records))) == nil { try store.commit(Commit(records: records)) }
      next += 100
    }
    #expect(try store.batch(limit: 99_999) == makeRecords(1...(next - 1)))
    #expect(try store.summary().ledger == [:])
    #expect(folder.read("queue.db").count < 4_000_000)
  }

  @Test("a NULL that damage has put where none may be is damage: the row goes, the others stay")
  func constraint() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...200)))
    // As a serial type that has turned into NULL's: SQLite itself would refuse it.
    try store.database.execute("PRAGMA writable_schema = ON")
    try store.database.execute(
      "UPDATE sqlite_schema SET sql = replace(sql, 'kind INTEGER NOT NULL', 'kind INTEGER') WHERE name = 'records'"
    )
    try store.database.execute("PRAGMA writable_schema = RESET")
    try store.database.execute("UPDATE records SET kind = NULL WHERE sequence = 7")
    try store.database.execute("PRAGMA writable_schema = ON")
    try store.database.execute(
      "UPDATE sqlite_schema SET sql = replace(sql, 'kind INTEGER,', 'kind INTEGER NOT NULL,') WHERE name = 'records'"
    )
    try store.database.execute("PRAGMA writable_schema = RESET")
    let error = thrown(QueueError.self) { try store.batch(limit: 999) }
    guard case .corrupt? = error else {
      Issue.record("not damage: \(String(describing: error))")
      return
    }
    #expect(try store.batch(limit: 999).map(\.sequence) == Array(1...6) + Array(8...200))
    #expect(store.openReport.setAside != nil && store.openReport.salvaged == 199)
    try store.commit(Commit(records: [makeRecord(201)]))
  }

  @Test("whatever an upload wants is read from files that were opened again")
  func picks() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...100)))
    for (index, pick) in [UploadOrder.Pick.newest, .events, .oldest, .later].enumerated() {
      try fail(store)
      _ = try store.records(for: UploadOrder(pick: pick, limit: 1))
      #expect(store.reopenings == index + 1)
    }
  }

  @Test("after damage a record that is in quarantine does not come back out of an old slot")
  func quarantined() throws {
    let after = QueueFolder()
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: makeRecords(1...3)))
      try store.quarantine(2, reason: "refused")
      folder.copyAsCut(to: after)
    }
    do {
      let database = try SQLiteDatabase(path: after.queue)
      try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    // The count of free pages (section 1.3 of sqlite.org/fileformat2.html): no row is touched.
    var bytes = after.read("queue.db")
    bytes[37] = 16
    after.write(bytes, to: "queue.db")
    let saved = try QueueStore(path: after.queue)
    #expect(saved.openReport.setAside != nil)
    #expect(try saved.batch(limit: 9).map(\.sequence) == [1, 3])
    #expect(try saved.quarantined(after: 0, limit: 9).map(\.sequence) == [2])
  }

  // MARK: Helpers

  /// A failure as a disk's that turned read-only.
  private func fail(_ store: QueueStore) throws {
    try store.database.execute("PRAGMA query_only = ON")
    #expect(throws: QueueError.self) { try store.database.execute("DELETE FROM ledger") }
  }

  private func damage(page: Int) {
    let file = open(folder.queue, O_RDWR)
    let bytes = [UInt8](repeating: 0xAA, count: 512)
    pwrite(file, bytes, bytes.count, off_t(page * 4096))
    close(file)
  }
}

@Suite(
  "The queue on a file system that makes itself read-only",
  .enabled(if: LoopDisk.isPossible, "it is a loop mount, which needs root"), .serialized)
struct QueueReadOnlyTests {
  @Test(
    "commits are refused with the reason, the files are let go, and after another mount nothing is missing")
  func readOnly() throws {
    let disk = try LoopDisk()
    let store = try QueueStore(path: disk.queue)
    try store.commit(Commit(records: makeRecords(1...100)))
    try store.commit(Commit(records: makeRecords(101...110)))
    try disk.breakDown()
    let error = thrown(QueueError.self) { try store.commit(Commit(records: makeRecords(111...120))) }
    let words = "\(try #require(error))"
    #expect(words.hasPrefix("queue: sqlite3_step (COMMIT): disk I/O error (778)"))
    #expect(words.hasSuffix("look for storage errors in the kernel's log"))
    let again = thrown(QueueError.self) { try store.commit(Commit(records: makeRecords(111...121))) }
    let trial = "\(try #require(again))"
    #expect(trial.hasPrefix("queue: a trial in the queue's folder: Read-only file system (30)"))
    #expect(store.count == 110 && store.isClosed)
    let refused = thrown(QueueError.self) { try store.summary() }
    let closed = "\(try #require(refused))"
    #expect(
      closed.hasSuffix(
        "the file system is mounted read-only, or the file is another user's; until it can be opened again, records "
          + "are held in memory"))
    try disk.mountAgain()
    try store.commit(Commit(records: makeRecords(111...122)))
    #expect(try store.batch(limit: 999) == makeRecords(1...122))
    #expect(try store.database.text("PRAGMA integrity_check") == "ok")
    #expect(store.frontProblem == nil)
  }
}
