import Glibc
import Testing

@testable import TrackerBase
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
    #expect(try store.waiting() == records)
  }

  @Test("what memory sends is what the queue sends: the numbers have its resolution before either")
  func resolution() throws {
    let store = try QueueStore(path: folder.queue)
    func any(_ range: ClosedRange<Double>) -> Double { Double.random(in: range) }
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
    #expect(try store.waiting() == sent)
    #expect(sent.map(\.atResolution) == sent && sent != records)
  }

  @Test("a fix with no number for a position is kept as a record without a fix")
  func noNumber() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: [makeRecord(1, fix: makeFix(latitude_deg: .nan))]))
    #expect(try store[0].batch(limit: 1).first?.fix == nil)
  }

  @Test("numbers that no receiver gives are damage, and nothing that reckons with them ends the agent")
  func damagedNumbers() throws {
    var values = RecordColumns.values(makeRecord(1), queueID: 1)
    for (stored, read) in [(Int64.min, 0), (-1, 0), (12, 12), (255, 255), (256, 255), (Int64.max, 255)] {
      values[15] = .integer(stored)
      #expect(RecordColumns.record(values)?.fix?.satellites == read)
    }
    for stored in [Int64.min, -900_000_001, 900_000_001, Int64.max] {
      values[6] = .integer(stored)
      #expect(RecordColumns.record(values)?.fix == nil)
    }
  }

  @Test("a record without a queue id gets the store's, one that has its own keeps it")
  func queueIDs() throws {
    let store = try QueueStore(path: folder.queue)
    var sent = makeRecord(2)
    sent.queueID = 4711
    try store.commit(Commit(records: [makeRecord(1), sent]))
    #expect(try store[0].batch(limit: 9).map(\.queueID) == [store.queueID, 4711])
  }

  @Test("batches are in the order of making, whatever the order of committing")
  func batchOrder() throws {
    let store = try QueueStore(path: folder.queue)
    for sequence in [3, 1, 2, 5, 4] as [Int64] {
      try store.commit(Commit(records: [makeRecord(sequence)]))
      #expect(try store.sequences().contains(sequence))
    }
    #expect(try store[0].batch(limit: 3).map(\.sequence) == [1, 2, 3])
    try store[0].remove([1, 3, 99])
    #expect(try store.sequences() == [2, 4, 5])
    #expect(store[0].count == 3 && store.counts == [3])
  }

  @Test("the same commit made twice changes nothing")
  func retry() throws {
    let store = try QueueStore(path: folder.queue)
    let commit = Commit(records: makeRecords(1...3), tail: [makeRecord(4)], state: ["motion": "moving"])
    for _ in 1...2 { try store.commit(commit) }
    #expect(store[0].count == 3)
    #expect(try store.waiting() == commit.records)
    #expect(store.restore().tail.asMade == commit.tail)
  }

  @Test("a commit that says nothing new writes nothing")
  func nothingNew() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: [makeRecord(1)], state: ["a": "1"]))
    let log = folder.writtenLog
    try store.commit(Commit(state: ["a": "1"]))
    #expect(folder.writtenLog == log)
  }

  @Test("what was lost in memory is in the ledger with the commit that reports it")
  func lostInMemory() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3), dropped: ["memory_full": 40]))
    try store.commit(Commit(records: makeRecords(4...5), dropped: ["memory_full": 2]))
    #expect(try store[0].summary().ledger == ["memory_full": 42])
    #expect(store[0].count == 5)
  }

  @Test("a commit brings all of the state; without any the state and the tail stay")
  func tailAndState() throws {
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(tail: [makeRecord(1)], state: ["a": "1", "c": "x"]))
      try store.commit(Commit(records: [makeRecord(1)]))
      #expect(store.restore().tail.asMade == [makeRecord(1)])
      try store.commit(Commit(records: [makeRecord(2)], state: ["b": "2", "c": .null]))
      #expect(store.restore().tail.isEmpty)
    }
    #expect(try QueueStore(path: folder.queue).restore().state == ["b": "2"])
  }

  @Test("quarantine takes one record out of the way and keeps it, with the server's words, cut if long")
  func quarantine() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3) + makeRecords(4...4, kind: .geofence)))
    // One character to a reader.
    try store[0].quarantine(2, reason: "a" + String(repeating: "\u{301}", count: 100_000))
    try store[0].quarantine(4, reason: "refused")
    try store[0].quarantine(99, reason: "not there")
    let summary = try store[0].summary()
    #expect(try store.sequences() == [1, 3])
    #expect(summary.quarantined == 2 && summary.count == 2 && summary.events == 0)
    let kept = try store[0].quarantined(after: 0, limit: 9)
    #expect(kept.map(\.sequence) == [2, 4] && kept.last?.reason == "refused")
    #expect(kept.first?.reason.unicodeScalars.count == 500)
  }

  @Test("a row that holds no record goes into quarantine instead of blocking the rest; the counts hold")
  func unreadableRow() throws {
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: makeRecords(1...3)))
      try store.database.execute("UPDATE records SET kind = 77 WHERE sequence = 1")
      #expect(try store.sequences() == [2, 3])
      #expect(try store[0].summary().quarantined == 1)
      #expect(store[0].count == 2)
    }
    let store = try QueueStore(path: folder.queue)
    #expect(try store[0].count == 2 && store[0].summary().quarantined == 1)
  }

  @Test("a record of a later version is kept as it is, and sent; in quarantine too")
  func laterVersion() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3)))
    try store.database.execute(
      #"UPDATE records SET kind = 40, extras = '{"tilt":1.50}' WHERE sequence = 1"#)
    let batch = try store[0].batch(limit: 10)
    #expect(batch.map(\.sequence) == [1, 2, 3])
    #expect(batch.first?.content == .unknown(Record.Kind(rawValue: 40), text: #"{"tilt":1.50}"#))
    try store[0].quarantine(1, reason: "422")
    #expect(try store[0].quarantined(after: 0, limit: 1).first?.record == batch.first)
  }

  @Test("the summary reports ages, events, ledger and size")
  func summary() throws {
    let store = try QueueStore(path: folder.queue)
    let empty = try store[0].summary()
    #expect(empty.oldest_ms == nil && empty.newest_ms == nil && empty.count == 0)
    try store.commit(Commit(records: makeRecords(1...3) + makeRecords(4...5, kind: .trip)))
    for lost in [4, 3] { try store.commit(Commit(dropped: ["memory": lost])) }
    try store[0].quarantine(2, reason: "no")
    let summary = try store[0].summary()
    #expect(summary.count == 4 && summary.events == 2 && summary.quarantined == 1)
    #expect(summary.oldest_ms == makeRecord(1).time_ms && summary.newest_ms == makeRecord(5).time_ms)
    #expect(summary.ledger == ["memory": 7])
    let bytes = ["queue.db", "queue.db-wal"].map { folder.read($0).count }
    #expect(summary.file_bytes == Int64(bytes.reduce(0, +)))
    let figures = store[0].statusFigures()
    #expect(figures.oldest_ms == summary.oldest_ms && figures.quarantined == 1 && !figures.ledger.isEmpty)
  }

  @Test("an error in the middle of a commit leaves everything as it was, in the file and in the counts")
  func rollback() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...2), state: ["a": "1"]))
    try store.database.execute(
      """
      CREATE TRIGGER stop BEFORE INSERT ON records WHEN new.sequence = 50
      BEGIN SELECT RAISE(ABORT, 'no'); END
      """)
    let commit = Commit(records: makeRecords(3...103), tail: [makeRecord(104)], state: ["a": "2"])
    #expect(throws: StoreError.self) { try store.commit(commit) }
    #expect(store[0].count == 2 && store.restore().state == ["a": "1"])
    try store.database.execute("DROP TRIGGER stop")
    #expect(try store.sequences() == [1, 2])
    try store.commit(commit)
    #expect(store[0].count == 103 && store.restore().state == ["a": "2"])
  }
}

