import GRDB

/// What a request left in the store.
struct Receipt: Codable, Equatable {
  /// The ids of the request that are durable now, in the order of the request.
  var ack: [String]
  var stored: Int
  /// How many had been stored before.
  var duplicates: Int
}

extension Store {
  /// Stores each record once, all in one transaction; returns after its commit. A record that is there
  /// already stays as it is.
  func store(_ upload: Upload, at now_ms: Int64) async throws -> Receipt {
    try await connection.write { db in
      var device = try DeviceRow.fetchOrInsert(db, name: upload.device, at: now_ms)
      var stored = 0
      for record in upload.records {
        let key = device.key(of: record)
        guard try Self.insert(record, key, of: device, batch: upload.batch, at: now_ms, db) else { continue }
        stored += 1
        device.stored(record, key, id: db.lastInsertedRowID)
      }
      try device.save(db, upload, at: now_ms)
      let ack = upload.records.map(\.id)
      return Receipt(ack: ack, stored: stored, duplicates: ack.count - stored)
    }
  }

  /// False if the record was there.
  private static func insert(
    _ record: UploadedRecord, _ key: RecordKey, of device: DeviceRow, batch: String?, at now_ms: Int64,
    _ db: Database
  ) throws -> Bool {
    let fields = record.fields
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO record (
          device_id, queue_id, sequence, uuid, time_ms, latitude, longitude, altitude_m,
          altitude_accuracy_m, accuracy_m, speed_mps, speed_accuracy_mps, heading_deg,
          heading_accuracy_deg, is_moving, event, extras, batch, received_ms, json)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """)
    try statement.execute(arguments: [
      device.id, key.queueID, key.sequence, record.uuid, record.time_ms, record.latitude, record.longitude,
      fields.altitude_m, fields.altitudeAccuracy_m, fields.accuracy_m, fields.speed_mps,
      fields.speedAccuracy_mps, fields.heading_deg, fields.headingAccuracy_deg, fields.isMoving,
      fields.event ?? "", fields.extras ?? "", batch, now_ms, record.json,
    ])
    return db.changesCount == 1
  }
}
