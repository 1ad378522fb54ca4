extension Store {
  func rows(
    device: String, from from_ms: Int64, to to_ms: Int64, after place: ExportRow.Place?, limit: Int
  ) async throws -> [ExportRow]? {
    try await connection.read { db in
      guard let id = try Self.id(of: device, db) else { return nil }
      func found(_ condition: String, _ arguments: [Int64], _ limit: Int) throws -> [Row] {
        try db.rows(Self.exportSelect(db.dialect, condition), [id] + arguments + [limit])
      }
      guard let place else { return try found(Self.later, [from_ms, to_ms], limit).map(ExportRow.init) }
      var rows = try found(Self.atSameTime, [place.time_ms, place.id], limit)
      if rows.count < limit, place.time_ms < .max {
        rows += try found(Self.later, [place.time_ms + 1, to_ms], limit - rows.count)
      }
      return rows.map(ExportRow.init)
    }
  }
}

extension Store {
  static let later = "time_ms >= ? AND time_ms < ? ORDER BY time_ms, id LIMIT ?"
  /// By itself: SQLite would begin `(time_ms, id) > (?, ?)` with the first record of that time, on each page of it.
  static let atSameTime = "time_ms = ? AND id > ? ORDER BY id LIMIT ?"

  static func exportSelect(_ dialect: Dialect, _ condition: String) -> String {
    """
    SELECT id, time_ms, latitude, longitude, altitude_m, accuracy_m, speed_mps, heading_deg, is_moving, event, extras,
      uuid, json
    FROM record\(dialect.byTime) WHERE device_id = ? AND \(condition)
    """
  }
}

extension ExportRow {
  fileprivate init(_ row: Row) {
    let extras: String = row["extras"]
    let members = extras.isEmpty ? nil : JSONValue(text: extras)
    let altitude_m: Double? = row["altitude_m"]
    let json: String = row["json"]
    self.init(
      place: Place(time_ms: row["time_ms"], id: row["id"]), latitude: row["latitude"],
      longitude: row["longitude"],
      // The geomony format writes 0 where it is not known.
      altitude_m: altitude_m == 0 ? nil : altitude_m, accuracy_m: row["accuracy_m"],
      speed_mps: row["speed_mps"], heading_deg: row["heading_deg"], isMoving: row["is_moving"],
      event: row["event"], extras: extras, uuid: row["uuid"],
      satellites: json.contains("\"satellites\"") ? JSONValue(text: json)?["satellites"]?.integer : nil,
      trip: members?["trip"]?.integer,
      hdop: members?["hdop"]?.double, isJump: members?["jump"] != nil)
  }
}
