import Glibc
import Testing
import TrackerCore

@testable import TrackerIO

@Suite("The front of the queue")
struct QueueFrontTests {
  let folder = QueueFolder()

  @Test("a commit writes one slot and leaves the database and its log as they are")
  func oneSlot() throws {
    let store = try QueueStore(path: folder.queue)
    let before = (folder.read("queue.db"), folder.read("queue.db-wal"))
    try store.commit(Commit(records: makeRecords(1...10), tail: [makeRecord(11)], state: ["a": "1"]))
    #expect(folder.read("queue.db").elementsEqual(before.0))
    #expect(folder.read("queue.db-wal").elementsEqual(before.1))
    #expect(store.held.rows.count == 10)
    #expect(try store.batch(limit: 100) == makeRecords(1...10))
    #expect(store.count == 10)
  }

  @Test("a commit of the usual size takes two sectors")
  func sectors() throws {
    let content = FrontContent(
      rows: makeRecords(1...20).map { RecordColumns.values($0) },
      tail: [RecordColumns.values(makeRecord(21))],
      state: [
        "odometer_m": "1234567.8901234", "motion": "moving",
        "trip": "17 1767225600000 1767225600000 9999.9 13.8",
      ],
      lastSequence: 20)
    let bytes = try #require(FrontSlot(queueID: 1, generation: 9, base: 4, content: content).encoded())
    #expect(bytes.count <= 1024)
  }

  @Test("what does not fit goes into the database, with everything that was held")
  func overflow() throws {
    let store = try QueueStore(path: folder.queue)
    let capacity = Int64(QueueFront.capacity)
    for sequence in 1...capacity { try store.commit(Commit(records: [makeRecord(sequence)])) }
    #expect(try store.database.integer("SELECT count(*) FROM records") == 0)
    try store.commit(Commit(records: [makeRecord(capacity + 1)], tail: [makeRecord(99)], state: ["a": "1"]))
    #expect(store.held.rows.isEmpty)
    #expect(try store.database.integer("SELECT count(*) FROM records") == capacity + 1)
    #expect(try store.database.text("SELECT value FROM state") == "1")
    #expect(try store.database.integer("SELECT sequence FROM tail") == 99)
    #expect(try store.batch(limit: 100) == makeRecords(1...(capacity + 1)))
  }

  @Test("a state too large for a slot goes into the database once, and holds up nothing after it")
  func largeState() throws {
    let store = try QueueStore(path: folder.queue)
    let large = String(repeating: "fence ", count: 3000)
    try store.commit(Commit(records: [makeRecord(1)], state: ["geofences": large]))
    #expect(try store.database.integer("SELECT count(*) FROM records") == 1)
    try store.commit(Commit(records: [makeRecord(2)], state: ["geofences": large, "a": "1"]))
    #expect(store.held.rows.count == 1)
    #expect(store.held.state == ["a": "1"])
    #expect(try store.restore().state == ["a": "1", "geofences": large])
  }

