/// A record's place among those of its device.
struct RecordKey: Hashable, Sendable {
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

  static func fetchOrInsert(_ db: any Database, name: String) throws -> DeviceRow {
    if let device = try fetch(db, name: name) { return device }
    try insert(db, name: name)
    guard let device = try fetch(db, name: name) else { throw StorageError.damaged }
    return device
  }

  private static func fetch(_ db: any Database, name: String) throws -> DeviceRow? {
    // First, and by itself: what a statement reads beside a row that it waits for is as it was before.
    if !db.dialect.lockingDevice.isEmpty {
      let id = try db.value(
        Int64.self, "SELECT id FROM device WHERE name = ?\(db.dialect.lockingDevice)", [name])
      if id == nil { return nil }
    }
    let statement = """
      SELECT device.id, records, conflicts, last_conflict_ms, first_time_ms, last_time_ms, position_record_id,
        place.queue_id, place.sequence, place.time_ms
      FROM device \(db.dialect.newestPlace) WHERE name = ?
      """
    return try db.row(statement, [name]).map(DeviceRow.init)
  }

  /// One that has not sent yet, where there is none of this name. - Returns: its id.
  static func prepare(_ db: any Database, name: String) throws -> Int64 {
    try insert(db, name: name)
    guard let id = try Store.id(of: name, db) else { throw StorageError.damaged }
    return id
  }

  private static func insert(_ db: any Database, name: String) throws {
    try db.execute("INSERT INTO device (name) VALUES (?) ON CONFLICT DO NOTHING", [name])
  }

  private init(_ row: Row) {
    id = row["id"]
    records = row["records"]
    firstTime_ms = row["first_time_ms"]
    lastTime_ms = row["last_time_ms"]
    conflicts = row["conflicts"]
    lastConflict_ms = row["last_conflict_ms"]
    if let recordID = row["position_record_id"] as Int64?, let queueID = row["queue_id"] as Int64? {
      let key = RecordKey(queueID: queueID, sequence: row["sequence"])
      position = Position(recordID: recordID, key: key, time_ms: row["time_ms"])
    }
  }

  /// The places of records. One from no queue is numbered by its arrival.
  ///
  /// - Returns: nil for a record from no queue that is there, or comes before in the same request.
  func keys(of records: [UploadedRecord], _ db: any Database) throws -> [RecordKey?] {
    var known: Set<String>?
    var next = self.records
    return try records.map { record in
      if case .sequenced(let queueID, let sequence) = record.identity {
        return RecordKey(queueID: queueID, sequence: sequence)
      }
      if known == nil { known = try stored(records, db) }
      guard known?.insert(record.uuid).inserted == true else { return nil }
      next += 1
      return RecordKey(queueID: RecordIdentity.noQueueID, sequence: next)
    }
  }

  /// The uuids of those from no queue that are there.
  private func stored(_ records: [UploadedRecord], _ db: any Database) throws -> Set<String> {
    let uuids = records.compactMap { $0.identity == .uuid ? JSONValue.string($0.uuid) : nil }
    let column = db.dialect.keyedUUID
    let sql = """
      SELECT \(column) FROM \(db.dialect.keyedRecord)
      WHERE device_id = ? AND queue_id = -1 AND \(column) IN (\(db.dialect.texts))
      """
    return try Set(db.values(String.self, sql, [id, JSONValue.array(uuids).text]))
  }

  mutating func stored(_ record: UploadedRecord, _ key: RecordKey, id recordID: Int64, at time_ms: Int64) {
    records += 1
    firstTime_ms = min(firstTime_ms ?? time_ms, time_ms)
    lastTime_ms = max(lastTime_ms ?? time_ms, time_ms)
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

  func save(_ db: any Database, _ upload: Upload, at now_ms: Int64) throws {
    let statement = """
      UPDATE device SET records = ?, first_time_ms = ?, last_time_ms = ?, position_record_id = ?,
        conflicts = ?, last_conflict_ms = ?, schema = coalesce(?, schema),
        first_contact_ms = coalesce(first_contact_ms, ?), last_contact_ms = ?
      WHERE id = ?
      """
    try db.execute(
      statement,
      [
        records, firstTime_ms, lastTime_ms, position?.recordID, conflicts, lastConflict_ms, upload.schema,
        now_ms, now_ms, id,
      ])
    guard let status = upload.status else { return }
    try db.execute(
      "UPDATE device SET status = ?, status_received_ms = ? WHERE id = ?",
      [status, now_ms, id])
  }
}
