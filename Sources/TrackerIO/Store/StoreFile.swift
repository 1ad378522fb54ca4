import Glibc

/// When a commit counts as done. `normal` does not wait for the storage and loses commits at a power cut: only
/// the control of the power-cut rig has it. The raw value is that of PRAGMA synchronous.
package enum StoreSynchronous: String {
  case full = "2"
  case normal = "1"
}

/// The open file, from its opening to its closing. After a failure of the storage the store gets another one.
final class StoreFile {
  let database: SQLiteDatabase
  let statements: StoreStatements
  let room: StoreRoom
  private(set) var state: StoreState
  private(set) var figures: [ServerFigures]
  private(set) var findings: [StoreFinding] = []

  /// Opens the file, making it when there is none. A damaged file is set aside, and what can be read of it is in the one
  /// that is opened.
  ///
  /// - Parameter isThorough: look at the indices, too.
  static func open(
    _ path: String, _ synchronous: StoreSynchronous, isThorough: Bool = false
  ) throws(StoreError) -> StoreFile {
    try StoreFolder.makeFolders(of: path)
    try StoreFolder.refuseStrangers(path)
    try finishReplacement(path)
    if StoreFolder.isEmptied(path) { try replace(path) }
    do throws(StoreError) { return try StoreFile(path, synchronous, isThorough: isThorough) } catch {
      guard isDamage(error, path) else { throw error }
    }
    try replace(path)
    return try StoreFile(path, synchronous)
  }

  /// What cannot be read on storage that takes writes is damaged for good.
  private static func isDamage(_ error: StoreError, _ path: String) -> Bool {
    if case .corrupt = error { return true }
    return error.isOfReading && (try? StoreFolder.probe(besides: path)) != nil
  }

  /// Nothing is written before the file is known to be ours, of a known version, and whole.
  init(
    _ path: String, _ synchronous: StoreSynchronous = .full, isThorough: Bool = false
  ) throws(StoreError) {
    let hadLog = StoreFile.isLog(path + "-wal")
    try StoreFolder.makeFile(path)
    database = try SQLiteDatabase(path: path)
    database.leaveLogOnClose(true)
    database.setBusyTimeout(ms: 2000)
    // Held from the first read to the end: no second writer, no reader that holds up the log, no shared memory file, and
    // none of the faults that need a second connection.
    try database.execute("PRAGMA locking_mode = EXCLUSIVE")
    try database.execute("PRAGMA page_size = \(StoreSchema.pageBytes)")
    // Before the check, which fills it.
    try StoreFile.set("cache_size", to: "-512", readsAs: "-512", database)
    let version = try StoreSchema.knownVersion(database)
    let found = version > 0 ? try StoreFile.readState(database) : nil
    let wasClosed = found?.figures != nil
    if version > 0, isThorough || !wasClosed { try StoreFile.check(database, isThorough: isThorough) }
    try StoreFile.set("journal_mode", to: "WAL", readsAs: "wal", database)
    try StoreFile.set("synchronous", to: synchronous.rawValue, readsAs: synchronous.rawValue, database)
    // The store looks after that itself, see `StoreRoom`.
    try StoreFile.set("wal_autocheckpoint", to: "0", readsAs: "0", database)
    // Debian's SQLite overwrites every freed page with zeros unless set otherwise, which doubles the writes of a removal.
    // FAST (2) does so only where a page is written anyway.
    try StoreFile.set("secure_delete", to: "FAST", readsAs: "2", database)
    try StoreSchema.migrate(database, from: version)
    var state = found ?? StoreState()
    var losses: [StoreState.Loss] = []
    if version > 0, found == nil, try StoreFile.isUsed(database) { losses.append(.state) }
    if state.isLogNeeded, !hadLog { losses.append(.log) }
    // Numbers that a damaged log had may have been given: under another id they do no harm.
    let isTorn = hadLog ? try StoreFile.isLogTorn(path + "-wal", database) : false
    if !losses.isEmpty || found != nil && !wasClosed && (state.isLogNeeded || isTorn) {
      state.beginID(at: HostClock.now().wall_ms)
    }
    state.losses.formUnion(losses)
    state.lastSequence = max(state.lastSequence, try StoreFile.greatestSequence(database))
    if let known = state.figures {
      figures = known
    } else {
      figures = try StoreFile.count(database, state.bits)
    }
    (state.isLogNeeded, state.figures) = (false, nil)
    self.state = state
    if let replacement = state.replacement { findings.append(.replaced(replacement, path: path)) }
    if state.losses.contains(.log) { findings.append(.logMissing) }
    if state.losses.contains(.state) { findings.append(.stateLost) }
    room = try StoreRoom(path: path, database: database)
    statements = try StoreStatements(database)
    // With the next commit what has shown them is gone.
    if !losses.isEmpty {
      try database.transaction { () throws(StoreError) in
        for _ in losses { try statements.addToLedger.run(.text(StoreFile.unknownCause), .integer(1)) }
        try statements.writeState.run(.text(state.json))
      }
    }
    // All of the log goes into the file. After an error of a flush the kernel believes that pages are on storage that are
    // not there: no transaction is to stand behind such a one in the log.
    try checkpoint(state)
    database.leaveLogOnClose(false)
  }

