import Glibc
import Testing
import TrackerCore

@testable import TrackerIO

/// What may happen to one of the three files.
enum FileDamage: CustomStringConvertible, Sendable {
  case cut(Int)
  /// Of a hundred.
  case cutAt(percent: Int)
  case zeros
  case missing
  /// Another box's file in its place.
  case swapped

  static let all: [FileDamage] =
    [0, 1, 50, 100, 511, 4095, 4096, 8192, 8193, 65_600].map { .cut($0) }
    + [10, 50, 90].map { .cutAt(percent: $0) } + [.zeros, .missing, .swapped]
  /// For pairs.
  static let few: [FileDamage] = [.cut(0), .cut(4096), .cutAt(percent: 50), .zeros, .missing, .swapped]

  var description: String {
    switch self {
    case .cut(let bytes): "cut at \(bytes)"
    case .cutAt(let percent): "cut at \(percent) %"
    case .zeros: "zeros"
    case .missing: "missing"
    case .swapped: "swapped"
    }
  }

  func apply(to name: String, in folder: QueueFolder, other: QueueFolder) {
    let path = folder.path + "/" + name
    let bytes = folder.read(name)
    switch self {
    case .cut(let length): truncate(path, off_t(min(length, bytes.count)))
    case .cutAt(let percent): truncate(path, off_t(bytes.count * percent / 100))
    case .zeros: overwrite(path, Array(repeating: 0, count: bytes.count))
    case .missing: unlink(path)
    case .swapped: overwrite(path, other.read(name))
    }
  }

  /// In place: the file stays the one that may be open.
  private func overwrite(_ path: String, _ bytes: [UInt8]) {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    ftruncate(file, off_t(bytes.count))
    pwrite(file, bytes, bytes.count, 0)
    close(file)
  }
}

/// A queue with a history: records in database, log and front, some delivered, some in quarantine.
struct QueueHistory {
  let folder = QueueFolder()
  let store: QueueStore
  private(set) var waiting: Set<Int64> = []
  private(set) var given: Int64 = 0

  init() throws {
    store = try QueueStore(path: folder.queue)
    try commit(30)
    try store.store(store.held)
    try store.database.execute("PRAGMA wal_checkpoint(FULL)")
    try commit(50)
    try store.quarantine(5, reason: "422")
    try store.remove([1, 2, 3, 100, 101, 349, 350])
    waiting.subtract([1, 2, 3, 100, 101, 349, 350])
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
  static let names = ["queue.db", "queue.db-wal", "queue.db-front"]

  private func other() throws -> QueueFolder {
    let box = try QueueHistory()
    let cut = QueueFolder()
    box.folder.copyAsCut(to: cut)
    return cut
  }

  /// Everything that must hold after `folder` was damaged, with `queue` opened from it.
  private func check(
    _ store: QueueStore, in folder: QueueFolder, _ history: QueueHistory, queueID: UInt64, _ what: String,
    isExact: Bool = false
  ) throws {
    let readable = Set(try store.batch(limit: 9999).map(\.sequence))
      .union(try store.quarantined(after: 0, limit: 9999).map(\.sequence))
    let missing = history.waiting.subtracting(readable)
    let back = readable.subtracting(history.waiting)
    let report = store.openReport
    let isReported = report.hasDamage(of: .database) || report.hasDamage(of: .front)
    let words: Comment = "\(what): \(missing.count) missing, \(back.count) back, \(report)"
    #expect(missing.isEmpty || isReported, words)
    if let lost = report.lost {
      // What was delivered and is back stands for as many that are missing.
      #expect(lost <= missing.count && missing.count - back.count <= lost + report.lostAtMost, words)
    } else {
      #expect(isReported, words)
    }
    if isExact { #expect(report.lost == missing.count && report.lostAtMost == 0, words) }
    #expect(try store.database.text("PRAGMA integrity_check") == "ok", words)
    let lastSequence = try store.restore().lastSequence
    #expect(store.queueID != queueID || lastSequence >= history.given, words)

    try store.commit(Commit(records: [makeRecord(max(lastSequence, history.given) + 1)]))
    let ledger = try store.summary().ledger
    #expect(
      ledger["damage"] ?? 0 == report.lost ?? 0 && ledger["damage_at_most"] ?? 0 == report.lostAtMost, words)
    try store.reportTaken()
    let after = QueueFolder()
    folder.copyAsCut(to: after)
    let again = try QueueStore(path: after.queue)
    #expect(try again.summary().ledger == ledger, "reported again: \(what)")
    #expect(
      again.openReport.setAside == nil && again.openReport.lost == 0,
      "reported again: \(what): \(again.openReport)")
  }

  private func atStart(
    _ history: QueueHistory, _ damages: [(name: String, damage: FileDamage)], other: QueueFolder,
    isExact: Bool = false
  ) throws {
    let queueID = history.store.queueID
    let cut = QueueFolder()
    history.folder.copyAsCut(to: cut)
    for (name, damage) in damages { damage.apply(to: name, in: cut, other: other) }
    let store = try QueueStore(path: cut.queue)
    try check(
      store, in: cut, history, queueID: queueID,
      "at start: " + damages.map { "\($0.name) \($0.damage)" }.joined(separator: ", "), isExact: isExact)
  }

