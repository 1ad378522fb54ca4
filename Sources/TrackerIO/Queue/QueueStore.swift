import Glibc
import TrackerCore

/// The records that wait for the server: one SQLite file, and before it a small file, the front, which takes
/// most commits in one write (docs/queue.md).
///
/// What `commit` has returned from is on storage and survives a power cut. A row leaves by `remove`,
/// `quarantine`, `enforceQuota`, or to make room on a full disk, and by nothing else. Used by one thread; the
/// file is locked against any second connection while the store lives. Every method may be called again after
/// an error.
public final class QueueStore {
  public internal(set) var path: String
  /// As it was named, which may be a link.
  let givenPath: String
  /// 60 random bits, made with the file, by which its parts are known. Records are sent under it as long as `ids` has
  /// no other one.
  public internal(set) var queueID: UInt64
  var identity: QueueIdentity
  /// The tables do not have it yet.
  var isIdentityUnsaved = false
  /// Of the last opening: after a failure of the storage the file is opened again.
  public internal(set) var openReport: QueueOpenReport
  /// How often it was opened again.
  public private(set) var reopenings = 0
  /// How often that was tried on storage that takes writes: the whole file is read then, and the log written.
  public internal(set) var rewrittenLogs = 0

  /// Nothing of it could be read yet: which numbers were given is not known, and nothing is committed before
  /// `readAtLast`.
  public private(set) var isUnread = false

  /// There was no queue at the start, and no room for one.
  public private(set) var isNew = false

  let synchronous: QueueSynchronous
  /// nil after a failure of the storage, until it could be opened again.
  var connection: QueueConnection?
  var closedAfter = ""
  /// Of the file system, as the file was last seen there.
  var device: dev_t?
  /// What the tables hold, so that nothing needs to be counted again. Changed only after a transaction.
  var counts: QueueCounts
  /// What is committed and not in the tables. Its state and tail stand beside the tables' own.
  var held = FrontContent()
  /// Tail and state in the tables.
  var stored: QueueSaved
  /// No row of the tables has a greater number.
  var greatestStored: Int64
  /// No row of the tables with a smaller number is an event.
  var eventsFrom = Int64.min
  /// `held` was read from storage that had failed: the next commit writes it, even if it brings nothing new.
  var isHeldUnsure = false
  /// What damage has cost, by cause: the next commit puts it into the ledger.
  var lost: [String: Int] = [:]
  /// As the table has it.
  var ledger: [String: Int]
  /// Made room on a full disk while something was read: the next change returns it.
  var isLedgerChanged = false
  var unreported: [String: Int] = [:]

  /// Opens the file, making it and its folder when missing. See `openReport` for a file that was damaged.
  ///
  /// - Parameter goesOnWithoutStorage: when the storage fails or has no room for the files, which can at best be
  ///   read, the store begins as it is after a failure, `isClosed`, and each commit tries again.
  public convenience init(path: String, goesOnWithoutStorage: Bool = false) throws(QueueError) {
    try self.init(path: path, synchronous: .full, goesOnWithoutStorage: goesOnWithoutStorage)
  }

  package init(
    path: String, synchronous: QueueSynchronous, goesOnWithoutStorage: Bool = false
  ) throws(QueueError) {
    self.synchronous = synchronous
    givenPath = path
    self.path = QueueFile.resolved(path)
    var contents = QueueContents()
    do throws(QueueError) {
      let opened = try QueueConnection(path: self.path, synchronous: synchronous)
      contents = try QueueContents(opened)
      connection = opened
    } catch {
      let fault = QueueFile.storageProblem(self.path, behind: error)
      guard goesOnWithoutStorage, let fault else { throw fault ?? error }
      closedAfter = "\(fault)"
      if let readable = try QueueContents(reading: self.path) { contents = readable } else { isUnread = true }
      // What is sent from memory has an identity, too; a file that is made later gets it.
      if isUnread { contents.identity = QueueIdentity(first: QueueSchema.randomID()) }
      isNew = isUnread && !QueueFile.wasThere(self.path)
    }
    (queueID, identity, openReport) = (contents.queueID, contents.identity, contents.report)
    (counts, stored, greatestStored) = (contents.counts, contents.stored, contents.greatestStored)
    held = contents.held
    ledger = contents.ledger
    device = QueueFile.device(of: self.path)
    countLost(contents.found, expected: nil)
    startFront(contents.found)
  }

