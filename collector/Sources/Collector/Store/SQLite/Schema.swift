import GRDB

/// The layout in SQLite. Migrations are append-only; each runs in a transaction of its own.
enum Schema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 initial") { db in
      try db.execute(sql: records + Tables.allOfSQLite)
    }
    return migrator
  }

  // `sequence` comes before `queue_id` in the key because records are read by sequence.
  private static let records = """
    CREATE TABLE record (
      id INTEGER PRIMARY KEY,
      device_id INTEGER NOT NULL REFERENCES device(id),
      queue_id INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      uuid TEXT NOT NULL,
      time_ms INTEGER NOT NULL,
      latitude REAL NOT NULL,
      longitude REAL NOT NULL,
      altitude_m REAL,
      altitude_accuracy_m REAL,
      accuracy_m REAL,
      speed_mps REAL,
      speed_accuracy_mps REAL,
      heading_deg REAL,
      heading_accuracy_deg REAL,
      is_moving INTEGER,
      event TEXT NOT NULL,
      extras TEXT NOT NULL,
      batch TEXT,
      received_ms INTEGER NOT NULL,
      json TEXT NOT NULL
    );
    CREATE UNIQUE INDEX record_identity ON record (device_id, sequence, queue_id);
    CREATE UNIQUE INDEX record_uuid ON record (device_id, uuid) WHERE queue_id = -1;
    CREATE INDEX record_gap ON record (device_id, time_ms) WHERE event = 'gap';
    CREATE INDEX record_time ON record (device_id, time_ms);
    CREATE INDEX record_trip ON record (device_id, time_ms) WHERE event = 'trip';

    """
}
