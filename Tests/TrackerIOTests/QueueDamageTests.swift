import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

/// What may happen to one of the two files.
enum FileDamage: CustomStringConvertible, Sendable {
  case cut(Int)
  /// Of a hundred.
  case cutAt(percent: Int)
  case zeros
  case missing

  static let all: [FileDamage] =
    [0, 1, 50, 100, 511, 1024, 4096, 8193, 65_600].map { .cut($0) }
    + [10, 50, 90].map { .cutAt(percent: $0) } + [.zeros, .missing]

  var description: String {
    switch self {
    case .cut(let bytes): "cut at \(bytes)"
    case .cutAt(let percent): "cut at \(percent) %"
    case .zeros: "zeros"
    case .missing: "missing"
    }
  }

  /// In place: the file stays the one that may be open.
  func apply(to name: String, in folder: QueueFolder) {
    let path = folder.path + "/" + name
    let size = folder.read(name).count
    switch self {
    case .cut(let length): truncate(path, off_t(min(length, size)))
    case .cutAt(let percent): truncate(path, off_t(size * percent / 100))
    case .zeros:
      truncate(path, 0)
      truncate(path, off_t(size))
    case .missing: unlink(path)
    }
  }
}

/// A queue with a history: records in the file and in its log, some delivered, some in quarantine.
struct QueueHistory {
  let folder = QueueFolder()
  let store: QueueStore
  private(set) var waiting: Set<Int64> = []
  private(set) var given: Int64 = 0

  init() throws {
    store = try QueueStore(path: folder.queue)
    try commit(120)
    try store.database.execute("PRAGMA wal_checkpoint(RESTART)")
    try commit(30)
    try store[0].quarantine(5, reason: "422")
    let leaving: [Int64] = [1, 2, 3, 100, 101, 349, 350]
    try store[0].remove(leaving)
    waiting.subtract(leaving)
  }

  /// Seven records at a time.
  mutating func commit(_ times: Int) throws {
    for _ in 0..<times {
      let records = makeRecords((given + 1)...(given + 7))
      try store.commit(Commit(records: records, state: ["n": "\(given)"]))
      given += 7
      waiting.formUnion(records.map(\.sequence))
    }
  }
}

@Suite("Damage of the queue's files")
struct QueueDamageTests {
  @Test("of a damaged database nothing is lost without a word, and work goes on", arguments: FileDamage.all)
  func database(_ damage: FileDamage) throws {
    let history = try QueueHistory()
    let cut = history.folder.cut()
    damage.apply(to: "queue.db", in: cut)
    let store = try QueueStore(path: cut.queue)
    try check(store, history)
    let missing = history.waiting.subtracting(try everything(store).map(\.sequence))
    let report = store.openReport
    #expect(missing.isEmpty || report.findings.contains { $0 != .logMissing }, "\(missing.count): \(report)")
    if !report.findings.isEmpty {
      #expect(report.salvaged == store[0].count - 1 && report.lost == nil && report.damage.count == 1)
      #expect(store.queueID != history.store.queueID && store.idChanges.count == 1)
      #expect(try store[0].summary().ledger == ["damage_unknown": 1])
    }
    try store.reportTaken()
    let after = cut.cut()
    let again = try QueueStore(path: after.queue)
    #expect(again.openReport == QueueOpenReport() && again.queueID == store.queueID)
    #expect(try again[0].summary().ledger == store[0].summary().ledger)
  }

  @Test("a damaged log costs what was committed last, and nothing before it", arguments: FileDamage.all)
  func log(_ damage: FileDamage) throws {
    let history = try QueueHistory()
    let cut = history.folder.cut()
    damage.apply(to: "queue.db-wal", in: cut)
    let store = try QueueStore(path: cut.queue)
    try check(store, history)
    let found = Set(try everything(store).map(\.sequence))
    #expect(history.waiting.filter { $0 <= 840 }.isSubset(of: found))
    #expect(store.openReport.setAside == nil)
  }

  /// Also of what was in quarantine.
  private func everything(_ store: QueueStore) throws -> [Record] {
    try store.waiting() + store[0].quarantined(after: 0, limit: 9999).compactMap(\.record).asMade
  }

  /// Whatever was damaged: no record is another one than it was, and the store works.
  private func check(_ store: QueueStore, _ history: QueueHistory) throws {
    for record in try everything(store) {
      #expect(record == makeRecord(record.sequence) && record.sequence <= history.given)
    }
    try store.commit(Commit(records: [makeRecord(history.given + 1)]))
    #expect(try store.waiting().last?.sequence == history.given + 1)
    #expect(try store[0].count == store.waiting().count)
    #expect(try store.database.text("PRAGMA integrity_check") == "ok")
  }

  @Test("both emptied, or gone: a new queue")
  func bothGone() throws {
    for damage in [FileDamage.cut(0), .missing] {
      let history = try QueueHistory()
      let cut = history.folder.cut()
      for name in ["queue.db", "queue.db-wal"] { damage.apply(to: name, in: cut) }
      let store = try QueueStore(path: cut.queue)
      #expect(store[0].count == 0 && store.queueID != history.store.queueID)
    }
  }

