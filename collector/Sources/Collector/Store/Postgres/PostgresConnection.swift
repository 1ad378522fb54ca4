/// A PostgreSQL that several collectors may share. Nothing of it is kept here but which months have a partition.
final class PostgresConnection: Connection {
  static let connections = 8
  let writers = 4

  let address: PostgresAddress
  private let pool: PostgresPool
  /// Those that have a table, as far as this collector knows.
  let months = Locked([Range<Int64>]())
  private let channel = Locked<PostgresChannel?>(nil)

  private enum Kind {
    case read, write, writeBeside

    /// Two collectors' writes exclude one another by an advisory lock of the schema, as SQLite's do by being the only one
    /// that writes. It goes with the transaction.
    var begin: String {
      switch self {
      case .read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
      case .write: "BEGIN; SELECT \(lock(.write))"
      case .writeBeside: "BEGIN"
      }
    }
  }

  enum LockName: Int {
    case write = 1
    case schema = 2
    case partition = 3
    case retention = 4
  }

  static func key(_ name: LockName) -> String {
    "\(0x67_6f64 + name.rawValue), hashtext(current_schema())"
  }

  /// Until the end of the transaction.
  static func lock(_ name: LockName) -> String { "pg_advisory_xact_lock(\(key(name)))" }

  /// Connects, and makes or updates the tables. Throws a ``StoreError`` that says what the operator can do.
  init(_ address: PostgresAddress) throws {
    self.address = address
    let session: PostgresSession
    do {
      session = try PostgresSession(address)
      guard session.serverVersion >= 130_000 else {
        throw StoreError.oldServer(session.serverVersion / 10_000)
      }
      let encoding = try session.text("SHOW server_encoding")
      guard encoding == "UTF8" else { throw StoreError.notUTF8(encoding) }
      guard try !session.text("SELECT current_schema()::text").isEmpty else { throw StoreError.noSchema }
      try session.run("BEGIN; SELECT \(Self.lock(.schema))")
      try PostgresSchema.update(session)
      try session.commit()
    } catch let error as StorageError {
      throw StoreError.cannotConnect(words: error.detail ?? error.words)
    }
    pool = PostgresPool(connections: Self.connections, first: session)
  }

  func close() throws {
    channel.with { channel in
      channel?.close()
      channel = nil
    }
    pool.close()
  }

  var isShared: Bool { true }
  var monthTables: (any MonthTables)? { self }

  func listen(_ heard: @escaping @Sendable (String) -> Void) {
    let new = PostgresChannel(address, heard: heard)
    channel.with { channel in
      channel?.close()
      channel = new
    }
  }

  func tell(_ device: String) { channel.with { $0?.tell(device) } }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any Database) throws -> Value
  ) async throws -> Value { try await transaction(.read, body) }

  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any Database) throws -> Value
  ) async throws -> Value { try await transaction(.write, body) }

  func writeBeside<Value: Sendable>(
    _ body: @escaping @Sendable (any Database) throws -> Value
  ) async throws -> Value { try await transaction(.writeBeside, body) }

  /// What is deleted here is overwritten when the server cleans up (VACUUM), which it does by itself.
  func leaveNoTrace() async throws {}

  // MARK: Transactions

  private func transaction<Value: Sendable>(
    _ kind: Kind, _ body: @escaping @Sendable (any Database) throws -> Value
  ) async throws -> Value {
    try await onThread { session in
      do {
        try session.run(kind.begin)
        let value = try body(PostgresDatabase(session))
        try session.commit()
        return value
      } catch {
        try? session.run("ROLLBACK")
        throw error
      }
    }
  }

  /// What clashed, or found its connection broken before anything was done for good, is tried twice more.
  func onThread<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresSession) throws -> Value
  ) async throws -> Value {
    let address = address
    return try await withCheckedThrowingContinuation { continuation in
      let isTaken = pool.add { kept in
        continuation.resume(with: Result { try Self.trying(&kept, address, body) })
      }
      if !isTaken {
        continuation.resume(throwing: StorageError(code: "PostgreSQL", words: "the collector is ending"))
      }
    }
  }

  private static func trying<Value>(
    _ kept: inout PostgresSession?, _ address: PostgresAddress, _ body: (PostgresSession) throws -> Value
  ) throws -> Value {
    for _ in 0..<2 {
      do {
        return try once(&kept, address, body)
      } catch let error as StorageError where error.isTransient {
        continue
      }
    }
    return try once(&kept, address, body)
  }

  /// A server that is not there is not asked again for the same request: whoever made it comes again.
  static func connected(_ address: PostgresAddress) throws -> PostgresSession {
    do {
      return try PostgresSession(address)
    } catch var error as StorageError {
      error.isTransient = false
      throw error
    } catch let error as StoreError {
      throw StorageError(code: "PostgreSQL", words: "\(error)")
    }
  }

  private static func once<Value>(
    _ kept: inout PostgresSession?, _ address: PostgresAddress, _ body: (PostgresSession) throws -> Value
  ) throws -> Value {
    let session: PostgresSession
    if let kept { session = kept } else { session = try connected(address) }
    kept = session
    defer { if session.isBroken { kept = nil } }
    do {
      return try body(session)
    } catch let error as StorageError where error.isOutdated {
      kept = nil
      throw error
    }
  }
}
