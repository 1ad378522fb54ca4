import Testing
import TrackerBase

@testable import TrackerIO

@Suite("Dates in the queue file")
struct QueueDatesTests {
  private let folder = QueueFolder()

  @Test("true dates from the first record of this boot on, and the fixes' own times")
  func redated() throws {
    let before = (Int64(1)...100).map { sequence in
      var record = makeRecord(sequence, kind: .status)
      if sequence != 50 { record.timeSource = .untrustedWallClock }
      return record
    }
    let queue = try QueueStore(path: folder.queue)
    try queue.commit(Commit(records: before))
    try queue.commit(Commit(redating: Redating(from: 6, offset_ms: 1_800_000_000_000)))
    let after = folder.cut()
    for store in [queue, try QueueStore(path: after.queue)] {
      let records = try store.waiting()
      #expect(records.map(\.sequence) == before.map(\.sequence) && store[0].count == 100)
      for (record, old) in zip(records, before) {
        let isDated = record.sequence >= 6 && record.sequence != 50
        #expect(record.time_ms == (isDated ? 1_800_000_000_000 + record.boot_ms : old.time_ms))
        #expect(record.timeSource == (isDated ? .trustedWallClock : old.timeSource))
        #expect(record.fix == old.fix)
      }
    }
  }

  @Test("records of the same commit come with the dates that they have")
  func together() throws {
    let queue = try QueueStore(path: folder.queue)
    var record = makeRecord(1)
    record.timeSource = .untrustedWallClock
    try queue.commit(Commit(records: [record]))
    record.sequence = 2
    try queue.commit(Commit(records: [record], redating: Redating(from: 1, offset_ms: 7)))
    #expect(try queue.waiting().map(\.timeSource) == [.trustedWallClock, .untrustedWallClock])
    #expect(try queue.waiting().first?.time_ms == record.boot_ms + 7)
  }
}
