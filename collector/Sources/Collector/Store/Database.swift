/// A database within a transaction: what ``Store`` says its SQL to.
///
/// The SQL is written once, and what SQLite and PostgreSQL both know: `RETURNING` and not a last row's number, `CASE` and
/// not a two-armed `min`, `ON CONFLICT`, `?` and `?1` for places. Where they differ, ``Dialect`` has the words.
protocol Database: AnyObject {
  var dialect: Dialect { get }
  /// - Returns: how many rows were changed.
  @discardableResult
  func execute(_ sql: String, _ arguments: [(any SQLConvertible)?]) throws -> Int
  func rows(_ sql: String, _ arguments: [(any SQLConvertible)?]) throws -> [Row]
  /// What `body` has changed is taken back where it throws.
  func inSavepoint<Value>(_ body: () throws -> Value) throws -> Value
  /// Stores what is not there. - Returns: for each the number of its row; nil: one of its identity was there.
  func insert(_ records: [NewRecord], by request: RecordSource) throws -> [Int64?]
}

extension Database {
  @discardableResult
  func execute(_ sql: String) throws -> Int { try execute(sql, []) }

  func rows(_ sql: String) throws -> [Row] { try rows(sql, []) }

  /// The first one.
  func row(_ sql: String, _ arguments: [(any SQLConvertible)?] = []) throws -> Row? {
    try rows(sql, arguments).first
  }

  /// Of the first column, without NULLs.
  func values<Value: SQLConvertible>(
    _: Value.Type, _ sql: String, _ arguments: [(any SQLConvertible)?] = []
  ) throws -> [Value] {
    try rows(sql, arguments).compactMap { Value(sqlValue: $0.values[0]) }
  }

  /// Of the first row and column.
  func value<Value: SQLConvertible>(
    _: Value.Type, _ sql: String, _ arguments: [(any SQLConvertible)?] = []
  ) throws -> Value? {
    try rows(sql, arguments).first.flatMap { Value(sqlValue: $0.values[0]) }
  }
}

extension Database {
  /// - Parameter sql: an INSERT of one row with `RETURNING` its number.
  func added(_ sql: String, _ arguments: [(any SQLConvertible)?]) throws -> Int64 {
    guard let number = try value(Int64.self, sql, arguments) else { throw StorageError.damaged }
    return number
  }
}

/// A record with its place among those of its device.
struct NewRecord: Sendable {
  var key: RecordKey
  var record: UploadedRecord
}

/// Where records come from.
struct RecordSource: Sendable {
  var device: Int64
  var batch: String?
  var received_ms: Int64
}

/// Where the two databases have other words for the same.
struct Dialect: Sendable {
  /// Behind `record`: which index is to be used, where it has to be said.
  var byTime = ""
  /// Behind a SELECT: its rows of `device` stay as they are until the end of the transaction.
  var lockingDevice = ""
  /// Records as they are found by their place among those of their device.
  var keyedRecord = "record"
  /// In `keyedRecord`, the uuid by which a record from no queue is found.
  var keyedUUID = "uuid"
  /// Joins `device` with `record`, the one of its newest position.
  var newestPosition = "LEFT JOIN record ON record.id = position_record_id"
  /// Joins `device` with `place`, which has that record's `queue_id`, `sequence` and `time_ms`.
  var newestPlace = "LEFT JOIN record AS place ON place.id = position_record_id"
  /// The elements of a JSON array that takes the place of `?`, for `IN (…)`: texts, and numbers.
  var texts = "SELECT value FROM json_each(?)"
  var numbers = "SELECT value FROM json_each(?)"
  /// Deletes what is left of records whose numbers are the elements of a JSON array; nil: nothing is.
  var deleteKeys: String?
  /// The numbers of a device's records by their sequence and queue, or by their uuid where that is their identity, whether
  /// the records are there or not: locked. Nil: no identity is without its record.
  var lockKeys: String?
  /// Of the JSON object in `extras`: whether it is one, and a member under the member's own name.
  var isExtras = "json_valid(extras)"
  var extra: @Sendable (_ key: String) -> String = { "json_extract(extras, '$.\($0)')" }
  /// Whether other collectors have the same database.
  var isShared = false

  func member(_ key: String) -> String { "\(extra(key)) AS \(key)" }
}

/// A database that is open.
protocol Connection: Sendable {
  /// What is read is of one moment.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any Database) throws -> Value
  ) async throws -> Value

  /// In a transaction that is durable when this returns. No other such is on its way meanwhile, in no collector that
  /// has the same database.
  @discardableResult
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (any Database) throws -> Value
  ) async throws -> Value

  /// As ``write(_:)``, but beside others: `body` locks what it reads before it changes it.
  @discardableResult
  func writeBeside<Value: Sendable>(
    _ body: @escaping @Sendable (any Database) throws -> Value
  ) async throws -> Value

  /// Whether other collectors may have the same database.
  var isShared: Bool { get }
  /// Nil: records lie in one table.
  var monthTables: (any MonthTables)? { get }
  /// As ``ChangeStorage`` has it.
  func listen(_ heard: @escaping @Sendable (String) -> Void)
  func tell(_ device: String)
  /// So many may be on their way at once.
  var writers: Int { get }
  /// Before a transaction that stores these.
  func makeRoom(for uploads: [Upload]) async throws
  func leaveNoTrace() async throws
  func close() throws
}
