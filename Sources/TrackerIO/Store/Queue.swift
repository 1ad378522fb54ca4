import Glibc
import TrackerBase

/// The records that wait for the servers, and the agent's state: one SQLite file (docs/queue.md).
///
/// What `commit` has returned from is on storage and survives a power cut. A row leaves once no server wants it any more,
/// by the quota, by a person, or to make room on a full disk, and by nothing else. Used by one thread; the file is locked
/// against any second connection while the store lives. Every method may be called again after an error.
public final class QueueStore {
  public internal(set) var path: String
  /// As it was named, which may be a link.
  let givenPath: String
  /// Empty for the first.
  let serverNames: [String]
  let synchronous: StoreSynchronous
  /// What waits for servers that are not in `serverNames` leaves; else it stays.
  let adoptsServers: Bool
  /// nil after a failure of the storage, until it could be opened again.
  var file: StoreFile?
  var closedAfter = ""
  /// Of the file system, as the file was last seen there.
  var device: dev_t?

  /// As the last transaction left it.
  var state: StoreState
  /// By bit of `records.waiting`. Changed only after a transaction.
  var figures: [ServerFigures] = []
  /// By server.
  var bits: [Int] = []
  /// By bit: no record with a smaller number waits for the server.
  var from: [Int64] = []
  /// What the table holds, if that was read since it changed.
  var ledger: [String: Int]?
  /// What damage has cost, by cause: the next commit puts it into the ledger.
  var lost: [String: Int] = [:]
  /// Since this was last taken: what made room on a full disk or left for another reason, by cause, as in the ledger.
  var dropped: [String: Int] = [:]
  /// The state was read from storage that had failed: the next commit writes it, even if it brings nothing new.
  var isUnsure = false

  /// Of the last opening: after a failure of the storage the file is opened again.
  public internal(set) var openReport = QueueOpenReport()
  /// How often it was opened again.
  public internal(set) var reopenings = 0
  /// Nothing of it could be read yet, or there is none and no room for one.
  public internal(set) var isUnread = false

  /// Opens the file, making it and its folder when missing. See `openReport` for a file that was damaged.
  ///
  /// - Parameters:
  ///   - servers: the names of those that get the records, the empty one first.
  ///   - goesOnWithoutStorage: when the storage fails or has no room for the file, which can at best be read, the store
  ///     begins as it is after a failure, `isClosed`, and each commit tries again.
  public convenience init(
    path: String, servers: [String] = [""], goesOnWithoutStorage: Bool = false
  ) throws(StoreError) {
    try self.init(
      path: path, servers: servers, synchronous: .full, goesOnWithoutStorage: goesOnWithoutStorage)
  }

  package init(
    path: String, servers: [String] = [""], adoptsServers: Bool = true, synchronous: StoreSynchronous,
    goesOnWithoutStorage: Bool = false
  ) throws(StoreError) {
    (self.synchronous, serverNames, givenPath, self.adoptsServers) = (
      synchronous, servers, path, adoptsServers
    )
    self.path = StoreFolder.resolved(path)
    state = StoreState()
    do throws(StoreError) { try take(StoreFile.open(self.path, synchronous)) } catch {
      file = nil
      let fault = StoreFile.storageProblem(self.path, behind: error)
      guard goesOnWithoutStorage, let fault else { throw fault ?? error }
      closedAfter = "\(fault)"
      let found = try StoreFile.read(self.path)
      isUnread = found == nil
      state = found ?? StoreState()
      figures = found?.figures ?? []
      state.figures = nil
      assignBits()
    }
    device = StoreFolder.device(of: self.path)
  }

  /// For commands, which leave a file that is damaged, or no queue at all, as it is, and what waits for other servers.
  ///
  /// - Throws: `StoreError.notAQueue` for one.
  public convenience init(whole path: String, servers: [String] = [""]) throws(StoreError) {
    try StoreFile.checkIsQueue(StoreFolder.resolved(path))
    try self.init(path: path, servers: servers, adoptsServers: false, synchronous: .full)
  }

  /// For what lies beside the queue file, before that is opened.
  public static func makeFolder(of path: String) throws(StoreError) { try StoreFolder.makeFolders(of: path) }

  /// Everything goes into the file, for whoever looks at it with other programs, with the figures for the next start.
  deinit {
    guard let file, file.database.fault == nil else {
      self.file?.database.leaveLogOnClose(true)
      return
    }
    (state.figures, state.isLogNeeded) = (figures, false)
    do throws(StoreError) {
      try file.statements.writeState.run(.text(state.json))
      try file.room.checkpoint()
      file.room.emptyLog()
    } catch {}
  }

  /// Why it is closed.
  public var storageProblem: String? { isClosed ? closedAfter : nil }
  /// After a failure of the storage, as long as the file cannot be opened again.
  public var isClosed: Bool { file == nil }
  /// Under which new records are stored that have no id of their own.
  public var queueID: UInt64 { state.queueID }
  public var idChanges: QueueIDChanges { state.idChanges }
  /// For the name of a device that is named by its machine: nil on the board where the queue was first used.
  public var boardSuffix: String? { state.box.boardSuffix }

  /// What waits for one server, which counts from 0, the one of `[sync]`.
  public subscript(server: Int) -> ServerQueue { ServerQueue(store: self, server: server) }

  /// By server.
  public var counts: [Int] { serverNames.indices.map { self[$0].count } }

  /// What the last commit left. `lastSequence` is the greatest number ever given to a record, also to one that is
  /// delivered and gone, and to the tail: number on from there.
  public func restore() -> (state: [String: JSONValue], tail: [Record], lastSequence: Int64) {
    (state.parts, state.tail.compactMap { RecordColumns.record($0) }, state.lastSequence)
  }

