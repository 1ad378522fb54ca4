import Glibc

/// When a commit counts as done. `normal` does not wait for the storage and loses commits at a power cut: only
/// the control of the power-cut rig has it. The raw value is that of PRAGMA synchronous.
package enum QueueSynchronous: String {
  case full = "2"
  case normal = "1"
}

/// The queue file as a file: made, checked, opened, and replaced when it is damaged.
enum QueueFile {
  /// Opens the file, making it when there is none. A damaged file is set aside, and what can be read of it
  /// is in the one that is opened.
  static func open(
    path: String, synchronous: QueueSynchronous = .full, otherwiseID: UInt64? = nil
  ) throws(QueueError) -> (SQLiteDatabase, QueueOpenReport) {
    try makeFolders(of: path)
    try finishReplacement(path)
    if try isHeadless(path) {
      try replace(path, otherwiseID: otherwiseID)
      return try openReported(path, synchronous)
    }
    do throws(QueueError) { return try openReported(path, synchronous) } catch {
      guard isDamage(error, path) else { throw error }
      if error.isOfReading {
        // It may be the log alone.
        try rewrite(path + "-wal")
        if let opened = try? openReported(path, synchronous) { return opened }
      }
    }
    try replace(path, otherwiseID: otherwiseID)
    return try openReported(path, synchronous)
  }

  private static func openReported(
    _ path: String, _ synchronous: QueueSynchronous
  ) throws(QueueError) -> (SQLiteDatabase, QueueOpenReport) {
    let database = try openChecked(path, synchronous)
    return (database, try report(of: database, path))
  }

  /// What cannot be read on storage that takes writes is damaged for good.
  private static func isDamage(_ error: QueueError, _ path: String) -> Bool {
    if case .corrupt = error { return true }
    return error.isOfReading && (try? probe(besides: path)) != nil
  }

  /// A replacement that nobody has heard of yet.
  private static func report(of database: SQLiteDatabase, _ path: String) throws(QueueError)
    -> QueueOpenReport
  {
    var report = QueueOpenReport()
    var (setAside, wasRemoved): (String?, Bool) = (nil, false)
    let row = try database.prepare(
      "SELECT key, value FROM meta WHERE key IN ('set_aside_s', 'salvaged', 'was_removed')")
    while try row.step() {
      let value = row.integer(1) ?? 0
      switch row.text(0) {
      case "salvaged": report.salvaged = Int(value)
      case "was_removed": wasRemoved = true
      default: setAside = aside(path, value)
      }
    }
    if wasRemoved {
      // If nothing lay in the removed file's place, there is none.
      report.findings = [.removed(aside: setAside.flatMap { exists($0) ? $0 : nil })]
    } else if let setAside {
      report.findings = [.damaged(aside: setAside)]
    }
    return report
  }

  private static func aside(_ path: String, _ time_s: Int64) -> String { "\(path).corrupt-\(time_s)" }

  // MARK: Opening

  /// The connection in the mode on which the queue's promise rests, with the newest tables.
  ///
  /// Nothing is written before the file is known to be ours, known and whole.
  private static func openChecked(
    _ path: String, _ synchronous: QueueSynchronous = .full
  ) throws(QueueError) -> SQLiteDatabase {
    try makeFile(path)
    let database = try SQLiteDatabase(path: path)
    database.leaveLogOnClose(true)
    database.setBusyTimeout(ms: 2000)
    // Held from the first read to the end: no second writer, no reader that holds up the log, no shared
    // memory file, and none of the faults that need a second connection.
    try database.execute("PRAGMA locking_mode = EXCLUSIVE")
    try database.execute("PRAGMA page_size = 4096")
    // Before the check, which fills it.
    try set("cache_size", to: "-512", readsAs: "-512", database)
    let version = try knownVersion(database)
    if version > 0 { try check(database) }
    try set("journal_mode", to: "WAL", readsAs: "wal", database)
    try set("synchronous", to: synchronous.rawValue, readsAs: synchronous.rawValue, database)
    try set("wal_autocheckpoint", to: "256", readsAs: "256", database)
    try set("journal_size_limit", to: "2097152", readsAs: "2097152", database)
    // Debian's SQLite overwrites every freed page with zeros unless set otherwise, which doubles the writes
    // of a removal. FAST (2) does so only where a page is written anyway.
    try set("secure_delete", to: "FAST", readsAs: "2", database)
    try QueueSchema.migrate(database, from: version)
    database.leaveLogOnClose(false)
    return database
  }

