import Foundation
/// An enrolment code: never the code itself.
struct StoredCode: Codable, Equatable {
  enum State: String, Codable { case open, used, expired }

  var number: Int64
  var state: State
  /// Whose it is alone; left out where the box names itself.
  var name: String?
  var made: String
  var expires: String
  /// When, and by which device; left out where it was not.
  var used: String?
  var device: String?

  fileprivate init(_ row: Row, at now_ms: Int64) {
    number = row["number"]
    name = row["wanted"]
    made = Timestamp.text(row["made_ms"])
    let (expires_ms, used_ms) = (row["expires_ms"] as Int64, row["used_ms"] as Int64?)
    expires = Timestamp.text(expires_ms)
    used = used_ms.map(Timestamp.text)
    device = row["device"]
    state = used_ms != nil ? .used : expires_ms <= now_ms ? .expired : .open
  }
}

/// What a box gets for its code.
struct Enrolment: Codable, Equatable {
  var device: String
  var token: String
}

/// How an enrolment went.
enum EnrolmentOutcome: Equatable {
  /// - Parameter isAgain: it was given before, and the answer was lost.
  case enrolled(Enrolment, isAgain: Bool)
  /// Nothing that was made here, or no longer valid.
  case unknown, used, expired
  /// The box must say its name: the code is for none.
  case nameless
  /// There is a device of this name, and the code is not for it.
  case taken(String)
}

extension Store {
  /// - Parameter name: nil: each box names itself.
  func makeCodes(
    _ count: Int, for name: String?, validFor_ms: Int64, at now_ms: Int64
  ) async throws -> [String] {
    let codes = (0..<count).map { _ in EnrolmentCode.make() }
    try await connection.write { db in
      for code in codes {
        try db.execute(
          "INSERT INTO enrolment_code (hash, salt, name, made_ms, expires_ms) VALUES (?, ?, ?, ?, ?)",
          [
            Secret.hash(EnrolmentCode.plain(code) ?? code), Data(Secret.random(32)), name, now_ms,
            now_ms + validFor_ms,
          ])
      }
    }
    return codes
  }

  /// The newest first.
  func codes(at now_ms: Int64) async throws -> [StoredCode] {
    try await connection.read { db in
      try db.rows(
        """
        SELECT enrolment_code.*, enrolment_code.name AS wanted, device.name AS device
        FROM enrolment_code LEFT JOIN device ON device.id = device_id ORDER BY number DESC LIMIT 10000
        """
      ).map { StoredCode($0, at: now_ms) }
    }
  }

  /// - Returns: nil if there is none of the number.
  func revokeCode(_ number: Int64) async throws -> Bool {
    try await connection.write { db in
      try db.execute("DELETE FROM enrolment_code WHERE number = ?", [number]) == 1
    }
  }

  /// - Parameters:
  ///   - code: in its plain form.
  ///   - nonce: drawn by the box. It may ask again with the same, and gets the same answer, until its token is used.
  ///   - wanted: how the box would be named.
  func enrol(code: String, nonce: String, wanted: String?, at now_ms: Int64) async throws -> EnrolmentOutcome
  {
    try await connection.write { db in
      let row = try db.row("SELECT * FROM enrolment_code WHERE hash = ?", [Secret.hash(code)])
      guard let row else { return .unknown }
      let token = Secret.token(code: code, nonce: nonce, salt: row["salt"])
      if let device = row["device_id"] as Int64? {
        return try Self.again(token, of: device, db) ?? .used
      }
      // Its device was deleted since.
      guard row["used_ms"] as Int64? == nil else { return .used }
      guard row["expires_ms"] as Int64 > now_ms else { return .expired }
      guard let name = row["name"] as String? ?? wanted else { return .nameless }
      if row["name"] as String? == nil, try Self.isTaken(name, db) { return .taken(name) }
      let device = try DeviceRow.prepare(db, name: name)
      _ = try Self.endTokens(of: device, but: StoredToken.mostOfDevice - 1, db)
      _ = try Self.addToken(Secret.hash(token), to: device, .enrolled, at: now_ms, db)
      try db.execute(
        "UPDATE enrolment_code SET used_ms = ?, device_id = ? WHERE number = ?",
        [now_ms, device, row["number"] as Int64])
      return .enrolled(Enrolment(device: name, token: token), isAgain: false)
    }
  }

  /// The same box, by its nonce, whose token nobody has used: the answer was lost. Nobody else can draw that nonce, so
  /// no time need pass in which this is allowed.
  private static func again(_ token: String, of device: Int64, _ db: any Database) throws -> EnrolmentOutcome?
  {
    let name = try db.value(
      String.self,
      """
      SELECT name FROM device_token JOIN device ON device.id = device_id
      WHERE device_id = ? AND hash = ? AND first_used_ms IS NULL
      """,
      [device, Secret.hash(token)])
    return name.map { .enrolled(Enrolment(device: $0, token: token), isAgain: true) }
  }

  /// One that has sent, or may send. One for which only settings were prepared may come.
  private static func isTaken(_ name: String, _ db: any Database) throws -> Bool {
    try db.value(
      Bool.self,
      """
      SELECT EXISTS (SELECT 1 FROM device WHERE name = ?1 AND (first_contact_ms IS NOT NULL
        OR EXISTS (SELECT 1 FROM device_token WHERE device_id = device.id)))
      """,
      [name]) ?? false
  }
}
