import Testing
import TrackerCore

@testable import TrackerIO

@Suite("Queue: what an upload carries")
struct QueuePickTests {
  private let folder = QueueFolder()

  @Test(
    "the newest, in the order of their making, from the tables, from the front, and from both",
    arguments: [0, 5, 200])
  func newest(stored: Int) throws {
    let store = try QueueStore(path: folder.queue)
    if stored > 0 { try store.commit(Commit(records: makeRecords(1...Int64(stored)))) }
    let last = Int64(stored) + 3
    try store.commit(Commit(records: makeRecords(Int64(stored) + 1...last)))
    #expect(try store.newest(limit: 2).map(\.sequence) == [last - 1, last])
    let six = try store.newest(limit: 6)
    #expect(six == makeRecords(max(1, last - 5)...last))
    #expect(try store.newest(limit: 0) == [])
    #expect(try store.newest(limit: 1000).count == stored + 3)
  }

  @Test("a delivered newest record is not there again, and the oldest stay in sequence")
  func removed() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...100)))
    let newest = try store.newest(limit: 5).map(\.sequence)
    try store.remove(newest)
    #expect(try store.newest(limit: 1).map(\.sequence) == [95])
    #expect(try store.records(for: UploadOrder(limit: 3)).map(\.sequence) == [1, 2, 3])
    #expect(try store.records(for: UploadOrder(pick: .newest, limit: 2)).map(\.sequence) == [94, 95])
    let later = UploadOrder(pick: .later, limit: 2, skip: 93)
    #expect(try store.records(for: later).map(\.sequence) == [94, 95])
  }

  @Test("the oldest events, from tables and front")
  func events() throws {
    let store = try QueueStore(path: folder.queue)
    var records = makeRecords(1...100)
    records[3] = makeRecord(4, kind: .trip)
    try store.commit(Commit(records: records))
    try store.commit(Commit(records: [makeRecord(101), makeRecord(102, kind: .geofence)]))
    #expect(try store.events(limit: 5).map(\.sequence) == [4, 102])
    #expect(try store.records(for: UploadOrder(pick: .events, limit: 1)).map(\.sequence) == [4])
    #expect(try store.records(for: UploadOrder(pick: .positions, limit: 4)).map(\.sequence) == [1, 2, 3, 5])
    #expect(try store.records(for: UploadOrder(pick: .positions, limit: 200)).last?.sequence == 101)
    try store.remove([4, 102])
    #expect(try store.events(limit: 5).isEmpty)
  }
  /// Nearly all of a backlog may be positions, and each of its requests asks for events first.
  @Test("events are looked for where the last ones were found; whatever comes before them later is found too")
  func eventsFrom() throws {
    let store = try QueueStore(path: folder.queue)
    let events: Set<Int64> = [10, 50, 90]
    let sequences = (Int64(1)...100).filter { $0 != 20 }
    try store.commit(
      Commit(records: sequences.map { makeRecord($0, kind: events.contains($0) ? .trip : .position) }))
    try store.store(store.held)
    try store.quarantine(10, reason: "refused")
    #expect(try store.events(limit: 1).map(\.sequence) == [50])
    #expect(store.eventsFrom == 50)
    try store.remove([50])
    #expect(try store.events(limit: 9).map(\.sequence) == [90])
    #expect(store.eventsFrom == 90)
    #expect(try store.retry([10]).records == 1)
    #expect(try store.events(limit: 9).map(\.sequence) == [10, 90])
    try store.remove([10])
    #expect(try store.events(limit: 9).map(\.sequence) == [90])
    try store.commit(Commit(records: [makeRecord(20, kind: .geofence)]))
    try store.store(store.held)
    #expect(try store.events(limit: 9).map(\.sequence) == [20, 90])
  }

  @Test("what is removed is counted as what it was, in one range and in several")
  func counts() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: (1...300).map { makeRecord($0, kind: $0 % 7 == 0 ? .trip : .position) }))
    try store.store(store.held)
    for leaving: [Int64] in [Array(1...100), [150, 151, 154, 400], [7], Array(101...300)] {
      try store.remove(leaving)
      #expect(try store.counts == QueueCounts(store.database))
    }
    #expect(store.count == 0)
  }
}