  /// For commands, which leave a file that is damaged, or no queue at all, as it is.
  ///
  /// - Throws: `QueueError.notAQueue` for one.
  public convenience init(whole path: String) throws(QueueError) {
    try QueueFile.checkIsQueue(QueueFile.resolved(path))
    try self.init(path: path)
  }

  /// For what lies beside the queue file, before that is opened.
  public static func makeFolder(of path: String) throws(QueueError) { try QueueFile.makeFolders(of: path) }

  /// What another opening found takes the place of what was known.
  func take(_ contents: QueueContents, _ opened: QueueConnection) {
    takeIdentity(contents.identity)
    (connection, queueID, openReport) = (opened, contents.queueID, contents.report)
    (counts, stored, greatestStored) = (contents.counts, contents.stored, contents.greatestStored)
    held = contents.held
    ledger = contents.ledger
    eventsFrom = .min
    device = QueueFile.device(of: path)
    isUnread = false
    reopenings += 1
  }

  /// Everything goes into the tables, for whoever looks at them with other programs.
  deinit {
    guard let database = connection?.database else { return }
    if database.fault != nil { return database.leaveLogOnClose(true) }
    if !held.isEmpty(beside: stored) || hasMoved { _ = try? store(held) }
    try? connection?.markClosed()
    connection?.room.emptyLog()
  }

  var database: SQLiteDatabase { get throws(QueueError) { try open.database } }
  var statements: QueueStatements { get throws(QueueError) { try open.statements } }
  var front: QueueFront { get throws(QueueError) { try open.front } }
  var room: QueueRoom { get throws(QueueError) { try open.room } }

  /// Why it is closed, or was last.
  public var storageProblem: String? { isClosed ? closedAfter : nil }

  private var open: QueueConnection {
    get throws(QueueError) {
      guard let connection else { throw .closed(after: closedAfter) }
      return connection
    }
  }

  /// After a failure of the storage, as long as the files cannot be opened again.
  public var isClosed: Bool { connection == nil }

  /// Why the front takes no commits, so that each goes into the database; nil: it does.
  public var frontProblem: QueueError? { connection?.front.fault }

  /// Records that wait.
  public var count: Int { counts.records + held.rows.count }

  // MARK: Writing

  /// Makes everything in `commit` durable together. After an error nothing of it is, or, when the storage
  /// itself failed, that is not known; the same commit may be made again either way, since a sequence that is
  /// there already is left as it is.
  ///
  /// - Returns: how many records had to be dropped to make room on a full disk, by cause, as in the ledger.
  @discardableResult
  public func commit(_ commit: Commit) throws(QueueError) -> [String: Int] {
    try openAgainAfterFault()
    try mendIfCut()
    unreported.merge(try saveIdentity(), uniquingKeysWith: +)
    if let redating = commit.redating { try redate(redating) }
    var next = held
    for record in commit.records {
      let isStored = try isStored(record.sequence)
      if !isStored { next.insert(RecordColumns.values(record)) }
      next.lastSequence = max(next.lastSequence, record.sequence)
    }
    next.tail = commit.tail.map { RecordColumns.values($0) }
    for record in commit.tail { next.lastSequence = max(next.lastSequence, record.sequence) }
    next.merge(commit.state, beside: stored.state)
    if !commit.dropped.isEmpty || !lost.isEmpty {
      let dropped = try store(next, dropped: commit.dropped.merging(lost, uniquingKeysWith: +))
      lost = [:]
      return reported(dropped)
    }
    return reported(try next == held && !isHeldUnsure ? [:] : keep(next))
  }

  /// The server has them. Sequences that are not there are passed over. - Returns: as `commit`.
  @discardableResult
  public func remove(_ sequences: [Int64]) throws(QueueError) -> [String: Int] {
    let leaving = Set(sequences)
    var next = held
    next.rows.removeAll { leaving.contains($0.sequence) }
    if leaving.count > held.rows.count - next.rows.count, counts.records > 0 {
      var counts = counts
      try database.transaction { () throws(QueueError) in
        for range in QueueStore.ranges(leaving) { try delete(range, &counts) }
      }
      self.counts = counts
      if next == held { reportFront() }
    }
    return reported(try next == held ? [:] : keep(next))
  }

