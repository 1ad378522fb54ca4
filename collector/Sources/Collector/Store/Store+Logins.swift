/// Counts passwords that were wrong, over all collectors that share a database; see ``LoginLimit``.
protocol LoginStorage: Sendable {
  /// - Returns: how long to wait; nil: not at all.
  func loginWait_s(for attempt: LoginAttempt, at now_ms: Int64) async throws -> Int64?
  func loginFailed(_ attempt: LoginAttempt, at now_ms: Int64) async throws
  func loginSucceeded(_ attempt: LoginAttempt) async throws
}

extension Store {
  func loginWait_s(for attempt: LoginAttempt, at now_ms: Int64) async throws -> Int64? {
    guard connection.isShared else { return logins.wait_s(for: attempt, at: now_ms) }
    return try await connection.read { db in
      try attempt.limits.compactMap { limit in
        try db.value(
          Int64.self,
          """
          SELECT began_ms + CAST(?3 AS BIGINT) - CAST(?4 AS BIGINT) FROM login_failure
          WHERE key = ?1 AND failures >= CAST(?2 AS BIGINT) AND began_ms <= ?4 AND began_ms > ?4 - CAST(?3 AS BIGINT)
          """,
          [limit.key, limit.most, LoginLimit.span_ms, now_ms]
        ).map { left_ms in (left_ms + 999) / 1000 }
      }.max()
    }
  }

  func loginFailed(_ attempt: LoginAttempt, at now_ms: Int64) async throws {
    guard connection.isShared else { return logins.failed(attempt, at: now_ms) }
    try await connection.writeBeside { db in
      for limit in attempt.limits {
        try db.execute(
          """
          INSERT INTO login_failure (key, failures, began_ms) VALUES (?1, 1, ?2)
          ON CONFLICT (key) DO UPDATE SET
            failures = CASE WHEN login_failure.began_ms <= ?2 AND login_failure.began_ms > ?2 - CAST(?3 AS BIGINT)
              THEN login_failure.failures + 1 ELSE 1 END,
            began_ms = CASE WHEN login_failure.began_ms <= ?2 AND login_failure.began_ms > ?2 - CAST(?3 AS BIGINT)
              THEN login_failure.began_ms ELSE ?2 END
          """,
          [limit.key, now_ms, LoginLimit.span_ms])
      }
      try db.execute(
        "DELETE FROM login_failure WHERE began_ms <= ?1 - CAST(?2 AS BIGINT)", [now_ms, LoginLimit.span_ms])
    }
  }

  func loginSucceeded(_ attempt: LoginAttempt) async throws {
    guard connection.isShared else { return logins.succeeded(attempt) }
    try await connection.writeBeside { db in
      for limit in attempt.ownLimits {
        try db.execute("DELETE FROM login_failure WHERE key = ?", [limit.key])
      }
    }
  }
}
