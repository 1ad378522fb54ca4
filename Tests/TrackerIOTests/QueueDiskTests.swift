import Glibc
import Testing
import TrackerCore

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

  @Test("removal and quarantine work without a free block")
  func leaving() throws {
    let store = try QueueStore(path: disk.queue)
    var feeder = Feeder(store: store)
    try feeder.commit(1000)
    try disk.fill()
    while feeder.dropped.isEmpty { try feeder.commit(500) }
    let refused = try store.batch(limit: 200).map(\.sequence)
    let before = feeder.dropped
    for sequence in refused {
      let dropped = try store.quarantine(sequence, reason: String(repeating: "x", count: 500))
      feeder.dropped.merge(dropped, uniquingKeysWith: +)
    }
    // Their room is made by dropping the oldest, which they are themselves.
    let quarantined = try store.summary().quarantined
    let ledger = try store.summary().ledger
    let count = store.count
    #expect(quarantined > 0)
    #expect(feeder.dropped != before && feeder.dropped == ledger, "whoever asks for it is reported")
    #expect(count + quarantined + ledger.values.reduce(0, +) == Int(feeder.last))
    while store.count > 0 { try store.remove(try store.batch(limit: 100).map(\.sequence)) }
    #expect(count > 0)
    #expect(try store.summary().ledger == ledger)
  }

  @Test("after positions what is in quarantine goes, then events, oldest first")
  func order() throws {
    let store = try QueueStore(path: disk.queue)
    try store.commit(Commit(records: makeRecords(1...200)))
    for sequence in 1...20 as ClosedRange<Int64> { try store.quarantine(sequence, reason: "refused") }
    try disk.fill()
    var dropped: [String: Int] = [:]
    var last: Int64 = 200
    while dropped["disk_full_events"] == nil {
      let events = makeRecords((last + 1)...(last + 20), kind: .trip)
      dropped.merge(try store.commit(Commit(records: events)), uniquingKeysWith: +)
      last += 20
    }
    #expect(dropped["disk_full_positions"] == 180)
    #expect(dropped["disk_full_quarantined"] == 20)
    let events = try #require(dropped["disk_full_events"])
    let first = 201 + Int64(events)
    #expect(try store.batch(limit: 100_000).map(\.sequence) == Array(first...last))
    #expect(try store.summary().ledger == dropped)
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
    for sequence in refused { try store.quarantine(sequence, reason: "refused") }
    try disk.fill()
    while feeder.dropped.isEmpty { try feeder.commit(500) }

    let change = try store.retry(refused)
    #expect(change.records == refused.count)
    feeder.dropped.merge(change.dropped, uniquingKeysWith: +)
    #expect(Set(try store.batch(limit: 99_999).map(\.sequence)).isSuperset(of: refused))
    var purged = 0
    var after: Int64? = 0
    while let begin = after {
      let change = try store.purge(QueueSelection(), after: begin, through: feeder.last, limit: 2048)
      purged += change.records
      feeder.dropped.merge(change.dropped, uniquingKeysWith: +)
      after = change.last
    }
    #expect(store.count == 0)
    feeder.dropped["purged"] = purged
    #expect(try store.summary().ledger == feeder.dropped)
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

  @Test("another box's ids, for which the oldest make room: that is reported with the next commit")
  func otherBox() throws {
    let store = try QueueStore(path: disk.queue)
    #expect(store.noteHost(HostIdentity(board: "b"), after: 0) == nil)
    var feeder = Feeder(store: store)
    try feeder.commit(1000)
    try disk.fill()
    while feeder.dropped.isEmpty { try feeder.commit(500) }
    // More than the pages take that the last drop has left.
    store.identity.ids.begin(7, after: feeder.last, at: 0)
    store.identity.ids.renumber(Array(stride(from: feeder.last - 1600, to: feeder.last, by: 2)))
    let before = try store.summary().ledger
    #expect(store.noteHost(HostIdentity(board: "b2"), after: feeder.last) != nil)
    #expect(try store.summary().ledger != before && !store.isIdentityUnsaved)
    try feeder.commit(10)
    try feeder.checkNothingForgotten()
  }

  @Test("a front that is cut while the disk is full: what makes room is reported, and counts as no damage")
  func cutWhileOpen() throws {
    let store = try QueueStore(path: disk.queue)
    var feeder = Feeder(store: store)
    try feeder.commit(1000)
    try disk.fill()
    while feeder.dropped.isEmpty { try feeder.commit(500) }
    var isRoomMade = false
    for _ in 0..<200 where !isRoomMade {
      try feeder.commit(50)
      let before = try store.summary().ledger
      giveBack(blocks: 15) { truncate(disk.queue + "-front", 4096) }
      // Before it, what was held back goes into the tables.
      try feeder.commit(10)
      isRoomMade = try store.summary().ledger != before
    }
    #expect(isRoomMade)
    try feeder.checkNothingForgotten()
  }

  @Test("a front for which there is no room is reported with the reason, and the commits hold without it")
  func noFront() throws {
    do { try QueueStore(path: disk.queue).commit(Commit(records: makeRecords(1...10))) }
    unlink(disk.queue + "-front")
    try disk.fill()
    let store = try QueueStore(path: disk.queue)
    let fault = try #require(store.frontProblem)
    #expect("\(fault)".hasPrefix("queue: allocation of the front file: No space left on device (28)"))
    try store.commit(Commit(records: makeRecords(11...20)))
    #expect(store.held.rows.isEmpty)
    #expect(try store.batch(limit: 99) == makeRecords(1...20))
  }

  @Test("a front that was cut is read also where there is no room to complete it, and stays")
  func cutFront() throws {
    let before = QueueFolder()
    let writer = try QueueStore(path: before.queue)
    var last: Int64 = 0
    // The newest slot is to be the first, which the cut leaves.
    while last < 17 || newestSlot(of: before.queue + "-front") != 0 {
      last += 1
      try writer.commit(Commit(records: [makeRecord(last)]))
    }
    #expect(writer.held.rows.count == Int(last))
    mkdir(disk.path + "/queue", 0o700)
    let bytes = { (name: String) in
      before.read(name).prefix(name == "queue.db-front" ? FrontSlot.bytes : .max)
    }
    for name in QueueDiskTests.files { disk.write(Array(bytes(name)), to: "queue/" + name) }
    try disk.fill()

    let store = try QueueStore(path: disk.queue)
    #expect(store.frontProblem != nil)
    #expect(try store.batch(limit: 99) == makeRecords(1...last))
    #expect(disk.read("queue/queue.db-front").elementsEqual(bytes("queue.db-front")))
    #expect(try records(afterCutOf: disk) == makeRecords(1...last))
    try store.commit(Commit(records: [makeRecord(last + 1)]))
    #expect(try records(afterCutOf: disk) == makeRecords(1...(last + 1)))
    #expect(try store.batch(limit: 99) == makeRecords(1...(last + 1)))
  }

  private static let files = ["queue.db", "queue.db-wal", "queue.db-front"]

  private func newestSlot(of path: String) -> Int? {
    FrontFile.read(path).map { $0.flatMap { FrontSlot($0) }?.generation ?? -1 }.enumerated()
      .max { $0.element < $1.element }?.offset
  }

  private func records(afterCutOf disk: LoopDisk) throws -> [Record] {
    let after = QueueFolder()
    for name in QueueDiskTests.files { after.write(disk.read("queue/" + name), to: name) }
    return try QueueStore(path: after.queue).batch(limit: 1000)
  }

  @Test("a log that has no reserve, as of an older program, holds nothing up once space returns")
  func withoutReserve() throws {
    do { try QueueStore(path: disk.queue).commit(Commit(records: makeRecords(1...1000))) }
    unlink(disk.queue + "-wal")
    unlink(disk.queue + "-front")
    try disk.fill()
    let store = try QueueStore(path: disk.queue)
    let commit = Commit(records: makeRecords(1001...1010))
    let error = thrown(QueueError.self) { try store.commit(commit) }
    if let error {
      guard case .full = error else {
        Issue.record("not .full: \(error)")
        return
      }
    }
    disk.free()
    try store.commit(commit)
    #expect(try store.batch(limit: 2000) == makeRecords(1...1010))
    #expect(try store.summary().ledger == [:])
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
      dropped.merge(try store.commit(Commit(records: records)), uniquingKeysWith: +)
    }
  }

  /// N1: what was committed is in the queue, or counted; only the oldest positions are missing.
  func checkNothingForgotten() throws {
    let left = try store.batch(limit: 1_000_000)
    let count = dropped["disk_full_positions"] ?? 0
    let positions = (1...last).filter { $0 % 50 != 0 }
    #expect(left.filter { !$0.kind.isEvent }.map(\.sequence) == Array(positions.dropFirst(count)))
    #expect(left.filter(\.kind.isEvent).count == Int(last) / 50)
    #expect(store.count == left.count)
    #expect(try store.summary().ledger == dropped)
  }
}
