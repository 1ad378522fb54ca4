import Glibc
import Testing
import TrackerCore

@testable import TrackerIO

/// The disk as a cut leaves it, at every point between a slot, the database's transaction and the slot's reuse.
@Suite("A power cut around the front of the queue")
struct QueueCutTests {
  let folder = QueueFolder()
  let after = QueueFolder()

  @Test("of two slots the newer holds: after each commit, and after each write that is cut off")
  func eachWrite() throws {
    let store = try QueueStore(path: folder.queue)
    for sequence in 1...6 as ClosedRange<Int64> {
      let before = folder.read("queue.db-front")
      try store.commit(Commit(records: [makeRecord(sequence)], state: ["last": "\(sequence)"]))
      let written = folder.read("queue.db-front")
      folder.copyAsCut(to: after)
      for kept in stride(from: 0, through: FrontSlot.bytes, by: 512) {
        let torn = QueueCutTests.torn(before, written, kept: kept)
        after.write(torn, to: "queue.db-front")
        let reopened = try opened(after)
        let isWhole = torn == written
        #expect(reopened.sequences == Array(1..<(isWhole ? sequence + 1 : sequence)))
        #expect(reopened.last == (reopened.sequences.last.map { "\($0)" }))
        let isAsBefore = torn == before
        #expect(reopened.report.findings.contains(.slotTorn) == (!isWhole && !isAsBefore))
        restoreDatabase()
      }
    }
  }

  @Test("between slot and transaction, in the transaction, after it, and before the slot's reuse")
  func aroundTransaction() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3), tail: [makeRecord(4)], state: ["a": "1"]))
    try store.remove([1])
    folder.copyAsCut(to: after)
    #expect(try opened(after).sequences == [2, 3])

    let log = folder.read("queue.db-wal")
    try store.store(store.held)
    let logAfter = folder.read("queue.db-wal")
    let end = try #require(logAfter.indices.last { logAfter[$0] != log[$0] }) + 1
    for cut in stride(from: end, through: 0, by: -997) {
      folder.copyAsCut(to: after)
      after.write(Array(logAfter[..<cut]) + log[cut...], to: "queue.db-wal")
      let reopened = try opened(after)
      #expect(reopened.sequences == [2, 3])
      #expect(reopened.lastSequence == 4)
    }

    // The older slot is still there, and the database has it already: delivered records must not come back.
    try store.remove([2, 3])
    folder.copyAsCut(to: after)
    #expect(try opened(after).sequences == [])
    #expect(try opened(after).lastSequence == 4)

    try store.commit(Commit(records: [makeRecord(5)], tail: [], state: ["a": "1"]))
    folder.copyAsCut(to: after)
    let reused = try QueueStore(path: after.queue)
    #expect(try reused.batch(limit: 10).map(\.sequence) == [5])
    #expect(try reused.restore().tail.isEmpty)
    #expect(try reused.restore().state == ["a": "1"])
  }

  @Test("the first write into a slot after a transaction, cut off, leaves what the transaction left")
  func tornReuse() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3)))
    try store.store(store.held)
    let before = folder.read("queue.db-front")
    try store.commit(Commit(records: [makeRecord(4)]))
    let torn = QueueCutTests.torn(before, folder.read("queue.db-front"), kept: 60)
    folder.copyAsCut(to: after)
    after.write(torn, to: "queue.db-front")
    let reopened = try opened(after)
    #expect(reopened.sequences == [1, 2, 3])
    // The number 4 may have been given, and delivered, if this is damage rather than a cut.
    #expect(reopened.lastSequence == 3 + QueueFront.sequenceGap)
  }

  @Test("work goes on after a cut: slots are written in turn, and another cut loses nothing")
  func cutAfterCut() throws {
    var path = QueueFolder()
    for sequence in 1...8 as ClosedRange<Int64> {
      let next = QueueFolder()
      let store = try QueueStore(path: path.queue)
      #expect(try store.batch(limit: 100).map(\.sequence) == Array(1..<sequence))
      try store.commit(Commit(records: [makeRecord(sequence)]))
      path.copyAsCut(to: next)
      path = next
    }
  }

  // MARK: helpers

  /// One slot differs: `kept` bytes of the new one are on storage, the rest is as it was.
  private static func torn(_ before: [UInt8], _ after: [UInt8], kept: Int) -> [UInt8] {
    let slot = before[..<FrontSlot.bytes].elementsEqual(after[..<FrontSlot.bytes]) ? FrontFile.stride : 0
    var torn = before
    for index in slot..<(slot + kept) { torn[index] = after[index] }
    return torn
  }

  private func opened(
    _ folder: QueueFolder
  ) throws -> (sequences: [Int64], last: String?, lastSequence: Int64, report: QueueOpenReport) {
    let store = try QueueStore(path: folder.queue)
    let restored = try store.restore()
    return (
      try store.batch(limit: 1000).map(\.sequence), restored.state["last"], restored.lastSequence,
      store.openReport
    )
  }

  /// Looking at the cut disk has tidied it up.
  private func restoreDatabase() {
    for name in ["queue.db", "queue.db-wal"] { after.write(folder.read(name), to: name) }
  }
}

