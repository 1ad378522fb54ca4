import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("The queue file")
struct QueueFileTests {
  let folder = QueueFolder()
  private let noDatabase = Array("this is no database, and never was one".utf8)

  private var setAside: [String] {
    folder.files.filter {
      $0.hasPrefix("queue.db.corrupt-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
    }
  }

  @Test("it is made with its folder, readable by its group only, in WAL mode with full synchronisation")
  func fresh() throws {
    let path = folder.path + "/a/b/queue.db"
    do {
      let store = try QueueStore(path: path)
      for name in [path, path + "-wal"] { #expect(mode(name) == 0o640) }
      #expect(mode(folder.path + "/a/b") == 0o750)
      #expect(try store.database.text("PRAGMA journal_mode") == "wal")
      #expect(try store.database.integer("PRAGMA synchronous") == 2)
      #expect(try store.database.integer("PRAGMA page_size") == StoreSchema.pageBytes)
      #expect(try store.database.integer("PRAGMA user_version") == Int64(StoreSchema.version))
      #expect(store.queueID > 0 && store.queueID < 1 << 60)
      #expect(store.openReport == QueueOpenReport() && store.restore().lastSequence == 0)
      #expect(fileNames(in: folder.path + "/a/b") == ["queue.db", "queue.db-wal"])
    }
    system("rm -r \(folder.path)/a")
  }

  private func mode(_ path: String) -> mode_t {
    var info = stat()
    stat(path, &info)
    return info.st_mode & 0o777
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
    let error = thrown(StoreError.self) { try QueueStore(path: folder.queue) }
    guard case .busy = error else {
      Issue.record("not .busy: \(String(describing: error))")
      return
    }
    try store.commit(Commit(records: [makeRecord(1)]))
  }

  @Test("a file of a newer program is refused and left as it is, also with its version still in the log")
  func newerVersion() throws {
    let after: QueueFolder
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: [makeRecord(1)]))
      try store.database.execute("PRAGMA user_version = 99")
      after = folder.cut()
    }
    for folder in [folder, after] {
      let (file, log) = (folder.read("queue.db"), folder.read("queue.db-wal"))
      let error = thrown(StoreError.self) { try QueueStore(path: folder.queue) }
      #expect(error == .newerVersion(found: 99, known: StoreSchema.version))
      #expect(folder.read("queue.db").elementsEqual(file) && folder.read("queue.db-wal").elementsEqual(log))
    }
  }

  @Test("another program's database is refused")
  func foreignFile() throws {
    do { try SQLiteDatabase(path: folder.queue).execute("CREATE TABLE theirs(a)") }
    let bytes = folder.read("queue.db")
    let error = thrown(StoreError.self) { try QueueStore(path: folder.queue) }
    #expect(error == .foreignFile(applicationID: 0))
    #expect(folder.read("queue.db").elementsEqual(bytes))
  }

  @Test("a command takes nothing that is no queue, or a damaged one, and leaves it as it is")
  func commands() throws {
    #expect(throws: StoreError.self) { try QueueStore(whole: folder.queue) }
    #expect(folder.files == [])
    for bytes in [[], noDatabase] {
      folder.write(bytes, to: "queue.db")
      let error = thrown(StoreError.self) { try QueueStore(whole: folder.queue) }
      #expect(error == .notAQueue(path: folder.queue))
      #expect(folder.files == ["queue.db"] && folder.read("queue.db") == bytes)
    }
    unlink(folder.queue)
    do { try QueueStore(path: folder.queue).commit(Commit(records: [makeRecord(1)])) }
    #expect(try QueueStore(whole: folder.queue).sequences() == [1])
  }

  // MARK: Replaced

  @Test("a file that is no database at all is set aside, and a new one made")
  func garbage() throws {
    folder.write(noDatabase, to: "queue.db")
    let store = try QueueStore(path: folder.queue)
    let aside = try #require(store.openReport.setAside)
    #expect(aside.hasPrefix(folder.queue + ".corrupt-") && setAside.count == 1)
    #expect(store.openReport.salvaged == 0 && store.openReport.lost == nil)
    #expect(
      store.openReport.damage == [
        "the queue file was damaged: set aside as \(aside), 0 records salvaged; how many records are lost is not known"
      ])
    try store.commit(Commit(records: [makeRecord(1)]))
    #expect(try store[0].count == 1 && store[0].summary().ledger == ["damage_unknown": 1])
  }

  @Test("a replacement is reported at each opening until somebody has taken the report")
  func reportUntilTaken() throws {
    folder.write(noDatabase, to: "queue.db")
    for _ in 1...2 { #expect(try QueueStore(path: folder.queue).openReport.setAside != nil) }
    do {
      let store = try QueueStore(path: folder.queue)
      let report = store.openReport
      try store.reportTaken()
      #expect(store.openReport == report)
    }
    #expect(try QueueStore(path: folder.queue).openReport == QueueOpenReport())
  }

  @Test("a cut between the renames of a replacement is carried to its end", arguments: [false, true])
  func cutInReplacement(isLogStillThere: Bool) throws {
    let after: QueueFolder
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: makeRecords(1...200), state: ["a": "1"]))
      after = folder.cut()
    }
    try StoreFile.replace(after.queue)
    let aside = try #require(after.files.first { $0.contains("corrupt") && !$0.hasSuffix("-wal") })
    rename(after.queue, after.queue + ".new")
    if isLogStillThere { rename("\(after.path)/\(aside)-wal", after.queue + "-wal") }
    let store = try QueueStore(path: after.queue)
    #expect(try store.waiting() == makeRecords(1...200))
    #expect(store.restore().state == ["a": "1"])
    #expect(store.openReport.setAside == "\(after.path)/\(aside)" && store.openReport.salvaged == 200)
    #expect(after.files == ["queue.db", "queue.db-wal", aside, aside + "-wal"].sorted())
  }

  @Test("what a cut left of a replacement before the renames is made again, or is nobody's")
  func unfinishedReplacement() throws {
    folder.write(noDatabase, to: "queue.db")
    folder.write([UInt8](repeating: 7, count: 9000), to: "queue.db.new")
    folder.write([UInt8](repeating: 7, count: 9000), to: "queue.db.new-wal")
    #expect(try QueueStore(path: folder.queue).openReport.setAside != nil)
    #expect(!folder.files.contains { $0.hasPrefix("queue.db.new") })
    for bytes in [[], [UInt8](repeating: 7, count: 4096)] {
      let other = QueueFolder()
      other.write(bytes, to: "queue.db.new")
      let store = try QueueStore(path: other.queue)
      #expect(store[0].count == 0)
    }
  }

  @Test("of the damaged files that were set aside the newest two are kept")
  func pruned() throws {
    for time_s in [1_700_000_005, 1_700_000_009, 1_700_000_010] {
      folder.write([1], to: "queue.db.corrupt-\(time_s)")
    }
    folder.write([1], to: "queue.db.corrupt-1700000009-wal")
    folder.write(noDatabase, to: "queue.db")
    let path = try #require(try QueueStore(path: folder.queue).openReport.setAside)
    let aside = try #require(path.split(separator: "/").last)
    #expect(Set(setAside) == ["queue.db.corrupt-1700000010", String(aside)])
    #expect(!folder.files.contains("queue.db.corrupt-1700000009-wal"))
  }

  @Test("a person's files stay, even if they are named like one that was set aside")
  func otherNames() throws {
    let theirs = ["1", "12", "99999999999999", "\(Int64.max)", "1-wal"].map { "queue.db.corrupt-\($0)" }
    for name in theirs { folder.write([1], to: name) }
    for _ in 1...3 {
      folder.write(noDatabase, to: "queue.db")
      unlink(folder.queue + "-wal")
      _ = try QueueStore(path: folder.queue)
    }
    #expect(Set(setAside).isSuperset(of: theirs.dropLast()))
    #expect(setAside.count == theirs.count - 1 + StoreFile.keptAside)
    for name in theirs { #expect(folder.read(name) == [1]) }
  }

  @Test("with the clock behind the names of older ones, the file just set aside is kept")
  func clockBehind() throws {
    for time_s in [4_000_000_000, 4_000_000_005] { folder.write([1], to: "queue.db.corrupt-\(time_s)") }
    folder.write(noDatabase, to: "queue.db")
    let store = try QueueStore(path: folder.queue)
    #expect(store.openReport.setAside == folder.queue + ".corrupt-4000000006")
    #expect(setAside == ["queue.db.corrupt-4000000005", "queue.db.corrupt-4000000006"])
  }

  // MARK: Words

  @Test("a folder that cannot be made is an error that names the call and what to do")
  func noFolder() throws {
    folder.write([1], to: "file")
    let error = thrown(StoreError.self) { try QueueStore(path: folder.path + "/file/queue.db") }
    let text = "\(try #require(error))"
    #expect(text.contains("Not a directory"))
    #expect(text.hasSuffix("the folder of queue.path must exist and belong to the agent's user"))
  }

  @Test(
    "messages say what to do",
    arguments: [
      (
        StoreError.full(call: "sqlite3_step (COMMIT)", code: 13, words: "database or disk is full"),
        "queue: sqlite3_step (COMMIT): database or disk is full (13); free space on the file system of queue.path"
      ),
      (
        .newerVersion(found: 9, known: 1),
        "queue: the file has schema version 9 and this program knows 1; install the newer program again, or move "
          + "the file away"
      ),
    ])
  func messages(error: StoreError, text: String) { #expect("\(error)" == text) }
}
