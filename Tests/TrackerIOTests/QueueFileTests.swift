import Glibc
import Testing
import TrackerCore

@testable import TrackerIO

@Suite("The queue file")
struct QueueFileTests {
  let folder = QueueFolder()

  @Test("it is made with its folder, readable by its group only, in WAL mode with full synchronisation")
  func fresh() throws {
    let path = folder.path + "/a/b/queue.db"
    do {
      let store = try QueueStore(path: path)
      #expect(mode(path) == 0o640)
      #expect(mode(folder.path + "/a/b") == 0o750)
      #expect(try store.database.text("PRAGMA journal_mode") == "wal")
      #expect(try store.database.integer("PRAGMA synchronous") == 2)
      #expect(try store.database.integer("PRAGMA page_size") == 4096)
      #expect(try store.database.integer("PRAGMA user_version") == Int64(QueueSchema.version))
      #expect(store.queueID > 0 && store.queueID < 1 << 60)
    }
    for suffix in ["", "-wal", "-front"] { unlink(path + suffix) }
    rmdir(folder.path + "/a/b")
    rmdir(folder.path + "/a")
  }

  @Test("each file has an id of its own, and keeps it")
  func queueID() throws {
    let id = try QueueStore(path: folder.queue).queueID
    #expect(try QueueStore(path: folder.queue).queueID == id)
    let other = QueueFolder()
    #expect(try QueueStore(path: other.queue).queueID != id)
    withExtendedLifetime(other) {}
  }

  @Test("a second store on the same file is refused while the first lives")
  func secondStore() throws {
    let store = try QueueStore(path: folder.queue)
    let error = thrown(QueueError.self) { try QueueStore(path: folder.queue) }
    guard case .busy = error else {
      Issue.record("not .busy: \(String(describing: error))")
      return
    }
    try store.commit(Commit(records: [makeRecord(1)]))
  }

  @Test("a file of a newer program is refused and left as it is")
  func newerVersion() throws {
    do { try QueueStore(path: folder.queue).commit(Commit(records: [makeRecord(1)])) }
    var bytes = folder.read("queue.db")
    bytes[63] = 99
    folder.write(bytes, to: "queue.db")
    let before = folder.files.map { folder.read($0) }
    let error = thrown(QueueError.self) { try QueueStore(path: folder.queue) }
    #expect(error == .newerVersion(found: 99, known: QueueSchema.version))
    #expect(folder.files == ["queue.db", "queue.db-front", "queue.db-wal"])
    #expect(folder.files.map { folder.read($0) } == before)
  }