@Suite("A front file that does not fit")
struct QueueFrontDamageTests {
  let folder = QueueFolder()
  let after = QueueFolder()

  @Test("a damaged newest slot: the older one holds, it is reported, and no number is given twice")
  func damagedSlot() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3)))
    try store.commit(Commit(records: makeRecords(4...5)))
    folder.copyAsCut(to: after)
    var bytes = after.read("queue.db-front")
    bytes[FrontFile.stride + 100] ^= 1
    after.write(bytes, to: "queue.db-front")
    do {
      let mended = try QueueStore(path: after.queue)
      #expect(mended.openReport == QueueOpenReport(findings: [.slotMended], held: 5))
      #expect(try mended.batch(limit: 10).map(\.sequence) == [1, 2, 3, 4, 5])
    }
    folder.copyAsCut(to: after)
    bytes[FrontFile.stride + 100] ^= 2
    after.write(bytes, to: "queue.db-front")
    let reopened = try QueueStore(path: after.queue)
    #expect(reopened.openReport == QueueOpenReport(findings: [.slotTorn], held: 3))
    #expect(try reopened.batch(limit: 10).map(\.sequence) == [1, 2, 3])
    #expect(try reopened.restore().lastSequence == 3 + QueueFront.sequenceGap)
  }

  @Test("without a front no number comes again that a delivered record had", arguments: ["", "other", "bad"])
  func frontGone(instead: String) throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...100)))
    try store.remove(Array(1...100))
    for last in stride(from: Int64(20_000), through: 20_001, by: 1) {
      try store.commit(Commit(records: [makeRecord(last)]))
      try store.remove([last])
    }
    folder.copyAsCut(to: after)
    unlink(after.path + "/queue.db-front")
    if instead == "bad" {
      after.write(Array(repeating: 0xAA, count: FrontFile.bytes), to: "queue.db-front")
    } else if instead == "other" {
      let other = QueueFolder()
      let stranger = try QueueStore(path: other.queue)
      try stranger.commit(Commit(records: [makeRecord(1)]))
      after.write(other.read("queue.db-front"), to: "queue.db-front")
    }
    #expect(try QueueStore(path: after.queue).restore().lastSequence > 20_001)
  }

  @Test("a front file of another queue is set aside and reported")
  func otherQueue() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3)))
    do { _ = try QueueStore(path: after.queue) }
    after.write(folder.read("queue.db-front"), to: "queue.db-front")
    let other = try QueueStore(path: after.queue)
    let aside = try #require(after.files.first { $0.hasPrefix("queue.db-front.other-") })
    #expect(other.openReport.findings == [.frontOfOtherQueue(aside: after.path + "/" + aside)])
    #expect(other.count == 0)
    try other.commit(Commit(records: [makeRecord(1)]))
    #expect(try other.batch(limit: 10).count == 1)
  }

  @Test("a log that was removed while records were held is reported of")
  func removedLog() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...100)))
    try store.commit(Commit(records: makeRecords(101...103)))
    folder.copyAsCut(to: after)
    unlink(after.path + "/queue.db-wal")
    let fresh = try QueueStore(path: after.queue)
    #expect(fresh.openReport.findings.contains(.logMissing) && fresh.queueID == store.queueID)
    #expect(try fresh.batch(limit: 1000).map(\.sequence) == [101, 102, 103])

    let third = QueueFolder()
    try store.database.execute("PRAGMA wal_checkpoint(FULL)")
    try store.commit(Commit(records: makeRecords(104...200)))
    try store.commit(Commit(records: makeRecords(201...203)))
    folder.copyAsCut(to: third)
    unlink(third.path + "/queue.db-wal")
    let older = try QueueStore(path: third.queue)
    #expect(older.openReport.findings.contains(.logMissing))
    #expect(try older.batch(limit: 1000).suffix(3).map(\.sequence) == [201, 202, 203])
    #expect(try older.restore().lastSequence == 203 + QueueSalvage.sequenceGap)
  }

  @Test(
    "a log that was removed right after a transaction is reported of, and its numbers are not given again")
  func removedLogOfAll() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...100)))
    folder.copyAsCut(to: after)
    unlink(after.path + "/queue.db-wal")
    let fresh = try QueueStore(path: after.queue)
    #expect(fresh.openReport.findings.contains(.logMissing))
    #expect(try fresh.restore().lastSequence > 100)
  }

  @Test("a database that is beyond reading keeps the queue's id and what the front holds")
  func lostDatabase() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...100)))
    try store.commit(Commit(records: makeRecords(101...103), state: ["a": "1"]))
    folder.copyAsCut(to: after)
    after.write(Array(repeating: 0x55, count: 10_000), to: "queue.db")
    after.write([], to: "queue.db-wal")
    let saved = try QueueStore(path: after.queue)
    #expect(saved.openReport.setAside != nil)
    #expect(saved.queueID == store.queueID)
    #expect(try saved.batch(limit: 10).map(\.sequence) == [101, 102, 103])
    #expect(try saved.restore().state == ["a": "1"])
    #expect(try saved.restore().lastSequence > 1_000_000)
  }

  @Test("after damage to the database, slots give back what it may have lost")
  func damagedDatabase() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3)))
    try store.store(store.held)
    folder.copyAsCut(to: after)
    after.write(Array(repeating: 0x55, count: 10_000), to: "queue.db")
    after.write([], to: "queue.db-wal")
    #expect(try QueueStore(path: after.queue).batch(limit: 10).map(\.sequence) == [1, 2, 3])
  }

  @Test("a file of schema version 1 becomes one of the newest, and numbering goes on")
  func migration() throws {
    do {
      let old = try SQLiteDatabase(path: folder.queue)
      try old.execute("PRAGMA journal_mode = WAL")
      for statement in QueueSchema.migrations[0] { try old.execute(statement) }
      try old.execute("PRAGMA user_version = 1")
      try old.execute("INSERT INTO meta VALUES ('queue_id', 4711)")
      let insert = try old.prepare(
        "INSERT INTO records(\(RecordColumns.names)) VALUES (\(RecordColumns.placeholders))")
      for record in makeRecords(5...7) { try insert.run(RecordColumns.values(record)) }
    }
    let store = try QueueStore(path: folder.queue)
    #expect(store.queueID == 4711)
    #expect(try store.database.integer("PRAGMA user_version") == Int64(QueueSchema.version))
    #expect(try store.database.integer("SELECT value FROM meta WHERE key = 'last_sequence'") == 7)
    #expect(try store.batch(limit: 10) == makeRecords(5...7))
    try store.remove([5, 6, 7])
    folder.copyAsCut(to: after)
    #expect(try QueueStore(path: after.queue).restore().lastSequence == 7)
  }
}