  /// All of the log goes into the file. There it is noted that a log belongs to it, and in the log that it has nothing that
  /// the file lacks: so a log that is missing is found, and whoever writes it back with other programs does no damage.
  func checkpoint(_ state: StoreState) throws(StoreError) {
    for isLogNeeded in [true, false] {
      var marked = state
      marked.isLogNeeded = isLogNeeded
      try statements.writeState.run(.text(marked.json))
      if isLogNeeded { try room.checkpoint() }
    }
  }

  /// - Returns: nil when it makes no sense.
  static func readState(_ database: SQLiteDatabase) throws(StoreError) -> StoreState? {
    try database.text("SELECT json FROM state WHERE id = 1").flatMap { StoreState(json: $0) }
  }

  /// Something was stored in it.
  private static func isUsed(_ database: SQLiteDatabase) throws(StoreError) -> Bool {
    if let json = try database.text("SELECT json FROM state WHERE id = 1"), !json.isEmpty { return true }
    return try greatestSequence(database) > 0
  }

  /// It begins as one does (section 4.1 of sqlite.org/fileformat2.html).
  private static func isLog(_ path: String) -> Bool {
    guard let file = try? OutsideFile.open(path) else { return false }
    defer { Glibc.close(file) }
    var magic: UInt32 = 0
    return Glibc.read(file, &magic, 4) == 4 && UInt32(bigEndian: magic) & ~1 == 0x377F_0682
  }

  /// It is shorter than it is made, or ends with a frame that is not whole: a power cut came while that was written, or the
  /// log is damaged there, and what came after it is lost (section 4.2 of sqlite.org/fileformat2.html).
  private static func isLogTorn(_ path: String, _ database: SQLiteDatabase) throws(StoreError) -> Bool {
    let row = try database.prepare("PRAGMA wal_checkpoint(PASSIVE)")
    let frames = try row.step() ? Int(row.integer(1) ?? 0) : 0
    row.reset()
    guard StoreFolder.size(path) >= StoreRoom.logBytes, let file = try? OutsideFile.open(path) else {
      return true
    }
    defer { Glibc.close(file) }
    var salts: [[UInt8]] = []
    for offset in [16, 32 + frames * (24 + Int(StoreSchema.pageBytes)) + 8] {
      var salt = [UInt8](repeating: 0, count: 8)
      if pread(file, &salt, 8, off_t(offset)) == 8 { salts.append(salt) }
    }
    return salts.count == 2 && salts[0] == salts[1]
  }

  static func greatestSequence(_ database: SQLiteDatabase) throws(StoreError) -> Int64 {
    try max(
      database.integer("SELECT max(sequence) FROM records"),
      database.integer("SELECT max(sequence) FROM refused"))
  }

