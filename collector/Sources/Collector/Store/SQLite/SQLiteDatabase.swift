import Foundation
import GRDB

/// SQLite within a transaction. Statements are kept: what is said once is said again.
final class SQLiteDatabase: Database {
  private let db: GRDB.Database

  static let dialect = {
    var dialect = Dialect()
    dialect.byTime = " INDEXED BY record_time"
    return dialect
  }()
  var dialect: Dialect { Self.dialect }

  init(_ db: GRDB.Database) { self.db = db }

  func execute(_ sql: String, _ arguments: [(any SQLConvertible)?]) throws -> Int {
    try db.cachedStatement(sql: sql).execute(arguments: Self.arguments(arguments))
    return db.changesCount
  }

  func rows(_ sql: String, _ arguments: [(any SQLConvertible)?]) throws -> [Row] {
    let statement = try db.cachedStatement(sql: sql)
    let columns = statement.columnNames
    let cursor = try GRDB.Row.fetchCursor(statement, arguments: Self.arguments(arguments))
    var rows: [Row] = []
    while let row = try cursor.next() {
      rows.append(Row(columns: columns, values: row.databaseValues.map(SQLValue.init)))
    }
    return rows
  }

  func inSavepoint<Value>(_ body: () throws -> Value) throws -> Value {
    var value: Value?
    try db.inSavepoint {
      value = try body()
      return .commit
    }
    guard let value else { throw StorageError.damaged }
    return value
  }

  func insert(_ records: [NewRecord], by source: RecordSource) throws -> [Int64?] {
    guard !records.isEmpty else { return [] }
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO record (
          device_id, queue_id, sequence, uuid, time_ms, latitude, longitude, altitude_m,
          altitude_accuracy_m, accuracy_m, speed_mps, speed_accuracy_mps, heading_deg,
          heading_accuracy_deg, is_moving, event, extras, batch, received_ms, json)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """)
    return try records.map { new in
      let (key, record, fields) = (new.key, new.record, new.record.fields)
      try statement.execute(arguments: [
        source.device, key.queueID, key.sequence, record.uuid, record.time_ms, record.latitude,
        record.longitude, fields.altitude_m, fields.altitudeAccuracy_m, fields.accuracy_m, fields.speed_mps,
        fields.speedAccuracy_mps, fields.heading_deg, fields.headingAccuracy_deg, fields.isMoving,
        fields.event ?? "", fields.extras ?? "", source.batch, source.received_ms, record.json,
      ])
      return db.changesCount == 1 ? db.lastInsertedRowID : nil
    }
  }

  private static func arguments(_ values: [(any SQLConvertible)?]) -> StatementArguments {
    StatementArguments(values.map { $0?.sqlValue.databaseValue ?? .null })
  }
}

extension SQLValue {
  fileprivate init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .blob(data)
    }
  }

  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .blob(let data): data.databaseValue
    }
  }
}
