import Testing
import TrackerCore

@testable import TrackerIO

@Suite("What a person does to the queue")
struct QueueOperatorTests {
  let folder = QueueFolder()

  /// Records 1 to 10 in the tables and 11 to 15 held back in the front; each third is an event.
  private func filled() throws -> QueueStore {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: records(1...10)))
    try store.store(store.held)
    try store.commit(Commit(records: records(11...15), tail: [makeRecord(16)]))
    return store
  }

  private func records(_ sequences: ClosedRange<Int64>) -> [Record] {
    sequences.map { makeRecord($0, kind: $0 % 3 == 0 ? .trip : .position) }
  }

  private func all(_ store: QueueStore, limit: Int) throws -> [Record] {
    var records: [Record] = []
    var after: Int64? = 0
    while let begin = after {
      let page = try store.page(after: begin, limit: limit)
      #expect(page.records.count <= limit && page.unreadable == 0)
      records += page.records
      after = page.last
    }
    return records
  }

  private func count(_ selection: QueueSelection, _ store: QueueStore, limit: Int) throws -> Int {
    var (records, after): (Int, Int64?) = (0, 0)
    while let begin = after {
      let part = try store.count(selection, after: begin, limit: limit)
      records += part.records
      after = part.last
    }
    return records
  }

  /// Records purged in all steps together.
  private func purge(
    _ selection: QueueSelection, through: Int64 = .max, _ store: QueueStore, limit: Int = 4
  ) throws -> Int {
    var (purged, after): (Int, Int64?) = (0, 0)
    while let begin = after {
      let change = try store.purge(selection, after: begin, through: through, limit: limit)
      #expect(change.records <= limit)
      purged += change.records
      after = change.last
    }
    return purged
  }

  @Test(
    "pages of any size give every record once, in order, the front's included", arguments: [1, 3, 10, 99])
  func pages(_ limit: Int) throws {
    let store = try filled()
    #expect(try all(store, limit: limit) == records(1...15))
    #expect(store.count == 15)
  }

  @Test("a part counts what is selected, in steps of any size", arguments: [1, 4, 10, 99])
  func counting(_ limit: Int) throws {
    let store = try filled()
    #expect(try count(QueueSelection(), store, limit: limit) == 15)
    #expect(try count(QueueSelection(positionsOnly: true), store, limit: limit) == 10)
    let before = QueueSelection(before_ms: makeRecord(12).time_ms)
    #expect(try count(before, store, limit: limit) == 11)
    #expect(store.held.rows.count == 5)
  }

  @Test("a purge takes exactly what is selected, counts it under purged, and it stays gone")
  func purging() throws {
    var store: QueueStore? = try filled()
    let selection = QueueSelection(before_ms: makeRecord(13).time_ms, positionsOnly: true)
    #expect(try purge(selection, store!) == 8)
    let left: [Int64] = [3, 6, 9, 12, 13, 14, 15]
    #expect(try all(store!, limit: 99).map(\.sequence) == left)
    let summary = try store!.summary()
    #expect(summary.count == 7 && summary.events == 5)
    #expect(summary.ledger == ["purged": 8])
    store = nil

    let again = try QueueStore(path: folder.queue)
    #expect(try all(again, limit: 99).map(\.sequence) == left)
    #expect(try again.counts == QueueCounts(again.database))
    let restored = try again.restore()
    #expect(restored.tail == [makeRecord(16)] && restored.lastSequence == 16)
  }

  @Test("records made after the question are not purged")
  func through() throws {
    let store = try filled()
    try store.commit(Commit(records: [makeRecord(16)]))
    #expect(try purge(QueueSelection(), through: 15, store) == 15)
    #expect(try all(store, limit: 99).map(\.sequence) == [16])
    #expect(try store.summary().ledger == ["purged": 15])
  }

  @Test("a purge that selects nothing writes nothing")
  func nothing() throws {
    let store = try filled()
    #expect(try purge(QueueSelection(before_ms: 0), store) == 0)
    #expect(store.held.rows.count == 5)
    #expect(try store.summary().ledger.isEmpty)
  }

  @Test("what is purged and delivered at the same time is not counted twice")
  func delivered() throws {
    let store = try filled()
    #expect(try purge(QueueSelection(), through: 5, store) == 5)
    try store.remove([1, 2, 6])
    #expect(store.count == 9)
    #expect(try store.summary().ledger == ["purged": 5])
  }

  @Test("retry puts a record back as it was, before those that came later")
  func retry() throws {
    var store: QueueStore? = try filled()
    for sequence in [2, 3, 12] as [Int64] { try store!.quarantine(sequence, reason: "no \(sequence)") }
    let listed = try store!.quarantined(after: 0, limit: 2)
    #expect(listed.map(\.sequence) == [2, 3])
    #expect(listed.map(\.reason) == ["no 2", "no 3"])
    #expect(listed.compactMap(\.record) == records(2...3))
    #expect(try store!.quarantined(after: 3, limit: 2).map(\.sequence) == [12])

    let change = try store!.retry([3, 12, 99])
    #expect(change == QueueChange(records: 2))
    #expect(try all(store!, limit: 99).map(\.sequence) == [1] + Array(3...15))
    #expect(try store!.batch(limit: 2) == [makeRecord(1), makeRecord(3, kind: .trip)])
    let summary = try store!.summary()
    #expect(summary.count == 14 && summary.events == 5 && summary.quarantined == 1)
    #expect(try store!.counts == QueueCounts(store!.database))
    store = nil
    #expect(try QueueStore(path: folder.queue).count == 14)
  }

  @Test("a damaged row in quarantine stays there, and one among the records is counted on the way")
  func damaged() throws {
    let store = try filled()
    try store.quarantine(2, reason: "no")
    try store.database.execute("UPDATE quarantine SET kind = 99")
    #expect(try store.retry([2]) == QueueChange(unreadable: 1))
    #expect(try store.quarantined(after: 0, limit: 9).first?.record == nil)
    try store.database.execute("UPDATE records SET kind = 99 WHERE sequence = 5")
    let page = try store.page(after: 3, limit: 4)
    #expect(page.records.map(\.sequence) == [4, 6, 7])
    #expect(page.unreadable == 1 && page.last == 7)
  }
}
