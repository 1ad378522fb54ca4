import GRDB

/// One connection to a file. Transactions follow one another.
///
/// What a transaction has changed survives a power cut: the file is in WAL mode with `synchronous=FULL`, and this is read
/// back before the connection is handed out. There is one connection: SQLite before 3.51.3 can damage a WAL file that a
/// second connection resets.
final class SQLiteConnection: Connection {
  let queue: DatabaseQueue
  let writers = 1

  /// Opens or makes the file. Throws a ``StoreError`` that says what the operator can do.
  init(path: String) throws {
    var configuration = Configuration()
    configuration.label = "store"
    configuration.journalMode = .wal
    // A backup by another process may hold the file for a moment.
    configuration.busyMode = .timeout(10)
    // What is deleted leaves no trace in the file.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = ON") }
    do {
      queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.writeWithoutTransaction { try Self.makeDurable($0) }
      try Schema.migrator.migrate(queue)
    } catch let error as DatabaseError {
      throw StoreError.cannotOpen(path: path, code: error.extendedResultCode.rawValue, words: error.words)
    }
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await queue.read { try body(SQLiteDatabase($0)) }
    } catch let error as DatabaseError {
      throw StorageError(error)
    }
  }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await queue.write { try body(SQLiteDatabase($0)) }
    } catch let error as DatabaseError {
      throw StorageError(error)
    }
  }

  func writeBeside<Value: Sendable>(
    _ body: @escaping @Sendable (any Database) throws -> Value
  ) async throws -> Value { try await write(body) }

  var isShared: Bool { false }
  var monthTables: (any MonthTables)? { nil }
  func listen(_ heard: @escaping @Sendable (String) -> Void) {}
  func tell(_ device: String) {}
  func makeRoom(for uploads: [Upload]) async throws {}

  /// The WAL file has what was written last as it was before: it is emptied.
  func leaveNoTrace() async throws {
    do {
      try await queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    } catch let error as DatabaseError {
      throw StorageError(error)
    }
  }

  /// Ends with a checkpoint, so that the file alone holds everything.
  func close() throws { try queue.close() }

  /// GRDB sets `synchronous=NORMAL` whenever it sets WAL mode, which loses acknowledged records at a power
  /// cut. So it is set after that, and believed only when read back.
  private static func makeDurable(_ db: GRDB.Database) throws {
    try db.execute(sql: "PRAGMA synchronous = FULL")
    try requireDurability(db)
  }

  /// Throws unless a commit on this connection is on the disk when it returns.
  static func requireDurability(_ db: GRDB.Database) throws {
    let journal = try String.fetchOne(db, sql: "PRAGMA journal_mode") ?? ""
    let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? 0
    guard journal == "wal", synchronous == 2 else {
      throw StoreError.notDurable(journal: journal, synchronous: synchronous)
    }
  }
}

extension DatabaseError {
  /// SQLite's own words, without SQL and without values.
  var words: String { message ?? "no further word" }
}

extension StorageError {
  init(_ error: DatabaseError) {
    self.init(code: "SQLite \(error.extendedResultCode.rawValue)", words: error.words)
  }
}
