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
    "a queue that fails makes the whole commit fail, in words that name its server; the next one mends it")
  func oneFails() throws {
    let queues = try Queues(settings, log: log)
    let storage = storage(queues)
    try queues.others[1].queue.database.execute("PRAGMA query_only = ON")
    // More than the front takes.
    guard case .commitFailed(let words)? = storage.commit(Commit(records: makeRecords(1...100))).last else {
      Issue.record("nothing failed")
      return
    }
    #expect(words.hasPrefix("server third: queue: "))
    #expect(
      storage.commit(Commit(records: makeRecords(1...100))).last == .committed(queued: [100, 100, 100]))
  }
}
