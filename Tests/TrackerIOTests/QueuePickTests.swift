import Testing
import TrackerBase

@testable import TrackerIO

@Suite("Queue: what an upload carries")
struct QueuePickTests {
  private let folder = QueueFolder()

  private func sequences(
    _ store: QueueStore, _ pick: UploadOrder.Pick, _ limit: Int, skip: Int = 0
  ) throws -> [Int64] {
    try store[0].records(for: UploadOrder(pick: pick, limit: limit, skip: skip)).map(\.sequence)
  }

  @Test("the newest, in the order of their making")
  func newest() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...100)))
    #expect(try store[0].records(for: UploadOrder(pick: .newest, limit: 6)).asMade == makeRecords(95...100))
    #expect(try sequences(store, .newest, 0) == [])
    #expect(try sequences(store, .newest, 1000).count == 100)
    try store[0].remove(Array(96...100))
    #expect(try sequences(store, .newest, 2) == [94, 95])
    #expect(try sequences(store, .oldest, 3) == [1, 2, 3])
    #expect(try sequences(store, .later, 2, skip: 93) == [94, 95])
    #expect(try sequences(store, .later, 2, skip: 99) == [])
    let order = UploadOrder(pick: .oldest, limit: 5)
    #expect(try store[0].records(for: order, limit: 2).map(\.sequence) == [1, 2])
  }

  @Test("the oldest events, or the oldest positions")
  func events() throws {
    let store = try QueueStore(path: folder.queue)
    #expect(try sequences(store, .events, 5) == [])
    let events: Set<Int64> = [4, 50, 90]
    try store.commit(
      Commit(records: (1...100).map { makeRecord($0, kind: events.contains($0) ? .trip : .position) }))
    #expect(try sequences(store, .events, 5) == [4, 50, 90])
    #expect(try sequences(store, .events, 1) == [4])
    #expect(try sequences(store, .positions, 4) == [1, 2, 3, 5])
    #expect(try sequences(store, .positions, 200).count == 97)
    try store[0].remove([4, 50, 90])
    #expect(try sequences(store, .events, 5) == [])
  }

  @Test("where the last batch began is where the next one is looked for; what comes before it is found too")
  func before() throws {
    let store = try QueueStore(path: folder.queue)
    let records = (Int64(1)...100).filter { $0 != 20 }
      .map { makeRecord($0, kind: $0 % 40 == 10 ? .trip : .position) }
    try store.commit(Commit(records: records))
    try store[0].quarantine(10, reason: "refused")
    try store[0].remove((1...60).filter { $0 != 10 && $0 != 20 })
    #expect(try sequences(store, .oldest, 2) == [61, 62])
    #expect(try store[0].retry([10]).records == 1)
    #expect(try sequences(store, .oldest, 2) == [10, 61])
    #expect(try sequences(store, .events, 9) == [10, 90])
    try store[0].remove([10])
    #expect(try sequences(store, .oldest, 1) == [61])
    try store.commit(Commit(records: [makeRecord(20, kind: .geofence)]))
    #expect(try sequences(store, .events, 9) == [20, 90])
    #expect(try sequences(store, .oldest, 2) == [20, 61])
    #expect(try store[0].summary().oldest_ms == makeRecord(20).time_ms)
  }

  @Test("what is removed is counted as what it was, in one range and in several")
  func counts() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: (1...300).map { makeRecord($0, kind: $0 % 7 == 0 ? .trip : .position) }))
    for leaving: [Int64] in [Array(1...100), [150, 151, 154, 400], [7], Array(101...300)] {
      try store[0].remove(leaving)
      let (rows, events) = try (
        store.database.integer("SELECT count(*) FROM records"),
        store.database.integer("SELECT count(*) FROM records WHERE kind <> 0")
      )
      let summary = try store[0].summary()
      #expect(summary.count == Int(rows) && summary.events == Int(events))
    }
    #expect(store[0].count == 0)
  }
}
