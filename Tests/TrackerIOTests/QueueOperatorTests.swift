import Testing
import TrackerBase

@testable import TrackerIO

@Suite("What a person does to the queue")
struct QueueOperatorTests {
  let folder = QueueFolder()

  /// Records 1 to 15; each third is an event.
  private func filled() throws -> QueueStore {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: records(1...15), tail: [makeRecord(16)]))
    return store
  }

  private func records(_ sequences: ClosedRange<Int64>) -> [Record] {
    sequences.map { makeRecord($0, kind: $0 % 3 == 0 ? .trip : .position) }
  }

  private func all(_ store: QueueStore, limit: Int = 99) throws -> [Record] {
    var records: [Record] = []
    var after: Int64? = 0
    while let begin = after {
      let page = try store[0].page(after: begin, limit: limit)
      #expect(page.records.count <= limit && page.unreadable == 0)
      records += page.records
      after = page.last
    }
    return records.asMade
  }

  private func count(_ selection: QueueSelection, _ store: QueueStore, limit: Int) throws -> Int {
    var (records, after): (Int, Int64?) = (0, 0)
    while let begin = after {
      let part = try store[0].count(selection, after: begin, limit: limit)
      records += part.records
      after = part.last
    }
    return records
  }

  /// Records purged in all steps together.
  private func purge(_ selection: QueueSelection, through: Int64 = .max, _ store: QueueStore) throws -> Int {
    var (purged, after): (Int, Int64?) = (0, 0)
    while let begin = after {
      let change = try store[0].purge(selection, after: begin, through: through, limit: 4)
      #expect(change.records <= 4)
      purged += change.records
      after = change.last
    }
    return purged
  }

  @Test("pages and parts of any size give every record once, in order", arguments: [1, 3, 4, 10, 99])
  func pages(_ limit: Int) throws {
    let store = try filled()
    #expect(try all(store, limit: limit) == records(1...15))
    #expect(try count(QueueSelection(), store, limit: limit) == 15)
    #expect(try count(QueueSelection(positionsOnly: true), store, limit: limit) == 10)
    let before = QueueSelection(before_ms: makeRecord(12).time_ms)
    #expect(try count(before, store, limit: limit) == 11)
    #expect(store[0].count == 15)
  }

  @Test("a purge takes exactly what is selected, counts it under purged, and it stays gone")
  func purging() throws {
    let left: [Int64] = [3, 6, 9, 12, 13, 14, 15]
    let after: QueueFolder
    do {
      let store = try filled()
      let selection = QueueSelection(before_ms: makeRecord(13).time_ms, positionsOnly: true)
      #expect(try purge(selection, store) == 8)
      #expect(try all(store).map(\.sequence) == left)
      let summary = try store[0].summary()
      #expect(summary.count == 7 && summary.events == 5 && summary.ledger == ["purged": 8])
      after = folder.cut()
    }
    for path in [folder.queue, after.queue] {
      let again = try QueueStore(path: path)
      #expect(try all(again).map(\.sequence) == left)
      #expect(try again[0].count == 7 && again[0].summary().events == 5)
      let restored = again.restore()
      #expect(restored.tail.asMade == [makeRecord(16)] && restored.lastSequence == 16)
    }
  }

  @Test("records made after the question are not purged")
  func through() throws {
    let store = try filled()
    try store.commit(Commit(records: [makeRecord(16)]))
    #expect(try purge(QueueSelection(), through: 15, store) == 15)
    #expect(try store.sequences() == [16])
    #expect(try store[0].summary().ledger == ["purged": 15])
  }

  @Test("a purge that selects nothing changes nothing, and what is delivered too is not counted twice")
  func nothing() throws {
    let store = try filled()
    let log = folder.writtenLog
    #expect(try purge(QueueSelection(before_ms: 0), store) == 0)
    #expect(folder.writtenLog == log)
    #expect(try store[0].summary().ledger.isEmpty)
    #expect(try purge(QueueSelection(), through: 5, store) == 5)
    try store[0].remove([1, 2, 6])
    #expect(store[0].count == 9)
    #expect(try store[0].summary().ledger == ["purged": 5])
  }

  @Test("retry puts a record back as it was, before those that came later")
  func retry() throws {
    do {
      let store = try filled()
      for sequence in [2, 3, 12] as [Int64] { try store[0].quarantine(sequence, reason: "no \(sequence)") }
      let listed = try store[0].quarantined(after: 0, limit: 2)
      #expect(listed.map(\.sequence) == [2, 3])
      #expect(listed.map(\.reason) == ["no 2", "no 3"])
      #expect(listed.compactMap(\.record).asMade == records(2...3))
      #expect(try store[0].quarantined(after: 3, limit: 2).map(\.sequence) == [12])

      #expect(try store[0].retry([3, 12, 99]) == QueueChange(records: 2))
      #expect(try all(store).map(\.sequence) == [1] + Array(3...15))
      #expect(try store[0].batch(limit: 2).asMade == [makeRecord(1), makeRecord(3, kind: .trip)])
      let summary = try store[0].summary()
      #expect(summary.count == 14 && summary.events == 5 && summary.quarantined == 1)
    }
    #expect(try QueueStore(path: folder.queue)[0].count == 14)
  }

  @Test("a damaged row in quarantine stays there, and one among the records is counted on the way")
  func damaged() throws {
    let store = try filled()
    try store[0].quarantine(2, reason: "no")
    try store.database.execute("UPDATE refused SET kind = 99")
    #expect(try store[0].retry([2]) == QueueChange(unreadable: 1))
    #expect(try store[0].quarantined(after: 0, limit: 9).first?.record == nil)
    try store.database.execute("UPDATE records SET kind = 99 WHERE sequence = 5")
    let page = try store[0].page(after: 3, limit: 4)
    #expect(page.records.map(\.sequence) == [4, 6, 7])
    #expect(page.unreadable == 1 && page.last == 7)
  }
}