  /// Moves one record to where it waits for a person, with the server's words (cut to 500 characters).
  ///
  /// - Returns: as `commit`.
  @discardableResult
  public func quarantine(_ sequence: Int64, reason: String) throws(QueueError) -> [String: Int] {
    var dropped: [String: Int] = [:]
    if held.rows.contains(where: { $0.sequence == sequence }) { dropped = try store(held) }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let now_ms = Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    let text = SQLiteValue.text(String(reason.unicodeScalars.prefix(500)))
    var counts = counts
    let more = try makingRoom { () throws(QueueError) in
      counts = self.counts
      try statements.quarantine.run(.integer(sequence), text, .integer(now_ms))
      counts.quarantined += try database.changes
      try delete(sequence...sequence, &counts)
    }
    changed(to: counts)
    return reported(dropped.merging(more, uniquingKeysWith: +))
  }

  /// Whoever must know of `openReport` knows: the next opening does not report it again.
  public func reportTaken() throws(QueueError) {
    guard openReport.isReplaced else { return }
    try database.execute("DELETE FROM meta WHERE key IN ('set_aside_s', 'salvaged', 'was_removed')")
  }

  // MARK: Reading

  /// What the last commit left. `lastSequence` is the greatest number ever given to a record, also to one
  /// that is delivered and gone, and to the tail: number on from there.
  public func restore() throws(QueueError) -> (state: [String: String], tail: [Record], lastSequence: Int64) {
    let tail = held.tail.compactMap { RecordColumns.record($0) }
    let state = stored.state.merging(held.state) { $1 }.merging(held.periodic) { $1 }
    return (state, tail, held.lastSequence)
  }

  /// Up to `limit` records, in the order of their making.
  ///
  /// A row that does not hold a record, which only damage makes, is put into quarantine on the way: it must
  /// not stand before the others for ever.
  public func batch(limit: Int) throws(QueueError) -> [Record] {
    try openToRead()
    var records: [Record] = []
    var unreadable: [Int64] = []
    let row = try statements.batch
    row.bind([.integer(Int64(limit))])
    while try row.step() {
      if let record = RecordColumns.record(row) {
        records.append(record)
      } else {
        unreadable.append(row.integer(0) ?? 0)
      }
    }
    for sequence in unreadable {
      unreported = try quarantine(sequence, reason: "the row is unreadable")
    }
    let waiting = held.rows.prefix(limit).compactMap { RecordColumns.record($0) }
    let isInOrder = (records.last?.sequence ?? 0) < (waiting.first?.sequence ?? .max)
    records += waiting
    if !isInOrder { records.sort { $0.sequence < $1.sequence } }
    return Array(records.prefix(limit))
  }

  // MARK: Parts

  /// On storage as the front, or in the tables when that does not take it.
  @discardableResult
  func keep(_ next: FrontContent) throws(QueueError) -> [String: Int] {
    let isWritten = try front.write(next, census: census)
    let dropped = try isWritten ? [:] : store(next)
    if isWritten { held = next }
    isHeldUnsure = false
    return dropped
  }

  /// Among the records in the tables, or in quarantine.
  func isStored(_ sequence: Int64) throws(QueueError) -> Bool {
    // Numbers rise, so this is rarely asked.
    if sequence > greatestStored { return false }
    let row = try statements.find
    row.bind([.integer(sequence)])
    defer { row.reset() }
    return try row.step()
  }

  private func reported(_ dropped: [String: Int]) -> [String: Int] {
    defer { unreported = [:] }
    return dropped.merging(unreported, uniquingKeysWith: +)
  }

  /// Inside a transaction.
  func addToLedger(_ cause: String, _ records: Int) throws(QueueError) {
    isLedgerChanged = true
    try statements.addToLedger.run(.text(cause), .integer(Int64(records)))
  }

  private func delete(_ range: ClosedRange<Int64>, _ counts: inout QueueCounts) throws(QueueError) {
    let ends: [SQLiteValue] = [.integer(range.lowerBound), .integer(range.upperBound)]
    // RETURNING would cost as much again as the rows themselves.
    let events = try statements.countEvents
    events.bind(ends)
    while try events.step() { counts.events -= Int(events.integer(0) ?? 0) }
    try statements.delete.run(ends)
    counts.records -= try database.changes
  }

  /// As few as hold these sequences and no other.
  private static func ranges(_ sequences: Set<Int64>) -> [ClosedRange<Int64>] {
    sequences.sorted().reduce(into: []) { ranges, sequence in
      if let last = ranges.last, last.upperBound == sequence - 1 {
        ranges[ranges.count - 1] = last.lowerBound...sequence
      } else {
        ranges.append(sequence...sequence)
      }
    }
  }
}
