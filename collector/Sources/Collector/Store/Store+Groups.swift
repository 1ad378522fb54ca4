/// Groups of devices by names of the operators' own. A group is there as long as it has members.
extension Store {
  static func groups(_ db: any Database) throws -> [Int64: [String]] {
    try db.rows("SELECT device_id, name FROM device_group ORDER BY name")
      .reduce(into: [:]) { $0[$1["device_id"] as Int64, default: []].append($1["name"]) }
  }

  /// Nil where there are none.
  static func groups(of device: Int64, _ db: any Database) throws -> [String]? {
    let names = try db.values(
      String.self, "SELECT name FROM device_group WHERE device_id = ? ORDER BY name", [device])
    return names.isEmpty ? nil : names
  }

  /// - Returns: false if the device is unknown.
  func setGroups(of device: String, to names: Set<String>) async throws -> Bool {
    try await connection.write { db in
      guard let id = try Self.id(of: device, db) else { return false }
      try db.execute("DELETE FROM device_group WHERE device_id = ?", [id])
      for name in names {
        try db.execute(
          "INSERT INTO device_group (name, device_id) VALUES (?, ?)", [name, id])
      }
      return true
    }
  }
}