  // MARK: Writing

  /// Makes everything in `commit` durable together. After an error nothing of it is, or, when the storage
  /// itself failed, that is not known; the same commit may be made again either way, since a sequence that is
  /// there already is left as it is.
  public func commit(_ commit: Commit) throws(StoreError) {
    try openAgainAfterFault()
    if let redating = commit.redating { try redate(redating) }
    var next = state
    next.adopt(commit)
    let counted = commit.dropped.merging(lost, uniquingKeysWith: +)
    if commit.records.isEmpty, counted.isEmpty, next == state, !isUnsure { return }
    let everyone = SQLiteValue.integer(bits.reduce(0) { $0 | 1 << Int64($1) })
    var added: [Int64] = []
    try makingRoom(next) { () throws(StoreError) in
      added = []
      for record in commit.records {
        let row = RecordColumns.values(record, queueID: next.queueID)
        try opened.statements.insert.run(row + [everyone])
        if try opened.database.changes > 0 { added.append(Int64(record.kind.rawValue)) }
      }
      for (cause, records) in counted { try addToLedger(cause, records) }
    }
    let first = commit.records.first?.sequence ?? .max
    for bit in bits {
      for kind in added { figures[bit].add(kind: kind) }
      from[bit] = min(from[bit], first)
    }
    (lost, isUnsure) = ([:], false)
  }

  /// The server has other records under the identities of these: they get the newest queue id.
  ///
  /// - Parameter renews: that is the one they have: another one begins, for new records too.
  public func renumber(_ sequences: [Int64], renews: Bool) throws(StoreError) {
    try openToRead()
    var next = state
    if renews { next.beginID(at: HostClock.now().wall_ms) }
    let update = try opened.database.prepare("UPDATE records SET queue_id = ? WHERE sequence = ?")
    try makingRoom(next) { () throws(StoreError) in
      for sequence in sequences {
        try update.run(.integer(Int64(bitPattern: next.queueID)), .integer(sequence))
      }
    }
  }

  /// Where the store is now. In another box than before, new records get another id, and what waits keeps its own: the
  /// box before may have sent it already, or send it still, and it is the same there. It is written with the next commit.
  ///
  /// - Returns: what has changed, in words; nil: nothing.
  public func noteHost(_ host: HostIdentity) -> String? {
    let changed = state.box.note(host)
    if changed.isEmpty { return nil }
    state.beginID(at: HostClock.now().wall_ms)
    isUnsure = true
    return
      "the queue was last used \(changed.joined(separator: ", ")): new records get another queue id, so that two boxes from one copied card stay apart; what waits keeps its own"
  }

  /// Whoever must know of `openReport` knows: the next opening does not report it again.
  public func reportTaken() throws(StoreError) {
    guard state.replacement != nil || !state.losses.isEmpty else { return }
    var next = state
    (next.replacement, next.losses) = (nil, [])
    try transaction(next) {}
  }

  /// What waits, and was made before the time was known, gets its true date.
  private func redate(_ redating: Redating) throws(StoreError) {
    let found = try records(
      "WHERE sequence >= ? AND time_source = ?", .integer(redating.from),
      .integer(Int64(Record.TimeSource.untrustedWallClock.rawValue)))
    let dated = found.compactMap { redating.applied(to: $0) }
    if dated.isEmpty { return }
    let update = try opened.database.prepare(
      "UPDATE records SET time_ms = ?, time_source = ?, fix_age_ms = ?, extras = ? WHERE sequence = ?")
    try makingRoom { () throws(StoreError) in
      for row in dated.map({ RecordColumns.values($0, queueID: 0) }) {
        try update.run(row[2], row[3], row[5], row[19], row[0])
      }
    }
  }

  // MARK: Reading

  func records(_ condition: String, _ parameters: SQLiteValue...) throws(StoreError) -> [Record] {
    let row = try opened.database.prepare("SELECT \(RecordColumns.names) FROM records \(condition)")
    row.bind(parameters)
    var records: [Record] = []
    while try row.step() {
      if let record = RecordColumns.record(row) { records.append(record) }
    }
    return records
  }

  // MARK: Parts

  var opened: StoreFile {
    get throws(StoreError) {
      guard let file else { throw .closed(after: closedAfter) }
      return file
    }
  }

  /// All of `body` and `next` or nothing; then the log goes into the file, if it is long enough.
  ///
  /// - Parameter next: the new state; nil: it stays.
  func transaction(_ next: StoreState? = nil, _ body: () throws(StoreError) -> Void) throws(StoreError) {
    let file = try opened
    try file.database.transaction { () throws(StoreError) in
      try body()
      if let next { try file.statements.writeState.run(.text(next.json)) }
    }
    state = next ?? state
    guard file.room.isCheckpointDue else { return }
    // What is done is done, whatever becomes of this; a failure closes the file before the next commit.
    try? file.checkpoint(state)
  }

  /// Inside a transaction.
  func addToLedger(_ cause: String, _ records: Int) throws(StoreError) {
    ledger = nil
    try opened.statements.addToLedger.run(.text(cause), .integer(Int64(records)))
  }

  public func takeDropped() -> [String: Int] {
    defer { dropped = [:] }
    return dropped
  }

  func readLedger() throws(StoreError) -> [String: Int] {
    if let ledger { return ledger }
    var read: [String: Int] = [:]
    let rows = try opened.database.prepare("SELECT cause, records FROM ledger")
    while try rows.step() { read[rows.text(0)] = Int(rows.integer(1) ?? 0) }
    ledger = read
    return read
  }

  static let purgedCause = "purged"
}