  @Test("a state that goes back to what the database has is the database's again after a cut")
  func stateThereAndBack() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(state: ["a": "1"]))
    try store.store(store.held)
    try store.commit(Commit(state: ["a": "2"]))
    try store.commit(Commit(state: ["a": "1"]))
    let after = QueueFolder()
    folder.copyAsCut(to: after)
    #expect(try QueueStore(path: after.queue).restore().state == ["a": "1"])
  }

  @Test("a clean close leaves everything in the database")
  func cleanClose() throws {
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: makeRecords(1...5), tail: [makeRecord(6)], state: ["a": "1"]))
      try store.remove([2])
    }
    unlink(folder.path + "/queue.db-front")
    unlink(folder.path + "/queue.db-wal")
    let store = try QueueStore(path: folder.queue)
    #expect(try store.batch(limit: 10).map(\.sequence) == [1, 3, 4, 5])
    #expect(try store.restore().tail == [makeRecord(6)])
    #expect(try store.restore().lastSequence == 6 + QueueSalvage.sequenceGap)
    #expect(store.openReport == QueueOpenReport(findings: [.frontMissing]))
  }

  @Test("a removal is durable, whether the record is held or in the database")
  func removal() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3)))
    try store.store(store.held)
    try store.commit(Commit(records: makeRecords(4...6)))
    try store.remove([3, 4, 77])
    #expect(try store.batch(limit: 10).map(\.sequence) == [1, 2, 5, 6])
    let after = QueueFolder()
    folder.copyAsCut(to: after)
    #expect(try QueueStore(path: after.queue).batch(limit: 10).map(\.sequence) == [1, 2, 5, 6])
  }

  @Test("numbering goes on after a cut when every held record was delivered")
  func numbering() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...9)))
    try store.remove(Array(1...9))
    let after = QueueFolder()
    folder.copyAsCut(to: after)
    #expect(try QueueStore(path: after.queue).restore().lastSequence == 9)
  }

  @Test("a held record goes into quarantine by way of the database")
  func quarantine() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3)))
    try store.quarantine(2, reason: "refused")
    #expect(try store.batch(limit: 10).map(\.sequence) == [1, 3])
    #expect(try store.summary().quarantined == 1)
    #expect(store.count == 2)
  }

  @Test("the summary and the quota count what is held")
  func counts() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3) + makeRecords(4...5, kind: .trip)))
    let summary = try store.summary()
    #expect(summary.count == 5 && summary.events == 2)
    #expect(summary.oldest_ms == makeRecord(1).time_ms && summary.newest_ms == makeRecord(5).time_ms)
    #expect(try store.enforceQuota(maxBytes: 0) == ["quota_positions": 3, "quota_events": 2])
    #expect(store.count == 0)
  }

  @Test("a commit that is made again, held or stored in between, counts once")
  func retry() throws {
    let store = try QueueStore(path: folder.queue)
    let commit = Commit(records: makeRecords(1...3), tail: [makeRecord(4)])
    try store.commit(commit)
    try store.commit(commit)
    #expect(store.count == 3)
    try store.store(store.held)
    try store.commit(commit)
    #expect(store.count == 3)
    #expect(try store.batch(limit: 10) == commit.records)
  }

  @Test("a front that is there and cannot be opened may hold records: an error that says where it lies")
  func unusableFrontFile() throws {
    mkdir(folder.path + "/queue.db-front", 0o700)
    defer { rmdir(folder.path + "/queue.db-front") }
    let error = thrown(QueueError.self) { try QueueStore(path: folder.queue) }
    let text = "\(try #require(error))"
    #expect(
      text
        == "queue: \(folder.queue)-front is a directory and not a file: move it away and put the file there")
  }

  @Test("the file has its whole size from the start, is its group's to read, and keeps size and place")
  func file() throws {
    let store = try QueueStore(path: folder.queue)
    var info = stat()
    stat(folder.path + "/queue.db-front", &info)
    let inode = info.st_ino
    #expect(info.st_mode & 0o777 == 0o640)
    #expect(Int(info.st_size) == FrontFile.bytes)
    #expect(Int(info.st_blocks) * 512 >= FrontFile.bytes)
    for sequence in 1...200 as ClosedRange<Int64> {
      try store.commit(Commit(records: [makeRecord(sequence)]))
    }
    stat(folder.path + "/queue.db-front", &info)
    #expect(Int(info.st_size) == FrontFile.bytes && info.st_ino == inode)
  }
}

@Suite("A slot of the front")
struct FrontSlotTests {
  private func slot(_ content: FrontContent) -> FrontSlot {
    FrontSlot(queueID: 0x0123_4567_89AB_CDEF, generation: 7, base: 5, content: content)
  }

