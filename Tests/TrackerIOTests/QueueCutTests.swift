import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

/// The disk as a SIGKILL or a power cut leaves it.
@Suite("A cut of the power")
struct QueueCutTests {
  let folder = QueueFolder()

  @Test("everything committed is there: records, tail, state, numbering, what is removed and refused")
  func committed() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(
      Commit(records: makeRecords(1...25), tail: [makeRecord(26)], state: ["a": "1", "b": "2"]))
    try store.commit(Commit(records: makeRecords(26...30), tail: [makeRecord(31)], state: ["a": "3"]))
    try store[0].remove([1, 2])
    try store[0].quarantine(3, reason: "no")
    let after = folder.cut()
    let reopened = try QueueStore(path: after.queue)
    #expect(try reopened.waiting() == makeRecords(4...30))
    #expect(try reopened[0].count == 27 && reopened[0].summary().quarantined == 1)
    let restored = reopened.restore()
    #expect(restored.state == ["a": "3"])
    #expect(restored.tail.asMade == [makeRecord(31)] && restored.lastSequence == 31)
    #expect(reopened.queueID == store.queueID && reopened.openReport == QueueOpenReport())
  }

  @Test("numbering goes on after everything is delivered, after a cut and after an orderly end")
  func numbering() throws {
    let after: QueueFolder
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: makeRecords(1...9)))
      try store[0].remove(Array(1...9))
      after = folder.cut()
    }
    for path in [folder.queue, after.queue] {
      let store = try QueueStore(path: path)
      #expect(store[0].count == 0 && store.restore().lastSequence == 9)
    }
  }

  @Test("at any byte of the log a cut leaves a whole number of commits, oldest first")
  func anyByte() throws {
    let store = try QueueStore(path: folder.queue)
    for sequence in 1...4 as ClosedRange<Int64> {
      try store.commit(Commit(records: [makeRecord(sequence)], state: ["last": "\(sequence)"]))
    }
    let log = folder.writtenLog
    var found: Set<Int> = []
    for bytes in stride(from: log.count, through: 0, by: -397) {
      let after = folder.cut(log: log, bytes: bytes)
      let reopened = try QueueStore(path: after.queue)
      let sequences = try reopened.sequences()
      #expect(sequences == Array([1, 2, 3, 4].prefix(sequences.count)))
      #expect(reopened.restore().state["last"] == sequences.last.map { "\($0)" })
      found.insert(sequences.count)
    }
    #expect(found == [0, 1, 2, 3, 4])
  }

  @Test("work goes on after a cut, and another one loses nothing")
  func cutAfterCut() throws {
    var last = QueueFolder()
    for sequence in 1...8 as ClosedRange<Int64> {
      let store = try QueueStore(path: last.queue)
      #expect(try store.waiting() == makeRecords(1...8).filter { $0.sequence < sequence })
      try store.commit(Commit(records: [makeRecord(sequence)]))
      last = last.cut()
    }
  }

  @Test("where the log went into the file meanwhile, often, nothing is missing either")
  func checkpoints() throws {
    let store = try QueueStore(path: folder.queue)
    var expected: [Int64] = []
    for first in stride(from: Int64(1), to: 6000, by: 500) {
      for start in stride(from: first, to: first + 500, by: 20) {
        try store.commit(Commit(records: makeRecords(start...(start + 19)), state: ["last": "\(start)"]))
      }
      try store[0].remove(Array(first...(first + 399)))
      expected += (first + 400)...(first + 499)
      let after = folder.cut()
      let reopened = try QueueStore(path: after.queue)
      #expect(try reopened.sequences() == expected)
      #expect(reopened.openReport == QueueOpenReport())
      #expect(reopened.restore().state["last"] == "\(first + 480)")
    }
    #expect(folder.read("queue.db-wal").count == Int(StoreRoom.logBytes))
  }

  @Test("after any statement of the first start, nothing is said of damage, and the file becomes whole")
  func migration() throws {
    for statements in 0...StoreSchema.migrations[0].count + 1 {
      let (before, after) = (QueueFolder(), QueueFolder())
      do {
        let database = try SQLiteDatabase(path: before.queue)
        try database.execute("PRAGMA page_size = \(StoreSchema.pageBytes)")
        try database.execute("PRAGMA journal_mode = WAL")
        // So that pages of the open transaction come into the log, too.
        try database.execute("PRAGMA cache_size = 1")
        try database.execute("BEGIN IMMEDIATE")
        for statement in StoreSchema.migrations[0].prefix(statements) { try database.execute(statement) }
        if statements > StoreSchema.migrations[0].count {
          try database.execute("PRAGMA user_version = 1")
          try database.execute("COMMIT")
        }
        before.copyAsCut(to: after)
      }
      let store = try QueueStore(path: after.queue)
      #expect(store.openReport == QueueOpenReport())
      #expect(try store.database.integer("PRAGMA user_version") == Int64(StoreSchema.version))
      try store.commit(Commit(records: [makeRecord(1)]))
      #expect(try store.sequences() == [1])
      #expect(try store.database.text("PRAGMA integrity_check") == "ok")
    }
  }

  @Test("a file that was begun and has nothing in it yet is no damage")
  func begun() throws {
    folder.write([], to: "queue.db")
    #expect(try QueueStore(path: folder.queue).openReport == QueueOpenReport())
  }
}

