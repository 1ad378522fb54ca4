import Glibc

/// Queue files that SQLite must not see as they are: beside an empty database it deletes the log with everything in
/// it, and a log of another queue it writes into the database.
extension QueueFile {
  /// No database begins there, and log or front have something of one.
  static func isHeadless(_ path: String) throws(QueueError) -> Bool {
    if hasHead(path) || isShut(path) { return false }
    // Made when the database was whole.
    if access(path + "-front", F_OK) == 0 { return true }
    // Before the first start has ended the log has tables and no rows.
    return try QueuePages.read(path) { pages throws(QueueError) in
      var hasRows = false
      try pages.eachInUse { page in hasRows = hasRows || !SQLitePage(page).tableCells.isEmpty }
      return hasRows
    }
  }

  /// Something of a queue has been made: a database with a head, or the front that is made after it.
  static func wasThere(_ path: String) -> Bool { hasHead(path) || access(path + "-front", F_OK) == 0 }

  /// Whether an opening finds a queue to work with. Nothing is written, whatever is there.
  ///
  /// - Throws: for what an opening would set aside, or begin a queue in.
  static func checkIsQueue(_ path: String) throws(QueueError) {
    do throws(OutsideFileError) { close(try OutsideFile.open(path)) } catch { throw .notAFile(error) }
    do throws(QueueError) {
      // Beside a file without one SQLite would delete the log.
      guard hasHead(path) else { throw .notAQueue(path: path) }
      let database = try SQLiteDatabase(path: path, readOnly: true)
      database.leaveLogOnClose(true)
      // Otherwise it wants to make shared memory.
      try database.execute("PRAGMA locking_mode = EXCLUSIVE")
      guard try knownVersion(database) > 0 else { throw .notAQueue(path: path) }
      try check(database)
    } catch {
      if case .corrupt = error { throw .notAQueue(path: path) }
      throw error
    }
  }

  /// It is no file, or cannot be opened: what is in it is not known, and may be a whole queue. (Another user's file, or
  /// a system whose descriptors have run out.)
  private static func isShut(_ path: String) -> Bool {
    do throws(OutsideFileError) {
      close(try OutsideFile.open(path))
      return false
    } catch { return !error.isMissing }
  }

  /// The first page is one of a database.
  private static func hasHead(_ path: String) -> Bool {
    guard let file = try? OutsideFile.open(path) else { return false }
    defer { close(file) }
    var page = [UInt8](repeating: 0, count: QueueLog.pageBytes)
    let count = pread(file, &page, page.count, 0)
    return SQLitePage.isFirst(page) ? count == page.count : count >= 512 && SQLitePage.hasMagic(page)
  }

  /// A database that has lost its first page, or its log, may be another queue's. - Returns: where it was moved.
  static func setAsideForeign(_ path: String) throws(QueueError) -> String? {
    guard hasHead(path), let inLog = queueIDInLog(path), let own = queueIDInDatabase(path), own != inLog
    else {
      return nil
    }
    // Two of the three agree.
    let isDatabase = QueueFront.queueID(ofFile: path + "-front").map { Int64(bitPattern: $0) } == inLog
    let name = isDatabase ? path : path + "-wal"
    let aside = "\(name).other-\(time(nil))"
    guard rename(name, aside) == 0 else { throw .system("rename of a file of another queue", errno: errno) }
    try syncFolder(of: path)
    return aside
  }

  private static func queueIDInLog(_ path: String) -> Int64? {
    try? QueuePages.read(path) { pages throws(QueueError) in pages.meta(onlyInLog: true)["queue_id"] }
  }

  private static func queueIDInDatabase(_ path: String) -> Int64? {
    guard let database = try? SQLiteDatabase(path: path, readOnly: true, withoutLog: true),
      let id = try? database.integer("SELECT value FROM meta WHERE key = 'queue_id'"), id > 0
    else { return nil }
    return id
  }

  // MARK: Salvage

  /// What SQLite reads of the damaged file, what its pages hold besides, and `rows`.
  ///
  /// - Parameter fresh: the new file, which lends a first page where the old one has none.
  static func salvage(
    _ path: String, _ rows: [[SQLiteValue]], into new: SQLiteDatabase, fresh: String, otherwiseID: UInt64?
  ) throws(QueueError) -> Int {
    let image = path + ".image"
    defer { unlink(image) }
    if !hasHead(path) { try makeImage(of: path, at: image, first: firstPage(of: new, fresh)) }
    let old =
      hasHead(path) ? QueueSalvage.open(path) : try? SQLiteDatabase(path: image, readOnly: true)
    let insert = try new.prepare(
      "INSERT INTO records(\(RecordColumns.names)) VALUES (\(RecordColumns.placeholders)) ON CONFLICT DO NOTHING"
    )
    return try QueuePages.read(path) { pages throws(QueueError) in
      try new.transaction { () throws(QueueError) in for row in rows { try insert.run(row) } }
      return try QueueSalvage.copy(from: old, pages: pages, into: new, otherwiseID: otherwiseID)
    }
  }

  /// Every file that this program makes has its tables at the same places.
  private static func firstPage(of new: SQLiteDatabase, _ path: String) throws(QueueError) -> [UInt8] {
    try new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return try QueuePages.read(path) { pages throws(QueueError) in
      guard var page = pages.page(1) else {
        throw .corrupt("first page", words: "the new file has none")
      }
      // No free pages: of those the old file knew.
      for offset in 32..<40 { page[offset] = 0 }
      return page
    }
  }

  /// Log and what is left of the database in one file.
  private static func makeImage(of path: String, at image: String, first: [UInt8]) throws(QueueError) {
    let file = Glibc.open(image, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .storage("making of a copy of the damaged queue", errno: errno) }
    defer { close(file) }
    try QueuePages.read(path) { pages throws(QueueError) in
      for number in 1...max(1, pages.count) {
        var page = pages.page(number)
        if number == 1 { page = head(page, first, pages: pages.count) }
        guard let page else { continue }
        guard pwrite(file, page, page.count, off_t((number - 1) * page.count)) == page.count else {
          throw .storage("write of a copy of the damaged queue", errno: errno)
        }
      }
      guard ftruncate(file, off_t(max(1, pages.count) * QueueLog.pageBytes)) == 0 else {
        throw .storage("write of a copy of the damaged queue", errno: errno)
      }
    }
  }

  /// A first page for a file of so many pages (section 1.3 of sqlite.org/fileformat2.html).
  private static func head(_ found: [UInt8]?, _ model: [UInt8], pages: Int) -> [UInt8] {
    var page = found.flatMap { SQLitePage.isFirst($0) ? $0 : nil } ?? model
    for index in 0..<4 { page[28 + index] = UInt8(truncatingIfNeeded: pages >> (8 * (3 - index))) }
    for index in 0..<4 { page[92 + index] = page[24 + index] }
    return page
  }
}