@Suite("The queue's quota")
struct QueueQuotaTests {
  let folder = QueueFolder()

  @Test("below the quota nothing is dropped")
  func below() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...1000)))
    #expect(try !store.enforceQuota(maxBytes: 1_000_000) && store.takeDropped() == [:])
    #expect(store[0].count == 1000)
  }

  @Test("the oldest positions go first, and the ledger has exactly what is missing")
  func positionsFirst() throws {
    let store = try QueueStore(path: folder.queue)
    let all = (1...3000).map { makeRecord($0, kind: $0 % 10 == 0 ? .geofence : .position) }
    try store.commit(Commit(records: all))
    #expect(try store.enforceQuota(maxBytes: 150_000))
    let dropped = store.takeDropped()
    let left = try store.waiting()
    let count = try #require(dropped["quota_positions"])
    #expect(dropped.count == 1 && count > 0 && count < 2700)
    #expect(left.filter { !$0.kind.isEvent } == Array(all.filter { !$0.kind.isEvent }.dropFirst(count)))
    #expect(left.filter(\.kind.isEvent) == all.filter(\.kind.isEvent))
    let summary = try store[0].summary()
    #expect(summary.count == left.count && summary.events == 300 && summary.ledger == dropped)
    #expect(try !store.enforceQuota(maxBytes: 150_000) && store.takeDropped() == [:])
  }

  @Test("events go last, after what is in quarantine, and numbering is kept")
  func eventsLast() throws {
    let store = try QueueStore(path: folder.queue)
    let events = (1...600).map { makeRecord($0, kind: .geofence, extras: String(repeating: "e", count: 200)) }
    try store.commit(Commit(records: events + makeRecords(601...700)))
    try store[0].quarantine(600, reason: "refused")
    #expect(try store.enforceQuota(maxBytes: 100_000))
    let dropped = store.takeDropped()
    #expect(dropped["quota_positions"] == 100 && dropped["quota_quarantined"] == 1)
    let left = try store.waiting()
    let count = try #require(dropped["quota_events"])
    #expect(left == Array(events.dropLast().dropFirst(count)) && !left.isEmpty)
    #expect(try store[0].summary().ledger == dropped && store[0].summary().quarantined == 0)
    #expect(try store.enforceQuota(maxBytes: 0))
    #expect(store.takeDropped() == ["quota_events": left.count])
    #expect(store[0].count == 0 && store.restore().lastSequence == 700)
  }

  @Test("freed pages are used again: the file stops growing")
  func fileStopsGrowing() throws {
    let store = try QueueStore(path: folder.queue)
    for round in 0..<60 as Range<Int64> {
      try store.commit(Commit(records: makeRecords((round * 200 + 1)...(round * 200 + 200))))
      try store.enforceQuota(maxBytes: 100_000)
    }
    #expect(try store.database.fileBytes == StoreRoom.chunkBytes)
  }
}
