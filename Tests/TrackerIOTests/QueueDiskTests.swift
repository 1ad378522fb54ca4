import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite(
  "The queue on a full disk",
  .enabled(if: LoopDisk.isPossible, "a real full disk is a loop mount, which needs root"), .serialized)
struct QueueDiskTests {
  let disk: LoopDisk

  init() throws { disk = try LoopDisk() }

  @Test("commits go on, the oldest positions make room, the ledger is exact, and space that returns is used")
  func filled() throws {
    let store = try QueueStore(path: disk.queue)
    var feeder = Feeder(store: store)
    try feeder.commit(3000)
    #expect(feeder.dropped == [:])

    try disk.fill()
    try feeder.commit(8000)
    #expect(feeder.dropped.keys.sorted() == ["disk_full_positions"])
    try feeder.checkNothingForgotten()
    #expect(try store.database.text("PRAGMA integrity_check") == "ok")

    disk.free()
    let before = feeder.dropped
    try feeder.commit(8000)
    #expect(feeder.dropped == before)
    try feeder.checkNothingForgotten()
  }

  /// On a disk without a free block, after the first records that made room.
  private func full(_ store: QueueStore) throws -> Feeder {
    var feeder = Feeder(store: store)
    try feeder.commit(1000)
    try disk.fill()
    while feeder.dropped.isEmpty { try feeder.commit(500) }
    return feeder
  }

  @Test("removal and quarantine work without a free block")
  func leaving() throws {
    let store = try QueueStore(path: disk.queue)
    var feeder = try full(store)
    let refused = try store[0].batch(limit: 200).map(\.sequence)
    let before = feeder.dropped
    for sequence in refused {
      try store[0].quarantine(sequence, reason: String(repeating: "x", count: 500))
    }
    feeder.takeDropped()
    // Their room is made by dropping the oldest, which they are themselves.
    let quarantined = try store[0].summary().quarantined
    let ledger = try store[0].summary().ledger
    let count = store[0].count
    #expect(quarantined > 0)
    #expect(feeder.dropped != before && feeder.dropped == ledger, "whoever asks for it is reported")
    #expect(count + quarantined + ledger.values.reduce(0, +) == Int(feeder.last))
    while store[0].count > 0 { try store[0].remove(try store[0].batch(limit: 100).map(\.sequence)) }
    #expect(count > 0)
    #expect(try store[0].summary().ledger == ledger)
  }

  @Test("after positions what is in quarantine goes, then events, oldest first")
  func order() throws {
    let store = try QueueStore(path: disk.queue)
    try store.commit(Commit(records: makeRecords(1...200)))
    for sequence in 1...20 as ClosedRange<Int64> { try store[0].quarantine(sequence, reason: "refused") }
    try disk.fill()
    var dropped: [String: Int] = [:]
    var last: Int64 = 200
    while dropped["disk_full_events"] == nil {
      let events = makeRecords((last + 1)...(last + 20), kind: .trip)
      try store.commit(Commit(records: events))
      dropped.merge(store.takeDropped(), uniquingKeysWith: +)
      last += 20
    }
    #expect(dropped["disk_full_positions"] == 180)
    #expect(dropped["disk_full_quarantined"] == 20)
    let events = try #require(dropped["disk_full_events"])
    let first = 201 + Int64(events)
    #expect(try store[0].batch(limit: 100_000).map(\.sequence) == Array(first...last))
    #expect(try store[0].summary().ledger == dropped)
  }

  @Test("a queue that is opened on a full disk works, and after a cut nothing is missing")
  func openedWhenFull() throws {
    do {
      let store = try QueueStore(path: disk.queue)
      try store.commit(Commit(records: makeRecords(1...100), state: ["a": "1"]))
    }
    try disk.fill()
    let store = try QueueStore(path: disk.queue)
    for sequence in 101...400 as ClosedRange<Int64> {
      try store.commit(Commit(records: [makeRecord(sequence)]))
    }
    #expect(try records(afterCutOf: disk) == makeRecords(1...400))
  }

  @Test("a purge and a retry work without a free block, and the ledger is exact")
  func operators() throws {
    let store = try QueueStore(path: disk.queue)
    var feeder = Feeder(store: store)
    try feeder.commit(1000)
    let refused: [Int64] = [50, 100, 150, 200]
    for sequence in refused { try store[0].quarantine(sequence, reason: "refused") }
    try disk.fill()
    while feeder.dropped.isEmpty { try feeder.commit(500) }

    let change = try store[0].retry(refused)
    #expect(change.records == refused.count)
    feeder.takeDropped()
    #expect(Set(try store[0].batch(limit: 99_999).map(\.sequence)).isSuperset(of: refused))
    var purged = 0
    var after: Int64? = 0
    while let begin = after {
      let change = try store[0].purge(QueueSelection(), after: begin, through: feeder.last, limit: 2048)
      purged += change.records
      after = change.last
    }
    #expect(store[0].count == 0)
    feeder.takeDropped()
    feeder.dropped["purged"] = purged
    #expect(try store[0].summary().ledger == feeder.dropped)
    #expect(feeder.dropped.values.reduce(0, +) == Int(feeder.last))
    #expect(try store.database.text("PRAGMA integrity_check") == "ok")
  }

