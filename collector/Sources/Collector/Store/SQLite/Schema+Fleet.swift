import GRDB

/// What the pages need: the fleet at a glance, and a device's records by time.
extension Schema {
  static func registerFleet(_ migrator: inout DatabaseMigrator) {
    migrator.registerMigration("9 the fleet at a glance") { db in
      try db.execute(sql: glance)
      for device in try Int64.fetchAll(db, sql: "SELECT id FROM device WHERE first_contact_ms IS NOT NULL") {
        let atOnce = try DeviceQueue.fetch(SQLiteDatabase(db), device: device).atOnce
        try VehicleNow.refresh(
          SQLiteDatabase(db), device: device, withStatus: true, queuesAtOnce: atOnce)
      }
    }
  }

  static func registerVersions(_ migrator: inout DatabaseMigrator) {
    migrator.registerMigration("14 versions in use") { db in
      try db.execute(sql: "CREATE INDEX device_now_version ON device_now (version)")
    }
  }

  // Small rows of its own: a list of the fleet then reads neither statuses nor records, however many there are.
  private static let glance = """
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
      last_conflict_ms INTEGER
    );

    CREATE INDEX record_time ON record (device_id, time_ms);
    CREATE INDEX record_trip ON record (device_id, time_ms) WHERE event = 'trip';
    """
}
