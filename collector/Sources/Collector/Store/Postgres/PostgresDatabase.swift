/// PostgreSQL within a transaction.
final class PostgresDatabase: Database {
  private let session: PostgresSession
  private var savepoints = 0

  init(_ session: PostgresSession) { self.session = session }

  var dialect: Dialect { Self.dialect }

  static let dialect = {
    var dialect = Dialect()
    dialect.lockingDevice = " FOR UPDATE OF device"
    dialect.keyedRecord = "keyed_record"
    dialect.keyedUUID = "key_uuid"
    dialect.newestPlace = "LEFT JOIN record_key AS place ON place.id = position_record_id"
    // By its time, so that the one partition is looked into.
    dialect.newestPosition = """
      LEFT JOIN record_key AS place ON place.id = position_record_id
      LEFT JOIN record ON record.device_id = place.device_id AND record.time_ms = place.time_ms
        AND record.id = place.id
      """
    dialect.texts = "SELECT jsonb_array_elements_text(CAST(? AS jsonb))"
    dialect.numbers = "SELECT CAST(jsonb_array_elements_text(CAST(? AS jsonb)) AS bigint)"
    dialect.deleteKeys = "DELETE FROM record_key WHERE id IN (\(dialect.numbers))"
    dialect.lockKeys = """
      SELECT id FROM record_key WHERE device_id = ?1 AND (sequence = ?2 AND queue_id = ?3 OR uuid = ?4) FOR UPDATE
      """
    dialect.isExtras = "gap IS NOT NULL"
    dialect.extra = { "gap -> '\($0)'" }
    dialect.isShared = true
    return dialect
  }()

  func execute(_ sql: String, _ arguments: [(any SQLConvertible)?]) throws -> Int {
    try session.execute(sql, PostgresArguments(arguments))
  }

  func rows(_ sql: String, _ arguments: [(any SQLConvertible)?]) throws -> [Row] {
    try session.rows(sql, PostgresArguments(arguments))
  }

  func inSavepoint<Value>(_ body: () throws -> Value) throws -> Value {
    savepoints += 1
    defer { savepoints -= 1 }
    let name = "p\(savepoints)"
    try session.run("SAVEPOINT \(name)")
    do {
      let value = try body()
      try session.run("RELEASE SAVEPOINT \(name)")
      return value
    } catch {
      try session.run("ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)")
      throw error
    }
  }

  /// The row of the device is locked, so nobody else stores records of it meanwhile.
  ///
  /// Two statements, however many records: a unique key of a partitioned table must hold its time, so what a record is
  /// known by stands in a table of its own, `record_key`, and the record follows where that was new.
  func insert(_ records: [NewRecord], by source: RecordSource) throws -> [Int64?] {
    guard !records.isEmpty else { return [] }
    var keys = PostgresArguments()
    keys.append(.integer(source.device))
    keys.append(binary: PostgresArray.integers(records.map(\.key.sequence)))
    keys.append(binary: PostgresArray.integers(records.map(\.key.queueID)))
    keys.append(
      binary: PostgresArray.texts(
        records.map { $0.key.queueID == RecordIdentity.noQueueID ? $0.record.uuid : nil }))
    keys.append(binary: PostgresArray.integers(records.map(\.record.time_ms)))
    // The first of the same identity counts.
    var ids: [RecordKey: Int64] = [:]
    for row in try session.rows(Self.insertKeys, keys) {
      ids[RecordKey(queueID: row["queue_id"], sequence: row["sequence"])] = row["id"]
    }
    let stored = records.map { ids.removeValue(forKey: $0.key) }
    let new = zip(records, stored).compactMap { record, id in id.map { (record.record, record.key, $0) } }
    if !new.isEmpty { _ = try session.execute(Self.insertRecords, Self.columns(of: new, source)) }
    return stored
  }

  private static let insertKeys = """
    INSERT INTO record_key (device_id, sequence, queue_id, uuid, time_ms)
    SELECT $1::bigint, * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[])
    ON CONFLICT DO NOTHING RETURNING sequence, queue_id, id
    """

  private static let insertRecords = """
    INSERT INTO record (device_id, batch, received_ms, id, queue_id, sequence, uuid, time_ms, latitude, longitude,
      altitude_m, altitude_accuracy_m, accuracy_m, speed_mps, speed_accuracy_mps, heading_deg, heading_accuracy_deg,
      is_moving, event, extras, json, gap)
    SELECT $1::bigint, $2::text, $3::bigint, new.*, CASE WHEN event = 'gap' THEN godwit_json(extras) END
    FROM unnest($4::bigint[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[], $9::float8[], $10::float8[],
      $11::float8[], $12::float8[], $13::float8[], $14::float8[], $15::float8[], $16::float8[], $17::float8[],
      $18::smallint[], $19::text[], $20::text[], $21::text[]) AS new (id, queue_id, sequence, uuid, time_ms, latitude,
      longitude, altitude_m, altitude_accuracy_m, accuracy_m, speed_mps, speed_accuracy_mps, heading_deg,
      heading_accuracy_deg, is_moving, event, extras, json)
    """

  private static func columns(
    of new: [(record: UploadedRecord, key: RecordKey, id: Int64)], _ source: RecordSource
  ) -> PostgresArguments {
    var columns = PostgresArguments()
    columns.append(.integer(source.device))
    columns.append(source.batch.map { .text($0) } ?? .null)
    columns.append(.integer(source.received_ms))
    columns.append(binary: PostgresArray.integers(new.map(\.id)))
    columns.append(binary: PostgresArray.integers(new.map(\.key.queueID)))
    columns.append(binary: PostgresArray.integers(new.map(\.key.sequence)))
    columns.append(binary: PostgresArray.texts(new.map(\.record.uuid)))
    columns.append(binary: PostgresArray.integers(new.map(\.record.time_ms)))
    columns.append(binary: PostgresArray.doubles(new.map(\.record.latitude)))
    columns.append(binary: PostgresArray.doubles(new.map(\.record.longitude)))
    let measured: [KeyPath<RecordFields, Double?>] = [
      \.altitude_m, \.altitudeAccuracy_m, \.accuracy_m, \.speed_mps, \.speedAccuracy_mps, \.heading_deg,
      \.headingAccuracy_deg,
    ]
    for field in measured {
      columns.append(binary: PostgresArray.doubles(new.map { $0.record.fields[keyPath: field] }))
    }
    columns.append(binary: PostgresArray.bools(new.map(\.record.fields.isMoving)))
    columns.append(binary: PostgresArray.texts(new.map { $0.record.fields.event ?? "" }))
    columns.append(binary: PostgresArray.texts(new.map { $0.record.fields.extras ?? "" }))
    columns.append(binary: PostgresArray.texts(new.map(\.record.json)))
    return columns
  }
}