  @Test("a damaged page costs its own rows: the others, state, ledger and tail are saved, from both ends")
  func page() throws {
    let folder = QueueFolder()
    let store = try QueueStore(path: folder.queue, servers: ["", "b"])
    try store.commit(
      Commit(
        records: makeRecords(1...2000), tail: [makeRecord(2001)], state: ["a": "1"], dropped: ["memory": 3]))
    try store[1].remove([2])
    try store[0].quarantine(7, reason: "no")
    try store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let cut = folder.cut()
    // Of about 160 with records; the rest of the file is reserved.
    cut.overwrite(0xAA, page: 60)
    let saved = try QueueStore(path: cut.queue, servers: ["", "b"])
    let report = saved.openReport
    let records = try saved.waiting(server: 1)
    #expect(report.setAside != nil && report.findings.count == 1 && report.lost == nil)
    #expect(report.salvaged == records.count + 1 && saved.counts == [records.count, records.count])
    #expect(records.count > 1900 && records.count < 1999)
    #expect(records == records.map { makeRecord($0.sequence) })
    #expect(records.first?.sequence == 1 && records.last?.sequence == 2000)
    #expect(try saved.sequences() == [1, 2] + records.dropFirst().map(\.sequence).filter { $0 != 7 })
    #expect(try saved[0].quarantined(after: 0, limit: 9).map(\.sequence) == [7])
    #expect(try saved[0].batch(limit: 1).first?.queueID == store.queueID && saved.queueID != store.queueID)
    let restored = saved.restore()
    #expect(restored.state == ["a": "1"] && restored.tail.asMade == [makeRecord(2001)])
    #expect(restored.lastSequence == 2001)
    #expect(try saved[0].summary().ledger == ["memory": 3, "damage_unknown": 1])
    #expect(try saved[0].summary().quarantined == 1)
    #expect(try saved.database.text("PRAGMA integrity_check") == "ok")
  }

  @Test("a page that ends the walk too early is damage, for a batch and for whoever exports")
  func shortWalk() throws {
    let folder = QueueFolder()
    do { try QueueStore(path: folder.queue).commit(Commit(records: makeRecords(1...3000))) }
    var bytes = folder.read("queue.db")
    // A leaf in the middle that says that it has no cell (section 1.6 of sqlite.org/fileformat2.html).
    let pages = stride(from: 0, to: bytes.count, by: Int(StoreSchema.pageBytes))
    let leaves = pages.filter { bytes[$0] == 0x0D && bytes[$0 + 4] > 3 }
    let middle = leaves[leaves.count / 2]
    (bytes[middle + 3], bytes[middle + 4]) = (0, 0)
    folder.write(bytes, to: "queue.db")
    let store = try QueueStore(path: folder.queue)
    #expect(throws: StoreError.self) { try store[0].page(after: 0, limit: 5000) }
    // What can be read is in another file by now.
    let left = try store[0].batch(limit: 5000)
    #expect((2900..<3000).contains(left.count) && store.openReport.lost == 3000 - left.count)
  }

  @Test("a saved state that makes no sense is reported, and another queue id begun; the records stay")
  func state() throws {
    let history = try QueueHistory()
    try history.store.database.execute("UPDATE state SET json = 'x' || json")
    let cut = history.folder.cut()
    let store = try QueueStore(path: cut.queue)
    #expect(store.openReport.findings == [.stateLost] && store.openReport.damage.count == 1)
    #expect(store.queueID != history.store.queueID && store.restore().state == [:])
    #expect(store.restore().lastSequence == history.given)
    #expect(Set(try store.sequences()) == history.waiting.subtracting([5]))
    #expect(try store[0].summary().quarantined == 1)
    try store.commit(Commit(records: [makeRecord(history.given + 1)]))
    try store.reportTaken()
    let after = cut.cut()
    #expect(try QueueStore(path: after.queue).openReport == QueueOpenReport())
  }

  // MARK: While it is open

