import Glibc

/// Everything that hangs on the open files, from their opening to their closing. After a failure of the storage
/// the queue gets another one.
final class QueueConnection {
  let database: SQLiteDatabase
  let statements: QueueStatements
  let front: QueueFront
  let room: QueueRoom
  let queueID: UInt64
  let report: QueueOpenReport
  let found: QueueFront.Found

  /// Nothing was held back when it was last closed.
  let wasClosed: Bool

  init(
    path: String, synchronous: QueueSynchronous, otherwiseID: UInt64? = nil
  ) throws(QueueError) {
    try QueueFile.refuseStrangers(path)
    QueueFile.forgetCached(path + "-wal")
    // From the first opening on all three are there, whatever ends the agent.
    let isThere = { (suffix: String) in access(path + suffix, F_OK) == 0 }
    let log = QueueLog(path: path + "-wal")
    let foreign = try QueueFile.setAsideForeign(path)
    let isLogMissing = isThere("") && isThere("-front") && !isThere("-wal")
    var report: QueueOpenReport
    (database, report) = try QueueFile.open(path: path, synchronous: synchronous, otherwiseID: otherwiseID)
    queueID = try QueueSchema.queueID(database, wanted: otherwiseID)
    statements = try QueueStatements(database)
    room = try QueueRoom(path: path, database: database)
    var found = QueueFront.Found()
    front = try QueueFront(
      path: path + "-front", queueID: queueID,
      stored: try database.integer("SELECT value FROM meta WHERE key = 'generation'"),
      synchronous: synchronous, found: &found)
    wasClosed = try database.integer("SELECT count(*) FROM meta WHERE key = 'closed'") > 0
    if wasClosed { try? database.execute("DELETE FROM meta WHERE key = 'closed'") }
    found.wasClosed = wasClosed
    found.isLogCut = log.isEmpty || log.bytes < QueueRoom.logBytes
    if isLogMissing, report.setAside == nil {
      found.findings.removeAll { $0 == .databaseOlder }
      found.note(.logMissing)
    }
    report.held = found.content?.rows.count ?? 0
    report.findings += found.findings
    if let foreign { report.findings.append(.databaseOfOtherQueue(aside: foreign)) }
    self.report = report
    self.found = found
  }
}

/// After a failure of the storage: the files are closed, opened anew and checked, as at a start.
///
/// What failed may have lied about the rest: after an error of a flush the kernel takes pages for written that are
/// not, a file system that an error has made read-only stays so until it is mounted again (which open files
/// prevent), and a damaged page comes back at each reading.
extension QueueStore {
  /// Commits begin with it.
  ///
  /// - Throws: why the files cannot be opened. Nothing is open then, and the next call tries again.
  public func openAgainAfterFault() throws(QueueError) {
    if let fault = connection?.database.fault { close(because: fault) }
    guard isClosed else { return }
    Supervisor.working(most_s: 60)
    if isUnread { throw .closed(after: closedAfter) }
    try openAgain()
  }

  /// Opens the files of which nothing could be read at the start.
  ///
  /// - Throws: why they still cannot be opened.
  public func readAtLast() throws(QueueError) {
    guard isUnread else { return }
    // A link may lead elsewhere by now.
    path = QueueFile.resolved(givenPath)
    do throws(QueueError) {
      try QueueFile.makeFolders(of: path)
    } catch {
      closedAfter = "\(error)"
      throw error
    }
    try openAgain()
  }

  private func openAgain() throws(QueueError) {
    let before = held.rows
    do throws(QueueError) {
      let isGone = try isUnread ? false : QueueFile.isGone(path, device: device)
      // A file system that lets nobody write is found out before the whole file is read.
      try QueueFile.refuseStrangers(path)
      try QueueFile.probe(besides: path)
      rewrittenLogs += 1
      try QueueFile.rewrite(path + "-wal")
      let expected = isUnread ? nil : records
      let opened = try QueueConnection(path: path, synchronous: synchronous, otherwiseID: queueID)
      var contents = try QueueContents(opened)
      if isGone { contents.report.findings.insert(.removed(aside: nil), at: 0) }
      take(contents, opened)
      try holdAgain(before)
      countLost(contents.found, expected: expected)
      startFront(contents.found)
    } catch {
      for row in before { held.insert(row) }
      close(because: error)
      throw error
    }
  }

