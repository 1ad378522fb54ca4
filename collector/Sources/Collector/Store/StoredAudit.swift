/// Who has changed what. Never a password, a token, a place or the value of a setting.
struct StoredAudit: Encodable, Equatable, Sendable {
  var number: Int64
  var time: String
  /// An operator's name, or by what else he was let in.
  var who: String
  /// Method and path of the request, or `login` and the like.
  var action: String
  /// Left out where it concerns no one device.
  var device: String?
  /// What it was answered with, as in HTTP; left out where the collector ended before it could say.
  var status: Int?

  fileprivate init(_ row: Row) {
    number = row["number"]
    time = Timestamp.text(row["time_ms"])
    who = row["who"]
    action = row["action"]
    device = row["device"]
    status = row["status"]
  }
}

extension Store {
  /// - Returns: its number, for ``closeAudit(_:status:)``.
  func audit(who: String, action: String, device: String?, status: Int?, at now_ms: Int64) async throws
    -> Int64
  {
    try await connection.writeBeside { db in
      try db.added(
        "INSERT INTO audit (time_ms, who, action, device, status) VALUES (?, ?, ?, ?, ?) RETURNING number",
        [now_ms, String(who.prefix(128)), String(action.prefix(400)), device, status])
    }
  }

  func closeAudit(_ number: Int64, status: Int) async throws {
    try await connection.writeBeside { db in
      try db.execute("UPDATE audit SET status = ? WHERE number = ?", [status, number])
    }
  }

  /// The newest first, those before `number` alone where it is given.
  func audits(device: String?, before number: Int64?, limit: Int) async throws -> [StoredAudit] {
    try await connection.read { db in
      let condition = device == nil ? "" : "device = ?3 AND"
      let sql = "SELECT * FROM audit WHERE \(condition) number < ?1 ORDER BY number DESC LIMIT ?2"
      let before = number ?? .max
      return try db.rows(sql, device.map { [before, limit, $0] } ?? [before, limit]).map(StoredAudit.init)
    }
  }
}