@Suite("The queue's log, and whoever else reads the queue")
struct QueueLogTests {
  let folder = QueueFolder()

  @Test("a log that was removed after a cut is found, and another queue id begun")
  func removed() throws {
    let store = try QueueStore(path: folder.queue)
    for isLogOld in [false, true] {
      if isLogOld { try store.database.execute("PRAGMA wal_checkpoint(RESTART)") }
      // Enough that the store itself has written the log back.
      for _ in 1...(isLogOld ? 600 : 1) {
        let next = store.restore().lastSequence + 1
        try store.commit(Commit(records: makeRecords(next...(next + 9)), state: ["n": "\(next)"]))
      }
      let after = folder.cut()
      unlink(after.queue + "-wal")
      let found = try QueueStore(path: after.queue)
      #expect(found.openReport.findings == [.logMissing])
      #expect(
        found.openReport.damage == [
          "the queue's log was removed: what was committed last is missing; how many records are lost is not known"
        ])
      #expect(found.queueID != store.queueID && found[0].count <= store[0].count)
      try found.commit(Commit(records: [makeRecord(1_000_000)]))
      try found.reportTaken()
      let again = after.cut()
      #expect(try QueueStore(path: again.queue).openReport == QueueOpenReport())
    }
  }

  @Test("after an orderly end the log may be removed")
  func removedAfterEnd() throws {
    let id: UInt64
    do {
      let store = try QueueStore(path: folder.queue)
      id = store.queueID
      try store.commit(Commit(records: makeRecords(1...5), tail: [makeRecord(6)], state: ["a": "1"]))
      try store[0].remove([2])
    }
    unlink(folder.queue + "-wal")
    let store = try QueueStore(path: folder.queue)
    #expect(try store.sequences() == [1, 3, 4, 5])
    #expect(store.restore().tail.asMade == [makeRecord(6)] && store.restore().state == ["a": "1"])
    #expect(store.openReport == QueueOpenReport() && store.queueID == id)
  }

  private static let hasShell = system("sqlite3 --version > /dev/null 2>&1") == 0

  /// What a person does with the files of a stopped agent.
  private static let readings = ["select count(*) from records", ".dump", "VACUUM INTO '/dev/shm/%'"]

  @Test(
    "another program that reads the stopped queue leaves a whole one: nothing is found, and all is there",
    .enabled(if: QueueLogTests.hasShell, "it needs the sqlite3 shell"), arguments: QueueLogTests.readings,
    [false, true])
  func reader(_ reading: String, isKilled: Bool) throws {
    let after: QueueFolder
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: makeRecords(1...7), tail: [makeRecord(8)], state: ["a": "1"]))
      try store[0].remove([2])
      after = folder.cut()
    }
    try check(isKilled ? after : folder, reading)
  }

  @Test(
    "nor is anything found where the kill came before the first commit, or between a checkpoint and the next",
    .enabled(if: QueueLogTests.hasShell, "it needs the sqlite3 shell"))
  func readerWithoutCommit() throws {
    do { try QueueStore(path: folder.queue).commit(Commit(records: makeRecords(1...5000))) }
    let store = try QueueStore(path: folder.queue)
    let begun = folder.cut()
    try SQLiteQuery.run("select count(*) from records", begun.queue)
    #expect(try QueueStore(path: begun.queue).openReport == QueueOpenReport())
    for first in stride(from: Int64(1), to: 5000, by: 500) {
      try store[0].remove(Array(first...(first + 399)))
      let after = folder.cut()
      try SQLiteQuery.run("select count(*) from records", after.queue)
      let reopened = try QueueStore(path: after.queue)
      #expect(reopened.openReport == QueueOpenReport())
      #expect(try reopened.sequences() == store.sequences())
    }
  }

  private func check(_ folder: QueueFolder, _ reading: String) throws {
    let copy = String(folder.path.split(separator: "/").last ?? "")
    defer { unlink("/dev/shm/" + copy) }
    try SQLiteQuery.run(
      reading.split(separator: "%", omittingEmptySubsequences: false).joined(separator: copy), folder.queue)
    let store = try QueueStore(path: folder.queue)
    #expect(store.openReport == QueueOpenReport())
    #expect(try store.sequences() == [1, 3, 4, 5, 6, 7])
    #expect(store.restore().tail.asMade == [makeRecord(8)] && store.restore().state == ["a": "1"])
  }
}

/// The sqlite3 shell.
private enum SQLiteQuery {
  struct Failed: Error { var query: String }

  static func run(_ query: String, _ path: String) throws {
    if system("sqlite3 \(path) \"\(query)\" > /dev/null") != 0 { throw Failed(query: query) }
  }
}
