import Glibc
import Testing
import TrackerCore

@testable import TrackerIO

/// A small ext4 of its own, which can be filled to the last block.
final class LoopDisk {
  static let isPossible = getuid() == 0 && access("/dev/loop-control", F_OK) == 0
  private let folder = QueueFolder()
  var path: String { folder.path + "/disk" }
  var queue: String { path + "/queue/queue.db" }

  init() throws {
    mkdir(path, 0o700)
    try LoopDisk.run("truncate -s 48M \(folder.path)/image")
    try LoopDisk.run("mkfs.ext4 -q -b 4096 \(folder.path)/image")
    try LoopDisk.run("mount -o loop \(folder.path)/image \(path)")
  }

  deinit {
    try? LoopDisk.run("umount \(path)")
    rmdir(path)
  }

  /// Another process takes what there is.
  func fill() throws {
    let file = open(path + "/filler", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    let bytes = [UInt8](repeating: 1, count: 1 << 20)
    for size in [1 << 20, 4096, 1] { while write(file, bytes, size) > 0 {} }
    #expect(errno == ENOSPC)
    fsync(file)
    var info = statvfs()
    statvfs(path, &info)
    // What ext4 keeps for itself stays free.
    #expect(info.f_bavail == 0)
  }

  func free() {
    unlink(path + "/filler")
    // ext4 gives the blocks back with a commit of its journal, a moment after it.
    var info = statvfs()
    for _ in 0..<3000 where info.f_bavail < 1000 {
      system("sync -f \(path)")
      usleep(10_000)
      statvfs(path, &info)
    }
    #expect(info.f_bavail >= 1000)
  }

  private static func run(_ command: String) throws {
    if system(command) != 0 { throw CommandFailed(command: command) }
  }

  struct CommandFailed: Error { var command: String }
}

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
    for sequence in refused { try store.quarantine(sequence, reason: String(repeating: "x", count: 500)) }
    // Their room is made by dropping the oldest, which they are themselves.
    let quarantined = try store.summary().quarantined
    let ledger = try store.summary().ledger
    let count = store.count
    #expect(quarantined > 0)
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
    let after = QueueFolder()
    for name in ["queue.db", "queue.db-wal", "queue.db-front"] {
      after.write(disk.read("queue/" + name), to: name)
    }
    #expect(try QueueStore(path: after.queue).batch(limit: 1000) == makeRecords(1...400))
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

extension LoopDisk {
  func read(_ name: String) -> [UInt8] {
    let copy = QueueFolder()
    guard system("cp \(path)/\(name) \(copy.path)/copy") == 0 else { return [] }
    return copy.read("copy")
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