  @Test("room for a part of a chunk is not taken, and commits go on")
  func partOfChunk() throws {
    let store = try QueueStore(path: disk.queue)
    var feeder = Feeder(store: store)
    try feeder.commit(1000)
    disk.write([UInt8](repeating: 1, count: 81_920), to: "spare")
    try disk.fill()
    giveBack(blocks: 15) { unlink(disk.path + "/spare") }
    try feeder.commit(12_000)
    #expect(feeder.dropped.keys.sorted() == ["disk_full_positions"])
    try feeder.checkNothingForgotten()
    var info = stat()
    #expect(stat(disk.queue, &info) == 0 && info.st_blocks * 512 >= info.st_size)
  }

  /// Waits until ext4 has them, which is a moment after a commit of its journal.
  private func giveBack(blocks: UInt, _ work: () -> Void) {
    var info = statvfs()
    statvfs(disk.path, &info)
    let wanted = info.f_bfree + blocks
    work()
    for _ in 0..<3000 where info.f_bfree < wanted {
      system("sync -f \(disk.path)")
      usleep(10_000)
      statvfs(disk.path, &info)
    }
    #expect(info.f_bfree >= wanted)
  }

  @Test("another queue id for all that waits is written without a free block, at the oldest's expense")
  func renumber() throws {
    let store = try QueueStore(path: disk.queue)
    var feeder = try full(store)
    let before = store.queueID
    let sequences = Array((feeder.last - 999)...feeder.last)
    try store.renumber(sequences, renews: true)
    feeder.takeDropped()
    #expect(try store[0].batch(limit: 1_000_000).suffix(1000).allSatisfy { $0.queueID == store.queueID })
    #expect(store.queueID != before)
    try feeder.checkNothingForgotten()
  }

  @Test("a new server gets everything that waits, and a removed one's leaves, without a free block")
  func servers() throws {
    var waiting = 0
    do {
      let store = try QueueStore(path: disk.queue)
      let feeder = try full(store)
      waiting = store[0].count
      #expect(waiting + feeder.dropped.values.reduce(0, +) == Int(feeder.last))
    }
    let dropped: Int
    do {
      let store = try QueueStore(path: disk.queue, servers: ["", "b"])
      dropped = waiting - store[0].count
      #expect(store.counts == [waiting - dropped, waiting - dropped])
      try store[0].remove(try store[0].batch(limit: 10).map(\.sequence))
    }
    let store = try QueueStore(path: disk.queue)
    #expect(try store[0].count == waiting - dropped - 10 && store[0].summary().ledger["server_removed"] == 10)
    #expect(try store.database.text("PRAGMA integrity_check") == "ok")
  }

  private static let files = ["queue.db", "queue.db-wal"]

  private func records(afterCutOf disk: LoopDisk) throws -> [Record] {
    let after = QueueFolder()
    for name in QueueDiskTests.files { after.write(disk.read("queue/" + name), to: name) }
    return try QueueStore(path: after.queue).waiting()
  }

  @Test("a log that was removed, for which there is no room, holds nothing up once space returns")
  func withoutReserve() throws {
    do { try QueueStore(path: disk.queue).commit(Commit(records: makeRecords(1...1000))) }
    unlink(disk.queue + "-wal")
    try disk.fill()
    let store = try QueueStore(path: disk.queue, goesOnWithoutStorage: true)
    #expect(!store.isUnread && (store.isClosed || store[0].count == 1000))
    let commit = Commit(records: makeRecords(1001...1010))
    let error = thrown(StoreError.self) { try store.commit(commit) }
    if let error {
      guard case .full = error else {
        Issue.record("not .full: \(error)")
        return
      }
    }
    disk.free()
    try store.commit(commit)
    #expect(try store.waiting() == makeRecords(1...1010))
    #expect(try store[0].summary().ledger == [:] && store.openReport == QueueOpenReport())
  }
}

/// Commits ten records at a time, every fiftieth an event, and remembers them.
private struct Feeder {
  let store: QueueStore
  var last: Int64 = 0
  var dropped: [String: Int] = [:]

  mutating func commit(_ count: Int) throws {
    for _ in 0..<(count / 10) {
      let records = (1...10).map {
        makeRecord(last + $0, kind: (last + $0) % 50 == 0 ? .geofence : .position)
      }
      last += 10
      try store.commit(Commit(records: records))
      takeDropped()
    }
  }

  mutating func takeDropped() { dropped.merge(store.takeDropped(), uniquingKeysWith: +) }

  /// N1: what was committed is in the queue, or counted; only the oldest positions are missing.
  func checkNothingForgotten() throws {
    let left = try store[0].batch(limit: 1_000_000)
    let count = dropped["disk_full_positions"] ?? 0
    let positions = (1...last).filter { $0 % 50 != 0 }
    #expect(left.filter { !$0.kind.isEvent }.map(\.sequence) == Array(positions.dropFirst(count)))
    #expect(left.filter(\.kind.isEvent).count == Int(last) / 50)
    #expect(store[0].count == left.count)
    #expect(try store[0].summary().ledger == dropped)
  }
}
