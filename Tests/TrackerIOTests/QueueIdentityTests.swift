import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

/// Two boxes from one copied card: FAULTS 67.
@Suite("The queue in another box")
struct QueueIdentityTests {
  let folder = QueueFolder()
  let here = HostIdentity(machineID: "m", board: "b", card: "c")

  /// Five records wait, of seven that were made.
  private func leaveQueue() throws -> UInt64 {
    let store = try QueueStore(path: folder.queue)
    #expect(store.noteHost(here) == nil)
    try store.commit(Commit(records: makeRecords(1...7)))
    try store[0].remove([1, 2])
    return store.queueID
  }

  private func ids(_ store: QueueStore) throws -> [UInt64] { try store[0].batch(limit: 99).map(\.queueID) }

  @Test(
    "a part that was known and is another now makes another id; one that is not known makes none",
    arguments: [
      (HostIdentity(machineID: "m", board: "b", card: "c"), nil),
      (HostIdentity(), nil), (HostIdentity(machineID: "m"), nil), (HostIdentity(board: "b", card: "c"), nil),
      (HostIdentity(machineID: "m2", board: "b", card: "c"), "under another machine id"),
      (HostIdentity(machineID: "m", board: "b2", card: "c"), "on another board"),
      (HostIdentity(board: "b2"), "on another board"), (HostIdentity(card: "c2"), "on another card"),
      (
        HostIdentity(machineID: "m2", board: "b2", card: "c2"),
        "under another machine id, on another board, on another card"
      ),
    ] as [(HostIdentity, String?)])
  func parts(host: HostIdentity, places: String?) throws {
    let first = try leaveQueue()
    var id: UInt64 = 0
    do {
      let store = try QueueStore(path: folder.queue)
      let words = places.map {
        "the queue was last used \($0): new records get another queue id, so that two boxes from one copied "
          + "card stay apart; what waits keeps its own"
      }
      #expect(store.noteHost(host) == words)
      id = store.queueID
      #expect((id != first) == (places != nil))
      let changes = store.idChanges
      #expect(changes.count == (places == nil ? 0 : 1) && (changes.last_ms != nil) == (places != nil))
      try store.commit(Commit(records: [makeRecord(8)]))
      #expect(try ids(store) == Array(repeating: first, count: 5) + [id])
    }
    // At home there.
    let again = try QueueStore(path: folder.queue)
    #expect(again.noteHost(host) == nil && again.queueID == id)
    #expect(try again.waiting() == makeRecords(3...8))
  }

  @Test("what was not known for a while is compared with what was known before")
  func remembered() throws {
    let first = try leaveQueue()
    for host in [HostIdentity(), HostIdentity(machineID: "m"), here] {
      #expect(try QueueStore(path: folder.queue).noteHost(host) == nil)
    }
    let store = try QueueStore(path: folder.queue)
    #expect(store.noteHost(HostIdentity(card: "c2")) != nil && store.queueID != first)
  }

  @Test("a card that goes to another board and back: each time another id, and all wait under their own")
  func thereAndBack() throws {
    var expected = Array(repeating: try leaveQueue(), count: 5)
    for (offset, board) in ["b2", "b", "b2"].enumerated() {
      let store = try QueueStore(path: folder.queue)
      #expect(store.noteHost(HostIdentity(board: board)) != nil)
      #expect((store.boardSuffix == nil) == (board == "b"))
      expected.append(store.queueID)
      try store.commit(Commit(records: [makeRecord(8 + Int64(offset))]))
    }
    let store = try QueueStore(path: folder.queue)
    #expect(try ids(store) == expected && Set(expected).count == 4)
    #expect(store.idChanges.count == 3)
  }

  @Test("a board has a suffix only where another one was the first, and always the same")
  func suffix() throws {
    _ = try leaveQueue()
    let store = try QueueStore(path: folder.queue)
    #expect(store.boardSuffix == nil)
    _ = store.noteHost(HostIdentity(board: "b2"))
    let suffix = try #require(store.boardSuffix)
    #expect(suffix.count == 8)
    let other = QueueFolder()
    let otherStore = try QueueStore(path: other.queue)
    _ = otherStore.noteHost(HostIdentity(card: "c"))
    #expect(otherStore.boardSuffix == nil)
    for board in ["b1", "b2"] { _ = otherStore.noteHost(HostIdentity(board: board)) }
    #expect(otherStore.boardSuffix == suffix)
  }

  @Test("records that the server refuses as another box's get the newest id, all others keep theirs")
  func renumber() throws {
    let first = try leaveQueue()
    var id: UInt64 = 0
    do {
      let store = try QueueStore(path: folder.queue)
      try store.renumber([3, 4, 99], renews: true)
      id = store.queueID
      #expect(id != first && store.idChanges.count == 1)
      #expect(try ids(store) == [id, id, first, first, first])
      try store.renumber([5], renews: false)
      #expect(store.queueID == id && store.idChanges.count == 1)
      try store.commit(Commit(records: [makeRecord(8)]))
    }
    let store = try QueueStore(path: folder.queue)
    #expect(try store.queueID == id && ids(store) == [id, id, id, first, first, id])
  }

