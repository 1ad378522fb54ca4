import GRDB

/// Who is told of events, and what waits to be told.
extension Schema {
  static func registerWebhooks(_ migrator: inout DatabaseMigrator) {
    migrator.registerMigration("11 webhooks") { db in
      try db.execute(sql: webhooks)
    }
  }

  /// Each webhook is told by itself; and a command says who has given it.
  static func registerSenders(_ migrator: inout DatabaseMigrator) {
    migrator.registerMigration("13 who gave a command, and what is due for a webhook") { db in
      try db.execute(
        sql: """
          ALTER TABLE command ADD COLUMN who TEXT;
          DROP INDEX delivery_webhook;
          DROP INDEX delivery_due;
          CREATE INDEX delivery_due ON delivery (webhook, next_ms);
          """)
    }
  }

  // The secret signs what is sent, so it must be kept as it is. `events` are names with blanks between.
  private static let webhooks = """
    CREATE TABLE webhook (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      target TEXT NOT NULL,
      events TEXT NOT NULL,
      secret TEXT NOT NULL,
      made_ms INTEGER NOT NULL,
      delivered INTEGER NOT NULL DEFAULT 0,
      given_up INTEGER NOT NULL DEFAULT 0,
      last_delivered_ms INTEGER,
      last_failed_ms INTEGER,
      last_failure TEXT
    );

    CREATE TABLE delivery (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      webhook INTEGER NOT NULL REFERENCES webhook(number),
      event_id TEXT NOT NULL,
      body TEXT NOT NULL,
      made_ms INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      next_ms INTEGER NOT NULL
    );
    CREATE INDEX delivery_due ON delivery (next_ms);
    CREATE INDEX delivery_webhook ON delivery (webhook);

    ALTER TABLE device_now ADD COLUMN silence_told_ms INTEGER;
    """
}
