import GRDB

/// A record's place among those of its device.
struct RecordKey: Equatable {
  var queueID: Int64
  var sequence: Int64
}

/// A device's totals and newest position while a request is being stored.
struct DeviceRow {
  let id: Int64
  private var records: Int64
  private var firstTime_ms: Int64?
  private var lastTime_ms: Int64?
  private var position: Position?
  private var conflicts: Int64
  private var lastConflict_ms: Int64?

  private struct Position {
    var recordID: Int64
    var key: RecordKey
    var time_ms: Int64
  }

  static func fetchOrInsert(_ db: Database, name: String) throws -> DeviceRow {
    if let device = try fetch(db, name: name) { return device }
    try insert(db, name: name)
    guard let device = try fetch(db, name: name) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    return device
  }

  private static func fetch(_ db: Database, name: String) throws -> DeviceRow? {
    let statement = try db.cachedStatement(
      sql: """
        SELECT device.id, records, conflicts, last_conflict_ms, first_time_ms, last_time_ms, position_record_id,
          queue_id, sequence, time_ms
        FROM device LEFT JOIN record ON record.id = position_record_id
        WHERE name = ?
        """)
    return try Row.fetchOne(statement, arguments: [name]).map(DeviceRow.init)
  }

  /// One that has not sent yet, where there is none of this name. - Returns: its id.
  static func prepare(_ db: Database, name: String) throws -> Int64 {
    try insert(db, name: name)
    guard let id = try Store.id(of: name, db) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    return id
  }

  private static func insert(_ db: Database, name: String) throws {
    try db.execute(sql: "INSERT INTO device (name) VALUES (?) ON CONFLICT DO NOTHING", arguments: [name])
  }

  private init(_ row: Row) {
    id = row["id"]
    records = row["records"]
    firstTime_ms = row["first_time_ms"]
    lastTime_ms = row["last_time_ms"]
    conflicts = row["conflicts"]
    lastConflict_ms = row["last_conflict_ms"]
    if let recordID = row["position_record_id"] as Int64? {
      let key = RecordKey(queueID: row["queue_id"], sequence: row["sequence"])
      position = Position(recordID: recordID, key: key, time_ms: row["time_ms"])
    }
  }

  /// A record from no queue is numbered by its arrival.
  func key(of record: UploadedRecord) -> RecordKey {
    switch record.identity {
    case .sequenced(let queueID, let sequence): RecordKey(queueID: queueID, sequence: sequence)
    case .uuid: RecordKey(queueID: RecordIdentity.noQueueID, sequence: records + 1)
    }
  }

  mutating func stored(_ record: UploadedRecord, _ key: RecordKey, id recordID: Int64) {
    records += 1
    firstTime_ms = min(firstTime_ms ?? record.time_ms, record.time_ms)
    lastTime_ms = max(lastTime_ms ?? record.time_ms, record.time_ms)
    if record.hasPosition, isNewer(record, key) {
      position = Position(recordID: recordID, key: key, time_ms: record.time_ms)
    }
  }

  /// So many records of a request had the identity of another one.
  mutating func refused(_ count: Int, at now_ms: Int64) {
    guard count > 0 else { return }
    conflicts += Int64(count)
    lastConflict_ms = now_ms
  }

  /// Within a queue the sequence is the order, whatever the clock said and in whatever order the backlog
  /// comes. Another queue is another life of the device's disk; there, and for records from no queue, only
  /// the time can be known.
  private func isNewer(_ record: UploadedRecord, _ key: RecordKey) -> Bool {
    guard let position else { return true }
    if key.queueID == position.key.queueID, key.queueID != RecordIdentity.noQueueID {
      return key.sequence > position.key.sequence
    }
    return record.time_ms >= position.time_ms
  }

  func save(_ db: Database, _ upload: Upload, at now_ms: Int64) throws {
    let statement = try db.cachedStatement(
      sql: """
        UPDATE device SET records = ?, first_time_ms = ?, last_time_ms = ?, position_record_id = ?,
          conflicts = ?, last_conflict_ms = ?, schema = coalesce(?, schema),
          first_contact_ms = coalesce(first_contact_ms, ?), last_contact_ms = ?
        WHERE id = ?
        """)
    try statement.execute(arguments: [
      records, firstTime_ms, lastTime_ms, position?.recordID, conflicts, lastConflict_ms, upload.schema,
      now_ms, now_ms, id,
    ])
    guard let status = upload.status else { return }
    try db.execute(
      sql: "UPDATE device SET status = ?, status_received_ms = ? WHERE id = ?",
      arguments: [status, now_ms, id])
  }
}
