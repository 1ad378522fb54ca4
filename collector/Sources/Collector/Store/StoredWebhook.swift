/// Somebody who is told of events: never the secret.
struct StoredWebhook: Codable, Equatable, Sendable {
  var number: Int64
  /// `https://…`, `http://…` or `mailto:…`
  var target: String
  var events: [FleetEvent.Kind]
  var made: String
  /// Waiting to be told.
  var waiting: Int64
  var delivered: Int64
  /// Left after three days of failures.
  var given_up: Int64
  var last_delivered: String?
  var last_failed: String?
  /// Left out once something was delivered after it.
  var last_failure: String?

  /// So many there may be.
  static let most = 50

  fileprivate init(_ row: Row) {
    number = row["number"]
    target = row["target"]
    events = StoredWebhook.kinds(row["events"])
    made = Timestamp.text(row["made_ms"])
    waiting = row["waiting"]
    delivered = row["delivered"]
    given_up = row["given_up"]
    last_delivered = (row["last_delivered_ms"] as Int64?).map(Timestamp.text)
    last_failed = (row["last_failed_ms"] as Int64?).map(Timestamp.text)
    last_failure = row["last_failure"]
  }

  static func kinds(_ text: String) -> [FleetEvent.Kind] {
    text.split(separator: " ").compactMap { FleetEvent.Kind(rawValue: String($0)) }
  }
}

/// Something that is to be told, and to whom.
struct Delivery: Equatable, Sendable {
  var number: Int64
  var webhook: Int64
  var target: String
  var secret: String
  var eventID: String
  var body: String
  var made_ms: Int64
  /// Before this one.
  var attempts: Int
}

extension Delivery {
  fileprivate init(_ row: Row) {
    self.init(
      number: row["number"], webhook: row["webhook"], target: row["target"], secret: row["secret"],
      eventID: row["event_id"], body: row["body"], made_ms: row["made_ms"], attempts: row["attempts"])
  }
}

extension Store {
  func webhooks() async throws -> [StoredWebhook] {
    try await connection.read { db in
      try db.rows(
        """
        SELECT webhook.*, (SELECT count(*) FROM delivery WHERE webhook = webhook.number) AS waiting
        FROM webhook ORDER BY number
        """
      ).map(StoredWebhook.init)
    }
  }

  /// - Returns: its number; nil where there are too many.
  func addWebhook(_ target: String, _ events: [FleetEvent.Kind], secret: String, at now_ms: Int64)
    async throws
    -> Int64?
  {
    try await connection.write { db in
      let count = try db.value(Int.self, "SELECT count(*) FROM webhook") ?? 0
      guard count < StoredWebhook.most else { return nil }
      return try db.added(
        "INSERT INTO webhook (target, events, secret, made_ms) VALUES (?, ?, ?, ?) RETURNING number",
        [target, events.map(\.rawValue).joined(separator: " "), secret, now_ms])
    }
  }

  /// With all that waits for it. - Returns: false if there is none of this number.
  func removeWebhook(_ number: Int64) async throws -> Bool {
    try await connection.write { db in
      try db.execute("DELETE FROM delivery WHERE webhook = ?", [number])
      return try db.execute("DELETE FROM webhook WHERE number = ?", [number]) == 1
    }
  }

  // MARK: What waits

  /// In the transaction that stores what happened. - Returns: how many are to be told.
  static func announce(_ events: [FleetEvent], at now_ms: Int64, _ db: any Database) throws -> Int {
    guard !events.isEmpty else { return 0 }
    let webhooks = try db.rows("SELECT number, events FROM webhook")
    var count = 0
    for webhook in webhooks {
      let kinds = StoredWebhook.kinds(webhook["events"])
      for event in events where kinds.contains(event.kind) {
        try db.execute(
          "INSERT INTO delivery (webhook, event_id, body, made_ms, next_ms) VALUES (?, ?, ?, ?, ?)",
          [webhook["number"] as Int64, event.id, event.json, now_ms, now_ms])
        count += 1
      }
    }
    return count
  }

