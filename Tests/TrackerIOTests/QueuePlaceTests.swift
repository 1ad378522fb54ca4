import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("Where the queue's files lie")
struct QueuePlaceTests {
  let folder = QueueFolder()

  private func store(_ path: String? = nil) throws -> QueueStore {
    try QueueStore(path: path ?? folder.queue)
  }

  private func wasRemoved(_ store: QueueStore, salvaged: Int, aside: String? = nil) -> Bool {
    store.openReport.lost == 0
      && store.openReport.findings == [.replaced(aside: aside, salvaged: salvaged, lost: 0, wasRemoved: true)]
  }

  // MARK: Links

  @Test("through a link, also one to a file that is not there yet, everything lies beside the real file")
  func link() throws {
    let links = QueueFolder()
    symlink("second.db", links.path + "/first.db")
    symlink(folder.queue, links.path + "/second.db")
    do {
      let store = try store(links.path + "/first.db")
      #expect(store.path == folder.queue)
      try store.commit(Commit(records: makeRecords(1...3)))
    }
    #expect(folder.files == ["queue.db", "queue.db-wal"])
    #expect(links.files == ["first.db", "second.db"])
    #expect(try store().waiting() == makeRecords(1...3))
  }

  @Test("a damaged file behind a link is set aside beside the real one, and the link stays a link")
  func damagedBehindLink() throws {
    let links = QueueFolder()
    symlink(folder.queue, links.queue)
    folder.write(Array("this is no database, and never was one".utf8), to: "queue.db")
    let aside = try #require(try store(links.queue).openReport.setAside)
    #expect(aside.hasPrefix(folder.queue + ".corrupt-"))
    #expect(links.files == ["queue.db"])
  }

  @Test("links in a circle are refused in words")
  func circle() throws {
    symlink(folder.path + "/b", folder.path + "/a")
    symlink(folder.path + "/a", folder.path + "/b")
    let error = thrown(StoreError.self) { try store(folder.path + "/a") }
    let words = "\(try #require(error))"
    #expect(words.contains("is a link that leads in a circle"), "\(words)")
  }

  // MARK: Removed files

  @Test("the database is removed under the open queue: the next look makes a new one with all records")
  func databaseRemoved() throws {
    let store = try store()
    let queueID = store.queueID
    try store.commit(Commit(records: makeRecords(1...100), dropped: ["memory": 3]))
    try store[0].quarantine(50, reason: "refused")
    unlink(folder.queue)
    try store.commit(Commit(records: makeRecords(101...200), tail: [makeRecord(201)], state: ["a": "2"]))
    #expect(try !store.enforceQuota(maxBytes: 1 << 30))
    let expected = makeRecords(1...49) + makeRecords(51...200)
    #expect(wasRemoved(store, salvaged: 199) && store.openReport.lost == 0)
    #expect(store.queueID != queueID && store.reopenings == 1)
    #expect(try store[0].count == 199 && store.waiting() == expected)
    // It is all on storage.
    try store.commit(Commit(records: [makeRecord(201)], tail: [makeRecord(202)], state: ["a": "3"]))
    let after = folder.cut()
    let again = try self.store(after.queue)
    #expect(try again.waiting() == expected + [makeRecord(201)])
    #expect(again.restore().state == ["a": "3"] && again.restore().tail.asMade == [makeRecord(202)])
    #expect(try again[0].quarantined(after: 0, limit: 9).map(\.sequence) == [50])
    #expect(try again[0].summary().ledger == ["memory": 3])
    #expect(again.queueID == store.queueID && wasRemoved(again, salvaged: 199))
  }

  @Test("everything is removed, the folder too: a new folder has everything")
  func allRemoved() throws {
    let path = folder.path + "/deep/queue.db"
    let store = try store(path)
    try store.commit(Commit(records: makeRecords(1...100)))
    system("rm -r \(folder.path)/deep")
    try store.commit(Commit(records: makeRecords(101...103)))
    try store.enforceQuota(maxBytes: 1 << 30)
    #expect(wasRemoved(store, salvaged: 103))
    try store.commit(Commit(records: [makeRecord(104)]))
    #expect(try store.waiting() == makeRecords(1...104))
    system("cp -r \(folder.path)/deep \(folder.path)/copy")
    #expect(try self.store(folder.path + "/copy/queue.db").waiting() == makeRecords(1...104))
    system("rm -r \(folder.path)/deep \(folder.path)/copy")
  }

