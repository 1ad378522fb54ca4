import Glibc
import Testing
import TrackerBase
import TrackerCore

@testable import TrackerIO
@testable import godwit

@Suite("Several servers in one store")
struct SeveralServersTests {
  let folder = QueueFolder()
  let log = Log(level: .error)
  var settings = Settings()

  init() {
    settings.queue.path = folder.queue
    settings.others = ["second", "third"].map { OtherServer(name: $0, sync: Settings().sync) }
  }

  private func opened(_ settings: Settings? = nil) throws -> QueueStore {
    try AgentUser.queue(settings ?? self.settings, log: log)
  }

  private func storage(_ queue: QueueStore) -> Storage {
    Storage(queue: queue, settings: settings.queue, log: log)
  }

  private func sequences(_ queue: QueueStore) throws -> [[Int64]] {
    try queue.counts.indices.map { try queue[$0].batch(limit: 10_000).map(\.sequence) }
  }

  @Test("a record waits for each server, and no longer for the one which took or refused it")
  func apart() throws {
    let queue = try opened()
    let storage = storage(queue)
    #expect(storage.commit(Commit(records: makeRecords(1...3))) == [.committed(queued: [3, 3, 3])])
    #expect(storage.remove([1, 2], server: 1) == [.queueShrank(queued: 1, server: 1)])
    #expect(storage.quarantine(2, reason: "422", server: 2) == [.queueShrank(queued: 2, server: 2)])
    #expect(try sequences(queue) == [[1, 2, 3], [3], [1, 3]])
    #expect(storage.figures().map(\.quarantined) == [0, 0, 1])
    #expect(storage.figures().map(\.oldest_ms) == [1, 3, 1].map { Optional(makeRecord($0).time_ms) })
    #expect(folder.files.filter { $0.hasSuffix(".db") } == ["queue.db"])
  }

  @Test("a server that is new gets everything that waits; one that is gone leaves nothing but a number")
  func newcomer() throws {
    var alone = settings
    alone.others = []
    do {
      let queue = try opened(alone)
      try queue.commit(Commit(records: makeRecords(1...2500)))
      try queue[0].remove([1])
    }
    do {
      let queue = try opened()
      #expect(queue.counts == [2499, 2499, 2499])
      #expect(try sequences(queue)[2].first == 2)
      #expect(storage(queue).remove([2, 3], server: 0) == [.queueShrank(queued: 2497)])
    }
    let queue = try opened(alone)
    #expect(queue.counts == [2497])
    #expect(storage(queue).figures().first?.ledger == [.serverRemoved: 2])
  }

  @Test("a power cut: each server gets what was committed, and nothing that it had before")
  func cut() throws {
    let cut = QueueFolder()
    do {
      let queue = try opened()
      let storage = storage(queue)
      #expect(storage.commit(Commit(records: makeRecords(1...5))) == [.committed(queued: [5, 5, 5])])
      _ = storage.remove([1, 2, 3, 4, 5], server: 1)
      #expect(storage.commit(Commit(records: makeRecords(6...7))) == [.committed(queued: [7, 2, 7])])
      _ = storage.quarantine(1, reason: "no", server: 2)
      folder.copyAsCut(to: cut)
    }
    var settings = settings
    settings.queue.path = cut.queue
    let queue = try opened(settings)
    #expect(try sequences(queue) == [Array(1...7), [6, 7], Array(2...7)])
    let restored = Tracker.Restored(queue, moved: nil)
    #expect(restored.queued == [7, 2, 6] && restored.lastSequence == 7 && restored.damage.isEmpty)
    #expect(storage(queue).figures().map(\.quarantined) == [0, 0, 1])
  }

