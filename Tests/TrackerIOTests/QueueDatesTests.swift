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

  private static let redating = Redating(from: 1, offset_ms: 1_800_000_000_000)

  /// What waits once the time is known in a process that takes over after a cut.
  private func afterCut() throws -> [Record] {
    let copy = QueueFolder()
    folder.copyAsCut(to: copy)
    let next = try QueueStore(path: copy.queue)
    try next.commit(Commit(redating: Self.redating))
    return try next.batch(limit: 200)
  }

  @Test("what is sent keeps its date, also after a kill; what did not leave the device does not")
  func sent() throws {
    let queue = try filled()
    let first = try queue.batch(limit: 1) + queue.newest(limit: 1)
    let marked = try queue.willSend(first)
    #expect(marked.allSatisfy { $0.timeSource == .untrustedAndSent } && marked.count == 2)
    let second = try Array(queue.batch(limit: 2).suffix(1) + queue.newest(limit: 2).prefix(1))
    _ = try queue.willSend(second)
    queue.wereNotSent(second)
    let kept = try afterCut().filter { $0.timeSource != .trustedWallClock }
    #expect(kept == marked)
  }

  @Test("what may have arrived keeps its date, though a later request failed before anything was sent")
  func sentBefore() throws {
    let queue = try filled()
    let marked = try queue.willSend(queue.batch(limit: 1))
    let again = try queue.batch(limit: 2)
    #expect(try queue.willSend(again).first == marked[0])
    queue.wereNotSent(again)
    let kept = try afterCut().filter { $0.timeSource != .trustedWallClock }
    #expect(kept == marked)
  }

  @Test(
    "the time becomes known during a request that then fails before anything was sent: all have their true dates"
  )
  func duringRequest() throws {
    let queue = try filled()
    let batch = try queue.batch(limit: 2)
    _ = try queue.willSend(batch)
    try queue.commit(Commit(redating: Self.redating))
    queue.wereNotSent(batch)
    #expect(try queue.batch(limit: 200).allSatisfy { $0.timeSource == .trustedWallClock })
    #expect(try afterCut().allSatisfy { $0.timeSource == .trustedWallClock })
  }

  @Test("a record that has left is not brought back")
  func left() throws {
    let queue = try filled()
    let batch = try queue.batch(limit: 2)
    try queue.remove([1])
    _ = try queue.willSend(batch)
    queue.wereNotSent(batch)
    #expect(try queue.count == 99 && queue.batch(limit: 1).first?.sequence == 2)
  }
}
