import GRDB

/// Who may do what, and who has done it.
extension Schema {
  static func registerAccess(_ migrator: inout DatabaseMigrator) {
    migrator.registerMigration("10 operators, groups and what was changed") { db in
      try db.execute(sql: access)
    }
  }

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
}