  @Test("cut at any point while another id is begun: the old ids or all of the new ones, and every record")
  func cut() throws {
    let first = try leaveQueue()
    let store = try QueueStore(path: folder.queue)
    // The server has it: it must not come back under any id.
    try store[0].remove([3])
    let before = folder.read("queue.db-wal")
    try store.renumber([4, 5], renews: true)
    let now = folder.read("queue.db-wal")
    let end = try #require(now.indices.last { now[$0] != before[$0] })
    var found: Set<[UInt64]> = []
    for kept in stride(from: 0, through: end + 1, by: 401) + [end + 1] {
      let after = folder.cut(log: Array(now[..<kept]) + before[kept...], bytes: now.count)
      let cut = try QueueStore(path: after.queue)
      #expect(try cut.waiting() == makeRecords(4...7))
      #expect(cut.openReport.damage.isEmpty)
      let ids = try ids(cut)
      found.insert(ids)
      // Where the log ends with a part of a frame, numbers may have been given that nothing shows.
      #expect(ids.contains(cut.queueID) || cut.idChanges.count == 1)
    }
    #expect(found == [[first, first, first, first], [store.queueID, store.queueID, first, first]])
  }

  @Test("another id that a power cut keeps from storage is begun again at the next start")
  func unsaved() throws {
    _ = try leaveQueue()
    let store = try QueueStore(path: folder.queue)
    let there = HostIdentity(board: "b2")
    #expect(store.noteHost(there) != nil)
    let before = folder.cut()
    #expect(try QueueStore(path: before.queue).noteHost(there) != nil)
    // Even if it brings no record.
    try store.commit(Commit())
    let after = folder.cut()
    let again = try QueueStore(path: after.queue)
    #expect(again.noteHost(there) == nil && again.queueID == store.queueID)
  }

  @Test(
    "damage begins another id, and knows the box; where nothing of the file is left it does not, and is new")
  func damaged() throws {
    let first = try leaveQueue()
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(8...300)))
    try store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let (damaged, emptied) = (folder.cut(), folder.cut())
    damaged.overwrite(0xA5, page: 12)
    let saved = try QueueStore(path: damaged.queue)
    #expect(saved.openReport.setAside != nil && saved.queueID != first && saved.idChanges.count == 1)
    #expect(try ids(saved).allSatisfy { $0 == first })
    #expect(saved.noteHost(here) == nil)
    emptied.write([UInt8](repeating: 1, count: 9000), to: "queue.db")
    let new = try QueueStore(path: emptied.queue)
    #expect(new.queueID != first && new.noteHost(HostIdentity(board: "b2")) == nil)
  }

  @Test("after a failure of the storage, and in the place of a removed file, the other id goes on")
  func goesOn() throws {
    let first = try leaveQueue()
    let store = try QueueStore(path: folder.queue)
    _ = store.noteHost(HostIdentity(board: "b2"))
    let id = store.queueID
    try store.fail()
    try store.commit(Commit(records: [makeRecord(8)]))
    #expect(store.reopenings == 1 && store.queueID == id && id != first)
    #expect(try ids(store).last == id)
    unlink(folder.queue)
    try store.enforceQuota(maxBytes: .max)
    try store.commit(Commit(records: [makeRecord(9)]))
    #expect(store.noteHost(HostIdentity(board: "b2")) == nil)
    #expect(try Array(ids(store).prefix(6)) == Array(repeating: first, count: 5) + [id])
  }
}

/// With storage that takes nothing at the start.
@Suite(
  "The queue in another box, on storage that fails",
  .enabled(if: LoopDisk.isPossible, "it is a loop mount, which needs root"), .serialized)
struct QueueIdentityStartTests {
  @Test("the other id counts at once, and is written with the first commit that works")
  func readOnly() throws {
    let disk = try LoopDisk()
    mkdir(disk.path + "/queue", 0o750)
    do {
      let store = try QueueStore(path: disk.queue)
      _ = store.noteHost(HostIdentity(board: "b"))
      try store.commit(Commit(records: makeRecords(1...3)))
    }
    system("sync -f \(disk.path)")
    try disk.breakDown()
    let store = try QueueStore(path: disk.queue, goesOnWithoutStorage: true)
    let first = store.queueID
    #expect(store.isClosed && store.noteHost(HostIdentity(board: "b2")) != nil)
    let id = store.queueID
    #expect(id != first)
    try disk.mountAgain()
    try store.commit(Commit(records: [makeRecord(4)]))
    let after = QueueFolder()
    for name in fileNames(in: disk.path + "/queue") {
      after.write(fileBytes(disk.path + "/queue/" + name) ?? [], to: name)
    }
    for queue in [store, try QueueStore(path: after.queue)] {
      #expect(queue.queueID == id)
      #expect(try queue[0].batch(limit: 9).map(\.queueID) == [first, first, first, id])
    }
  }
}
