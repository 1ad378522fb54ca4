import Glibc

/// The pages of a queue file with what its log has of them, read without SQLite: for files that SQLite refuses, and for
/// rows to which no way leads any more.
struct QueuePages {
  /// nil when there is no such file.
  private let database: Int32?
  private let log: QueueLog
  /// Of the database file, whole pages.
  private let inFile: Int

  /// The files are open while `body` runs.
  static func read<Value>(
    _ path: String, _ body: (QueuePages) throws(QueueError) -> Value
  ) throws(QueueError) -> Value {
    let file = try? OutsideFile.open(path)
    defer { if let file { close(file) } }
    return try body(QueuePages(database: file, log: QueueLog(path: path + "-wal")))
  }

  private init(database: Int32?, log: QueueLog) {
    (self.database, self.log) = (database, log)
    var info = stat()
    if let database, fstat(database, &info) == 0 {
      inFile = Int(info.st_size) / QueueLog.pageBytes
    } else {
      inFile = 0
    }
  }

  /// Pages are numbered from 1 to this.
  var count: Int { max(inFile, log.numbers.last ?? 0) }

  /// nil for one that is nowhere, or nothing but zeros.
  func page(_ number: Int) -> [UInt8]? {
    if let page = log.page(number) { return page }
    guard let database, number >= 1, number <= inFile else { return nil }
    var page = [UInt8](repeating: 0, count: QueueLog.pageBytes)
    let read = pread(database, &page, page.count, off_t((number - 1) * QueueLog.pageBytes))
    return read == page.count && page.contains { $0 != 0 } ? page : nil
  }

  /// Calls `body` with each page that is in use, or of which nothing says that it is not.
  func eachInUse(_ body: ([UInt8]) throws(QueueError) -> Void) throws(QueueError) {
    let free = freePages()
    guard count > 1 else { return }
    for number in 2...count where !free.contains(number) {
      if let page = page(number) { try body(page) }
    }
  }

  // MARK: Identity

  /// Numbers of the table `meta` that are found in the log; in the database, too, unless `onlyInLog`.
  func meta(onlyInLog: Bool = false) -> [String: Int64] {
    var meta: [String: Int64] = [:]
    for number in onlyInLog ? log.numbers : Array(1...max(1, count)) {
      guard let page = page(number) else { continue }
      for row in SQLitePage(page).indexRows where row.count == 2 {
        guard case .text(let key) = row[0], case .integer(let value) = row[1],
          ["queue_id", "last_sequence", "generation"].contains(key) || QueueIdentity.isKey(key)
        else { continue }
        meta[key] = max(meta[key] ?? 0, value)
      }
    }
    return meta
  }

  // MARK: Rows

  /// A row's bytes, those on overflow pages included; nil when a page of it is missing.
  func payload(_ cell: SQLitePage.Cell) -> [UInt8]? {
    var payload = cell.local
    var next = cell.overflow
    while payload.count < cell.bytes {
      guard next > 1, let page = page(next) else { return nil }
      payload += page[4...].prefix(cell.bytes - payload.count)
      next = word(page, 0)
    }
    return payload
  }

  /// Section 1.5 of sqlite.org/fileformat2.html: trunks, each with a list of leaves.
  private func freePages() -> Set<Int> {
    guard let first = page(1), SQLitePage.isFirst(first) else { return [] }
    var free: Set<Int> = []
    var trunk = word(first, 32)
    while trunk > 0, free.insert(trunk).inserted, let page = page(trunk) {
      for leaf in 0..<min(word(page, 4), 1022) { free.insert(word(page, 8 + leaf * 4)) }
      trunk = word(page, 0)
    }
    return free
  }

  private func word(_ bytes: [UInt8], _ offset: Int) -> Int {
    Int(QueueLog.word(bytes, offset))
  }
}