  /// By bit.
  static func count(_ database: SQLiteDatabase, _ bits: [String: Int]) throws(StoreError) -> [ServerFigures] {
    var figures = [ServerFigures](repeating: ServerFigures(), count: (bits.values.max() ?? 0) + 1)
    let refused = try database.prepare("SELECT server, count(*) FROM refused GROUP BY 1")
    while try refused.step() {
      if let bit = bits[refused.text(0)] { figures[bit].refused = Int(refused.integer(1) ?? 0) }
    }
    // Damage may have set others.
    let highest = try database.integer(
      "SELECT max(waiting) FROM records WHERE waiting >> \(figures.count) > 0")
    while highest >> Int64(figures.count) > 0 { figures.append(ServerFigures()) }
    // Sums, since groups would be sorted: a large queue is counted after each power cut.
    let sums = figures.indices.map {
      "sum(waiting >> \($0) & 1 AND kind = 0), sum(waiting >> \($0) & 1 AND kind <> 0)"
    }
    let row = try database.prepare("SELECT \(sums.joined(separator: ", ")) FROM records")
    guard try row.step() else { return figures }
    for bit in figures.indices {
      for kind in 0...1 { figures[bit].add(kind: Int64(kind), Int(row.integer(Int32(2 * bit + kind)) ?? 0)) }
    }
    return figures
  }

  static func check(_ database: SQLiteDatabase, isThorough: Bool = false) throws(StoreError) {
    let check = "PRAGMA \(isThorough ? "integrity_check" : "quick_check")"
    if let fault = try database.text(check + "(1)"), fault != "ok" {
      throw .corrupt(check, words: "the file is damaged")
    }
  }

  private static func set(
    _ setting: String, to value: String, readsAs wanted: String, _ database: SQLiteDatabase
  ) throws(StoreError) {
    try database.execute("PRAGMA \(setting) = \(value)")
    let got = try database.text("PRAGMA \(setting)") ?? ""
    guard got == wanted else { throw .refused(setting: setting, wanted: wanted, got: got) }
  }

  // MARK: Without opening it for good

  /// State and figures, without writing a byte. - Returns: nil when they cannot be read.
  ///
  /// - Throws: when the file is not for this program.
  static func read(_ path: String) throws(StoreError) -> StoreState? {
    do throws(StoreError) {
      try StoreFolder.refuseStrangers(path)
      let database = try openedToRead(path)
      guard try StoreSchema.knownVersion(database) > 0 else { return nil }
      try check(database)
      guard var state = try readState(database) else { return nil }
      if state.figures == nil { state.figures = try count(database, state.bits) }
      state.lastSequence = max(state.lastSequence, try greatestSequence(database))
      return state
    } catch {
      switch error {
      case .newerVersion, .foreignFile: throw error
      default: return nil
      }
    }
  }

  /// Whether an opening finds a queue to work with. Nothing is written, whatever is there.
  ///
  /// - Throws: for what an opening would set aside, or begin a queue in.
  static func checkIsQueue(_ path: String) throws(StoreError) {
    do throws(OutsideFileError) { close(try OutsideFile.open(path)) } catch { throw .notAFile(error) }
    do throws(StoreError) {
      // Beside an empty file SQLite would delete the log.
      guard StoreFolder.size(path) > 0 else { throw .notAQueue(path: path) }
      let database = try openedToRead(path)
      guard try StoreSchema.knownVersion(database) > 0 else { throw .notAQueue(path: path) }
      try check(database)
    } catch {
      if case .corrupt = error { throw .notAQueue(path: path) }
      throw error
    }
  }

  private static func openedToRead(_ path: String) throws(StoreError) -> SQLiteDatabase {
    let database = try SQLiteDatabase(path: path, readOnly: true)
    database.leaveLogOnClose(true)
    // Otherwise it wants to make shared memory.
    try database.execute("PRAGMA locking_mode = EXCLUSIVE")
    return database
  }

  /// The failure of the storage, or the full disk, that is behind `error`, which is why the queue does not open; nil
  /// when it is something else.
  static func storageProblem(_ path: String, behind error: StoreError) -> StoreError? {
    switch error {
    case .busy, .newerVersion, .foreignFile, .notAQueue: return nil
    case .notAFile: return error
    case .open, .prepare, .step, .full, .readOnly, .corrupt, .refused, .closed: break
    }
    // SQLite calls a read-only file system by many names.
    do throws(StoreError) { try StoreFolder.probe(besides: path) } catch {
      if error.isOfFailingStorage { return error }
    }
    return error.isOfFailingStorage || error.isOfFullDisk ? error : nil
  }
}