  /// Vehicles that have fallen silent since the last call: each once, until something has come from it. One that has said
  /// that it sleeps is not silent before it is to be awake again (``FleetClock/wakes_ms``).
  ///
  /// - Returns: how many are to be told.
  func announceSilence(at now_ms: Int64, after silentAfter_ms: Int64) async throws -> Int {
    try await connection.write { db in
      let rows = try db.rows(
        """
        SELECT device_id, name, device_now.last_contact_ms AS last_ms
        FROM device_now JOIN device ON device.id = device_id
        WHERE device_now.last_contact_ms < ? AND silence_told_ms IS DISTINCT FROM device_now.last_contact_ms
          AND (asleep_until_ms IS NULL OR asleep_until_ms < ?)
        """,
        [now_ms - silentAfter_ms, now_ms - FleetClock.wakes_ms])
      for row in rows {
        try db.execute(
          "UPDATE device_now SET silence_told_ms = ? WHERE device_id = ?",
          [row["last_ms"] as Int64, row["device_id"] as Int64])
      }
      return try Self.announce(
        rows.map { FleetEvent(silenceOf: $0["name"], since: $0["last_ms"]) }, at: now_ms, db)
    }
  }

  /// Those for which something is due.
  func dueWebhooks(at now_ms: Int64) async throws -> [(number: Int64, isMail: Bool)] {
    try await connection.read { db in
      try db.rows(
        """
        SELECT number, target FROM webhook
        WHERE EXISTS (SELECT 1 FROM delivery WHERE webhook = webhook.number AND next_ms <= ?) ORDER BY number
        """,
        [now_ms]
      ).map { ($0["number"], ($0["target"] as String).hasPrefix("mailto:")) }
    }
  }

  /// What is due for one, first what has been so for longest. Where other collectors have the same database it is this
  /// one's for two minutes.
  func dueDeliveries(of webhook: Int64, at now_ms: Int64, limit: Int) async throws -> [Delivery] {
    if connection.isShared { return try await claimDeliveries(of: webhook, at: now_ms, limit: limit) }
    return try await connection.read { db in
      try db.rows(
        """
        SELECT delivery.*, target, secret FROM delivery JOIN webhook ON webhook.number = webhook
        WHERE webhook = ? AND next_ms <= ? ORDER BY next_ms, delivery.number LIMIT ?
        """,
        [webhook, now_ms, limit]
      ).map(Delivery.init)
    }
  }

  /// Longer than telling somebody takes at most; one that was ended in the middle is tried again after it.
  private static let claim_ms: Int64 = 120_000

  private func claimDeliveries(of webhook: Int64, at now_ms: Int64, limit: Int) async throws -> [Delivery] {
    try await connection.writeBeside { db in
      try db.rows(
        """
        WITH due AS (
          UPDATE delivery SET next_ms = ?1 + CAST(?3 AS BIGINT) WHERE number IN (
            SELECT number FROM delivery WHERE webhook = ?4 AND next_ms <= ?1
            ORDER BY next_ms, number LIMIT ?2 FOR UPDATE SKIP LOCKED)
          RETURNING *)
        SELECT due.*, target, secret FROM due JOIN webhook ON webhook.number = due.webhook ORDER BY due.number
        """,
        [now_ms, limit, Self.claim_ms, webhook]
      ).map(Delivery.init)
    }
  }

  func delivered(_ delivery: Delivery, at now_ms: Int64) async throws {
    try await connection.writeBeside { db in
      try db.execute("DELETE FROM delivery WHERE number = ?", [delivery.number])
      try db.execute(
        """
        UPDATE webhook SET delivered = delivered + 1, last_delivered_ms = ?, last_failure = NULL WHERE number = ?
        """,
        [now_ms, delivery.webhook])
    }
  }

  /// - Parameter next_ms: nil: it is given up.
  func failed(_ delivery: Delivery, _ words: String, next next_ms: Int64?, at now_ms: Int64) async throws {
    try await connection.writeBeside { db in
      if let next_ms {
        try db.execute(
          "UPDATE delivery SET attempts = attempts + 1, next_ms = ? WHERE number = ?",
          [next_ms, delivery.number])
      } else {
        try db.execute("DELETE FROM delivery WHERE number = ?", [delivery.number])
      }
      try db.execute(
        "UPDATE webhook SET given_up = given_up + ?, last_failed_ms = ?, last_failure = ? WHERE number = ?",
        [next_ms == nil ? 1 : 0, now_ms, words, delivery.webhook])
    }
  }
}
