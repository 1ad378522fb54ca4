import Foundation
/// A token that a device has: never the token itself.
struct StoredToken: Codable, Equatable {
  /// How a token came about.
  enum Source: String, Codable, Sendable { case issued, registered, enrolled }

  var device: String
  var number: Int64
  var source: Source
  var issued: String
  /// Left out while it has not been used.
  var first_used: String?
  /// To the hour.
  var last_used: String?

  /// The old one and the new one: so a device changes from one to the next without a gap.
  static let mostOfDevice = 2
  /// A use is written down at most so often: each is a write to the disk.
  static let usesApart_ms: Int64 = 3_600_000

  fileprivate init(_ row: Row) {
    device = row["name"]
    number = row["number"]
    source = Source(rawValue: row["source"]) ?? .issued
    issued = Timestamp.text(row["issued_ms"])
    first_used = (row["first_used_ms"] as Int64?).map(Timestamp.text)
    last_used = (row["last_used_ms"] as Int64?).map(Timestamp.text)
  }
}

/// Whose a token is.
struct TokenOwner: Equatable {
  var device: String
  var number: Int64
  fileprivate var lastUsed_ms: Int64?
}

/// What has become of many tokens.
struct TokensRegistered: Codable, Equatable {
  /// New ones.
  var registered = 0
  /// Those that were there for the same device.
  var unchanged = 0
  /// Older ones of the same devices.
  var ended = 0
}

extension Store {
  // MARK: Use

  func owner(ofToken token: String) async throws -> TokenOwner? {
    try await connection.read { db in
      let statement = """
        SELECT device.name, number, last_used_ms FROM device_token JOIN device ON device.id = device_id
        WHERE hash = ?
        """
      guard let row = try db.row(statement, [Secret.hash(token)]) else { return nil }
      return TokenOwner(device: row["name"], number: row["number"], lastUsed_ms: row["last_used_ms"])
    }
  }

  func wasUsed(_ owner: TokenOwner, at now_ms: Int64) async throws {
    // A clock that was set back counts as long ago.
    if let before = owner.lastUsed_ms, (0..<StoredToken.usesApart_ms).contains(now_ms - before) { return }
    try await connection.writeBeside { db in
      try db.execute(
        """
        UPDATE device_token SET first_used_ms = coalesce(first_used_ms, ?), last_used_ms = ? WHERE number = ?
        """,
        [now_ms, now_ms, owner.number])
    }
  }

  // MARK: Operators

  /// Those of a device, or all; the oldest first. Nil if the device is unknown.
  func tokens(of device: String? = nil) async throws -> [StoredToken]? {
    try await connection.read { db in
      if let device, try Self.id(of: device, db) == nil { return nil }
      return try db.rows(
        """
        SELECT device_token.*, name FROM device_token JOIN device ON device.id = device_id
        WHERE CAST(?1 AS TEXT) IS NULL OR name = ?1 ORDER BY name, number
        """,
        [device]
      ).map(StoredToken.init)
    }
  }

  /// A new one, which nobody can be told again. - Parameter device: one that has not sent yet will be listed so.
  func issueToken(to device: String, at now_ms: Int64) async throws -> (token: String, number: Int64) {
    let token = Secret.newToken()
    let number = try await connection.write { db in
      let id = try DeviceRow.prepare(db, name: device)
      let count = try db.value(Int.self, "SELECT count(*) FROM device_token WHERE device_id = ?", [id])
      guard count ?? 0 < StoredToken.mostOfDevice else { throw Self.tooMany(device) }
      return try Self.addToken(Secret.hash(token), to: id, .issued, at: now_ms, db)
    }
    return (token, number)
  }

  /// Tokens that were made elsewhere; all of them, or none.
  ///
  /// - Parameter ends: a device that has two gets its new one all the same, and keeps the newer one of the two.
  func register(
    _ tokens: [(device: String, hash: Data)], ends: Bool, at now_ms: Int64
  ) async throws -> TokensRegistered {
    try await connection.write { db in
      var done = TokensRegistered()
      for (device, hash) in tokens {
        let id = try DeviceRow.prepare(db, name: device)
        let owner = try db.value(Int64.self, "SELECT device_id FROM device_token WHERE hash = ?", [hash])
        if owner == id {
          done.unchanged += 1
          continue
        }
        guard owner == nil else {
          throw Refusal(.conflict, "the token of \(device) is another device's: make a new one")
        }
        if ends { done.ended += try Self.endTokens(of: id, but: StoredToken.mostOfDevice - 1, db) }
        let count = try db.value(Int.self, "SELECT count(*) FROM device_token WHERE device_id = ?", [id])
        guard count ?? 0 < StoredToken.mostOfDevice else { throw Self.tooMany(device) }
        _ = try Self.addToken(hash, to: id, .registered, at: now_ms, db)
        done.registered += 1
      }
      return done
    }
  }

  /// - Parameter number: nil: all of the device's. - Returns: how many; nil if the device is unknown.
  func revokeTokens(of device: String, number: Int64?) async throws -> Int? {
    try await connection.write { db in
      guard let id = try Self.id(of: device, db) else { return nil }
      return try db.execute(
        "DELETE FROM device_token WHERE device_id = ?1 AND (CAST(?2 AS BIGINT) IS NULL OR number = ?2)",
        [id, number])
    }
  }

  // MARK: Parts

  private static func tooMany(_ device: String) -> Refusal {
    Refusal(
      .conflict,
      "\(device) has \(StoredToken.mostOfDevice) tokens already: revoke the one that it no longer uses first")
  }

  static func addToken(
    _ hash: Data, to device: Int64, _ source: StoredToken.Source, at now_ms: Int64, _ db: any Database
  ) throws -> Int64 {
    try db.added(
      "INSERT INTO device_token (device_id, hash, source, issued_ms) VALUES (?, ?, ?, ?) RETURNING number",
      [device, hash, source.rawValue, now_ms])
  }

  /// The oldest go. - Returns: how many.
  static func endTokens(of device: Int64, but kept: Int, _ db: any Database) throws -> Int {
    try db.execute(
      """
      DELETE FROM device_token WHERE device_id = ?1 AND number NOT IN
        (SELECT number FROM device_token WHERE device_id = ?1 ORDER BY number DESC LIMIT ?2)
      """,
      [device, kept])
  }
}