  static func check(_ database: SQLiteDatabase) throws(QueueError) {
    if let fault = try database.text("PRAGMA quick_check(1)"), fault != "ok" {
      throw .corrupt("PRAGMA quick_check", words: "the file is damaged")
    }
  }

  /// The schema version of a file that is ours; 0 for an empty one.
  static func knownVersion(_ database: SQLiteDatabase) throws(QueueError) -> Int {
    let version = Int(try database.integer("PRAGMA user_version"))
    let applicationID = try database.integer("PRAGMA application_id")
    if applicationID == 0, try database.integer("SELECT count(*) FROM sqlite_schema") == 0 { return 0 }
    guard applicationID == QueueSchema.applicationID else {
      throw .foreignFile(applicationID: Int32(truncatingIfNeeded: applicationID))
    }
    guard version <= QueueSchema.version else {
      throw .newerVersion(found: version, known: QueueSchema.version)
    }
    return version
  }

  private static func set(
    _ setting: String, to value: String, readsAs wanted: String, _ database: SQLiteDatabase
  ) throws(QueueError) {
    try database.execute("PRAGMA \(setting) = \(value)")
    let got = try database.text("PRAGMA \(setting)") ?? ""
    guard got == wanted else { throw .refused(setting: setting, wanted: wanted, got: got) }
  }

  // MARK: Replacing a damaged file

