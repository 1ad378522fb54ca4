import Testing
import TrackerBase

@testable import TrackerIO

@Suite("One queue for several servers")
struct QueueServersTests {
  let folder = QueueFolder()

  private func store(_ servers: String...) throws -> QueueStore {
    try QueueStore(path: folder.queue, servers: servers)
  }

  private func rows(_ store: QueueStore) throws -> Int64 {
    try store.database.integer("SELECT count(*) FROM records")
  }

  /// 1 to 10, each third an event.
  private func records() -> [Record] {
    (1...10).map { makeRecord($0, kind: $0 % 3 == 0 ? .trip : .position) }
  }

  @Test("a record waits for each, is stored once, and leaves once no server wants it")
  func leaving() throws {
    let store = try store("", "b")
    try store.commit(Commit(records: records()))
    #expect(try rows(store) == 10)
    try store[0].remove([1, 2, 3])
    #expect(store.counts == [7, 10])
    #expect(try store.sequences() == Array(4...10))
    #expect(try store.waiting(server: 1) == records())
    try store[1].remove([2, 9])
    #expect(store.counts == [7, 8])
    #expect(try rows(store) == 9)
    #expect(try store.sequences(server: 1) == [1, 3, 4, 5, 6, 7, 8, 10])
    #expect(try store[0].records(for: UploadOrder(pick: .events, limit: 9)).map(\.sequence) == [6, 9])
    let events = try store[1].records(for: UploadOrder(pick: .events, limit: 9))
    #expect(events.map(\.sequence) == [3, 6])
    // Delivered twice is delivered once.
    try store[1].remove([2, 9])
    #expect(store.counts == [7, 8])
  }

  @Test("each has its own quarantine; a record that is taken back waits for that server alone")
  func quarantine() throws {
    let store = try store("", "b")
    try store.commit(Commit(records: records()))
    let id = store.queueID
    try store[1].quarantine(3, reason: "b says no")
    let (first, second) = (try store[0].summary(), try store[1].summary())
    #expect(first.count == 10 && first.events == 3 && first.quarantined == 0)
    #expect(second.count == 9 && second.events == 2 && second.quarantined == 1)
    #expect(try store[0].quarantined(after: 0, limit: 9).isEmpty)
    #expect(try store[1].quarantined(after: 0, limit: 9).first?.record?.sequence == 3)
    try store[0].remove(Array(1...10))
    #expect(try store[0].retry([3]) == QueueChange())
    #expect(try store[1].retry([3]) == QueueChange(records: 1))
    #expect(store.counts == [0, 10])
    #expect(try store.waiting(server: 1) == records())
    #expect(try store[1].batch(limit: 9).allSatisfy { $0.queueID == id })
  }

  @Test("a purge of one server's queue leaves the others theirs")
  func purge() throws {
    let store = try store("", "b")
    try store.commit(Commit(records: records()))
    try store[1].remove([1])
    let events = QueueSelection(positionsOnly: true)
    #expect(try store[1].count(events, after: 0, limit: 99).records == 6)
    #expect(try store[0].purge(events, after: 0, through: .max, limit: 99).records == 7)
    #expect(try store.sequences() == [3, 6, 9])
    #expect(try store.sequences(server: 1) == Array(2...10))
    #expect(try store[0].summary().ledger == ["purged": 7])
    #expect(try store[1].page(after: 4, limit: 2).records.map(\.sequence) == [5, 6])
  }

  @Test("a new server gets everything that waits; a removed one's records leave, and are in the ledger")
  func adopted() throws {
    do {
      let store = try store("")
      try store.commit(Commit(records: makeRecords(1...2500)))
      try store[0].remove(Array(1...100))
      try store[0].quarantine(101, reason: "no")
    }
    do {
      let store = try store("", "b")
      #expect(store.counts == [2399, 2399])
      #expect(try store[0].summary().quarantined == 1 && store[1].summary().quarantined == 0)
      try store[0].remove(Array(102...200))
      try store[1].remove(Array(2401...2500))
    }
    do {
      let store = try store("")
      #expect(store.counts == [2300])
      #expect(try rows(store) == 2300)
      #expect(try store[0].summary().ledger == ["server_removed": 99] && store[0].summary().quarantined == 1)
    }
    let store = try store("", "c")
    #expect(store.counts == [2300, 2300])
    #expect(try store.sequences(server: 1) == Array(201...2500))
    #expect(try store[0].summary().ledger == ["server_removed": 99])
  }

