import GRDB

/// The database's layout. Migrations are append-only; each runs in a transaction of its own.
/// The README describes the tables for whoever queries the file.
enum Schema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 devices and records") { db in
      try db.execute(sql: devicesAndRecords)
    }
    migrator.registerMigration("2 conflicts") { db in
      try db.execute(sql: conflicts)
    }
    migrator.registerMigration("3 gaps") { db in
      try db.execute(sql: "CREATE INDEX record_gap ON record (device_id, time_ms) WHERE event = 'gap'")
    }
    migrator.registerMigration("4 settings of devices") { db in
      try db.execute(
        sql: "ALTER TABLE device ADD COLUMN config TEXT; ALTER TABLE device ADD COLUMN config_set_ms INTEGER")
    }
    migrator.registerMigration("5 commands") { db in
      try db.execute(sql: commands)
    }
    migrator.registerMigration("6 queues") { db in
      try db.execute(sql: queues)
    }
    migrator.registerMigration("7 devices that have not sent yet") { db in
      try db.execute(sql: contacts)
    }
    migrator.registerMigration("8 tokens of devices") { db in
      try db.execute(sql: tokens)
    }
    registerFleet(&migrator)
    registerAccess(&migrator)
    registerWebhooks(&migrator)
    registerRetention(&migrator)
    registerSenders(&migrator)
    registerVersions(&migrator)
    return migrator
  }

  // AUTOINCREMENT: a number that somebody has noted is never another token's. A hash is SHA-256's, 32 bytes.
  private static let tokens = """
    CREATE TABLE device_token (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      device_id INTEGER NOT NULL REFERENCES device(id),
      hash BLOB NOT NULL UNIQUE,
      source TEXT NOT NULL,
      issued_ms INTEGER NOT NULL,
      first_used_ms INTEGER,
      last_used_ms INTEGER
    );

    CREATE INDEX device_token_device ON device_token (device_id, number);

    CREATE TABLE enrolment_code (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      hash BLOB NOT NULL UNIQUE,
      salt BLOB NOT NULL,
      name TEXT,
      made_ms INTEGER NOT NULL,
      expires_ms INTEGER NOT NULL,
      used_ms INTEGER,
      device_id INTEGER REFERENCES device(id)
    );
    """

  // SQLite cannot take a NOT NULL back: the table is made anew (lang_altertable, section 7). `position_record_id` and
  // the other tables' `device_id` go by the names of tables, which are the same afterwards.
  private static let contacts = """
    CREATE TABLE new_device (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      schema TEXT,
      records INTEGER NOT NULL DEFAULT 0,
      first_time_ms INTEGER,
      last_time_ms INTEGER,
      position_record_id INTEGER REFERENCES record(id),
      status TEXT,
      status_received_ms INTEGER,
      first_contact_ms INTEGER,
      last_contact_ms INTEGER,
      conflicts INTEGER NOT NULL DEFAULT 0,
      last_conflict_ms INTEGER,
      config TEXT,
      config_set_ms INTEGER
    );

    INSERT INTO new_device SELECT id, name, schema, records, first_time_ms, last_time_ms, position_record_id, status,
      status_received_ms, first_contact_ms, last_contact_ms, conflicts, last_conflict_ms, config, config_set_ms
    FROM device;
    DROP TABLE device;
    ALTER TABLE new_device RENAME TO device;
    """

  // `json` is what the device gets. A command without a result goes with each answer.
  private static let commands = """
    CREATE TABLE command (
      number INTEGER PRIMARY KEY,
      device_id INTEGER NOT NULL REFERENCES device(id),
      id TEXT NOT NULL,
      json TEXT NOT NULL,
      created_ms INTEGER NOT NULL,
      expires_ms INTEGER,
      result TEXT,
      why TEXT,
      report TEXT,
      ended TEXT,
      result_received_ms INTEGER
    );

    CREATE UNIQUE INDEX command_id ON command (device_id, id);
    CREATE INDEX command_open ON command (device_id, number) WHERE result_received_ms IS NULL;
    """

  private static let conflicts = """
    ALTER TABLE device ADD COLUMN conflicts INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE device ADD COLUMN last_conflict_ms INTEGER;
    """

  private static let queues = """

    CREATE TABLE device_queue (
      device_id INTEGER NOT NULL REFERENCES device(id),
      queue_id INTEGER NOT NULL,
      records INTEGER NOT NULL,
      first_time_ms INTEGER NOT NULL,
      last_time_ms INTEGER NOT NULL,
      PRIMARY KEY (device_id, queue_id)
    ) WITHOUT ROWID;
    INSERT INTO device_queue SELECT device_id, queue_id, count(*), min(time_ms), max(time_ms) FROM record
    WHERE queue_id >= 0 GROUP BY device_id, queue_id;
    """

  // The device row keeps its totals and its newest position, so that the list costs the same however much
  // is stored. `sequence` stands before `queue_id` in the key because records are read by sequence.
  private static let devicesAndRecords = """
    CREATE TABLE device (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      schema TEXT,
      records INTEGER NOT NULL DEFAULT 0,
      first_time_ms INTEGER,
      last_time_ms INTEGER,
      position_record_id INTEGER REFERENCES record(id),
      status TEXT,
      status_received_ms INTEGER,
      first_contact_ms INTEGER NOT NULL,
      last_contact_ms INTEGER NOT NULL
    );

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
    """
}