  @Test("nothing is lost without a word when one file was damaged while no agent ran", arguments: names)
  func oneAtStart(_ name: String) throws {
    let (history, other) = (try QueueHistory(), try other())
    for damage in FileDamage.all { try atStart(history, [(name, damage)], other: other) }
  }

  @Test(
    "nothing is lost without a word when two files were damaged",
    arguments: [[0, 1], [0, 2], [1, 2]])
  func pairsAtStart(_ pair: [Int]) throws {
    let (history, other) = (try QueueHistory(), try other())
    for first in FileDamage.few {
      for second in FileDamage.few {
        try atStart(history, [(Self.names[pair[0]], first), (Self.names[pair[1]], second)], other: other)
      }
    }
  }

  @Test("all three emptied: a new queue with another id, and it is reported")
  func allEmptied() throws {
    try atStart(QueueHistory(), Self.names.map { ($0, .cut(0)) }, other: QueueFolder())
  }

  @Test("an emptied database beside a whole log and front: what is missing is counted to the record")
  func emptied() throws {
    try atStart(QueueHistory(), [("queue.db", .cut(0))], other: QueueFolder(), isExact: true)
  }

  @Test(
    "while the agent runs the next commit notices what was cut, and counts what is lost", arguments: names)
  func running(_ name: String) throws {
    for damage in [FileDamage.cut(0), .cut(50), .cut(4096), .cutAt(percent: 50)] {
      var history = try QueueHistory()
      let queueID = history.store.queueID
      damage.apply(to: name, in: history.folder, other: history.folder)
      try history.commit(1)
      #expect(history.store.reopenings == 1, "\(name) \(damage)")
      #expect(history.store.queueID == queueID)
      try check(
        history.store, in: history.folder, history, queueID: queueID, "running: \(name) \(damage)",
        isExact: true)
    }
  }

  @Test("two and three files cut while the agent runs")
  func runningPairs() throws {
    for names in [[0, 1], [0, 2], [1, 2], [0, 1, 2]] {
      var history = try QueueHistory()
      let queueID = history.store.queueID
      for index in names {
        FileDamage.cut(0).apply(to: Self.names[index], in: history.folder, other: history.folder)
      }
      try history.commit(1)
      try check(
        history.store, in: history.folder, history, queueID: queueID, "running: \(names) emptied",
        isExact: true)
    }
  }

  @Test("zeros over an open file are noticed at the next start at the latest", arguments: names)
  func runningZeros(_ name: String) throws {
    var history = try QueueHistory()
    let queueID = history.store.queueID
    FileDamage.zeros.apply(to: name, in: history.folder, other: history.folder)
    for _ in 0..<3 {
      do { try history.commit(1) } catch { try history.commit(1) }
    }
    let cut = QueueFolder()
    history.folder.copyAsCut(to: cut)
    let store = try QueueStore(path: cut.queue)
    try check(store, in: cut, history, queueID: queueID, "zeros while running: \(name)")
  }

  @Test("what was dropped before stays in the ledger when the table that said so is lost")
  func ledger() throws {
    let history = try QueueHistory()
    try history.store.commit(Commit(dropped: ["memory_full": 7]))
    let cut = QueueFolder()
    history.folder.copyAsCut(to: cut)
    for name in ["queue.db", "queue.db-wal"] { FileDamage.cut(0).apply(to: name, in: cut, other: cut) }
    let store = try QueueStore(path: cut.queue)
    try store.commit(Commit(records: [makeRecord(2_000_000)]))
    #expect(try store.summary().ledger["memory_full"] == 7)
  }

  @Test("what was dropped after the front's last census is not counted twice")
  func droppedAfterCensus() throws {
    let history = try QueueHistory()
    try history.store.store(history.store.held)
    let front = history.folder.read("queue.db-front")
    let dropped = try #require(try history.store.dropOldest(because: "quota"))
    let cut = QueueFolder()
    history.folder.copyAsCut(to: cut)
    // The power went between the transaction and the front; then the header was damaged, and no row.
    cut.write(front, to: "queue.db-front")
    try SQLiteDatabase(path: cut.queue, create: false).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let database = open(cut.queue, O_WRONLY | O_CLOEXEC)
    pwrite(database, [0, 16, 0, 0] as [UInt8], 4, 36)
    close(database)
    let store = try QueueStore(path: cut.queue)
    try #require(store.openReport.setAside != nil)
    try store.commit(Commit(records: [makeRecord(2_000_000)]))
    #expect(try store.summary().ledger == [dropped.cause: dropped.count])
    #expect(try store.summary().count == history.store.count + 1)
  }

  @Test("a first start that was cut in its first moments is no damage")
  func firstStart() throws {
    let folder = QueueFolder()
    folder.write([], to: "queue.db")
    #expect(try QueueStore(path: folder.queue).openReport == QueueOpenReport())
  }
}
