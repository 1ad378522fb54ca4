/// A device as the list shows it.
struct DeviceSummary: Encodable, Equatable {
  struct LastPosition: Encodable, Equatable {
    var latitude: Double
    var longitude: Double
    var timestamp: String
    var speed: Double?
    var accuracy: Double?
    var is_moving: Bool?
  }

  var device: String
  var schema: String?
  var records: Int64
  /// How many there were besides, and when some were deleted last; left out where none were.
  var deleted: Int64?
  var last_deleted: String?
  /// How long records stay; left out where the device has no span of its own.
  var keep_days: Int64?
  /// How often a record was refused since another one has its identity, and when last; left out where never.
  var conflicts: Int64?
  var last_conflict: String?
  /// Left out where there is one.
  var queues: [DeviceQueue]?
  /// How many of them have records of the same time, as where two devices share the name; left out where none.
  var queues_at_once: Int?
  /// The earliest and latest time that any record bears.
  var first_time: String?
  var last_time: String?
  var last_position: LastPosition?
  var status: JSONValue?
  var status_received: String?
  /// Left out for a device that has not sent yet: an operator has prepared it.
  var last_contact: String?
}

/// A record as it is read back. What the device did not measure is left out.
struct StoredRecord: Encodable, Equatable {
  var uuid: String
  /// The queue id in hexadecimal: 60 bits are more than a JSON number holds everywhere.
  var queue: String?
  var sequence: Int64
  var timestamp: String
  var latitude: Double
  var longitude: Double
  var altitude: Double?
  var altitude_accuracy: Double?
  var accuracy: Double?
  var speed: Double?
  var speed_accuracy: Double?
  var heading: Double?
  var heading_accuracy: Double?
  var is_moving: Bool?
  var event: String
  var extras: String
  var received: String
}

extension Store {
  /// nil if the device is unknown.
  static func id(of device: String, _ db: any Database) throws -> Int64? {
    try db.value(Int64.self, "SELECT id FROM device WHERE name = ?", [device])
  }

  /// What was prepared for a device that never came. - Returns: false for one that has sent, nil if it is unknown.
  func forget(device: String) async throws -> Bool? {
    try await connection.write { db in
      guard let id = try Self.id(of: device, db) else { return nil }
      let sql = "SELECT first_contact_ms IS NULL FROM device WHERE id = ?\(db.dialect.lockingDevice)"
      guard try db.value(Bool.self, sql, [id]) == true else { return false }
      for table in ["command", "device_token", "device_group", "config_history", "device_now"] {
        try db.execute("DELETE FROM \(table) WHERE device_id = ?", [id])
      }
      // The code stays used.
      try db.execute("UPDATE enrolment_code SET device_id = NULL WHERE device_id = ?", [id])
      try db.execute("DELETE FROM device WHERE id = ?", [id])
      return true
    }
  }

  /// All devices by name.
  func devices() async throws -> [DeviceSummary] {
    try await connection.read { try Self.summaries(named: nil, $0) }
  }

  /// One device with all that it has said of itself; nil if it is unknown.
  func status(of device: String) async throws -> DeviceSummary? {
    try await connection.read { try Self.summaries(named: device, $0).first }
  }

  /// - Parameter name: nil: all.
  private static func summaries(named name: String?, _ db: any Database) throws -> [DeviceSummary] {
    let sql = """
      SELECT device.*, record.latitude, record.longitude, record.time_ms, record.speed_mps, record.accuracy_m,
        record.is_moving
      FROM device \(db.dialect.newestPosition) \(name == nil ? "" : "WHERE name = ?1")
      ORDER BY name
      """
    let all = name == nil ? try DeviceQueue.fetchAll(db) : nil
    return try db.rows(sql, name.map { [$0] } ?? []).map { row in
      var device = DeviceSummary(row)
      let id: Int64 = row["id"]
      let (queues, atOnce) = if let all { all[id] ?? ([], 0) } else { try DeviceQueue.fetch(db, device: id) }
      if queues.count > 1 { device.queues = queues }
      if atOnce > 0 { device.queues_at_once = atOnce }
      return device
    }
  }

  /// Records in the order of their sequence, from the first after `sequence`; nil if the device is unknown.
  ///
  /// At most `limit`, unless several queues of the device have used the last sequence: these stay together,
  /// so that the next page can start after it.
  func records(device: String, after sequence: Int64?, limit: Int) async throws -> [StoredRecord]? {
    try await connection.read { db in
      guard let id = try Self.id(of: device, db) else { return nil }
      var rows = try db.rows(
        """
        SELECT * FROM \(db.dialect.keyedRecord) WHERE device_id = ? AND sequence > ?
        ORDER BY sequence, queue_id LIMIT ?
        """,
        [id, sequence ?? -1, limit])
      if let last = rows.last, rows.count == limit {
        rows += try db.rows(
          """
          SELECT * FROM \(db.dialect.keyedRecord) WHERE device_id = ? AND sequence = ? AND queue_id > ?
          ORDER BY queue_id
          """,
          [id, last["sequence"] as Int64, last["queue_id"] as Int64])
      }
      return rows.map(StoredRecord.init)
    }
  }
}

extension DeviceSummary {
  fileprivate init(_ row: Row) {
    func time(_ column: String) -> String? { (row[column] as Int64?).map(Timestamp.text) }
    device = row["name"]
    schema = row["schema"]
    let gone: Int64 = row["deleted"]
    records = (row["records"] as Int64) - gone
    deleted = gone > 0 ? gone : nil
    last_deleted = time("last_deleted_ms")
    keep_days = row["keep_days"]
    let refused: Int64 = row["conflicts"]
    conflicts = refused > 0 ? refused : nil
    last_conflict = time("last_conflict_ms")
    first_time = time("first_time_ms")
    last_time = time("last_time_ms")
    last_position = LastPosition(row)
    status = JSONValue(text: row["status"])
    status_received = time("status_received_ms")
    last_contact = time("last_contact_ms")
  }
}

extension DeviceSummary.LastPosition {
  fileprivate init?(_ row: Row) {
    guard let latitude = row["latitude"] as Double?, let longitude = row["longitude"] as Double?,
      let time_ms = row["time_ms"] as Int64?
    else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    timestamp = Timestamp.text(time_ms)
    speed = row["speed_mps"]
    accuracy = row["accuracy_m"]
    is_moving = row["is_moving"]
  }
}

extension StoredRecord {
  fileprivate init(_ row: Row) {
    let queueID: Int64 = row["queue_id"]
    uuid = row["uuid"]
    queue = queueID == RecordIdentity.noQueueID ? nil : String(queueID, radix: 16)
    sequence = row["sequence"]
    timestamp = Timestamp.text(row["time_ms"])
    latitude = row["latitude"]
    longitude = row["longitude"]
    altitude = row["altitude_m"]
    altitude_accuracy = row["altitude_accuracy_m"]
    accuracy = row["accuracy_m"]
    speed = row["speed_mps"]
    speed_accuracy = row["speed_accuracy_mps"]
    heading = row["heading_deg"]
    heading_accuracy = row["heading_accuracy_deg"]
    is_moving = row["is_moving"]
    event = row["event"]
    extras = row["extras"]
    received = Timestamp.text(row["received_ms"])
  }
}
