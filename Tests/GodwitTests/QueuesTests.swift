import Glibc
import Testing
import TrackerCore

@testable import TrackerIO
@testable import godwit

@Suite("The queues of several servers")
struct QueuesTests {
  let folder = QueueFolder()
  let log = Log(level: .error)
  var settings = Settings()

  init() {
    settings.queue.path = folder.queue
    settings.others = ["second", "third"].map { OtherServer(name: $0, sync: Settings().sync) }
  }

  private func storage(_ queues: Queues) -> Storage {
    Storage(queues: queues, settings: settings.queue, log: log)
  }

  private func sequences(_ queues: Queues) throws -> [[Int64]] {
    try queues.all.map { try $0.batch(limit: .max).map(\.sequence) }
  }

  @Test("a record goes into each queue, and leaves only that of the server which took or refused it")
  func apart() throws {
    let queues = try Queues(settings, log: log)
    let storage = storage(queues)
    #expect(storage.commit(Commit(records: makeRecords(1...3))) == [.committed(queued: [3, 3, 3])])
    #expect(storage.remove([1, 2], server: 1) == [.queueShrank(queued: 1, server: 1)])
    #expect(storage.quarantine(2, reason: "422", server: 2) == [.queueShrank(queued: 2, server: 2)])
    #expect(try sequences(queues) == [[1, 2, 3], [3], [1, 3]])
    #expect(try queues.all.map { try $0.summary().quarantined } == [0, 0, 1])
    #expect(folder.files.filter { $0.hasSuffix(".db") } == ["queue-second.db", "queue-third.db", "queue.db"])
  }

  @Test("a server that is new gets everything that waits for the first")
  func newcomer() throws {
    var settings = settings
    settings.others = []
    do {
      let queues = try Queues(settings, log: log)
      try queues.first.commit(Commit(records: makeRecords(1...2500)))
      try queues.first.remove([1])
    }
    let queues = try Queues(self.settings, log: log)
    #expect(queues.all.map(\.count) == [2499, 2499, 2499])
    #expect(try sequences(queues)[2].first == 2)
  }

  @Test(
    "a power cut between two commits: the others get what the first has, and nothing that they had before")
  func cutBetween() throws {
    do {
      let queues = try Queues(settings, log: log)
      #expect(storage(queues).commit(Commit(records: makeRecords(1...5))) == [.committed(queued: [5, 5, 5])])
      try queues.others[0].queue.remove([1, 2, 3, 4, 5])
      // The third has not come to it.
      try queues.first.commit(Commit(records: makeRecords(6...7)))
      try queues.others[0].queue.commit(Commit(records: makeRecords(6...7)))
    }
    let queues = try Queues(settings, log: log)
    #expect(try sequences(queues) == [Array(1...7), [6, 7], Array(1...7)])
    #expect(try queues.restored().queued == [7, 2, 7])
  }

