import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

/// What needs a disk that fails by itself is in Tests/Rig/storage-faults.
@Suite("The queue after a failure of the storage")
struct QueueFaultTests {
  let folder = QueueFolder()

  @Test("the next commit opens the file again; records, tail and state are as they were")
  func openedAgain() throws {
    let store = try QueueStore(path: folder.queue)
    let queueID = store.queueID
    try store.commit(Commit(records: makeRecords(1...103), tail: [makeRecord(104)], state: ["a": "1"]))
    try store.fail()
    #expect(store.reopenings == 0)
    try store.commit(Commit(records: [makeRecord(104)], tail: [makeRecord(105)], state: ["b": "2"]))
    #expect(store.reopenings == 1)
    #expect(store.queueID == queueID && store.openReport == QueueOpenReport())
    #expect(try store[0].count == 104 && store.waiting() == makeRecords(1...104))
    #expect(store.restore().tail.asMade == [makeRecord(105)])
    #expect(store.restore().state == ["b": "2"])
    try store.commit(Commit(records: [makeRecord(105)]))
    #expect(store.reopenings == 1)
    #expect(folder.files == ["queue.db", "queue.db-wal"])
  }

  @Test("what it reads from storage that failed counts as committed only when it has been written again")
  func writtenAgain() throws {
    let store = try QueueStore(path: folder.queue)
    let commit = Commit(records: makeRecords(1...3), state: ["a": "1"])
    try store.commit(commit)
    try store.fail()
    let before = folder.read("queue.db-wal")
    try store.commit(Commit(state: ["a": "1"]))
    #expect(store.reopenings == 1 && folder.read("queue.db-wal") != before)
    try store.commit(commit)
    #expect(store[0].count == 3)
  }

  @Test("while it cannot be opened everything says why, and nothing is forgotten")
  func closed() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3), tail: [makeRecord(4)], state: ["a": "1"]))
    try store.fail()
    rename(folder.queue, folder.path + "/away.db")
    mkdir(folder.queue, 0o700)
    let first = thrown(StoreError.self) { try store.commit(Commit(records: [makeRecord(4)])) }
    let refusal = "\(try #require(first))"
    #expect(refusal.contains("is a directory and not a file"))
    let second = thrown(StoreError.self) { try store[0].summary() }
    let words = "\(try #require(second))"
    #expect(words.hasSuffix("; until it can be opened again, records are held in memory"))
    #expect(store.isClosed && store.storageProblem == refusal)
    #expect(throws: StoreError.self) { try store[0].remove([1, 99]) }
    #expect(throws: StoreError.self) { try store[0].records(for: UploadOrder(limit: 1)) }
    #expect(store[0].count == 0 && store[0].statusFigures() == QueueFigures())
    #expect(store.restore().tail.asMade == [makeRecord(4)] && store.restore().state == ["a": "1"])
    rmdir(folder.queue)
    rename(folder.path + "/away.db", folder.queue)
    try store.commit(Commit(records: [makeRecord(4)]))
    #expect(try !store.isClosed && store.waiting() == makeRecords(1...4))
  }

  @Test("whatever an upload wants, delivers or has refused is read from files that were opened again")
  func picks() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...100) + makeRecords(101...110, kind: .trip)))
    for (index, pick) in [UploadOrder.Pick.newest, .events, .oldest, .later, .positions].enumerated() {
      try store.fail()
      _ = try store[0].records(for: UploadOrder(pick: pick, limit: 1))
      #expect(store.reopenings == index + 1)
    }
    try store.fail()
    try store[0].remove([1])
    try store.fail()
    try store[0].quarantine(2, reason: "no")
    try store.fail()
    try store.renumber([3], renews: true)
    #expect(try store.reopenings == 8 && store[0].count == 108 && store[0].summary().quarantined == 1)
  }

  @Test("several servers keep what is theirs over it")
  func servers() throws {
    let store = try QueueStore(path: folder.queue, servers: ["", "b"])
    try store.commit(Commit(records: makeRecords(1...9)))
    try store[1].remove([1, 2])
    try store.fail()
    try store.commit(Commit(records: [makeRecord(10)]))
    #expect(store.counts == [10, 8])
    #expect(try store.sequences(server: 1) == Array(3...10))
  }
}

@Suite(
  "The queue on a file system that makes itself read-only",
  .enabled(if: LoopDisk.isPossible, "it is a loop mount, which needs root"), .serialized)
struct QueueReadOnlyTests {
  @Test("commits are refused with the reason, the files let go, and after another mount nothing is missing")
  func readOnly() throws {
    let disk = try LoopDisk()
    let store = try QueueStore(path: disk.queue)
    try store.commit(Commit(records: makeRecords(1...100)))
    try store.commit(Commit(records: makeRecords(101...110), state: ["a": "1"]))
    try disk.breakDown()
    let error = thrown(StoreError.self) { try store.commit(Commit(records: makeRecords(111...120))) }
    let words = "\(try #require(error))"
    #expect(words.hasPrefix("queue: sqlite3_step (COMMIT): disk I/O error (778)"), "\(words)")
    #expect(words.hasSuffix("look for storage errors in the kernel's log"))
    let again = thrown(StoreError.self) { try store.commit(Commit(records: makeRecords(111...121))) }
    let trial = "\(try #require(again))"
    #expect(trial.hasPrefix("queue: a trial in the queue's folder: Read-only file system (30)"), "\(trial)")
    #expect(store[0].count == 0 && store.isClosed)
    let refused = thrown(StoreError.self) { try store[0].summary() }
    let closed = "\(try #require(refused))"
    #expect(
      closed.hasSuffix(
        "the file system is mounted read-only, or the file is another user's; until it can be opened again, records "
          + "are held in memory"))
    try disk.mountAgain()
    try store.commit(Commit(records: makeRecords(111...122)))
    #expect(try store.waiting() == makeRecords(1...122))
    #expect(try store.database.text("PRAGMA integrity_check") == "ok")
    #expect(store.openReport == QueueOpenReport() && store.restore().state == ["a": "1"])
  }
}
