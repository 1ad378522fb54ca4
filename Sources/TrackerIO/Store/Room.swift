import CSQLite
import Glibc
import TrackerBase

/// Storage that is allocated before it is needed, so that the queue can drop and commit on a disk that another
/// process has filled.
///
/// The log is as long as it ever gets from the first day on. The database grows in whole chunks, and SQLite is
/// bound not to use more: so whatever is in the log can be written back into the database, after which the log
/// starts anew. Otherwise a full disk would hold up the log, and with it every transaction.
final class StoreRoom {
  static let chunkBytes: Int64 = 524_288
  static let logBytes: Int64 = 2_097_152
  /// So many pages in the log make a checkpoint due; a transaction as large as that again still fits.
  static let logPages = 1000

  private let path: String
  private let database: SQLiteDatabase
  private var writtenBefore = 0

  init(path: String, database: SQLiteDatabase) throws(StoreError) {
    (self.path, self.database) = (path, database)
    database.growInChunks(of: Int32(StoreRoom.chunkBytes))
    database.keepLog(true)
    reserveLog()
    _ = database.allocate(bytes: try database.integer("PRAGMA page_count") * StoreSchema.pageBytes)
  }

  var isCheckpointDue: Bool { database.pagesWritten - writtenBefore > StoreRoom.logPages }

  /// All of the log goes into the file, and the log begins anew, as long as it is.
  func checkpoint() throws(StoreError) {
    let row = try database.prepare("PRAGMA wal_checkpoint(RESTART)")
    guard try row.step(), row.integer(0) == 0, row.integer(1) == row.integer(2) else {
      throw .busy(
        call: "PRAGMA wal_checkpoint", code: SQLITE_BUSY, words: "the log could not be written back")
    }
    row.reset()
    writtenBefore = database.pagesWritten
  }

  /// All of it is in the file, and the connection is about to close: a header of zeros lets the log speak for no other file
  /// that is put in the place of this one, and its storage stays.
  func emptyLog() {
    guard let file = try? OutsideFile.open(path + "-wal", O_RDWR) else { return }
    defer { close(file) }
    let zeros = [UInt8](repeating: 0, count: 32)
    if pwrite(file, zeros, zeros.count, 0) == zeros.count { fsync(file) }
  }

  /// No page that has no place in the file. (SQLite takes the pages that there are as the least limit.)
  func limitPages() throws(StoreError) {
    try database.execute("PRAGMA max_page_count = \(max(1, database.fileBytes / StoreSchema.pageBytes))")
  }

  /// One more chunk for the database. - Returns: false when there is none to be had.
  func grow() throws(StoreError) -> Bool {
    reserveLog()
    let (before, pages) = (database.fileBytes, try database.integer("PRAGMA page_count"))
    _ = database.allocate(bytes: before + 1)
    // With a damaged header SQLite goes by the file's size (section 1.3.8 of sqlite.org/fileformat2.html) and
    // takes each new chunk for used.
    if try database.integer("PRAGMA page_count") != pages {
      throw database.giveUp(
        .corrupt("PRAGMA page_count", words: "the file's header is damaged"))
    }
    if database.fileBytes >= (before / StoreRoom.chunkBytes + 1) * StoreRoom.chunkBytes { return true }
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
    guard fstat(file, &info) == 0, info.st_size < StoreRoom.logBytes else { return }
    let zeros = [UInt8](repeating: 0, count: 65_536)
    var end = Int(info.st_size)
    while end < StoreRoom.logBytes {
      let written = pwrite(file, zeros, min(zeros.count, Int(StoreRoom.logBytes) - end), off_t(end))
      if written <= 0 { break }
      end += written
    }
    fsync(file)
  }

  /// Without pages that are free.
  func usedBytes() throws(StoreError) -> Int64 {
    let pages = try database.integer("PRAGMA page_count") - database.integer("PRAGMA freelist_count")
    return pages * StoreSchema.pageBytes
  }
}

extension QueueStore {
  /// A transaction. On a full disk the oldest records go, in the quota's order, until it succeeds: each drop is
  /// a transaction of its own with its ledger entry.
  func makingRoom(
    _ next: StoreState? = nil, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    while true {
      do throws(StoreError) {
        try opened.room.limitPages()
        return try transaction(next, body)
      } catch {
        guard case .full = error else { throw error }
        if try opened.room.grow() { continue }
        guard try dropOldest(because: "disk_full") else { throw error }
      }
    }
  }

  /// Drops what is oldest until the file's used pages fit into `maxBytes`: positions first, then what was refused, then
  /// events. Each drop is in the ledger, in the same transaction.
  /// Freed pages are used again, so the file stops growing; it does not shrink. One call drops so many rows at most that
  /// the agent is not held up. - Returns: whether it dropped some; there may be more to drop then.
  @discardableResult
  public func enforceQuota(maxBytes: Int64) throws(StoreError) -> Bool {
    // So often is looked whether the file is still there.
    try renewIfMoved()
    for step in 0..<QueueStore.mostQuotaSteps {
      guard try opened.room.usedBytes() > maxBytes, try dropOldest(because: "quota") else { return step > 0 }
    }
    return true
  }

  /// Of 128 rows each: a second on a slow card.
  static let mostQuotaSteps = 32

  /// Drops up to 128 rows of the least valuable kind that there is, in one transaction with its ledger entry,
  /// of a bounded size, so that the log stays small. - Returns: false when nothing is left.
  private func dropOldest(because reason: String) throws(StoreError) -> Bool {
    for victim in DropOrder.allCases {
      if try drop(victim, cause: "\(reason)_\(victim.rawValue)") { return true }
    }
    return false
  }

  private func drop(_ victim: DropOrder, cause: String) throws(StoreError) -> Bool {
    var next = figures
    let statement = try opened.database.prepare(victim.sql)
    var count = 0
    try transaction { () throws(StoreError) in
      while try statement.step() {
        count += 1
        if victim == .refused {
          if let bit = state.bits[statement.text(1)] { next[bit].refused -= 1 }
        } else {
          for bit in next.indices where (statement.integer(1) ?? 0) >> Int64(bit) & 1 == 1 {
            next[bit].add(kind: statement.integer(0), -1)
          }
        }
      }
      if count > 0 { try addToLedger(cause, count) }
    }
    figures = next
    if count > 0 { dropped[cause, default: 0] += count }
    return count > 0
  }
}

extension DropOrder {
  fileprivate var sql: String {
    switch self {
    case .positions: DropOrder.records("kind = 0")
    case .events: DropOrder.records("kind <> 0")
    case .refused:
      """
      DELETE FROM refused WHERE (server, sequence) IN
      (SELECT server, sequence FROM refused ORDER BY sequence LIMIT 128) RETURNING kind, server
      """
    }
  }

  private static func records(_ condition: String) -> String {
    """
    DELETE FROM records WHERE sequence IN
    (SELECT sequence FROM records WHERE \(condition) ORDER BY sequence LIMIT 128) RETURNING kind, waiting
    """
  }
}
