import Glibc
import Testing
import TrackerBase
import TrackerCore

@testable import TrackerIO
@testable import godwit

@Suite("The agent's storage")
struct StorageTests {
  let folder = QueueFolder()
  let queue: QueueStore
  let storage: Storage

  init() throws {
    queue = try QueueStore(path: folder.queue)
    storage = Storage(queue: queue, settings: Settings().queue, log: Log(level: .error))
  }

  /// The next change fails, as on a file system that has turned read-only.
  private func fail() throws { try queue.opened.database.execute("PRAGMA query_only = ON") }

  private func commit(_ sequences: ClosedRange<Int64>) -> [Event] {
    storage.commit(Commit(records: makeRecords(sequences)))
  }

  @Test("a commit that fails is reported once with SQLite's words, and the next one opens the file again")
  func commitFails() throws {
    try fail()
    let failed = commit(1...100)
    #expect(
      failed == [
        .queueShrank(queued: 0),
        .commitFailed(
          "queue: sqlite3_step (BEGIN IMMEDIATE): attempt to write a readonly database (8); "
            + "the file system is mounted read-only, or the file is another user's"),
      ])
    #expect(commit(1...101) == [.committed(queued: [101])])
    #expect(queue.reopenings == 1)
  }

  @Test(
    "for the status it has the oldest record, what is in quarantine, and the ledger, all of whose causes are known"
  )
  func figures() throws {
    #expect(storage.figures() == [QueueFigures(quarantined: 0)])
    _ = storage.commit(Commit(records: makeRecords(1...3)))
    #expect(storage.figures().first?.oldest_ms == makeRecord(1).time_ms)
    _ = storage.commit(Commit(records: makeRecords(4...3000), dropped: ["memory_full": 42]))
    _ = storage.commit(Commit(records: (3001...3600).map { makeRecord($0, kind: .geofence) }))
    _ = storage.remove([1, 2])
    _ = storage.quarantine(3, reason: "no")
    #expect(
      storage.figures() == [
        QueueFigures(oldest_ms: makeRecord(4).time_ms, quarantined: 1, ledger: ["memory_full": 42])
      ])
    try queue.enforceQuota(maxBytes: 1)
    let dropped = queue.takeDropped()
    #expect(Set(dropped.keys) == ["quota_positions", "quota_quarantined", "quota_events"])
    let figures = try #require(storage.figures().first)
    #expect(figures.ledger[.other] == nil && figures.ledger[.quotaPositions] == dropped["quota_positions"])
    #expect(figures.oldest_ms == nil && figures.quarantined == 0)
    #expect(
      QueueFigures(ledger: ["a": 1, "b": 2, "purged": 3, "damage": 0]).ledger == [.other: 3, .purged: 3])
  }

  @Test("what storage that failed holds is not known, rather than nothing")
  func figuresUnknown() throws {
    _ = commit(1...100)
    try fail()
    // What is no file stands for a device that is gone.
    mknod(folder.queue + "-probe", S_IFSOCK | 0o600, 0)
    for _ in 0..<2 {
      guard case .commitFailed = commit(101...101).last else {
        Issue.record("a commit on storage that fails")
        return
      }
    }
    #expect(queue.isClosed && storage.figures() == [QueueFigures()])
    unlink(folder.queue + "-probe")
    #expect(commit(101...101) == [.committed(queued: [101])])
    #expect(storage.figures().first?.oldest_ms == makeRecord(1).time_ms)
  }

  @Test("the lock is let go with the files, and is there again with them")
  func lock() throws {
    let other = QueueFolder()
    var settings = Settings().queue
    settings.path = other.queue
    let queue = try QueueStore(path: other.queue)
    let storage = Storage(
      queue: queue, settings: settings, log: Log(level: .error),
      lock: try ProcessLock(path: other.queue + ".lock"))
    #expect(throws: HostError.self) { try ProcessLock(path: other.queue + ".lock") }
    try queue.opened.database.execute("PRAGMA query_only = ON")
    mknod(other.queue + "-probe", S_IFSOCK | 0o600, 0)
    for _ in 0..<2 { _ = storage.commit(Commit(records: [makeRecord(1)])) }
    #expect(queue.isClosed)
    _ = try ProcessLock(path: other.queue + ".lock")
    unlink(other.queue + "-probe")
    #expect(storage.commit(Commit(records: [makeRecord(1)])) == [.committed(queued: [1])])
    #expect(throws: HostError.self) { try ProcessLock(path: other.queue + ".lock") }
  }

  @Test("a removal or a quarantine that fails is a warning, and the records stay")
  func removalFails() throws {
    #expect(commit(1...100) == [.committed(queued: [100])])
    try fail()
    let removal = storage.remove([1])
    guard case .queueFailed(let words, server: 0) = removal.first else {
      Issue.record("not reported: \(removal)")
      return
    }
    #expect(words.hasPrefix("removing delivered records: queue: sqlite3_step (BEGIN IMMEDIATE): attempt"))
    #expect(removal.dropFirst() == [.queueShrank(queued: 100)])
    // No records, and yet the file is looked after.
    #expect(storage.commit(Commit()) == [.committed(queued: [100])])
    try fail()
    let quarantine = storage.quarantine(2, reason: "no")
    guard case .queueFailed(let reason, server: 0) = quarantine.first else {
      Issue.record("not reported: \(quarantine)")
      return
    }
    #expect(reason.hasPrefix("quarantine: queue: "))
    #expect(quarantine.dropFirst() == [.queueShrank(queued: 100)])
    // Whatever comes next opens it again.
    #expect(storage.remove([1]) == [.queueShrank(queued: 99)])
    #expect(storage.quarantine(2, reason: "no") == [.queueShrank(queued: 98)])
    #expect(queue.reopenings == 2)
  }

  /// It is to be reported at the next start, too.
  private func isReportPending(_ queue: QueueStore) throws -> Bool {
    try queue.opened.database.integer("SELECT instr(json, '\"replacement\"') FROM state") > 0
  }

  @Test("a report that cannot be taken does not make the commit a failure, and is taken with the next")
  func reportNotTaken() throws {
    let other = QueueFolder()
    other.write(Array("this is no database, and never was one".utf8), to: "queue.db")
    do {
      let queue = try QueueStore(path: other.queue)
      let storage = Storage(queue: queue, settings: Settings().queue, log: Log(level: .error))
      try queue.opened.database.execute(
        """
        CREATE TEMP TRIGGER t BEFORE UPDATE ON main.state WHEN instr(NEW.json, '"replacement"') = 0
        BEGIN SELECT abs(-9223372036854775807 - 1); END
        """)
      #expect(storage.commit(Commit(records: [makeRecord(1)])) == [.committed(queued: [1])])
      #expect(try isReportPending(queue))
      try queue.opened.database.execute("DROP TRIGGER t")
      #expect(storage.commit(Commit(records: [makeRecord(2)])) == [.committed(queued: [2])])
      #expect(try !isReportPending(queue))
    }
    #expect(try QueueStore(path: other.queue).openReport.setAside == nil)
  }

  @Test(
    "a file that was replaced under the running agent is reported, and again at the next start until it is recorded"
  )
  func replaced() throws {
    #expect(commit(1...100) == [.committed(queued: [100])])
    try fail()
    _ = storage.remove([1])
    // The log has everything: the file itself is beyond reading.
    try queue.opened.database.execute("PRAGMA query_only = OFF")
    try queue.opened.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    folder.write(Array(repeating: 0x55, count: 10_000), to: "queue.db")
    let events = storage.commit(Commit(records: [makeRecord(101)]))
    guard case .queueDamaged(let words) = events.first else {
      Issue.record("not reported: \(events)")
      return
    }
    #expect(words.hasPrefix("the queue file was damaged: set aside as \(folder.queue).corrupt-"))
    #expect(words.hasSuffix(", 0 records salvaged; 100 records are lost"), "\(words)")
    #expect(try queue[0].summary().ledger["damage"] == 100)
    #expect(try isReportPending(queue))
    _ = storage.commit(Commit(records: [makeRecord(102)]))
    #expect(try !isReportPending(queue))
  }
}

