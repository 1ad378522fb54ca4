import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite(
  "The queue on storage that fails at the start",
  .enabled(if: LoopDisk.isPossible, "it is a loop mount, which needs root"), .serialized)
struct QueueStartTests {
  let disk: LoopDisk

  init() throws {
    disk = try LoopDisk()
    mkdir(disk.path + "/queue", 0o750)
  }

  /// What a power cut leaves of a queue.
  private func leaveQueue() throws -> UInt64 {
    let folder = QueueFolder()
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...100)))
    try store[0].remove(Array(1...10))
    try store.commit(
      Commit(records: makeRecords(101...103), tail: [makeRecord(104)], state: ["odometer_m": "7"]))
    for name in folder.files { disk.write(folder.read(name), to: "queue/" + name) }
    // What is not flushed goes with the breakdown.
    system("sync -f \(disk.path)")
    return store.queueID
  }

  private func start() throws -> QueueStore { try QueueStore(path: disk.queue, goesOnWithoutStorage: true) }

  @Test("what can be read is read, nothing is held open, and after another mount it goes on where it was")
  func readable() throws {
    let queueID = try leaveQueue()
    try disk.breakDown()
    let store = try start()
    #expect(store.isClosed && !store.isUnread)
    #expect(store.queueID == queueID)
    #expect(store[0].count == 0)
    let restored = store.restore()
    #expect(restored.lastSequence == 104)
    #expect(restored.tail.asMade == [makeRecord(104)])
    #expect(restored.state == ["odometer_m": "7"])
    let fault = try #require(store.storageProblem)
    #expect(fault.contains("the file system is mounted read-only"), "\(fault)")
    #expect(throws: StoreError.self) { try store.commit(Commit(records: [makeRecord(105)])) }
    #expect(throws: StoreError.self) { try store[0].batch(limit: 9) }
    try disk.mountAgain()
    try store.commit(Commit(records: [makeRecord(105)]))
    #expect(try store.waiting() == makeRecords(11...103) + [makeRecord(105)])
    #expect(store.openReport == QueueOpenReport())
    #expect(store.queueID == queueID && store.storageProblem == nil)
    #expect(store.restore().state == ["odometer_m": "7"])
  }

  @Test("whoever cannot go on without storage hears that it is read-only")
  func strict() throws {
    _ = try leaveQueue()
    try disk.breakDown()
    let error = thrown(StoreError.self) { try QueueStore(path: disk.queue) }
    let words = "\(try #require(error))"
    #expect(words.contains("read-only"), "\(words)")
    #expect(!words.contains("not a queue of this program"))
  }

  @Test("of a damaged file nothing counts until it can be replaced; then another queue id begins")
  func damaged() throws {
    let queueID = try leaveQueue()
    disk.write(Array(repeating: 0xAA, count: 40_000), to: "queue/queue.db")
    system("sync -f \(disk.path)")
    try disk.breakDown()
    let store = try start()
    #expect(store.isUnread && store.isClosed)
    #expect(store.restore().lastSequence == 0)
    #expect(throws: StoreError.self) { try store.commit(Commit(records: [makeRecord(1)])) }
    #expect(throws: StoreError.self) { try store.openAgainAfterFault() }
    try disk.mountAgain()
    // An upload does not open what the tracker does not know of yet.
    #expect(throws: StoreError.self) { try store[0].records(for: UploadOrder(pick: .oldest, limit: 1)) }
    try store.openAgainAfterFault()
    #expect(!store.isUnread && store.queueID != queueID)
    #expect(store.openReport.setAside != nil)
    try store.commit(Commit(records: [makeRecord(1)]))
    #expect(try store[0].summary().ledger["damage_unknown"] == 1)
  }

  @Test("where there is no queue yet, it is made when the disk takes it")
  func new() throws {
    try disk.breakDown()
    let store = try QueueStore(path: disk.path + "/other/folder/queue.db", goesOnWithoutStorage: true)
    #expect(store.isUnread)
    let error = thrown(StoreError.self) { try store.openAgainAfterFault() }
    let words = "\(try #require(error))"
    #expect(words.contains("Read-only file system (30)"), "\(words)")
    try disk.mountAgain()
    try store.openAgainAfterFault()
    try store.commit(Commit(records: [makeRecord(1)]))
    #expect(try store.waiting() == [makeRecord(1)])
  }

  @Test(
    "a new queue on a full disk is waited for like one on storage that fails, with the reason; then it is made"
  )
  func full() throws {
    try disk.fill()
    let path = disk.path + "/queue/queue.db"
    let refused = thrown(StoreError.self) { try QueueStore(path: path) }
    #expect("\(try #require(refused))".contains("free space on the file system of queue.path"))
    let store = try start()
    #expect(store.isUnread && store.isClosed)
    let fault = try #require(store.storageProblem)
    #expect(fault.contains("free space on the file system of queue.path"), "\(fault)")
    #expect(throws: StoreError.self) { try store.openAgainAfterFault() }
    disk.free()
    try store.openAgainAfterFault()
    try store.commit(Commit(records: [makeRecord(1)]))
    #expect(try store.waiting() == [makeRecord(1)])
    #expect(store.openReport.setAside == nil)
  }

  @Test("a newer schema, and another program's database, end the start also there")
  func refused() throws {
    let other = try SQLiteDatabase(path: disk.path + "/queue/other.db")
    try other.execute("PRAGMA application_id = 7")
    try other.execute("CREATE TABLE t(a)")
    _ = try leaveQueue()
    do {
      let database = try SQLiteDatabase(path: disk.queue)
      try database.execute("PRAGMA user_version = 99")
    }
    try disk.breakDown()
    #expect(throws: StoreError.newerVersion(found: 99, known: StoreSchema.version)) { try start() }
    #expect(throws: StoreError.foreignFile(applicationID: 7)) {
      try QueueStore(path: disk.path + "/queue/other.db", goesOnWithoutStorage: true)
    }
  }

  @Test("a file system that is gone is waited for; no queue is made where it was")
  func unmounted() throws {
    let store = try start()
    try store.commit(Commit(records: makeRecords(1...3)))
    try disk.breakDown()
    #expect(throws: StoreError.self) { try store.commit(Commit(records: [makeRecord(4)])) }
    #expect(throws: StoreError.self) { try store.commit(Commit(records: [makeRecord(4)])) }
    try disk.unmount()
    mkdir(disk.path + "/queue", 0o750)
    let error = thrown(StoreError.self) { try store.commit(Commit(records: [makeRecord(4)])) }
    let words = "\(try #require(error))"
    #expect(words.contains("its file system is not mounted"), "\(words)")
    rmdir(disk.path + "/queue")
    try disk.mountAgain()
    try store.commit(Commit(records: [makeRecord(4)]))
    #expect(try store.waiting() == makeRecords(1...4))
  }
}
