import Testing
import TrackerCore

@testable import TrackerIO

@Suite("Dates in the queue file")
struct QueueDatesTests {
  private let folder = QueueFolder()

  private func undated(_ sequences: ClosedRange<Int64>) -> [Record] {
    sequences.map { sequence in
      var record = makeRecord(sequence, kind: .status)
      record.timeSource = .untrustedWallClock
      return record
    }
  }

  /// More than the front holds, so that some are in the tables.
  private func filled() throws -> QueueStore {
    let queue = try QueueStore(path: folder.queue)
    for start in stride(from: Int64(1), to: 100, by: 10) {
      try queue.commit(Commit(records: undated(start...(start + 9))))
    }
    return queue
  }

  @Test(
    "in the tables and in the front: true dates from the first record of this boot on, and the fixes' own times"
  )
  func redated() throws {
    let queue = try filled()
    let before = try queue.batch(limit: 200)
    try queue.commit(Commit(redating: Redating(from: 6, offset_ms: 1_800_000_000_000)))
    func check(_ records: [Record]) {
      #expect(records.map(\.sequence) == before.map(\.sequence) && queue.count == 100)
      for (record, old) in zip(records, before) {
        let isDated = record.sequence >= 6
        #expect(record.time_ms == (isDated ? 1_800_000_000_000 + record.boot_ms : old.time_ms))
        #expect(record.timeSource == (isDated ? .trustedWallClock : .untrustedWallClock))
        #expect(record.fix == old.fix)
      }
    }
    check(try queue.batch(limit: 200))
    let copy = QueueFolder()
    folder.copyAsCut(to: copy)
    check(try QueueStore(path: copy.queue).batch(limit: 200))
  }
}