  @Test("another file was put in its place: it is kept aside, and ours takes the place again")
  func replaced() throws {
    let store = try store()
    try store.commit(Commit(records: makeRecords(1...100)))
    rename(folder.queue, folder.path + "/moved.db")
    folder.write(Array("somebody else's".utf8), to: "queue.db")
    try store.enforceQuota(maxBytes: 1 << 30)
    try store.commit(Commit(records: makeRecords(101...200)))
    #expect(try store.waiting() == makeRecords(1...200))
    let aside = try #require(store.openReport.setAside)
    #expect(wasRemoved(store, salvaged: 100, aside: aside))
    #expect(folder.read(String(aside.dropFirst(folder.path.count + 1))) == Array("somebody else's".utf8))
  }

  @Test(
    "the log alone is removed: what it held goes into the file, and another one is made",
    arguments: [false, true])
  func logRemoved(isInFile: Bool) throws {
    let store = try store()
    try store.commit(Commit(records: makeRecords(1...100)))
    let queueID = store.queueID
    if isInFile { try store.database.execute("PRAGMA wal_checkpoint(RESTART)") }
    unlink(folder.queue + "-wal")
    #expect(try !store.enforceQuota(maxBytes: 1 << 30))
    #expect(folder.files == ["queue.db", "queue.db-wal"])
    #expect(store.openReport == QueueOpenReport() && store.queueID == queueID && store.reopenings == 1)
    try store.commit(Commit(records: [makeRecord(101)]))
    let after = folder.cut()
    #expect(try self.store(after.queue).waiting() == makeRecords(1...101))
  }

  @Test("the log is removed before the first commit: nothing was in it, and nothing is said")
  func emptyLogRemoved() throws {
    let store = try store()
    unlink(folder.queue + "-wal")
    try store.enforceQuota(maxBytes: 1 << 30)
    #expect(store.openReport == QueueOpenReport() && folder.files == ["queue.db", "queue.db-wal"])
  }

  // MARK: File systems

  @Test("in memory (tmpfs) it works as on a disk, but for a power cut")
  func inMemory() throws {
    var template = Array("/dev/shm/godwit-queue-XXXXXX".utf8CString)
    let path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    defer { system("rm -r \(path)") }
    try live(path + "/queue.db")
  }

  /// Commits, delivers, ends and begins again.
  private func live(_ path: String) throws {
    do {
      let store = try store(path)
      for first in stride(from: Int64(1), to: 1000, by: 5) {
        try store.commit(Commit(records: makeRecords(first...(first + 4))))
      }
      try store[0].remove(Array(1...500))
      try store.enforceQuota(maxBytes: 1 << 30)
      #expect(store.reopenings == 0)
    }
    let store = try store(path)
    #expect(try store.waiting() == makeRecords(501...1000))
    #expect(store.openReport == QueueOpenReport())
  }

  @Test(
    "on an overlay it works, also over files from the image below",
    .enabled(if: LoopDisk.isPossible, "it is a mount, which needs root"))
  func overlay() throws {
    for name in ["lower", "upper", "work", "merged"] { mkdir(folder.path + "/" + name, 0o755) }
    defer { system("umount \(folder.path)/merged; cd \(folder.path) && rm -r lower upper work merged") }
    do { try store(folder.path + "/lower/queue.db").commit(Commit(records: makeRecords(1...10))) }
    let options = "lowerdir=\(folder.path)/lower,upperdir=\(folder.path)/upper,workdir=\(folder.path)/work"
    try #require(system("mount -t overlay -o \(options) overlay \(folder.path)/merged") == 0)
    do {
      let store = try store(folder.path + "/merged/queue.db")
      #expect(try store.waiting() == makeRecords(1...10))
      try store[0].remove(Array(1...10))
      try store.enforceQuota(maxBytes: 1 << 30)
      #expect(store.reopenings == 0)
    }
    for suffix in ["", "-wal"] { unlink(folder.path + "/merged/queue.db" + suffix) }
    try live(folder.path + "/merged/queue.db")
  }
}