  @Test("one server takes another's place: it gets what waits, and nothing leaves")
  func replaced() throws {
    do {
      let store = try store("", "b")
      try store.commit(Commit(records: records()))
      try store[0].remove([1, 2, 3])
    }
    let store = try store("", "c")
    #expect(store.counts == [7, 10])
    #expect(try store[0].summary().ledger == [:])
  }

  @Test("the order in which the settings name them is of no importance")
  func order() throws {
    do {
      let store = try store("", "b", "c")
      try store.commit(Commit(records: records()))
      try store[1].remove([1])
      try store[2].remove([1, 2])
    }
    #expect(try store("", "c", "b").counts == [10, 8, 9])
  }

  @Test("what is set for a server that nobody knows holds nothing up", arguments: [true, false])
  func strange(isCut: Bool) throws {
    let after: QueueFolder
    do {
      let first = try store("")
      try first.commit(Commit(records: records()))
      try first.database.execute("UPDATE records SET waiting = waiting | 6 WHERE sequence <= 5")
      try first.database.execute("UPDATE records SET waiting = 4 WHERE sequence = 6")
      after = isCut ? folder.cut() : folder
      if !isCut { first.figures = try StoreFile.count(first.database, first.state.bits) }
    }
    let store = try QueueStore(path: after.queue)
    #expect(store.counts == [9] && store.figures.allSatisfy { $0.waiting == 0 || $0.waiting == 9 })
    #expect(try store[0].summary().ledger == ["server_removed": 1])
    try store[0].remove(Array(1...10))
    #expect(try store.counts == [0] && rows(store) == 0)
  }

  @Test("after a cut the counts are those of the rows; after an orderly end nothing is counted")
  func counted() throws {
    let after: QueueFolder
    do {
      let store = try store("", "b")
      try store.commit(Commit(records: records()))
      try store[0].remove([1, 3])
      try store[1].quarantine(6, reason: "no")
      after = folder.cut()
    }
    let cut = try QueueStore(path: after.queue, servers: ["", "b"])
    let orderly = try store("", "b")
    for store in [cut, orderly] {
      let (first, second) = (try store[0].summary(), try store[1].summary())
      #expect(first.count == 8 && first.events == 2 && first.quarantined == 0)
      #expect(second.count == 9 && second.events == 2 && second.quarantined == 1)
    }
  }

  @Test("after an orderly end the file says how many there are, and is believed")
  func believed() throws {
    do { try store("").commit(Commit(records: records())) }
    do { try SQLiteDatabase(path: folder.queue).execute("DELETE FROM records WHERE sequence = 5") }
    do {
      let store = try store("")
      #expect(store[0].count == 10)
      let after = folder.cut()
      #expect(try QueueStore(path: after.queue)[0].count == 9)
    }
  }

  @Test("the quota takes a record from all of them, and counts it once")
  func quota() throws {
    let store = try store("", "b")
    try store.commit(Commit(records: records()))
    try store[1].remove([1])
    try store.enforceQuota(maxBytes: 0)
    #expect(store.takeDropped() == ["quota_positions": 7, "quota_events": 3])
    #expect(store.counts == [0, 0])
    #expect(try store[1].summary().events == 0)
  }

  @Test("a command that knows of fewer servers, or of more, leaves what waits for the others")
  func command() throws {
    do {
      let store = try store("", "b")
      try store.commit(Commit(records: records()))
      try store[0].remove([1, 2, 3])
    }
    do {
      let store = try QueueStore(whole: folder.queue)
      #expect(try store[0].purge(QueueSelection(), after: 0, through: .max, limit: 99).records == 7)
      #expect(store.counts == [0])
    }
    do {
      let store = try QueueStore(whole: folder.queue, servers: ["", "c", "b"])
      #expect(store.counts == [0, 0, 10])
      try store[2].quarantine(9, reason: "no")
    }
    let store = try store("", "b")
    #expect(store.counts == [0, 9])
    #expect(try store[0].summary().ledger == ["purged": 7] && store[1].summary().quarantined == 1)
  }

  @Test("what a command takes from one server's queue is there for the others")
  func removedByCommand() throws {
    do { try store("", "b").commit(Commit(records: records())) }
    do {
      let store = try QueueStore(whole: folder.queue)
      try store[0].remove([1, 3])
      #expect(store[0].count == 8)
      #expect(try store.sequences() == [2, 4, 5, 6, 7, 8, 9, 10])
    }
    #expect(try store("", "b").counts == [8, 10])
  }
}
