extension Store {
  func rows(
    device: String, from from_ms: Int64, to to_ms: Int64, after place: ExportRow.Place?, limit: Int
  ) async throws -> [ExportRow]? {
    try await connection.read { db in
      guard let id = try Self.id(of: device, db) else { return nil }
      let statement = """
        SELECT id, time_ms, latitude, longitude, altitude_m, accuracy_m, speed_mps, heading_deg, is_moving, event,
          extras
        FROM record\(db.dialect.byTime)
        WHERE device_id = ? AND (time_ms, id) > (?, ?) AND time_ms < ? ORDER BY time_ms, id LIMIT ?
        """
      let begin = place ?? ExportRow.Place(time_ms: from_ms, id: -1)
      return try db.rows(statement, [id, begin.time_ms, begin.id, to_ms, limit])
        .map(ExportRow.init)
    }
  }
}

extension ExportRow {
  fileprivate init(_ row: Row) {
    self.init(
      place: Place(time_ms: row["time_ms"], id: row["id"]), latitude: row["latitude"],
      longitude: row["longitude"],
      altitude_m: row["altitude_m"], accuracy_m: row["accuracy_m"], speed_mps: row["speed_mps"],
      heading_deg: row["heading_deg"], isMoving: row["is_moving"], event: row["event"], extras: row["extras"])
  }
}
