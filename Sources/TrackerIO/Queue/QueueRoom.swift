import Glibc

/// Storage that is allocated before it is needed, so that the queue can drop and commit on a disk that another
/// process has filled.
///
/// The log is as long as it ever gets from the first day on. The database grows in whole chunks, and SQLite is
/// bound not to use more: so whatever is in the log can be written back into the database, after which the log
/// starts anew. Otherwise a full disk would hold up the log, and with it every transaction.
final class QueueRoom {
  static let chunkBytes = 524_288
  static let pageBytes: Int64 = 4096
  /// 256 pages make a checkpoint due; a transaction as large as that again still fits.
  static let logBytes = 2_097_152
  /// Section 4.1 of sqlite.org/fileformat2.html.
  static let logHeaderBytes = 32

  private let path: String
  private let database: SQLiteDatabase
  /// Neither file ever gets shorter than it was seen.
  private var seen_bytes: (database: Int64, log: Int64) = (0, 0)

  init(path: String, database: SQLiteDatabase) throws(QueueError) {
    self.path = path
    self.database = database
    database.growInChunks(of: Int32(QueueRoom.chunkBytes))
    database.keepLog(true)
    reserveLog()
    _ = database.allocate(bytes: try database.integer("PRAGMA page_count") * QueueRoom.pageBytes)
    _ = isCut
  }

  var logPath: String { path + "-wal" }

  /// Somebody has taken a part of the database or the log away.
  var isCut: Bool {
    let log = QueueRoom.size(of: logPath)
    let now_bytes = (database: database.fileBytes, log: min(log, Int64(QueueRoom.logBytes)))
    if now_bytes.database < seen_bytes.database || now_bytes.log < seen_bytes.log { return true }
    seen_bytes = now_bytes
    return false
  }

  private static func size(of path: String) -> Int64 {
    var info = stat()
    return stat(path, &info) == 0 ? Int64(info.st_size) : 0
  }

  /// Before the connection closes: all of the log is written back and its header made zeros, so that it is
  /// empty and keeps its storage. (SQLite would cut it to nothing, or leave it to speak for any file that is
  /// put in the database's place.)
  func emptyLog() {
    guard let row = try? database.prepare("PRAGMA wal_checkpoint(FULL)"), (try? row.step()) == true,
      row.integer(0) == 0, row.integer(1) == row.integer(2)
    else { return }
    row.reset()
    guard let file = try? OutsideFile.open(path + "-wal", O_RDWR) else { return }
    defer { close(file) }
    let zeros = [UInt8](repeating: 0, count: QueueRoom.logHeaderBytes)
    guard pwrite(file, zeros, zeros.count, 0) == zeros.count, fsync(file) == 0 else { return }
    try? database.execute("PRAGMA journal_size_limit = -1")
  }

  /// No page that has no place in the file. (SQLite takes the pages that there are as the least limit.)
  func limitPages() throws(QueueError) {
    try database.execute("PRAGMA max_page_count = \(max(1, database.fileBytes / QueueRoom.pageBytes))")
  }

  /// One more chunk for the database. - Returns: false when there is none to be had.
  func grow() throws(QueueError) -> Bool {
    reserveLog()
    let (before, pages) = (database.fileBytes, try database.integer("PRAGMA page_count"))
    _ = database.allocate(bytes: before + 1)
    // With a damaged header SQLite goes by the file's size (section 1.3.8 of sqlite.org/fileformat2.html) and
    // takes each new chunk for used.
    if try database.integer("PRAGMA page_count") != pages {
      throw database.giveUp(
        .corrupt("PRAGMA page_count", words: "the file's header is damaged"))
    }
    let chunk = Int64(QueueRoom.chunkBytes)
    if database.fileBytes >= (before / chunk + 1) * chunk { return true }
    // It got a part of it, and gives that back: SQLite's checkpoints make the file whole chunks long, also where there are
    // no blocks, and then the log could not be written back into it. By its name, since whoever closes a descriptor of the
    // file takes SQLite's lock along.
    if !database.hasMoved { truncate(path, off_t(before)) }
    return false
  }

  /// Zeros after what is in the log: to SQLite they are the end of it. Where there is no room the log does with
  /// what it has, and this is tried again when the database grows.
  private func reserveLog() {
    guard let file = try? OutsideFile.open(path + "-wal", O_RDWR) else { return }
    defer { close(file) }
    var info = stat()
    guard fstat(file, &info) == 0, Int(info.st_size) < QueueRoom.logBytes else { return }
    let zeros = [UInt8](repeating: 0, count: 65_536)
    var end = Int(info.st_size)
    while end < QueueRoom.logBytes {
      let written = pwrite(file, zeros, min(zeros.count, QueueRoom.logBytes - end), off_t(end))
      if written <= 0 { break }
      end += written
    }
    fsync(file)
  }
}

extension QueueStore {
  /// A transaction. On a full disk the oldest records go, in the quota's order, until it succeeds: each drop is
  /// a transaction of its own with its ledger entry.
  ///
  /// - Returns: what was dropped, by cause.
  func makingRoom(_ body: () throws(QueueError) -> Void) throws(QueueError) -> [String: Int] {
    var dropped: [String: Int] = [:]
    while true {
      do throws(QueueError) {
        try room.limitPages()
        try database.transaction(body)
        return dropped
      } catch {
        guard case .full = error else { throw error }
        if try room.grow() { continue }
        guard let (cause, count) = try dropOldest(because: "disk_full") else { throw error }
        dropped[cause, default: 0] += count
      }
    }
  }
}