  @Test("comes back as it went in")
  func roundTrip() throws {
    let records = [
      makeRecord(5), makeRecord(6, kind: .warning, fix: nil, tripID: nil, extras: #"{"a":"ü"}"#),
      makeRecord(9, fix: makeFix(latitude_deg: -89.9999999)),
    ]
    let content = FrontContent(
      rows: records.map { RecordColumns.values($0) }, tail: [RecordColumns.values(makeRecord(0))],
      state: ["empty": "", "é": "ü"], lastSequence: .max)
    for content in [content, FrontContent(), FrontContent(state: ["a": "1"])] {
      let bytes = try #require(slot(content).encoded())
      #expect(FrontSlot(bytes) == slot(content))
      #expect(FrontSlot(bytes + Array(repeating: 0, count: FrontSlot.bytes - bytes.count)) == slot(content))
    }
  }

  @Test("extreme numbers survive their differences")
  func extremes() throws {
    var (low, high) = (RecordColumns.values(makeRecord(1)), RecordColumns.values(makeRecord(2)))
    for column in 1..<(low.count - 1) {
      low[column] = .integer(.min)
      high[column] = column % 3 == 0 ? .null : .integer(.max)
    }
    let content = FrontContent(rows: [low, high, low], tail: [high])
    let bytes = try #require(slot(content).encoded())
    #expect(FrontSlot(bytes)?.content == content)
  }

  @Test("numbers that no receiver gives are damage, and nothing that reckons with them ends the agent")
  func damagedNumbers() throws {
    var values = RecordColumns.values(makeRecord(1))
    for (stored, read) in [(Int64.min, 0), (-1, 0), (12, 12), (255, 255), (256, 255), (Int64.max, 255)] {
      values[15] = .integer(stored)
      #expect(RecordColumns.record(values)?.fix?.satellites == read)
    }
    for stored in [Int64.min, -900_000_001, 900_000_001, Int64.max] {
      values[6] = .integer(stored)
      #expect(RecordColumns.record(values)?.fix == nil)
    }
  }

  @Test("any flipped bit is set right, and nothing else is taken for one")
  func mending() throws {
    let content = FrontContent(rows: makeRecords(1...3).map { RecordColumns.values($0) }, state: ["a": "1"])
    let bytes = try #require(slot(content).encoded())
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(bit)
        #expect(FrontSlot.mended(damaged) == bytes)
        damaged[(index + 7) % bytes.count] ^= 0x21
        #expect(FrontSlot.mended(damaged) == nil)
      }
    }
    #expect(FrontSlot.mended([]) == nil)
    #expect(FrontSlot.mended([UInt8](repeating: 0, count: FrontSlot.bytes)) == nil)
  }

  @Test("any changed byte, and any cut, is noticed")
  func damage() throws {
    let content = FrontContent(rows: makeRecords(1...3).map { RecordColumns.values($0) }, state: ["a": "1"])
    let bytes = try #require(slot(content).encoded())
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x10
      #expect(FrontSlot(damaged) == nil)
      let cut = Array(bytes[..<index]) + Array(repeating: UInt8(0), count: bytes.count - index)
      #expect(FrontSlot(cut) == nil || cut == bytes)
    }
    #expect(FrontSlot([]) == nil)
    #expect(FrontSlot([UInt8](repeating: 0, count: FrontSlot.bytes)) == nil)
    #expect(FrontSlot([UInt8](repeating: 0xFF, count: FrontSlot.bytes)) == nil)
  }

  @Test("what is too much for it is refused")
  func tooLarge() {
    let room = FrontSlot.bytes - FrontSlot.headerBytes
    #expect(slot(FrontContent(state: ["a": String(repeating: "x", count: room)])).encoded() == nil)
    #expect(slot(FrontContent(state: ["a": String(repeating: "x", count: room - 20)])).encoded() != nil)
  }

  @Test("the checksum is CRC-64/XZ")
  func checksum() { #expect(CRC64.of("123456789".utf8) == 0x995D_C9BB_DF19_39FA) }
}
