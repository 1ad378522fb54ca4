import CSQLite
import Glibc

/// One connection to one SQLite file. All of libsqlite3 is behind this file.
///
/// Not thread-safe, and opened so: one thread uses it. The connection closes when the last statement and the
/// last reference are gone.
final class SQLiteDatabase {
  private let handle: OpaquePointer
  /// The first failure of the storage under the file, or of the file itself: what this connection believes of
  /// its file may be wrong since.
  private(set) var fault: StoreError?

  /// With `readOnly` nothing is made, not even a lock: nothing else may write the file meanwhile.
  ///
  /// - Parameter withoutLog: as if it had none. Read-only.
  init(
    path: String, readOnly: Bool = false, withoutLog: Bool = false
  ) throws(StoreError) {
    var opened: OpaquePointer?
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    flags |= readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    var name = path
    // Without its log it is all there is; SQLite would make one.
    if readOnly, withoutLog || access(path + "-wal", F_OK) != 0 {
      flags |= SQLITE_OPEN_URI
      name = "file:\(SQLiteDatabase.escaped(path))?immutable=1"
    }
    SQLiteDatabase.takeLittle
    let code = sqlite3_open_v2(name, &opened, flags, readOnly ? "unix-none" : nil)
    guard code == SQLITE_OK, let opened else {
      let words = String(cString: sqlite3_errstr(code))
      sqlite3_close_v2(opened)
      throw .sqlite(code, call: "sqlite3_open_v2", words: words, other: StoreError.open)
    }
    handle = opened
  }

  deinit { sqlite3_close_v2(handle) }

  /// Of the whole process, once.
  private static let takeLittle: Void = godwit_sqlite_take_little()

  /// What has a meaning in a URI (sqlite.org/uri.html) as bytes.
  private static func escaped(_ path: String) -> String {
    path.map { character in
      switch character {
      case "%": "%25"
      case "?": "%3f"
      case "#": "%23"
      default: String(character)
      }
    }.joined()
  }

  func setBusyTimeout(ms: Int32) { sqlite3_busy_timeout(handle, ms) }

  /// True: the file and its log are left exactly as they are when this connection closes.
  func leaveLogOnClose(_ leave: Bool) { _ = godwit_sqlite_leave_wal_on_close(handle, leave ? 1 : 0) }

  /// True: the log keeps its length when the connection closes, with nothing left in it to write back.
  func keepLog(_ keep: Bool) { _ = godwit_sqlite_keep_log(handle, keep ? 1 : 0) }

  func growInChunks(of bytes: Int32) { _ = godwit_sqlite_set_chunk_size(handle, bytes) }

  /// Allocates storage for the file up to so many bytes, rounded up to a chunk. - Returns: whether it got it.
  func allocate(bytes: Int64) -> Bool { godwit_sqlite_allocate(handle, bytes) == SQLITE_OK }

  /// Into the log, since the connection was opened.
  var pagesWritten: Int {
    var (count, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 0)
    return Int(count)
  }

  /// Of the file that is open, also when it was moved or removed meanwhile.
  var fileBytes: Int64 { godwit_sqlite_file_size(handle) }

  /// Its name now stands for another file, or for none.
  var hasMoved: Bool { godwit_sqlite_has_moved(handle) != 0 }

  func prepare(_ sql: String) throws(StoreError) -> SQLiteStatement {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else {
      throw failure(code, "sqlite3_prepare_v3", sql, other: StoreError.prepare)
    }
    return SQLiteStatement(handle: prepared, database: self, sql: sql)
  }

  /// One statement without parameters, run to its end.
  func execute(_ sql: String) throws(StoreError) {
    let statement = try prepare(sql)
    while try statement.step() {}
  }

  /// The first column of the first row, as text; nil when there is no row.
  func text(_ sql: String) throws(StoreError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(0) : nil
  }