  @Test("a page that is damaged under an open queue is met, and the file replaced without a restart")
  func whileOpen() throws {
    let folder = QueueFolder()
    let store = try QueueStore(path: folder.queue)
    let id = store.queueID
    try store.commit(Commit(records: makeRecords(1...5000), state: ["a": "1"]))
    try store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try store.database.execute("PRAGMA shrink_memory")
    folder.overwrite(0xAA, page: 60)
    #expect(throws: StoreError.self) { try store.sequences() }
    let left = try store.sequences()
    let report = store.openReport
    #expect(report.setAside != nil && report.salvaged == left.count && report.lost == 5000 - left.count)
    #expect(left.count > 4800 && left.count < 5000 && store.reopenings == 1)
    #expect(
      store.queueID != id && store.restore().state == ["a": "1"] && store.restore().lastSequence == 5000)
    try store.commit(Commit(records: [makeRecord(5001)]))
    #expect(try store.sequences() == left + [5001])
    #expect(try store[0].summary().ledger["damage"] == 5000 - left.count)
  }

  @Test("files that are cut or overwritten under an open queue: commits go on, and so does the next start")
  func filesWhileOpen() throws {
    for name in ["queue.db", "queue.db-wal"] {
      for damage in [FileDamage.cut(0), .cut(50), .cut(4096), .cutAt(percent: 50), .zeros] {
        let history = try QueueHistory()
        damage.apply(to: name, in: history.folder)
        for sequence in 2000...2010 as ClosedRange<Int64> {
          let commit = Commit(records: [makeRecord(sequence)])
          let isDone = (0..<3).contains { _ in (try? history.store.commit(commit)) != nil }
          #expect(isDone, "\(name) \(damage)")
        }
        let cut = history.folder.cut()
        let store = try QueueStore(path: cut.queue)
        try store.commit(Commit(records: [makeRecord(3000)]))
        #expect(try store.sequences().last == 3000, "\(name) \(damage)")
      }
    }
  }

  @Test("a header that makes each new chunk look used does not fill the disk, nor cost a record")
  func header() throws {
    let folder = QueueFolder()
    do { try QueueStore(path: folder.queue).commit(Commit(records: makeRecords(1...3000))) }
    unlink(folder.queue + "-wal")
    // As large as it says it is, so that the check at opening has no reason to doubt.
    var bytes = folder.read("queue.db")
    let pages = bytes[28..<32].reduce(0) { $0 << 8 | Int($1) }
    bytes = Array(bytes[..<(pages * Int(StoreSchema.pageBytes))])
    bytes[24] ^= 0x40
    folder.write(bytes, to: "queue.db")
    let store = try QueueStore(path: folder.queue)
    var next: Int64 = 3001
    while next < 12_000 {
      let commit = Commit(records: makeRecords(next...(next + 99)))
      if (try? store.commit(commit)) == nil { try store.commit(commit) }
      next += 100
    }
    #expect(try store.waiting() == makeRecords(1...(next - 1)))
    #expect(folder.read("queue.db").count < 4_000_000)
  }

  @Test("an event that an index does not know of, by one bit, is delivered in the end")
  func index() throws {
    let folder = QueueFolder()
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3)))
    let database = try store.database
    for (old, new) in [("kind <> 0", "kind > 99"), ("kind > 99", "kind <> 0")] {
      try database.execute("PRAGMA writable_schema = ON")
      try database.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)') WHERE name = 'events'")
      try database.execute("PRAGMA writable_schema = RESET")
      // While the index is another one.
      if new == "kind > 99" { try database.execute("UPDATE records SET kind = 3 WHERE sequence = 2") }
    }
    let cut = folder.cut()
    let again = try QueueStore(path: cut.queue)
    for _ in 0..<3 where again[0].count > 0 { _ = try? again[0].remove([1, 2, 3]) }
    #expect(again[0].count == 0)
    #expect(try again.sequences() == [])
  }

  /// Numbers that look like chance, the same each time.
  private struct Dice {
    var state: UInt64 = 88_172_645_463_325_252

    mutating func next(below end: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(end))
    }
  }

  @Test("bits that have flipped, and pages of zeros: it opens or says what is wrong, and work goes on")
  func anywhere() throws {
    let history = try QueueHistory()
    let file = history.folder.read("queue.db")
    let pages = (file.lastIndex { $0 != 0 } ?? 0) / 1024
    var dice = Dice()
    for round in 0..<40 {
      let cut = history.folder.cut()
      var bytes = file
      if round % 2 == 0 {
        for _ in 0..<8 {
          let (index, bit) = (dice.next(below: pages * 1024), dice.next(below: 8))
          bytes[index] ^= 1 << UInt8(bit)
        }
      } else {
        let start = dice.next(below: pages) * 1024
        for index in start..<(start + 1024) { bytes[index] = 0 }
      }
      cut.write(bytes, to: "queue.db")
      if round % 4 < 2 { cut.write([], to: "queue.db-wal") }
      try live(cut, "round \(round)")
    }
  }

  /// Reads, commits, delivers and ends, twice. Where the file is found to be damaged, the same again works.
  private func live(_ folder: QueueFolder, _ what: Comment) throws {
    for sequence in 2000...2001 as ClosedRange<Int64> {
      let store: QueueStore
      do throws(StoreError) { store = try QueueStore(path: folder.queue) } catch {
        switch error {
        case .newerVersion, .foreignFile, .prepare, .readOnly: return
        default: throw error
        }
      }
      _ = try? store[0].page(after: 0, limit: 999)
      _ = try? store[0].summary()
      _ = try? store[0].quarantined(after: 0, limit: 99)
      try inTheEnd { try store.commit(Commit(records: [makeRecord(sequence)])) }
      let found = try inTheEnd { try store.sequences() }
      #expect(found.contains(sequence), what)
      try inTheEnd { try store[0].remove(Array(found.prefix(500))) }
      let left = try inTheEnd { try store.sequences() }
      #expect(left.count <= max(found.count - 500, 0), what)
    }
  }

  @discardableResult
  private func inTheEnd<Value>(_ body: () throws -> Value) throws -> Value {
    for _ in 1...2 { if let value = try? body() { return value } }
    return try body()
  }
}
