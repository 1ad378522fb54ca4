import Foundation
/// Somebody who may log in: never his password.
struct StoredOperator: Codable, Equatable, Sendable {
  var name: String
  var role: Role
  var made: String
  var password_set: String
  /// Left out while he has not.
  var last_login: String?

  fileprivate init(_ row: Row) {
    name = row["name"]
    role = Role(rawValue: row["role"]) ?? .viewer
    made = Timestamp.text(row["made_ms"])
    password_set = Timestamp.text(row["password_set_ms"])
    last_login = (row["last_login_ms"] as Int64?).map(Timestamp.text)
  }
}

extension Store {
  func hasOperators() async throws -> Bool {
    try await connection.read {
      try $0.value(Bool.self, "SELECT EXISTS (SELECT 1 FROM operator)") ?? false
    }
  }

  func operators() async throws -> [StoredOperator] {
    try await connection.read { db in
      try db.rows("SELECT * FROM operator ORDER BY name").map(StoredOperator.init)
    }
  }

  func passwordHash(of name: String) async throws -> PasswordHash? {
    try await connection.read { db in
      try db.value(String.self, "SELECT password FROM operator WHERE name = ?", [name])
        .flatMap { PasswordHash(text: $0) }
    }
  }

  /// - Returns: false if the name is taken.
  func addOperator(_ name: String, role: Role, _ hash: PasswordHash, at now_ms: Int64) async throws -> Bool {
    try await connection.write { db in
      try db.execute(
        """
        INSERT INTO operator (name, role, password, made_ms, password_set_ms) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """,
        [name, role.rawValue, hash.text, now_ms, now_ms]) == 1
    }
  }

  /// What is nil stays as it is. Whoever is logged in under that name is logged out.
  ///
  /// - Parameter old: the password that was checked before; nil: whoever asks needs none.
  /// - Returns: false if nobody has the name, or its password is another one by now.
  func changeOperator(
    _ name: String, role: Role?, _ hash: PasswordHash?, ifStill old: PasswordHash? = nil, at now_ms: Int64
  ) async throws -> Bool {
    try await connection.write { db in
      guard let id = try Self.operatorID(name, with: old, db) else { return false }
      if let role {
        try Self.requireAdmin(besides: id, unless: role == .admin, db)
        try db.execute("UPDATE operator SET role = ? WHERE id = ?", [role.rawValue, id])
      }
      if let hash {
        try db.execute(
          "UPDATE operator SET password = ?, password_set_ms = ? WHERE id = ?",
          [hash.text, now_ms, id])
      }
      try db.execute("DELETE FROM session WHERE operator_id = ?", [id])
      return true
    }
  }

  /// - Parameter opens: the last one may go, which opens the collector to all as it was before the first.
  /// - Returns: false if nobody has the name.
  func removeOperator(_ name: String, opens: Bool) async throws -> Bool {
    try await connection.write { db in
      guard let id = try Self.operatorID(name, db) else { return false }
      let isLast = try db.value(Int64.self, "SELECT id FROM operator WHERE id <> ? LIMIT 1", [id]) == nil
      guard !isLast || opens else {
        throw Refusal(
          .conflict,
          "this is the last account, and without it the collector asks nobody to log in: to open it to all, run "
            + "godwit-collector operator remove NAME --open")
      }
      try Self.requireAdmin(besides: id, unless: isLast, db)
      try db.execute("DELETE FROM session WHERE operator_id = ?", [id])
      try db.execute("DELETE FROM operator WHERE id = ?", [id])
      return true
    }
  }

  /// - Parameter password: nil: whatever it is.
  private static func operatorID(
    _ name: String, with password: PasswordHash? = nil, _ db: any Database
  ) throws -> Int64? {
    let row = try db.row("SELECT id, password FROM operator WHERE name = ?", [name])
    if let password, row?["password"] != password.text { return nil }
    return row?["id"]
  }

  private static func requireAdmin(besides id: Int64, unless isFine: Bool, _ db: any Database) throws {
    if isFine { return }
    let others = try db.values(String.self, "SELECT role FROM operator WHERE id <> ?", [id])
    guard others.contains(Role.admin.rawValue) else {
      throw Refusal(.conflict, "there would be no admin left: make another operator admin first")
    }
  }
}

// MARK: Sessions

extension Store {
  /// - Parameters:
  ///   - hash: of its secret.
  ///   - password: the one that was checked, which takes a while.
  /// - Returns: nil if it is another one by now, or nobody has the name.
  func openSession(_ hash: Data, of name: String, with password: PasswordHash, at now_ms: Int64) async throws
    -> Session?
  {
    try await connection.write { db in
      guard let id = try Self.operatorID(name, with: password, db) else { return nil }
      try db.execute(
        "DELETE FROM session WHERE used_ms <= ? OR made_ms <= ?",
        [now_ms - Session.idle_ms, now_ms - Session.longest_ms])
      try db.execute(
        "INSERT INTO session (hash, operator_id, made_ms, used_ms) VALUES (?, ?, ?, ?)",
        [hash, id, now_ms, now_ms])
      try db.execute("UPDATE operator SET last_login_ms = ? WHERE id = ?", [now_ms, id])
      let role = try db.value(String.self, "SELECT role FROM operator WHERE id = ?", [id])
      return Session(name: name, role: role.flatMap(Role.init) ?? .viewer)
    }
  }

  /// Nil for one that has ended, or never was. This counts as a use.
  func session(_ hash: Data, at now_ms: Int64) async throws -> Session? {
    let found = try await connection.read { db in
      try db.row(
        """
        SELECT name, role, session.made_ms, used_ms FROM session JOIN operator ON operator.id = operator_id
        WHERE hash = ?
        """,
        [hash]
      ).map { row in
        (
          session: Session(name: row["name"], role: Role(rawValue: row["role"]) ?? .viewer),
          made_ms: row["made_ms"] as Int64, used_ms: row["used_ms"] as Int64
        )
      }
    }
    guard let found, now_ms - found.used_ms < Session.idle_ms, now_ms - found.made_ms < Session.longest_ms
    else {
      return nil
    }
    // A clock that was set back counts as long ago.
    if !(0..<Session.usesApart_ms).contains(now_ms - found.used_ms) {
      try await connection.writeBeside { db in
        try db.execute("UPDATE session SET used_ms = ? WHERE hash = ?", [now_ms, hash])
      }
    }
    return found.session
  }

  /// As ``session(_:at:)`` finds them, in one query: this counts as no use.
  func inForce(_ passes: Set<Pass>, at now_ms: Int64) async throws -> Set<Pass> {
    let hashes = passes.compactMap { pass -> Data? in
      switch pass {
      case .session(let hash): hash
      case .noAccounts, .always: nil
      }
    }
    var found: Set<Pass> = [.always]
    if passes.contains(.noAccounts), try await !hasOperators() { found.insert(.noAccounts) }
    guard !hashes.isEmpty else { return found.intersection(passes) }
    let places = hashes.map { _ in "?" }.joined(separator: ", ")
    let spans: [any SQLConvertible] = [now_ms - Session.idle_ms, now_ms - Session.longest_ms]
    let arguments = hashes.map { $0 as any SQLConvertible } + spans
    let alive = try await connection.read { db in
      try db.values(
        Data.self, "SELECT hash FROM session WHERE hash IN (\(places)) AND used_ms > ? AND made_ms > ?",
        arguments)
    }
    found.formUnion(alive.map { Pass.session($0) })
    return found.intersection(passes)
  }

  func endSession(_ hash: Data) async throws {
    try await connection.write {
      try $0.execute("DELETE FROM session WHERE hash = ?", [hash])
    }
  }
}