  /// The first column of the first row; 0 when there is no row or it is NULL.
  func integer(_ sql: String) throws(StoreError) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) ?? 0 : 0
  }

  /// All of `body`, or none of it: an error rolls back and is thrown on.
  func transaction<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    try execute("BEGIN IMMEDIATE")
    do throws(StoreError) {
      let value = try body()
      try execute("COMMIT")
      return value
    } catch {
      // SQLite has rolled back by itself after some errors (full, I/O); then there is nothing left to end.
      if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// What the caller has found is as good as a failure of SQLite's own. - Returns: the same error.
  func giveUp(_ error: StoreError) -> StoreError {
    if fault == nil { fault = error }
    return error
  }

  /// Rows that the last INSERT, UPDATE or DELETE changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  fileprivate func failure(
    _ code: Int32, _ function: String, _ sql: String, other: (String, Int32, String) -> StoreError
  ) -> StoreError {
    // Parameters are bound, so the text of a statement holds no row's value; its head is enough to know it.
    let head = sql.split(whereSeparator: \.isWhitespace).prefix(3).joined(separator: " ")
    let words = String(cString: sqlite3_errstr(code))
    let error = StoreError.sqlite(code, call: "\(function) (\(head))", words: words, other: other)
    return StoreError.isOfStorage(code) ? giveUp(error) : error
  }
}

/// SQLite's result codes (sqlite.org/rescode.html); the low byte is the primary one.
extension StoreError {
  /// The case for an (extended) result code; `other` when there is none.
  static func sqlite(
    _ code: Int32, call: String, words: String, other: (String, Int32, String) -> StoreError
  ) -> StoreError {
    switch code & 0xFF {
    case SQLITE_FULL: .full(call: call, code: code, words: words)
    case SQLITE_READONLY: .readOnly(call: call, code: code, words: words)
    // A constraint: the program never breaks one, so a row in the file does.
    case SQLITE_CORRUPT, SQLITE_CONSTRAINT, SQLITE_NOTADB: .corrupt(call: call, code: code, words: words)
    case SQLITE_BUSY, SQLITE_LOCKED: .busy(call: call, code: code, words: words)
    case SQLITE_CANTOPEN: .open(call: call, code: code, words: words)
    case SQLITE_IOERR: .step(call: call, code: code, words: words)
    default: other(call, code, words)
    }
  }

  static func corrupt(_ call: String, words: String) -> StoreError {
    .corrupt(call: call, code: SQLITE_CORRUPT, words: words)
  }

  /// A connection is given up after it.
  static func isOfStorage(_ code: Int32) -> Bool {
    [SQLITE_READONLY, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_CONSTRAINT, SQLITE_NOTADB]
      .contains(code & 0xFF)
  }

  static func isInputOutput(_ code: Int32) -> Bool { code & 0xFF == SQLITE_IOERR }

  /// A part of the file cannot be read.
  var isOfReading: Bool {
    guard case .step(_, let code, _) = self else { return false }
    return [godwit_sqlite_ioerr_read, godwit_sqlite_ioerr_short_read, godwit_sqlite_ioerr_corruptfs]
      .contains(code)
  }
}

/// One prepared statement, made to be used again: `reset` is called by whoever runs it anew.
final class SQLiteStatement {
  fileprivate let handle: OpaquePointer
  // Keeps the connection open while a statement lives.
  private let database: SQLiteDatabase
  private let sql: String

  fileprivate init(handle: OpaquePointer, database: SQLiteDatabase, sql: String) {
    self.handle = handle
    self.database = database
    self.sql = sql
  }

  deinit { sqlite3_finalize(handle) }

  /// Binds all parameters, runs to the end, and resets. For statements that return nothing.
  func run(_ values: SQLiteValue...) throws(StoreError) { try run(values) }

  func run(_ values: [SQLiteValue]) throws(StoreError) {
    bind(values)
    defer { reset() }
    while try step() {}
  }

  /// Resets, then binds parameters 1, 2, …
  func bind(_ values: [SQLiteValue]) {
    reset()
    for (offset, value) in values.enumerated() {
      let index = Int32(offset + 1)
      switch value {
      case .null: sqlite3_bind_null(handle, index)
      case .integer(let integer): sqlite3_bind_int64(handle, index, integer)
      case .text(let text): _ = godwit_sqlite_bind_text(handle, index, text, Int32(clamping: text.utf8.count))
      }
    }
  }

  /// True when there is a row to read. After an error or the last row the statement is reset.
  func step() throws(StoreError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    sqlite3_reset(handle)
    if code == SQLITE_DONE { return false }
    throw database.failure(code, "sqlite3_step", sql, other: StoreError.step)
  }

  func reset() { sqlite3_reset(handle) }

  func integer(_ column: Int32) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
  }

  func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(handle, column) else { return "" }
    let length = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
  }
}

/// What can be stored: the queue scales its fractions to integers.
enum SQLiteValue: Equatable {
  case null
  case integer(Int64)
  case text(String)

  init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
}
