import Glibc
import Testing
import TrackerCore

@testable import TrackerIO

/// Two boxes from one copied card: FAULTS 67.
@Suite("The queue in another box")
struct QueueIdentityTests {
  let folder = QueueFolder()
  let here = HostIdentity(machineID: "m", board: "b", card: "c")

  /// Five records wait, of seven that were made.
  private func leaveQueue() throws -> UInt64 {
    let store = try QueueStore(path: folder.queue)
    #expect(store.noteHost(here, after: 0) == nil)
    try store.commit(Commit(records: makeRecords(1...7)))
    try store.remove([1, 2])
    return store.queueID
  }

  private func each(_ store: QueueStore, _ sequences: ClosedRange<Int64>) -> [UInt64] {
    sequences.map { store.ids[$0] }
  }

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
      let words = store.noteHost(host, after: 7)
      #expect(
        words
          == places.map {
            "the queue was last used \($0): new records get another queue id, so that two boxes from one copied "
              + "card stay apart; what waits keeps its own"
          })
      id = store.ids.newest
      #expect((id != first) == (places != nil))
      #expect(each(store, 3...9) == Array(repeating: first, count: 5) + [id, id])
      #expect(
        store.ids.changes == (places == nil ? 0 : 1) && (store.ids.changed_ms != nil) == (places != nil))
    }
    // At home there.
    let again = try QueueStore(path: folder.queue)
    #expect(again.noteHost(host, after: 7) == nil && again.ids.newest == id && again.queueID == first)
    #expect(try again.batch(limit: 99) == makeRecords(3...7))
  }

  @Test("what was not known for a while is compared with what was known before")
  func remembered() throws {
    let first = try leaveQueue()
    for host in [HostIdentity(), HostIdentity(machineID: "m"), here] {
      #expect(try QueueStore(path: folder.queue).noteHost(host, after: 7) == nil)
    }
    let store = try QueueStore(path: folder.queue)
    #expect(store.noteHost(HostIdentity(card: "c2"), after: 7) != nil && store.ids.newest != first)
  }

  @Test(
    "a card that goes to another board and back: each time another id, and records of both wait under their own"
  )
  func thereAndBack() throws {
    let first = try leaveQueue()
    var ids = [first]
    var last: Int64 = 7
    for board in ["b2", "b", "b2"] {
      let store = try QueueStore(path: folder.queue)
      #expect(store.noteHost(HostIdentity(board: board), after: last) != nil)
      #expect((store.boardSuffix == nil) == (board == "b"))
      ids.append(store.ids.newest)
      try store.commit(Commit(records: makeRecords(last + 1...last + 2)))
      last += 2
    }
    #expect(Set(ids).count == 4)
    let store = try QueueStore(path: folder.queue)
    #expect(each(store, 6...13) == [0, 0, 1, 1, 2, 2, 3, 3].map { ids[$0] })
    #expect(store.count == 11 && store.ids.changes == 3)
  }

  @Test("a board has a suffix only where another one was the first, and always the same")
  func suffix() throws {
    _ = try leaveQueue()
    let store = try QueueStore(path: folder.queue)
    #expect(store.boardSuffix == nil)
    _ = store.noteHost(HostIdentity(board: "b2"), after: 7)
    let suffix = try #require(store.boardSuffix)
    #expect(suffix.count == 8)
    let other = QueueFolder()
    let otherStore = try QueueStore(path: other.queue)
    _ = otherStore.noteHost(HostIdentity(card: "c"), after: 0)
    #expect(otherStore.boardSuffix == nil)
    for board in ["b1", "b2"] { _ = otherStore.noteHost(HostIdentity(board: board), after: 0) }
    #expect(otherStore.boardSuffix == suffix)
  }

  @Test("records that the server refuses as another box's get the newest id, all others keep theirs")
  func renumber() throws {
    let first = try leaveQueue()
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: [makeRecord(8)], tail: [makeRecord(9)]))
      #expect(try store.renumber(Renumbering([3, 4, 8], renews: true)) == [:])
      let id = store.ids.newest
      #expect(each(store, 3...11) == [id, id, first, first, first, id, first, id, id])
      #expect(try store.renumber(Renumbering([5], renews: false)) == [:] && store.ids.newest == id)
      #expect(store.ids.changes == 1)
    }
    let store = try QueueStore(path: folder.queue)
    let id = store.ids.newest
    #expect(id != first && each(store, 3...10) == [id, id, id, first, first, id, first, id])
  }

  @Test(
    "what was sent from memory keeps its id over another's conflict: its reply may be lost, and it come again"
  )
  func sentFromMemory() throws {
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: makeRecords(1...2)))
      _ = try store.renumber(Renumbering([1], renews: true))
      let second = store.ids.newest
      try store.commit(Commit(records: [makeRecord(3)]))
      // None is left on storage.
      try store.remove([1, 2, 3])
      _ = try store.renumber(Renumbering([1001], renews: true, sentFromMemory: 1000...1003))
      let third = store.ids.newest
      #expect(third != second)
      #expect(each(store, 1000...1004) == [second, third, second, second, third])
      // The next process numbers on from what storage knows.
      #expect(each(store, 4...5) == [third, third])
      try store.commit(Commit(records: makeRecords(1000...1003)))
      #expect(each(store, 1000...1004) == [second, third, second, second, third])
    }
    let store = try QueueStore(path: folder.queue)
    let ids = each(store, 1000...1004)
    #expect(ids[1] == ids[4] && ids[0] == ids[2] && ids[0] == ids[3] && ids[0] != ids[1])
  }

  @Test(
    "storage that could not write the ids before writes them with the records from memory, which keep theirs")
  func sentFromMemoryUnsaved() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: [makeRecord(1)]))
    _ = try store.renumber(Renumbering([1], renews: true))
    let second = store.ids.newest
    try store.remove([1])
    store.identity.ids.begin(77, after: 1, keeping: 1000...1001, at: 0)
    store.isIdentityUnsaved = true
    try store.commit(Commit(records: makeRecords(1000...1001)))
    #expect(each(store, 1000...1002) == [second, second, 77])
  }

  @Test("what no record needs any more is forgotten, and what is in quarantine needs its own")
  func forgotten() throws {
    let first = try leaveQueue()
    let store = try QueueStore(path: folder.queue)
    _ = store.noteHost(HostIdentity(card: "c2"), after: 7)
    try store.commit(Commit(records: makeRecords(8...9)))
    try store.quarantine(4, reason: "no")
    try store.remove([3, 5, 6, 7, 8])
    _ = store.noteHost(HostIdentity(card: "c3"), after: 9)
    #expect(store.ids[4] == first && store.ids.later.count == 2)
    #expect(try store.retry([4]).records == 1)
    try store.remove([4, 9])
    _ = store.noteHost(HostIdentity(card: "c4"), after: 9)
    #expect(store.ids.later.count == 1)
    let after = QueueFolder()
    folder.copyAsCut(to: after)
    #expect(try QueueStore(path: after.queue).ids == store.ids)
  }

  @Test("cut at any point while another id is begun: the old ids or all of the new ones, and every record")
  func cut() throws {
    let first = try leaveQueue()
    for isRenumbering in [false, true] {
      let (folder, after) = (QueueFolder(), QueueFolder())
      self.folder.copyAsCut(to: folder)
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: [makeRecord(8)]))
      // The server has it: it must not come back under any id.
      try store.remove([3])
      let before = Dictionary(uniqueKeysWithValues: folder.files.map { ($0, folder.read($0)) })
      if isRenumbering {
        _ = try store.renumber(Renumbering([4, 5], renews: true))
      } else {
        _ = store.noteHost(HostIdentity(board: "b2"), after: 8)
      }
      let now = Dictionary(uniqueKeysWithValues: folder.files.map { ($0, folder.read($0)) })
      let cuts = try points(before, now)
      var found: Set<UInt64> = []
      for files in cuts {
        for (name, bytes) in files { after.write(bytes, to: name) }
        let cut = try QueueStore(path: after.queue)
        #expect(try cut.batch(limit: 99) == makeRecords(4...8))
        #expect(cut.queueID == first && cut.openReport.damage.isEmpty)
        let isOld = cut.ids == QueueIDs(first: first)
        #expect(isOld || cut.ids == store.ids)
        found.insert(cut.ids.newest)
        // The next start notices it, where this one did not come to it.
        if !isRenumbering { #expect((cut.noteHost(HostIdentity(board: "b2"), after: 8) != nil) == isOld) }
      }
      #expect(found.count == 2 && cuts.count > 8, "\(cuts.count)")
    }
  }

  /// The files as a cut leaves them: the log's writes come first and in order, after them the database's.
  private func points(_ before: [String: [UInt8]], _ now: [String: [UInt8]]) throws -> [[String: [UInt8]]] {
    var points: [[String: [UInt8]]] = []
    var files = before
    for name in ["queue.db-wal", "queue.db"] {
      let (old, new) = (try #require(before[name]), try #require(now[name]))
      #expect(old.count == new.count)
      let end = (old.indices.last { old[$0] != new[$0] } ?? -1) + 1
      for kept in stride(from: 0, to: end, by: 1499) {
        files[name] = Array(new[..<kept]) + old[kept...]
        points.append(files)
      }
      files[name] = new
      points.append(files)
    }
    return points
  }

  @Test("damage that leaves the table keeps the ids; where it is gone another id is begun, once")
  func damaged() throws {
    let first = try leaveQueue()
    var ids = QueueIDs(first: 0)
    do {
      let store = try QueueStore(path: folder.queue)
      _ = store.noteHost(HostIdentity(board: "b2"), after: 7)
      try store.commit(Commit(records: makeRecords(8...300)))
      ids = store.ids
    }
    // The last page is of the records.
    var database = folder.read("queue.db")
    let used = (database.lastIndex { $0 != 0 } ?? 0) / 4096
    for index in (used * 4096)..<(used * 4096 + 4096) { database[index] = 0xA5 }
    folder.write(database, to: "queue.db")
    do {
      let store = try QueueStore(path: folder.queue)
      #expect(store.openReport.setAside != nil && store.ids == ids)
      #expect(store.noteHost(HostIdentity(board: "b2"), after: 300) == nil)
    }
    folder.write([], to: "queue.db")
    folder.write([], to: "queue.db-wal")
    do {
      let store = try QueueStore(path: folder.queue)
      #expect(store.queueID == first && store.ids.changes == 0)
      let words = try #require(store.noteHost(HostIdentity(board: "b2"), after: 2_000_000))
      #expect(words.hasPrefix("where the damaged queue was last used is not known: new records get another"))
      #expect(store.ids.newest != first && store.ids.newest != ids.newest)
      ids = store.ids
    }
    let store = try QueueStore(path: folder.queue)
    #expect(store.noteHost(HostIdentity(board: "b2"), after: 2_000_000) == nil && store.ids == ids)
  }

  @Test("files that are removed or cut while the agent runs get its ids")
  func removed() throws {
    _ = try leaveQueue()
    let store = try QueueStore(path: folder.queue)
    _ = store.noteHost(HostIdentity(board: "b2"), after: 7)
    let ids = store.ids
    unlink(folder.queue)
    try store.commit(Commit(records: makeRecords(8...200)))
    #expect(store.ids == ids)
    folder.write([], to: "queue.db")
    try store.commit(Commit(records: makeRecords(201...210)))
    #expect(store.ids == ids)
    let after = QueueFolder()
    folder.copyAsCut(to: after)
    #expect(try QueueStore(path: after.queue).ids == ids)
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
      _ = store.noteHost(HostIdentity(board: "b"), after: 0)
      try store.commit(Commit(records: makeRecords(1...3)))
    }
    system("sync -f \(disk.path)")
    try disk.breakDown()
    let store = try QueueStore(path: disk.queue, goesOnWithoutStorage: true)
    #expect(store.isClosed)
    #expect(store.noteHost(HostIdentity(board: "b2"), after: 3) != nil)
    let ids = store.ids
    #expect(ids.newest != store.queueID && ids[3] == store.queueID)
    try disk.mountAgain()
    try store.commit(Commit(records: [makeRecord(4)]))
    #expect(store.ids == ids)
    let after = QueueFolder()
    for name in fileNames(in: disk.path + "/queue") {
      after.write(fileBytes(disk.path + "/queue/" + name) ?? [], to: name)
    }
    #expect(try QueueStore(path: after.queue).ids == ids)
  }
}
