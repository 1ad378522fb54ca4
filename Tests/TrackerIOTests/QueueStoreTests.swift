import Glibc
import Testing
@testable import TrackerCore
@testable import TrackerIO

@Suite("The queue")
struct QueueStoreTests {
  let folder = QueueFolder()

  @Test("a record comes back as it went in, with or without a fix")
  func roundTrip() throws {
    let store = try QueueStore(path: folder.queue)
    let bare = Fix(
      time_ms: 5, position: Position(latitude_deg: -89.9999999, longitude_deg: -180), accuracy_m: 12)
    let records = [
      makeRecord(1), makeRecord(2, kind: .warning, fix: nil, tripID: nil, extras: #"{"a":"ü"}"#),
      makeRecord(3, kind: .motionChange, fix: bare),
    ]
    try store.commit(Commit(records: records))
    #expect(try store.batch(limit: 10) == records)
  }

  @Test("what memory sends is what the queue sends: the numbers have its resolution before either")
  func resolution() throws {
    let store = try QueueStore(path: folder.queue)
    var random = SystemRandomNumberGenerator()
    func any(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
    let records = (1...300).map { number in
      var fix = Fix(
        time_ms: 5,
        position: Position(latitude_deg: any(-90...90), longitude_deg: any(-180...180)),
        altitude_m: any(-400...9000), speed_mps: any(0...70), course_deg: any(0...360),
        accuracy_m: any(0...1000))
      (fix.altitudeAccuracy_m, fix.speedAccuracy_mps, fix.courseAccuracy_deg) = (any(0...99), any(0...9), nil)
      var record = makeRecord(Int64(number), fix: fix)
      record.odometer_m = any(0...1e9)
      return record
    }
    let sent = records.map(\.atResolution)
    try store.commit(Commit(records: records))
    #expect(try store.batch(limit: 300) == sent)
    #expect(sent.map(\.atResolution) == sent && sent != records)
  }

  @Test("a fix with no number for a position is kept as a record without a fix")
  func noNumber() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: [makeRecord(1, fix: makeFix(latitude_deg: .nan))]))
    #expect(try store.batch(limit: 1).first?.fix == nil)
  }

  @Test("batches are in the order of making, whatever the order of committing")
  func batchOrder() throws {
    let store = try QueueStore(path: folder.queue)
    for sequence in [3, 1, 2, 5, 4] as [Int64] { try store.commit(Commit(records: [makeRecord(sequence)])) }
    #expect(try store.batch(limit: 3).map(\.sequence) == [1, 2, 3])
    try store.remove([1, 3, 99])
    #expect(try store.batch(limit: 100).map(\.sequence) == [2, 4, 5])
    #expect(store.count == 3)
  }

  @Test("the same commit made twice changes nothing")
  func retry() throws {
    let store = try QueueStore(path: folder.queue)
    let commit = Commit(records: makeRecords(1...3), tail: [makeRecord(4)], state: ["motion": "moving"])
    try store.commit(commit)
    try store.commit(commit)
    #expect(store.count == 3)
    #expect(try store.batch(limit: 10) == commit.records)
  }

  @Test("after a cut everything committed is there: records, tail, state, numbering")
  func powerCut() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(
      Commit(records: makeRecords(1...25), tail: [makeRecord(26)], state: ["a": "1", "b": "2"]))
    try store.commit(Commit(records: makeRecords(26...30), tail: [makeRecord(31)], state: ["a": "3"]))
    try store.remove([1, 2])

    let after = QueueFolder()
    folder.copyAsCut(to: after)
    let reopened = try QueueStore(path: after.queue)
    let restored = try reopened.restore()
    #expect(try reopened.batch(limit: 100) == makeRecords(3...30))
    #expect(reopened.count == 28)
    #expect(restored.state == ["a": "3", "b": "2"])
    #expect(restored.tail == [makeRecord(31)])
    #expect(restored.lastSequence == 31)
    #expect(reopened.queueID == store.queueID)
    #expect(reopened.openReport == QueueOpenReport(held: 28))
  }

  @Test("a cut at any byte of the log leaves a whole number of commits, oldest first")
  func cutInLog() throws {
    let store = try QueueStore(path: folder.queue)
    for sequence in 1...4 as ClosedRange<Int64> {
      try store.commit(Commit(records: [makeRecord(sequence)], state: ["last": "\(sequence)"]))
      try store.store(store.held)
    }
    let after = QueueFolder()
    let log = folder.read("queue.db-wal").prefix(80_000)
    for length in stride(from: log.count, through: 0, by: -1021) {
      after.write(folder.read("queue.db"), to: "queue.db")
      after.write(Array(log[..<length]), to: "queue.db-wal")
      unlink(after.path + "/queue.db-front")
      let reopened = try QueueStore(path: after.queue)
      let sequences = try reopened.batch(limit: 10).map(\.sequence)
      #expect(sequences == Array([1, 2, 3, 4].prefix(sequences.count)))
      #expect(try reopened.restore().state["last"] == sequences.last.map { "\($0)" })
    }
  }

  @Test("numbering goes on after everything is delivered")
  func numbering() throws {
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: makeRecords(1...9)))
      try store.remove(Array(1...9))
    }
    let store = try QueueStore(path: folder.queue)
    #expect(store.count == 0)
    #expect(try store.restore().lastSequence == 9)
  }

  @Test("what was lost in memory is in the ledger with the commit that reports it")
  func lostInMemory() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3), dropped: ["memory_full": 40]))
    try store.commit(Commit(records: makeRecords(4...5), dropped: ["memory_full": 2]))
    #expect(try store.summary().ledger == ["memory_full": 42])
    #expect(store.count == 5)
  }

  @Test("a commit without a tail clears it, and keeps state that it does not name")
  func tailAndState() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(tail: [makeRecord(1)], state: ["a": "1"]))
    try store.commit(Commit(records: [makeRecord(1)], state: ["b": "2"]))
    let restored = try store.restore()
    #expect(restored.tail.isEmpty)
    #expect(restored.state == ["a": "1", "b": "2"])
  }

  @Test("quarantine takes one record out of the way and keeps it")
  func quarantine() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3) + makeRecords(4...4, kind: .geofence)))
    try store.quarantine(2, reason: String(repeating: "x", count: 2000))
    try store.quarantine(4, reason: "refused")
    try store.quarantine(99, reason: "not there")
    let summary = try store.summary()
    #expect(try store.batch(limit: 10).map(\.sequence) == [1, 3])
    #expect(summary.quarantined == 2)
    #expect(summary.count == 2)
    #expect(summary.events == 0)
    #expect(try store.database.text("SELECT reason FROM quarantine WHERE sequence = 4") == "refused")
    #expect(try store.database.integer("SELECT length(reason) FROM quarantine WHERE sequence = 2") == 500)
  }

  @Test("a server's words are cut where they are long, whatever they are made of")
  func longReason() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: [makeRecord(1)]))
    // One character to a reader.
    try store.quarantine(1, reason: "a" + String(repeating: "\u{301}", count: 100_000))
    #expect(try store.quarantined(after: 0, limit: 1).first?.reason.unicodeScalars.count == 500)
  }

  @Test("a row that holds no record goes into quarantine instead of blocking the rest")
  func unreadableRow() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3)))
    try store.store(store.held)
    try store.database.execute("UPDATE records SET kind = 77 WHERE sequence = 1")
    #expect(try store.batch(limit: 10).map(\.sequence) == [2, 3])
    #expect(try store.summary().quarantined == 1)
    #expect(store.count == 2)
  }

  @Test("a record of a later version is kept as it is, and sent; in quarantine too")
  func laterVersion() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3)))
    try store.store(store.held)
    try store.database.execute(
      #"UPDATE records SET kind = 40, extras = '{"tilt":1.50}' WHERE sequence = 1"#)
    let batch = try store.batch(limit: 10)
    #expect(batch.map(\.sequence) == [1, 2, 3])
    #expect(batch[0].content == .unknown(Record.Kind(rawValue: 40), text: #"{"tilt":1.50}"#))
    try store.quarantine(1, reason: "422")
    #expect(try store.quarantined(after: 0, limit: 1).first?.record == batch[0])
  }

  @Test("the summary reports ages, events, ledger and size")
  func summary() throws {
    let store = try QueueStore(path: folder.queue)
    let empty = try store.summary()
    #expect(empty.oldest_ms == nil && empty.newest_ms == nil && empty.count == 0)
    try store.commit(Commit(records: makeRecords(1...3) + makeRecords(4...5, kind: .trip)))
    try store.commit(Commit(records: [], dropped: ["memory": 4]))
    try store.commit(Commit(records: [], dropped: ["memory": 3]))
    let summary = try store.summary()
    #expect(summary.count == 5)
    #expect(summary.events == 2)
    #expect(summary.oldest_ms == makeRecord(1).time_ms)
    #expect(summary.newest_ms == makeRecord(5).time_ms)
    #expect(summary.ledger == ["memory": 7])
    let bytes = ["queue.db", "queue.db-wal", "queue.db-front"].map { folder.read($0).count }
    #expect(summary.file_bytes == Int64(bytes.reduce(0, +)))
  }

  @Test("an error inside a transaction leaves everything as it was, in the file and in the counts")
  func rollback() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...2), state: ["a": "1"]))
    try store.store(store.held)
    try store.database.execute("PRAGMA query_only = ON")
    let commit = Commit(records: makeRecords(3...103), tail: [makeRecord(104)], state: ["a": "2"])
    #expect(throws: QueueError.self) { try store.commit(commit) }
    #expect(throws: QueueError.self) { try store.remove([1]) }
    #expect(store.count == 2)
    try store.database.execute("PRAGMA query_only = OFF")
    try store.commit(commit)
    #expect(store.count == 103)
    #expect(try store.restore().state == ["a": "2"])
  }
}