@Suite(
  "The agent's storage on a full disk",
  .enabled(if: LoopDisk.isPossible, "a real full disk is a loop mount, which needs root"), .serialized)
struct FullStorageTests {
  @Test(
    "a start on a read-only file system that lets nothing be read: the lock is let go, and what is made comes at last beside what was found"
  )
  func startWithoutStorage() throws {
    let disk = try LoopDisk()
    do {
      let queue = try QueueStore(path: disk.queue)
      try queue.commit(Commit(records: makeRecords(1...200), state: ["odometer_m": "7"]))
    }
    // As without an orderly end, after which it would be believed.
    try SQLiteDatabase(path: disk.queue).execute("UPDATE state SET json = json_remove(json, '$.figures')")
    // The count of free pages (section 1.3 of sqlite.org/fileformat2.html): nothing is believed of a damaged file.
    let file = open(disk.queue, O_RDWR)
    pwrite(file, [16 as UInt8], 1, 37)
    fsync(file)
    close(file)
    _ = try ProcessLock(path: disk.queue + ".lock")
    try disk.breakDown()
    let queue = try QueueStore(path: disk.queue, goesOnWithoutStorage: true)
    let log = Log(level: .error)
    var settings = Settings().queue
    settings.path = disk.queue
    let storage = Storage(
      queue: queue, settings: settings, log: log, lock: try ProcessLock(path: disk.queue + ".lock"))
    let restored = Tracker.Restored(queue, moved: nil)
    #expect(restored.isUnread && restored.state.isEmpty && restored.storageProblem != nil)
    // Above whatever the store may have given.
    #expect(restored.lastSequence >= Version.released_ms)
    var record = makeRecord(restored.lastSequence + 1)
    record.queueID = 7
    guard case .commitFailed(let words) = storage.commit(Commit(records: [record])).last else {
      Issue.record("a commit on a read-only file system")
      return
    }
    #expect(words.contains("Read-only file system (30)"), "\(words)")
    try disk.mountAgain()
    let events = storage.commit(Commit(records: [record]))
    guard case .queueDamaged = events.first, events.dropFirst() == [.committed(queued: [201])] else {
      Issue.record("not read: \(events)")
      return
    }
    // What a next process goes on from.
    let found = Tracker.Restored(queue, moved: nil)
    #expect(!found.isUnread && found.lastSequence == record.sequence && found.queued == [201])
    #expect(found.state == ["odometer_m": "7"])
    #expect(try queue[0].batch(limit: 999).last == record)
    #expect(throws: HostError.self) { try ProcessLock(path: disk.queue + ".lock") }
  }

  @Test(
    "records are stored all the same; what a quarantine costs others is reported like what a commit costs")
  func full() throws {
    let disk = try LoopDisk()
    do { try QueueStore(path: disk.queue).commit(Commit(records: makeRecords(1...2000))) }
    try disk.fill()
    let queue = try QueueStore(path: disk.queue)
    let storage = Storage(queue: queue, settings: Settings().queue, log: Log(level: .error))
    #expect(storage.commit(Commit(records: [makeRecord(2001)])) == [.committed(queued: [2001])])
    #expect(storage.commit(Commit(records: [makeRecord(2002)])) == [.committed(queued: [2002])])

    var reported = 0
    for sequence in (1...2002 as ClosedRange<Int64>).reversed() where reported == 0 {
      for event in storage.quarantine(sequence, reason: String(repeating: "x", count: 500)) {
        if case .dropped("disk_full_positions", let records) = event { reported += records }
      }
    }
    #expect(reported > 0)
    #expect(try queue[0].summary().ledger == ["disk_full_positions": reported])
  }
}
