/// Settings as somebody has set them once.
struct PastConfig: Equatable {
  /// As the device got it. Not encoded, since that would sort its members.
  var text: String
  var version: Int64
  var who: String
  var set: String

  /// So many are kept of each device.
  static let most = 100

  var json: String {
    JSONSlices.object([
      "config": text, "version": String(version), "who": JSONValue.string(who).text, "set": "\"\(set)\"",
    ])
  }

  static func add(
    _ db: any Database, device: Int64, version: Int64, text: String, who: String, at now_ms: Int64
  ) throws {
    try db.execute(
      "INSERT INTO config_history (device_id, version, config, who, set_ms) VALUES (?, ?, ?, ?, ?)",
      [device, version, text, who, now_ms])
    try db.execute(
      """
      DELETE FROM config_history WHERE device_id = ?1 AND number <=
        (SELECT number FROM config_history WHERE device_id = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
      """,
      [device, most])
  }
}

extension Store {
  /// The newest first; nil if the device is unknown.
  func configHistory(of device: String) async throws -> [PastConfig]? {
    try await connection.read { db in
      guard let id = try Self.id(of: device, db) else { return nil }
      let sql = "SELECT * FROM config_history WHERE device_id = ? ORDER BY number DESC"
      return try db.rows(sql, [id]).map { row in
        PastConfig(
          text: row["config"], version: row["version"], who: row["who"], set: Timestamp.text(row["set_ms"]))
      }
    }
  }
}
