/// Counts passwords that were wrong, over all collectors that share a database; see ``LoginLimit``.
protocol LoginStorage: Sendable {
  /// - Returns: how long to wait; nil: not at all.
  func loginWait_s(for name: String, at now_ms: Int64) async throws -> Int64?
  func loginFailed(_ name: String, at now_ms: Int64) async throws
  func loginSucceeded(_ name: String) async throws
}

extension Store {
  func loginWait_s(for name: String, at now_ms: Int64) async throws -> Int64? {
    guard connection.isShared else { return logins.wait_s(for: name, at: now_ms) }
    return try await connection.read { db in
      for (key, most, span_ms) in Self.loginCounts(name) {
        let left_ms = try db.value(
          Int64.self,
          """
          SELECT began_ms + CAST(?3 AS BIGINT) - CAST(?4 AS BIGINT) FROM login_failure
          WHERE key = ?1 AND failures >= CAST(?2 AS BIGINT) AND began_ms <= ?4 AND began_ms > ?4 - CAST(?3 AS BIGINT)
          """,
          [key, most, span_ms, now_ms])
        if let left_ms { return (left_ms + 999) / 1000 }
      }
      return nil
    }
  }

  func loginFailed(_ name: String, at now_ms: Int64) async throws {
    guard connection.isShared else { return logins.failed(name, at: now_ms) }
    try await connection.writeBeside { db in
      for (key, _, span_ms) in Self.loginCounts(name) {
        try db.execute(
          """
          INSERT INTO login_failure (key, failures, began_ms) VALUES (?1, 1, ?2)
          ON CONFLICT (key) DO UPDATE SET
            failures = CASE WHEN login_failure.began_ms <= ?2 AND login_failure.began_ms > ?2 - CAST(?3 AS BIGINT)
              THEN login_failure.failures + 1 ELSE 1 END,
            began_ms = CASE WHEN login_failure.began_ms <= ?2 AND login_failure.began_ms > ?2 - CAST(?3 AS BIGINT)
              THEN login_failure.began_ms ELSE ?2 END
          """,
          [key, now_ms, span_ms])
      }
      try db.execute(
        "DELETE FROM login_failure WHERE began_ms <= ?1 - CAST(?2 AS BIGINT)", [now_ms, LoginLimit.span_ms])
    }
  }

  func loginSucceeded(_ name: String) async throws {
    guard connection.isShared else { return logins.succeeded(name) }
    try await connection.writeBeside { db in
      try db.execute("DELETE FROM login_failure WHERE key = ?", [Self.key(of: name)])
    }
  }

  /// Of the name, and of all names; always in this order, since each is locked until the end of the transaction.
  private static func loginCounts(_ name: String) -> [(key: String, most: Int, span_ms: Int64)] {
    [(key(of: name), LoginLimit.mostOfName, LoginLimit.span_ms), ("all", LoginLimit.mostOfAll, 60_000)]
  }

  /// A name that nobody has may be a password that slipped into the wrong field.
  private static func key(of name: String) -> String {
    Secret.hash(name).map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined()
  }
}