  /// Closes the files where the file system fails on which `other` has closed its own: as long as one is open, nobody
  /// can mount it anew.
  public func letGo(like other: QueueStore) {
    guard !isClosed, other.isClosed, device == other.device else { return }
    do throws(QueueError) { try QueueFile.probe(besides: path) } catch { close(because: error) }
  }

  /// Reads begin with it. Files that could not be opened again are a commit's business, which comes in time.
  func openToRead() throws(QueueError) {
    if isClosed { throw .closed(after: closedAfter) }
    try openAgainAfterFault()
  }

  /// What memory knows to be held back and the files no longer have.
  func holdAgain(_ rows: [[SQLiteValue]]) throws(QueueError) {
    for row in rows {
      let isStored = try isStored(row.sequence)
      if !isStored { held.insert(row) }
    }
    isHeldUnsure = true
  }

  func close(because fault: QueueError) {
    // Nothing more may be written by it: what it believes of the file may be wrong.
    connection?.database.leaveLogOnClose(true)
    connection = nil
    closedAfter = "\(fault)"
  }
}

extension QueueFile {
  /// Writes what the kernel believes to be in a file into it. After an error of a flush it holds pages for written
  /// that never came to storage: SQLite would read transactions in the log that a power cut takes out of the
  /// middle of it. (The pages of the database are safe: until they are flushed, the log has them as well.)
  static func rewrite(_ path: String) throws(QueueError) {
    let file = Glibc.open(path, O_RDWR | O_CLOEXEC)
    if file < 0, errno == ENOENT { return }
    guard file >= 0 else { throw .storage("open of the queue's log", errno: errno) }
    defer { Glibc.close(file) }
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var offset: off_t = 0
    while true {
      let count = pread(file, &chunk, chunk.count, offset)
      if count == 0 { break }
      let length = count > 0 ? count : try fill(&chunk, from: file, offset)
      guard pwrite(file, chunk, length, offset) == length else {
        throw .storage("write of the queue's log", errno: errno)
      }
      offset += off_t(length)
    }
    if fsync(file) != 0 { throw .storage("fsync of the queue's log", errno: errno) }
  }

  /// Page by page; one that cannot be read is zeros, which to SQLite are the end of the log.
  private static func fill(
    _ chunk: inout [UInt8], from file: Int32, _ offset: off_t
  ) throws(QueueError) -> Int {
    var info = stat()
    guard fstat(file, &info) == 0, info.st_size > offset else {
      throw .storage("fstat of the queue's log", errno: errno)
    }
    let length = min(chunk.count, Int(info.st_size - offset))
    for start in stride(from: 0, to: length, by: 4096) {
      let count = min(4096, length - start)
      let read = chunk.withUnsafeMutableBytes {
        pread(file, $0.baseAddress! + start, count, offset + off_t(start))
      }
      if read == count { continue }
      guard errno == EIO else { throw .storage("read of the queue's log", errno: errno) }
      for index in start..<(start + count) { chunk[index] = 0 }
    }
    return length
  }

  /// Lets the kernel forget what it holds of a file, for the same reason: the process before this one may have
  /// died of such an error.
  static func forgetCached(_ path: String) {
    guard let file = try? OutsideFile.open(path) else { return }
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    Glibc.close(file)
  }

  /// Writes something beside the queue file. (After an ext4 error the mount may still look writable.) A full disk
  /// is none of its business.
  static func probe(besides path: String) throws(QueueError) {
    let name = path + "-probe"
    let file = Glibc.open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
    guard file >= 0 else {
      if errno == ENOSPC || errno == EDQUOT { return }
      throw .storage("a trial in the queue's folder", errno: errno)
    }
    let bytes = [UInt8](repeating: 0, count: 4096)
    let isWritten = pwrite(file, bytes, bytes.count, 0) == bytes.count && fsync(file) == 0
    let failed = isWritten ? 0 : errno
    Glibc.close(file)
    unlink(name)
    if failed != 0, failed != ENOSPC, failed != EDQUOT {
      throw .storage("a trial in the queue's folder", errno: failed)
    }
  }
}
