/// A PostgreSQL that several collectors may share. Nothing of it is kept here but which months have a partition.
final class PostgresConnection: Connection {
  static let connections = 8
  let writers = 4

  private let address: PostgresAddress
  private let pool: PostgresPool
  private let months = Locked(Set<RecordMonth>())

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
  }

  private static func lock(_ name: LockName) -> String {
    "pg_advisory_xact_lock(\(0x67_6f64 + name.rawValue), hashtext(current_schema()))"
  }

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
      throw StoreError.cannotConnect(words: error.words)
    }
    pool = PostgresPool(connections: Self.connections, first: session)
  }

  func close() throws { pool.close() }

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

  // MARK: Partitions

  func makeRoom(for times_ms: [Int64]) async throws {
    let wanted = Set(times_ms.compactMap(RecordMonth.init)).subtracting(months.with { $0 })
    for month in wanted.sorted() {
      try await onThread { try Self.make(month, $0) }
      months.with { _ = $0.insert(month) }
    }
  }

  /// Before the transaction that needs it, in one of its own: it waits for all that are at work with records, which one
  /// that is at work itself must not do.
  private static func make(_ month: RecordMonth, _ session: PostgresSession) throws {
    if try !session.text("SELECT to_regclass('\(month.table)')::text").isEmpty { return }
    try session.run("BEGIN; SELECT \(lock(.partition))")
    do {
      try session.run(
        """
        CREATE TABLE IF NOT EXISTS \(month.table) PARTITION OF record
        FOR VALUES FROM (\(month.begin_ms)) TO (\(month.end_ms))
        """)
      try session.commit()
    } catch {
      try? session.run("ROLLBACK")
      // Somebody has dropped the month's partition, and what came since lies among the others: it is well kept there.
      if let error = error as? StorageError, error.code == "PostgreSQL 23514" { return }
      throw error
    }
  }

  // MARK: Transactions

  private func transaction<Value: Sendable>(
    _ kind: Kind, _ body: @escaping @Sendable (any Database) throws -> Value
  ) async throws -> Value {
    try await onThread { session in
      try session.run(kind.begin)
      do {
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
  private func onThread<Value: Sendable>(
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

  private static func once<Value>(
    _ kept: inout PostgresSession?, _ address: PostgresAddress, _ body: (PostgresSession) throws -> Value
  ) throws -> Value {
    let session: PostgresSession
    if let kept { session = kept } else { session = try PostgresSession(address) }
    kept = session
    defer { if session.isBroken { kept = nil } }
    return try body(session)
  }
}

/// A month of records' own times, UTC.
struct RecordMonth: Hashable, Comparable {
  private let year: Int
  private let month: Int

  /// No device's clock means anything beyond; such records lie together in the partition `record_other`.
  static let years = 2000...2099

  /// nil for times that get no partition of their own.
  init?(_ time_ms: Int64) {
    let text = Timestamp.text(time_ms)
    let parts = text.split(separator: "-")
    guard parts.count == 3, let year = Int(parts[0]), let month = Int(parts[1]), Self.years.contains(year)
    else {
      return nil
    }
    (self.year, self.month) = (year, month)
  }

  private init(_ year: Int, _ month: Int) { (self.year, self.month) = (year, month) }

  var table: String { "record_\(Self.two(year))_\(Self.two(month))" }
  var begin_ms: Int64 {
    Timestamp.milliseconds("\(year)-\(Self.two(month))-01T00:00:00Z") ?? 0
  }
  var end_ms: Int64 { (month == 12 ? RecordMonth(year + 1, 1) : RecordMonth(year, month + 1)).begin_ms }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  static func < (one: RecordMonth, other: RecordMonth) -> Bool {
    (one.year, one.month) < (other.year, other.month)
  }
}