  /// Builds the new file beside the old one and then swaps them, so that a power cut at any point loses
  /// nothing: until the first rename the old file is tried again, after it `finishReplacement` goes on.
  ///
  /// - Parameters:
  ///   - removed: the old file, open, where its name no longer stands for it.
  ///   - rows: records that memory has of it.
  ///   - otherwiseID: the queue's id, if neither it nor the front has it.
  static func replace(
    _ path: String, removed: SQLiteDatabase? = nil, rows: [[SQLiteValue]] = [], otherwiseID: UInt64? = nil
  ) throws(QueueError) {
    try makeFolders(of: path)
    // So that there is one to set aside.
    if removed == nil { try makeFile(path) }
    // After the newest that is there, also when the clock has fallen behind: by it they are kept, and found again.
    let now_s = max(Int64(time(nil)), (asides(of: path).last ?? asideTimes_s.lowerBound) + 1)
    let fresh = path + ".new"
    for suffix in ["", "-wal", "-shm"] { unlink(fresh + suffix) }
    do {
      let database = try openChecked(fresh)
      let id = QueueFront.queueID(ofFile: path + "-front") ?? otherwiseID
      let salvaged: Int
      if let removed {
        salvaged = try QueueSalvage.copy(from: removed, pages: nil, into: database, otherwiseID: id)
      } else {
        salvaged = try salvage(path, rows, into: database, fresh: fresh, otherwiseID: id)
      }
      try database.execute(
        "REPLACE INTO meta(key, value) VALUES ('set_aside_s', \(now_s)), ('salvaged', \(salvaged))")
      if removed != nil { try database.execute("REPLACE INTO meta(key, value) VALUES ('was_removed', 1)") }
      // The file is renamed alone: nothing may be left in its log.
      try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let aside = aside(path, now_s)
    // The log last: it belongs to the file that is already aside, and must not meet the new one.
    if removed != nil, !exists(path) { unlink(path + "-wal") }
    for suffix in ["", "-wal", "-shm"] { try move(path + suffix, to: aside + suffix) }
    try move(fresh, to: path)
    try syncFolder(of: path)
    for time_s in asides(of: path).dropLast(keptAside) {
      for suffix in ["", "-wal", "-shm"] { unlink(self.aside(path, time_s) + suffix) }
    }
  }

  /// Damaged files for a person to look at; older ones would fill the disk.
  static let keptAside = 2

  /// Goes on where a power cut stopped `replace` between its renames.
  private static func finishReplacement(_ path: String) throws(QueueError) {
    guard !exists(path), let time_s = replacementTime_s(path) else { return }
    let aside = aside(path, time_s)
    for suffix in ["-wal", "-shm"] { try move(path + suffix, to: aside + suffix) }
    try move(path + ".new", to: path)
    try syncFolder(of: path)
  }

  /// When the file was set aside whose replacement waits for its place; nil: none that is whole does.
  private static func replacementTime_s(_ path: String) -> Int64? {
    guard exists(path + ".new"),
      let new = try? SQLiteDatabase(path: path + ".new", readOnly: true, withoutLog: true),
      let time_s = try? new.integer("SELECT value FROM meta WHERE key = 'set_aside_s'"), time_s > 0
    else { return nil }
    return time_s
  }

  /// From 2020 to 2999, also where the clock has no battery: another number is in the name of another's file.
  private static let asideTimes_s: Range<Int64> = 1_577_836_800..<32_503_680_000

  /// The times in the names of damaged files that were set aside, oldest first.
  private static func asides(of path: String) -> [Int64] {
    let prefix = path.split(separator: "/").last.map { "\($0).corrupt-" } ?? ""
    return FolderEntry.all(in: FolderEntry.folder(of: path)).map(\.name).filter { $0.hasPrefix(prefix) }
      .compactMap { Int64($0.dropFirst(prefix.count)) }.filter { asideTimes_s.contains($0) }.sorted()
  }

  private static func move(_ old: String, to new: String) throws(QueueError) {
    guard exists(old) else { return }
    if rename(old, new) != 0 { throw .system("rename of the queue file", errno: errno) }
  }

  // MARK: Files

  /// Where a link in the file's place leads to, which need not be there yet: what lies beside the file lies beside
  /// the real one.
  static func resolved(_ path: String) -> String {
    var path = path
    // As many as Linux follows.
    for _ in 0..<40 {
      var name = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(path, &name, name.count)
      guard count > 0 else { break }
      let target = String(decoding: name[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      path = target.hasPrefix("/") ? target : FolderEntry.folder(of: path) + "/" + target
    }
    return path
  }

  /// Before SQLite, or anybody here, opens one of them by its name: a pipe would be waited for, and a device written.
  static func refuseStrangers(_ path: String) throws(QueueError) {
    for suffix in ["", "-wal", "-shm", "-journal", "-front", "-probe", ".new", ".new-wal"] {
      do throws(OutsideFileError) { try OutsideFile.check(path + suffix) } catch { throw .notAFile(error) }
    }
  }

  static func device(of path: String) -> dev_t? {
    var info = stat()
    return stat(FolderEntry.folder(of: path), &info) == 0 ? info.st_dev : nil
  }

  /// Whether a file that was there is no longer.
  ///
  /// - Throws: when its whole file system is not there: a queue in its place would be hidden by the next mount.
  static func isGone(_ path: String, device: dev_t?) throws(QueueError) -> Bool {
    if exists(path) || replacementTime_s(path) != nil { return false }
    if self.device(of: path) != device {
      throw .open(call: "look for the queue file", code: ENOENT, words: "its file system is not mounted")
    }
    return true
  }

  /// The failure of the storage, or the full disk, that is behind `error`, which is why the queue does not open; nil
  /// when it is something else.
  static func storageProblem(_ path: String, behind error: QueueError) -> QueueError? {
    switch error {
    case .busy, .newerVersion, .foreignFile, .notAQueue: return nil
    case .notAFile: return error
    case .open, .prepare, .step, .full, .readOnly, .corrupt, .front, .refused, .closed: break
    }
    // SQLite calls a read-only file system by many names.
    do throws(QueueError) { try probe(besides: path) } catch {
      if error.isOfFailingStorage { return error }
    }
    return error.isOfFailingStorage || error.isOfFullDisk ? error : nil
  }

  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  static func makeFolders(of path: String) throws(QueueError) {
    let folder = FolderEntry.folder(of: path)
    if exists(folder) { return }
    try makeFolders(of: folder)
    if mkdir(folder, 0o750) != 0, errno != EEXIST {
      throw .system("mkdir of the queue's folder", errno: errno)
    }
  }

  /// With its mode from the first moment: SQLite gives the log the same.
  private static func makeFile(_ path: String) throws(QueueError) {
    if exists(path) { return }
    let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
    guard file >= 0 else { throw .system("open of the queue file", errno: errno) }
    // The umask may have taken bits away.
    let failed = fchmod(file, 0o640) != 0 ? errno : 0
    close(file)
    if failed != 0 { throw .system("fchmod of the queue file", errno: failed) }
    try syncFolder(of: path)
  }

  static func syncFolder(of path: String) throws(QueueError) {
    guard let failed = FolderEntry.sync(folderOf: path) else { return }
    throw .system("\(failed.call) of the queue's folder", errno: failed.code)
  }
}
