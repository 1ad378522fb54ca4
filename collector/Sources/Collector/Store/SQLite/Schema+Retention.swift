import GRDB

/// How long what a device has sent stays, and what is gone of it.
extension Schema {
  static func registerRetention(_ migrator: inout DatabaseMigrator) {
    // `records` still counts all that were ever stored: records from no queue are numbered by it.
    migrator.registerMigration("12 retention") { db in
      try db.execute(
        sql: """
          ALTER TABLE device ADD COLUMN keep_days INTEGER;
          ALTER TABLE device ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE device ADD COLUMN last_deleted_ms INTEGER;
          """)
    }
  }
}
