import Glibc
import Testing
import TrackerCore

@testable import TrackerIO

@Suite("Where the queue's files lie")
struct QueuePlaceTests {
  let folder = QueueFolder()

  private func store(_ path: String? = nil) throws -> QueueStore {
    try QueueStore(path: path ?? folder.queue)
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
    #expect(folder.files == ["queue.db", "queue.db-front", "queue.db-wal"])
    #expect(links.files == ["first.db", "second.db"])
    #expect(try store().batch(limit: 9) == makeRecords(1...3))
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
    let error = thrown(QueueError.self) { try store(folder.path + "/a") }
    let words = "\(try #require(error))"
    #expect(words.contains("is a link that leads in a circle"), "\(words)")
  }

  // MARK: Removed files

  @Test("the database is removed under the open queue: the next transaction makes a new one with all records")
  func databaseRemoved() throws {
    let store = try store()
    let queueID = store.queueID
    try store.commit(Commit(records: makeRecords(1...100)))
    try store.quarantine(50, reason: "refused")
    try store.commit(Commit(records: makeRecords(101...103), state: ["a": "1"]))
    unlink(folder.queue)
    try store.commit(Commit(records: makeRecords(104...203), tail: [makeRecord(204)], state: ["a": "2"]))
    let expected = makeRecords(1...49) + makeRecords(51...203)
    #expect(store.openReport.findings.contains(.removed(aside: nil)))
    #expect(store.openReport.salvaged == 202)
    #expect(store.count == 202)
    #expect(try store.batch(limit: 999) == expected)
    // It is all on storage.
    let after = QueueFolder()
    folder.copyAsCut(to: after)
    let again = try self.store(after.queue)
    #expect(again.queueID == queueID)
    #expect(try again.batch(limit: 999) == expected)
    #expect(try again.restore().state == ["a": "2"])
    #expect(try again.restore().tail == [makeRecord(204)])
    #expect(try again.quarantined(after: 0, limit: 9).map(\.sequence) == [50])
    // It is reported until somebody has taken it.
    #expect(again.openReport.findings.contains(.removed(aside: nil)))
    try again.reportTaken()
  }

  @Test("everything is removed, the folder too: a new folder has everything")
  func allRemoved() throws {
    let path = folder.path + "/deep/queue.db"
    let store = try store(path)
    try store.commit(Commit(records: makeRecords(1...100)))
    try store.commit(Commit(records: makeRecords(101...103)))
    system("rm -r \(folder.path)/deep")
    try store.commit(Commit(records: makeRecords(104...203)))
    #expect(try store.batch(limit: 999) == makeRecords(1...203))
    #expect(store.openReport.findings.contains(.removed(aside: nil)) && store.frontProblem == nil)
    try store.commit(Commit(records: [makeRecord(204)]))
    system("cp -r \(folder.path)/deep \(folder.path)/copy")
    #expect(try self.store(folder.path + "/copy/queue.db").batch(limit: 999) == makeRecords(1...204))
    system("rm -r \(folder.path)/deep \(folder.path)/copy")
  }

  @Test("another file was put in its place: it is kept aside, and ours takes the place again")
  func replaced() throws {
    let store = try store()
    try store.commit(Commit(records: makeRecords(1...100)))
    rename(folder.queue, folder.path + "/moved.db")
    folder.write(Array("somebody else's".utf8), to: "queue.db")
    try store.commit(Commit(records: makeRecords(101...200)))
    #expect(try store.batch(limit: 999) == makeRecords(1...200))
    let aside = try #require(store.openReport.setAside)
    #expect(store.openReport.findings.contains(.removed(aside: store.openReport.setAside)))
    #expect(folder.read(String(aside.dropFirst(folder.path.count + 1))) == Array("somebody else's".utf8))
  }

  @Test(
    "front or log alone are removed: what they held is in the tables and they are made anew",
    arguments: ["-front", "-wal"])
  func partRemoved(suffix: String) throws {
    let store = try store()
    try store.commit(Commit(records: makeRecords(1...100)))
    try store.commit(Commit(records: makeRecords(101...103)))
    unlink(folder.queue + suffix)
    try store.commit(Commit(records: makeRecords(104...203)))
    #expect(folder.files == ["queue.db", "queue.db-front", "queue.db-wal"])
    try store.commit(Commit(records: [makeRecord(204)]))
    let after = QueueFolder()
    folder.copyAsCut(to: after)
    #expect(try self.store(after.queue).batch(limit: 999) == makeRecords(1...204))
    #expect(store.reopenings == 1)
  }

  @Test("a queue of which everything is delivered looks after its files with the quota")
  func noticedByQuota() throws {
    let store = try store()
    try store.commit(Commit(records: makeRecords(1...3)))
    unlink(folder.queue)
    #expect(try store.enforceQuota(maxBytes: 1 << 30) == [:])
    #expect(store.openReport.findings.contains(.removed(aside: store.openReport.setAside)))
    #expect(folder.files == ["queue.db", "queue.db-front", "queue.db-wal"])
  }

  @Test("the files are removed and the agent ends: they are there again")
  func removedBeforeEnd() throws {
    do {
      let store = try store()
      try store.commit(Commit(records: makeRecords(1...100)))
      for name in folder.files { unlink(folder.path + "/" + name) }
    }
    #expect(try store().batch(limit: 999) == makeRecords(1...100))
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
      #expect(store.frontProblem == nil)
      for first in stride(from: Int64(1), to: 1000, by: 5) {
        try store.commit(Commit(records: makeRecords(first...(first + 4))))
      }
      try store.remove(Array(1...500))
    }
    let store = try store(path)
    #expect(try store.batch(limit: 999) == makeRecords(501...1000))
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
      #expect(try store.batch(limit: 99) == makeRecords(1...10))
      #expect(!store.hasMoved)
      try store.remove(Array(1...10))
    }
    unlink(folder.path + "/merged/queue.db")
    unlink(folder.path + "/merged/queue.db-front")
    unlink(folder.path + "/merged/queue.db-wal")
    try live(folder.path + "/merged/queue.db")
  }
}