  @Test("in another box new records get another id, for each server, and what waits keeps its own")
  func otherBox() throws {
    do {
      let queue = try opened()
      #expect(queue.noteHost(HostIdentity(board: "b")) == nil)
      #expect(storage(queue).commit(Commit(records: makeRecords(1...5))) == [.committed(queued: [5, 5, 5])])
    }
    let queue = try opened()
    let id = queue.queueID
    let moved = queue.noteHost(HostIdentity(board: "b2"))
    let restored = Tracker.Restored(queue, moved: moved)
    #expect(restored.moves.count == 1 && restored.idChanges.count == 1)
    #expect(restored.moves.first?.hasPrefix("the queue was last used on another board: ") == true)
    let storage = storage(queue)
    #expect(storage.commit(Commit(records: [makeRecord(6)])) == [.committed(queued: [6, 6, 6])])
    let second = queue.queueID
    #expect(second != id)
    for server in 0...2 {
      let ids = try queue[server].batch(limit: 9).map(\.queueID)
      #expect(ids == Array(repeating: id, count: 5) + [second])
    }
    let events = storage.renumber([2, 3], renews: false)
    #expect(events.first == .queueIDChanged(queue.idChanges) && events.contains(.queueShrank(queued: 6)))
    #expect(queue.queueID == second && queue.idChanges.count == 1)
    #expect(try queue[0].batch(limit: 9).map(\.queueID) == [id, second, second, id, id, second])
    #expect(storage.renumber([6], renews: true).first == .queueIDChanged(queue.idChanges))
    #expect(queue.idChanges.count == 2 && queue.queueID != second && queue.queueID != id)
    #expect(try queue[0].batch(limit: 9).last?.queueID == queue.queueID)
  }

  @Test("what was sent from memory is stored under the id that it was sent with, and once")
  func ownID() throws {
    let queue = try opened()
    let storage = storage(queue)
    _ = storage.commit(Commit(records: makeRecords(1...2)))
    let records = (3...4 as ClosedRange<Int64>).map { sequence in
      var record = makeRecord(sequence)
      record.queueID = 7
      return record
    }
    for _ in 0..<2 { #expect(storage.commit(Commit(records: records)) == [.committed(queued: [4, 4, 4])]) }
    for server in 0...2 {
      let ids = try queue[server].batch(limit: 9).map(\.queueID)
      #expect(ids == [queue.queueID, queue.queueID, 7, 7])
    }
  }

  @Test(
    "a device that is named by its machine has its own name on another board, one with a device_id keeps it")
  func deviceName() throws {
    var named = settings
    named.deviceID = "van-7"
    let queue = try opened()
    _ = queue.noteHost(HostIdentity(board: "b"))
    var (plan, namedPlan) = (
      try Plan(Overlaid(settings: settings)), try Plan(Overlaid(settings: named))
    )
    let machine = plan.identity.device
    plan.name(by: queue)
    #expect(plan.identity.device == machine)
    _ = queue.noteHost(HostIdentity(board: "b2"))
    plan.name(by: queue)
    namedPlan.name(by: queue)
    #expect(plan.identity.device == "\(machine)-\(queue.boardSuffix ?? "")")
    #expect(plan.identity.device.count == machine.count + 9 && namedPlan.identity.device == "van-7")
  }

  @Test(
    "a start on another board, or back on the first one, says the device's name; the next start there does not"
  )
  func nameNote() throws {
    func note(board: String, deviceID: String = "") throws -> (words: String?, name: String) {
      var settings = settings
      settings.deviceID = deviceID
      let queue = try opened(settings)
      let suffix = queue.boardSuffix
      _ = queue.noteHost(HostIdentity(board: board))
      var plan = try Plan(Overlaid(settings: settings))
      plan.name(by: queue)
      return (plan.nameNote(of: queue, after: suffix), plan.identity.device)
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

  @Test(
    "a store that cannot be read at the start: numbers go by the clock, and once it works what was made comes to each server, beside what waits there"
  )
  func unread() throws {
    do {
      let queue = try opened()
      try queue.commit(Commit(records: makeRecords(1...40), state: ["odometer_m": "7"]))
      try queue[1].remove([1])
    }
    // What is no file stands for a device that fails.
    let probe = folder.queue + "-probe"
    mknod(probe, S_IFSOCK | 0o600, 0)
    let queue = try opened()
    let storage = storage(queue)
    let restored = Tracker.Restored(queue, moved: nil)
    #expect(restored.isUnread && restored.storageProblem != nil && restored.state.isEmpty)
    #expect(restored.lastSequence >= Version.released_ms && restored.queued == [0, 0, 0])
    var record = makeRecord(restored.lastSequence + 1)
    record.queueID = 7
    guard case .commitFailed = storage.commit(Commit(records: [record])).last else {
      Issue.record("a commit on storage that fails")
      return
    }
    unlink(probe)
    #expect(storage.commit(Commit(records: [record])) == [.committed(queued: [41, 40, 41])])
    // What the next process begins with.
    let found = Tracker.Restored(queue, moved: nil)
    #expect(!found.isUnread && found.storageProblem == nil && found.queued == [41, 40, 41])
    #expect(found.lastSequence == record.sequence && found.state == ["odometer_m": "7"])
    #expect(try queue[2].batch(limit: 99).last == record)
  }
}