  @Test("a newer file after a cut, with its version still in the log, is refused with both files as they are")
  func newerVersionInLog() throws {
    let after = QueueFolder()
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: [makeRecord(1)]))
      try store.database.execute("PRAGMA user_version = 99")
      folder.copyAsCut(to: after)
    }
    let (file, log) = (after.read("queue.db"), after.read("queue.db-wal"))
    let error = thrown(QueueError.self) { try QueueStore(path: after.queue) }
    #expect(error == .newerVersion(found: 99, known: QueueSchema.version))
    #expect(after.read("queue.db").elementsEqual(file))
    #expect(after.read("queue.db-wal").elementsEqual(log))
  }

  @Test("another program's database is refused")
  func foreignFile() throws {
    do {
      let database = try SQLiteDatabase(path: folder.queue)
      try database.execute("CREATE TABLE theirs(a)")
    }
    let bytes = folder.read("queue.db")
    let error = thrown(QueueError.self) { try QueueStore(path: folder.queue) }
    #expect(error == .foreignFile(applicationID: 0))
    #expect(folder.read("queue.db").elementsEqual(bytes))
  }

  @Test("a file that is no database at all is set aside, and a new one made")
  func garbage() throws {
    folder.write(Array(repeating: 0x55, count: 10_000), to: "queue.db")
    let store = try QueueStore(path: folder.queue)
    let aside = try #require(store.openReport.setAside)
    #expect(aside.hasPrefix(folder.queue + ".corrupt-"))
    #expect(store.openReport.salvaged == 0)
    #expect(folder.files.filter { $0.hasPrefix("queue.db.corrupt-") }.count == 1)
    try store.commit(Commit(records: [makeRecord(1)]))
    #expect(store.count == 1)
  }

  @Test("a damaged page costs its own rows: the others, state, ledger, tail and id are saved")
  func damagedPage() throws {
    let queueID = try makeDamagedFile()
    let store = try QueueStore(path: folder.queue)
    let saved = try store.batch(limit: 10_000)
    #expect(store.openReport.setAside != nil)
    #expect(store.openReport.salvaged == saved.count)
    #expect(saved.count > 1800 && saved.count < 2000)
    #expect(saved == saved.map { makeRecord($0.sequence) })
    #expect(saved.first?.sequence == 1 && saved.last?.sequence == 2000)
    #expect(store.queueID == queueID)
    #expect(store.count == saved.count)
    let restored = try store.restore()
    #expect(restored.state == ["a": "1"])
    #expect(restored.tail == [makeRecord(2001)])
    // No number of the lost rows may be used again under the same id.
    #expect(restored.lastSequence > 2001)
    #expect(try store.summary().ledger == ["memory": 3])
    #expect(try store.database.text("PRAGMA integrity_check") == "ok")
  }

  @Test("a cut between the renames of a replacement is carried to its end", arguments: [false, true])
  func cutInReplacement(isLogStillThere: Bool) throws {
    do {
      let new = try QueueStore(path: folder.path + "/queue.db.new")
      try new.commit(Commit(records: makeRecords(1...3)))
      try new.database.execute("REPLACE INTO meta(key, value) VALUES ('set_aside_s', 1700000010)")
    }
    if isLogStillThere { folder.write(Array(repeating: 1, count: 5000), to: "queue.db-wal") }
    let store = try QueueStore(path: folder.queue)
    #expect(try store.batch(limit: 10).map(\.sequence) == [1, 2, 3])
    #expect(!folder.files.contains("queue.db.new"))
    #expect(folder.files.contains { $0.hasPrefix("queue.db.corrupt-") } == isLogStillThere)
  }

  @Test("a replacement that a cut interrupted is reported, and the log goes to its file")
  func interruptedReplacementIsReported() throws {
    do {
      let new = try QueueStore(path: folder.path + "/queue.db.new")
      try new.commit(Commit(records: makeRecords(1...3)))
      try new.database.execute(
        "REPLACE INTO meta(key, value) VALUES ('set_aside_s', 1700000010), ('salvaged', 3)")
    }
    for name in ["queue.db.corrupt-1700000009", "queue.db.corrupt-1700000010", "queue.db-wal"] {
      folder.write([1], to: name)
    }
    let store = try QueueStore(path: folder.queue)
    #expect(
      store.openReport.setAside == folder.queue + ".corrupt-1700000010" && store.openReport.salvaged == 3)
    #expect(folder.files.contains("queue.db.corrupt-1700000010-wal"))
  }

  @Test(
    "a replacement that is not whole takes no place, and what is left of the queue is saved",
    arguments: [0, 4096])
  func unfinishedReplacement(bytes: Int) throws {
    let after = QueueFolder()
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: makeRecords(1...200)))
      folder.copyAsCut(to: after)
    }
    unlink(after.queue)
    let head = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 4080)
    after.write(Array(head.prefix(bytes)), to: "queue.db.new")
    #expect(try QueueStore(path: after.queue).batch(limit: 1000) == makeRecords(1...200))
  }

  @Test("a replacement is reported at each opening until somebody has taken the report")
  func reportUntilTaken() throws {
    folder.write(Array("this is no database, and never was one".utf8), to: "queue.db")
    do { #expect(try QueueStore(path: folder.queue).openReport.setAside != nil) }
    do {
      let again = try QueueStore(path: folder.queue)
      #expect(again.openReport.setAside != nil, "a cut came before it was reported")
      try again.reportTaken()
    }
    #expect(try QueueStore(path: folder.queue).openReport.setAside == nil)
  }

  @Test("of the damaged files that were set aside the newest two are kept")
  func pruned() throws {
    for time_s in [1_700_000_005, 1_700_000_009, 1_700_000_010] {
      folder.write([1], to: "queue.db.corrupt-\(time_s)")
    }
    folder.write([1], to: "queue.db.corrupt-1700000009-wal")
    folder.write(Array("this is no database, and never was one".utf8), to: "queue.db")
    let store = try QueueStore(path: folder.queue)
    let path = try #require(store.openReport.setAside)
    let aside = try #require(path.split(separator: "/").last)
    let kept = folder.files.filter { $0.hasPrefix("queue.db.corrupt-") }
    #expect(Set(kept) == ["queue.db.corrupt-1700000010", String(aside)])
  }

  @Test("a person's files stay, even if they are named like one that was set aside")
  func otherNames() throws {
    let theirs = ["1", "12", "99999999999999", "\(Int64.max)", "1-wal"].map { "queue.db.corrupt-\($0)" }
    for name in theirs { folder.write([1], to: name) }
    for _ in 1...3 {
      folder.write(Array("this is no database, and never was one".utf8), to: "queue.db")
      _ = try QueueStore(path: folder.queue)
    }
    let kept = folder.files.filter { $0.hasPrefix("queue.db.corrupt-") && !$0.hasSuffix("-wal") }
    #expect(
      Set(kept).isSuperset(of: theirs.dropLast()) && kept.count == theirs.count - 1 + QueueFile.keptAside)
    #expect(folder.files.contains(theirs[4]))
    for name in theirs { #expect(folder.read(name) == [1]) }
  }

  @Test("with the clock behind the names of older ones, the file just set aside is kept, beside its log")
  func clockBehind() throws {
    for time_s in [4_000_000_000, 4_000_000_005] {
      folder.write([1], to: "queue.db.corrupt-\(time_s)")
    }
    folder.write(Array("this is no database, and never was one".utf8), to: "queue.db")
    let store = try QueueStore(path: folder.queue)
    #expect(store.openReport.setAside == folder.queue + ".corrupt-4000000006")
    let kept = folder.files.filter { $0.hasPrefix("queue.db.corrupt-") }
    #expect(Set(kept) == ["queue.db.corrupt-4000000005", "queue.db.corrupt-4000000006"])
  }

  @Test("a cut before the renames begins again")
  func cutBeforeRenames() throws {
    _ = try makeDamagedFile()
    folder.write(Array(repeating: 7, count: 9000), to: "queue.db.new")
    folder.write(Array(repeating: 7, count: 9000), to: "queue.db.new-wal")
    let store = try QueueStore(path: folder.queue)
    #expect(store.openReport.salvaged > 1800)
    #expect(!folder.files.contains { $0.hasPrefix("queue.db.new") })
  }

  @Test("a migration that was cut short is made again")
  func cutInMigration() throws {
    folder.write([], to: "queue.db")
    let store = try QueueStore(path: folder.queue)
    #expect(store.openReport == QueueOpenReport())
    #expect(try store.restore().lastSequence == 0)
  }

  @Test("a folder that cannot be made is an error that names the call and what to do")
  func noFolder() throws {
    folder.write([1], to: "file")
    let error = thrown(QueueError.self) { try QueueStore(path: folder.path + "/file/queue.db") }
    let text = "\(try #require(error))"
    #expect(text.contains("Not a directory"))
    #expect(text.hasSuffix("the folder of queue.path must exist and belong to the agent's user"))
  }

  @Test(
    "messages say what to do",
    arguments: [
      (
        QueueError.full(call: "sqlite3_step (COMMIT)", code: 13, words: "database or disk is full"),
        "queue: sqlite3_step (COMMIT): database or disk is full (13); free space on the file system of queue.path"
      ),
      (
        .newerVersion(found: 9, known: 1),
        "queue: the file has schema version 9 and this program knows 1; install the newer program again, or move "
          + "the file away"
      ),
    ])
  func messages(error: QueueError, text: String) { #expect("\(error)" == text) }

  // MARK: Helpers

  /// 2,000 records, of which one page in the middle is overwritten; returns the queue id.
  private func makeDamagedFile() throws -> UInt64 {
    let queueID: UInt64
    do {
      let store = try QueueStore(path: folder.queue)
      queueID = store.queueID
      try store.commit(
        Commit(
          records: makeRecords(1...2000), tail: [makeRecord(2001)], state: ["a": "1"], dropped: ["memory": 3])
      )
    }
    var bytes = folder.read("queue.db")
    // Of about 45 with records; the rest of the file is reserved.
    let page = 20
    for index in (page * 4096)..<(page * 4096 + 512) { bytes[index] = 0xAA }
    folder.write(bytes, to: "queue.db")
    return queueID
  }

  private func mode(_ path: String) -> mode_t {
    var info = stat()
    stat(path, &info)
    return info.st_mode & 0o777
  }
}