@Suite("The queue's quota")
struct QueueQuotaTests {
  let folder = QueueFolder()

  @Test("below the quota nothing is dropped")
  func below() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...1000)))
    #expect(try store.enforceQuota(maxBytes: 1_000_000) == [:])
    #expect(store.count == 1000)
  }

  @Test("the oldest positions go first, and the ledger has exactly what is missing")
  func positionsFirst() throws {
    let store = try QueueStore(path: folder.queue)
    let events = stride(from: 10, through: 3000, by: 10).map { makeRecord($0, kind: .geofence) }
    let eventSequences = Set(events.map(\.sequence))
    let positions = makeRecords(1...3000).filter { !eventSequences.contains($0.sequence) }
    try store.commit(Commit(records: positions + events))

    let dropped = try store.enforceQuota(maxBytes: 150_000)
    let left = try store.batch(limit: 10_000)
    let count = try #require(dropped["quota_positions"])
    #expect(dropped.count == 1)
    #expect(count > 0 && count < positions.count)
    #expect(left.filter { $0.kind == .position } == Array(positions.dropFirst(count)))
    #expect(left.filter(\.kind.isEvent) == events)
    #expect(store.count == left.count)
    #expect(try store.summary().events == events.count)
    #expect(try store.summary().ledger == dropped)
    #expect(try store.enforceQuota(maxBytes: 150_000) == [:])
  }

  @Test("events go last, after what is in quarantine, and numbering is kept")
  func eventsLast() throws {
    let store = try QueueStore(path: folder.queue)
    let events = (1...600).map { makeRecord($0, kind: .geofence, extras: String(repeating: "e", count: 200)) }
    try store.commit(Commit(records: events + makeRecords(601...700)))
    try store.quarantine(600, reason: "refused")
    let dropped = try store.enforceQuota(maxBytes: 100_000)
    #expect(dropped["quota_positions"] == 100)
    #expect(dropped["quota_quarantined"] == 1)
    let left = try store.batch(limit: 1000)
    let droppedEvents = try #require(dropped["quota_events"])
    #expect(left == Array(events.dropLast().dropFirst(droppedEvents)))
    #expect(!left.isEmpty)
    #expect(try store.summary().ledger == dropped)
    #expect(try store.enforceQuota(maxBytes: 0)["quota_events"] == left.count)
    #expect(store.count == 0)
    #expect(try store.restore().lastSequence == 700)
  }

  @Test("freed pages are used again: the file stops growing")
  func fileStopsGrowing() throws {
    let store = try QueueStore(path: folder.queue)
    var sizes: [Int64] = []
    for round in 0..<30 as Range<Int64> {
      try store.commit(Commit(records: makeRecords((round * 200 + 1)...(round * 200 + 200))))
      _ = try store.enforceQuota(maxBytes: 100_000)
      sizes.append(try store.database.integer("PRAGMA page_count"))
    }
    #expect(sizes.last == sizes[10])
  }
}