  @Test("in another box each queue begins another id, behind the greatest number that any was given")
  func otherBox() throws {
    do {
      let queues = try Queues(settings, log: log)
      try queues.noteHost(HostIdentity(board: "b"))
      #expect(try queues.restored().moves.isEmpty)
      #expect(storage(queues).commit(Commit(records: makeRecords(1...5))) == [.committed(queued: [5, 5, 5])])
      // The third has not come to it.
      try queues.others[0].queue.commit(Commit(records: makeRecords(6...7)))
    }
    let queues = try Queues(settings, log: log)
    try queues.noteHost(HostIdentity(board: "b2"))
    let restored = try queues.restored()
    #expect(
      restored.moves.count == 3 && restored.moves[0].hasPrefix("the queue was last used on another board: "))
    #expect(restored.moves[1].contains("second") && restored.idChanges.count == 1)
    #expect(queues.all.allSatisfy { $0.ids[7] == $0.queueID && $0.ids[8] != $0.queueID })
    #expect(Set(queues.all.map(\.ids.newest)).count == 3)
    let events = storage(queues).renumber(Renumbering([2, 3], renews: false), server: 1)
    #expect(
      events == [
        .queueIDChanged(QueueIDChanges(queues.all[1].ids), server: 1), .queueShrank(queued: 7, server: 1),
      ])
    #expect(queues.all[1].ids[2] == queues.all[1].ids.newest && queues.first.ids[2] == queues.first.queueID)
  }

  @Test(
    "a device that is named by its machine has its own name on another board, one with a device_id keeps it")
  func deviceName() throws {
    var named = settings
    named.deviceID = "van-7"
    let queues = try Queues(settings, log: log)
    try queues.noteHost(HostIdentity(board: "b"))
    var (plan, namedPlan) = (
      try Plan(Overlaid(settings: settings)), try Plan(Overlaid(settings: named))
    )
    let machine = plan.identity.device
    plan.name(by: queues)
    #expect(plan.identity.device == machine)
    _ = queues.first.noteHost(HostIdentity(board: "b2"), after: 0)
    plan.name(by: queues)
    namedPlan.name(by: queues)
    #expect(plan.identity.device == "\(machine)-\(queues.first.boardSuffix ?? "")")
    #expect(plan.identity.device.count == machine.count + 9 && namedPlan.identity.device == "van-7")
  }

  @Test(
    "a start on another board, or back on the first one, says the device's name; the next start there does not"
  )
  func nameNote() throws {
    func note(board: String, deviceID: String = "") throws -> (words: String?, name: String) {
      var settings = settings
      settings.deviceID = deviceID
      let queues = try Queues(settings, log: log)
      try queues.noteHost(HostIdentity(board: board))
      var plan = try Plan(Overlaid(settings: settings))
      plan.name(by: queues)
      return (plan.nameNote(after: queues), plan.identity.device)
    }
    let first = try note(board: "b")
    #expect(first.words == nil)
    let second = try note(board: "b2")
    #expect(second.name.hasPrefix(first.name + "-"))
    #expect(
      second.words
        == "the device is named \(second.name) from now on, as it is on another board; device_id would keep one name"
    )
    #expect(try note(board: "b2").words == nil)
    let back = try note(board: "b")
    #expect(back.name == first.name)
    #expect(
      back.words
        == "the device is named \(first.name) from now on, as it is on the board where its queue began; device_id would keep one name"
    )
    #expect(try note(board: "b2", deviceID: "van-7").words == nil)
  }

  @Test("no number that another queue has seen is given again, though the first queue's file was lost")
  func numbering() throws {
    do {
      let queues = try Queues(settings, log: log)
      _ = storage(queues).commit(Commit(records: makeRecords(1...40)))
    }
    for name in ["queue.db", "queue.db-wal", "queue.db-front"] { unlink("\(folder.path)/\(name)") }
    let queues = try Queues(settings, log: log)
    #expect(try queues.restored().lastSequence == 40)
    #expect(queues.all.map(\.count) == [0, 40, 40])
  }

  @Test(
    "a queue that fails is reported in words that name its server; the others have the commit, and the next mends it"
  )
  func oneFails() throws {
    let queues = try Queues(settings, log: log)
    let storage = storage(queues)
    try queues.others[1].queue.database.execute("PRAGMA query_only = ON")
    // More than the front takes.
    guard
      case .commitFailed(let words?, let stored, isCostly: false)? = storage.commit(
        Commit(records: makeRecords(1...100))
      ).last
    else {
      Issue.record("nothing failed")
      return
    }
    #expect(words.hasPrefix("server third: queue: ") && stored == [0: 100, 1: 100])
    #expect(
      storage.commit(Commit(records: makeRecords(1...100))).last == .committed(queued: [100, 100, 100]))
  }

  @Test("a power cut tears a further server's slot: what was in it comes from the first")
  func torn() throws {
    let cut = QueueFolder()
    do {
      let queues = try Queues(settings, log: log)
      let storage = storage(queues)
      for sequence in 1...3 as ClosedRange<Int64> {
        _ = storage.commit(Commit(records: [makeRecord(sequence)]))
        _ = storage.remove([1], server: 1)
      }
      folder.copyAsCut(to: cut)
    }
    var front = cut.read("queue-second.db-front")
    let begins = [0, FrontFile.stride]
    let generations = begins.map { FrontSlot(Array(front[$0..<($0 + FrontSlot.bytes)]))?.generation ?? 0 }
    let newest = generations[0] > generations[1] ? 0 : FrontFile.stride
    for index in (newest + 100)..<(newest + 400) { front[index] = 0x55 }
    cut.write(front, to: "queue-second.db-front")
    var settings = settings
    settings.queue.path = cut.queue
    let queues = try Queues(settings, log: log)
    #expect(try sequences(queues) == [[1, 2, 3], [2, 3], [1, 2, 3]])
    #expect(try queues.restored().lastSequence > 10_000)
  }

  @Test(
    "what a queue took of a commit that failed in another one does not come to it again, also when it is delivered"
  )
  func ahead() throws {
    let queues = try Queues(settings, log: log)
    let storage = storage(queues)
    try queues.others[1].queue.database.execute("PRAGMA query_only = ON")
    let first = Commit(records: makeRecords(1...100), dropped: ["memory_full": 5])
    guard case .commitFailed = storage.commit(first).last else {
      Issue.record("nothing failed")
      return
    }
    #expect(try queues.first.batch(limit: .max).count == 100)
    _ = storage.remove(Array(1...100))
    let again = Commit(records: makeRecords(1...101), dropped: ["memory_full": 8])
    #expect(storage.commit(again).last == .committed(queued: [1, 101, 101]))
    #expect(try queues.all.map { try $0.summary().ledger } == Array(repeating: ["memory_full": 8], count: 3))
    let next = Commit(records: makeRecords(102...102), dropped: ["memory_full": 2])
    #expect(storage.commit(next).last == .committed(queued: [2, 102, 102]))
    #expect(try queues.first.summary().ledger == ["memory_full": 10])
  }

  @Test(
    "a further server's queue cannot be opened: the others stay open, and nobody touches it until it is its turn"
  )
  func failsAlone() throws {
    let queues = try Queues(settings, log: log)
    let lockPath = folder.queue + ".lock"
    let storage = Storage(
      queues: queues, settings: settings.queue, log: log, lock: try ProcessLock(path: lockPath))
    let probe = settings.queue.path(forServer: "third") + "-probe"
    try queues.others[1].queue.database.execute("PRAGMA query_only = ON")
    mknod(probe, S_IFSOCK | 0o600, 0)
    for _ in 0..<2 { _ = storage.commit(Commit(records: makeRecords(1...100))) }
    #expect(queues.all.map(\.isClosed) == [false, false, true])
    #expect(throws: HostError.self) { try ProcessLock(path: lockPath) }
    unlink(probe)
    var commit = Commit(records: makeRecords(1...101))
    commit.retriesFailed = false
    #expect(storage.commit(commit) == [.commitFailed(nil, stored: [0: 101, 1: 101])])
    #expect(queues.others[1].queue.isClosed && queues.rewrittenLogs == 0)
    // A read leaves it alone as well.
    #expect(throws: QueueError.self) { try queues.others[1].queue.records(for: UploadOrder(limit: 1)) }
    commit.retriesFailed = true
    #expect(storage.commit(commit).last == .committed(queued: [101, 101, 101]))
    #expect(queues.rewrittenLogs == 1)
  }

  @Test("a queue that can be opened and takes nothing is reported as costly, from the second time on")
  func costly() throws {
    let queues = try Queues(settings, log: log)
    let storage = storage(queues)
    // A constraint: what the program never breaks, so the file is taken for damaged.
    try queues.others[1].queue.database.execute(
      "CREATE TRIGGER t BEFORE INSERT ON records BEGIN SELECT raise(ABORT, 'no'); END")
    let costs = (0..<3).map { _ -> Bool? in
      let last = storage.commit(Commit(records: makeRecords(1...100))).last
      if case .commitFailed(_, _, let isCostly)? = last { return isCostly }
      return nil
    }
    #expect(costs == [false, true, true])
  }

  @Test("the ledger of a queue that has a record does not count it as dropped for another one's sake")
  func spared() throws {
    let queues = try Queues(settings, log: log)
    var commit = Commit(records: makeRecords(1...2), dropped: ["memory_full": 5])
    commit.spared = [0: 5, 1: 2]
    _ = storage(queues).commit(commit)
    #expect(
      try queues.all.map { try $0.summary().ledger } == [[:], ["memory_full": 3], ["memory_full": 5]])
  }

  /// Storage that fails: a socket has no device behind it (ENXIO).
  private func breakDown(_ path: String) {
    rename(path, path + "-kept")
    for suffix in ["", "-probe"] { mknod(path + suffix, S_IFSOCK | 0o600, 0) }
  }

  private func mend(_ path: String) {
    unlink(path + "-probe")
    rename(path + "-kept", path)
  }

  @Test(
    "the first can be read again before another one: the tracker is informed all the same, before any commit")
  func readOneByOne() throws {
    do {
      let queues = try Queues(settings, log: log)
      _ = storage(queues).commit(Commit(records: makeRecords(1...40)))
    }
    let second = settings.queue.path(forServer: "second")
    for path in [folder.queue, second] { breakDown(path) }
    let queues = try Queues(settings, log: log)
    let storage = storage(queues)
    #expect(queues.first.isUnread && queues.others[0].queue.isUnread)
    mend(folder.queue)
    guard case .commitFailed = storage.commit(Commit(records: makeRecords(1...1))).last else {
      Issue.record("a commit on storage that fails")
      return
    }
    mend(second)
    guard case .queueRead(let found) = storage.commit(Commit(records: makeRecords(1...1))).last else {
      Issue.record("the tracker does not know which numbers were given")
      return
    }
    #expect(found.lastSequence >= 40 && found.queued == [40, 40, 40])
    let next = Commit(records: [makeRecord(found.lastSequence + 1)])
    #expect(storage.commit(next).last == .committed(queued: [41, 41, 41]))
  }

  @Test("a new server's queue that takes nothing yet does not keep the agent from starting")
  func newcomerFails() throws {
    do {
      try QueueStore(path: folder.queue).commit(Commit(records: makeRecords(1...100)))
      let second = try QueueStore(path: settings.queue.path(forServer: "second"))
      try second.database.execute(
        "CREATE TRIGGER t BEFORE INSERT ON records BEGIN SELECT abs(-9223372036854775807 - 1); END")
    }
    let queues = try Queues(settings, log: log)
    let storage = storage(queues)
    guard case .commitFailed = storage.commit(Commit(records: makeRecords(101...101))).last else {
      Issue.record("nothing failed")
      return
    }
    try queues.others[0].queue.openAgainAfterFault()
    try queues.others[0].queue.database.execute("DROP TRIGGER t")
    #expect(storage.commit(Commit(records: makeRecords(101...101))) == [.committed(queued: [101, 101, 101])])
  }
}
