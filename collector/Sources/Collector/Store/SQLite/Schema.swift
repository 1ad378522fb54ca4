import GRDB

/// The database's layout. Migrations are append-only; each runs in a transaction of its own.
/// The README describes the tables for whoever queries the file.
enum Schema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 initial") { db in
      try db.execute(sql: devices + records + now + summaries + access + webhooks)
    }
    return migrator
  }

  // The device row keeps its totals and its newest position, so that the list costs the same however much is stored.
  // `records` counts all that were ever stored: records from no queue are numbered by it. A command's `json` is what the
  // device gets; one without a result goes with each answer.
  // AUTOINCREMENT: a number that somebody has noted is never another token's. A hash is SHA-256's, 32 bytes.
  private static let devices = """
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
      first_contact_ms INTEGER,
      last_contact_ms INTEGER,
      conflicts INTEGER NOT NULL DEFAULT 0,
      last_conflict_ms INTEGER,
      config TEXT,
      config_version INTEGER,
      config_set_ms INTEGER,
      keep_days INTEGER,
      deleted INTEGER NOT NULL DEFAULT 0,
      last_deleted_ms INTEGER
    );

    CREATE TABLE device_queue (
      device_id INTEGER NOT NULL REFERENCES device(id),
      queue_id INTEGER NOT NULL,
      records INTEGER NOT NULL,
      first_time_ms INTEGER NOT NULL,
      last_time_ms INTEGER NOT NULL,
      PRIMARY KEY (device_id, queue_id)
    ) WITHOUT ROWID;

    CREATE TABLE command (
      number INTEGER PRIMARY KEY,
      device_id INTEGER NOT NULL REFERENCES device(id),
      id TEXT NOT NULL,
      json TEXT NOT NULL,
      who TEXT NOT NULL,
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

  // Small rows of its own: a list of the fleet then reads neither statuses nor records, however many there are.
  private static let now = """
    CREATE TABLE device_now (
      device_id INTEGER PRIMARY KEY REFERENCES device(id),
      latitude REAL,
      longitude REAL,
      time_ms INTEGER,
      accuracy_m REAL,
      speed_mps REAL,
      heading_deg REAL,
      is_moving INTEGER,
      last_contact_ms INTEGER,
      version TEXT,
      no_track_because TEXT,
      asleep_until_ms INTEGER,
      asleep_because TEXT,
      problems TEXT NOT NULL DEFAULT '',
      queues_at_once INTEGER NOT NULL DEFAULT 0,
      last_conflict_ms INTEGER,
      silence_told_ms INTEGER,
      trip_begin_ms INTEGER,
      trip_end_ms INTEGER,
      trip_distance_m REAL,
      trip_is_open INTEGER,
      site TEXT,
      site_since_ms INTEGER,
      figures TEXT
    );
    CREATE INDEX device_now_version ON device_now (version);

    CREATE TABLE device_group (
      name TEXT NOT NULL,
      device_id INTEGER NOT NULL REFERENCES device(id),
      PRIMARY KEY (name, device_id)
    ) WITHOUT ROWID;
    CREATE INDEX device_group_device ON device_group (device_id, name);

    CREATE TABLE config_history (
      number INTEGER PRIMARY KEY,
      device_id INTEGER NOT NULL REFERENCES device(id),
      version INTEGER NOT NULL,
      config TEXT NOT NULL,
      who TEXT NOT NULL,
      set_ms INTEGER NOT NULL
    );
    CREATE INDEX config_history_device ON config_history (device_id, number);

    """

  // What reports are made of, kept as records come in: a month of a fleet is then read without its records. A trip that is
  // under way is open; `number` is negative where the device has given none. `end_ms` of an ENTER is when the vehicle left.
  private static let summaries = """
    CREATE TABLE trip (
      device_id INTEGER NOT NULL REFERENCES device(id),
      queue_id INTEGER NOT NULL,
      number INTEGER NOT NULL,
      begin_ms INTEGER NOT NULL,
      end_ms INTEGER NOT NULL,
      is_open INTEGER NOT NULL,
      distance_m REAL,
      idle_s REAL,
      top_speed_mps REAL,
      end_cause TEXT,
      is_towed INTEGER NOT NULL,
      start_latitude REAL,
      start_longitude REAL,
      latitude REAL,
      longitude REAL,
      received_ms INTEGER NOT NULL,
      PRIMARY KEY (device_id, queue_id, number)
    );
    CREATE INDEX trip_device ON trip (device_id, begin_ms);
    CREATE INDEX trip_time ON trip (begin_ms);

    CREATE TABLE event (
      device_id INTEGER NOT NULL REFERENCES device(id),
      uuid TEXT NOT NULL,
      time_ms INTEGER NOT NULL,
      event TEXT NOT NULL,
      name TEXT NOT NULL,
      action TEXT NOT NULL,
      end_ms INTEGER,
      latitude REAL,
      longitude REAL,
      received_ms INTEGER NOT NULL,
      PRIMARY KEY (device_id, uuid)
    ) WITHOUT ROWID;
    CREATE INDEX event_time ON event (time_ms);
    CREATE INDEX event_site ON event (device_id, name, time_ms) WHERE event = 'geofence';
    CREATE INDEX event_visit ON event (device_id, time_ms) WHERE action = 'ENTER' AND end_ms IS NULL;

    """

  // A name that is taken away stays in what it has done. `password` is what PasswordHash writes.
  private static let access = """
    CREATE TABLE operator (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      role TEXT NOT NULL,
      password TEXT NOT NULL,
      made_ms INTEGER NOT NULL,
      password_set_ms INTEGER NOT NULL,
      last_login_ms INTEGER
    );

    CREATE TABLE session (
      hash BLOB PRIMARY KEY,
      operator_id INTEGER NOT NULL REFERENCES operator(id),
      made_ms INTEGER NOT NULL,
      used_ms INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX session_operator ON session (operator_id);

    CREATE TABLE audit (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      time_ms INTEGER NOT NULL,
      who TEXT NOT NULL,
      action TEXT NOT NULL,
      device TEXT,
      status INTEGER
    );
    CREATE INDEX audit_device ON audit (device, number);

    """

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
    CREATE INDEX delivery_due ON delivery (webhook, next_ms);
    """
}
