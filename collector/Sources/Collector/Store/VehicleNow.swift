/// Keeps `device_now`, and reads the fleet from it.
enum VehicleNow {
  private static let columns = [
    "latitude", "longitude", "time_ms", "accuracy_m", "speed_mps", "heading_deg", "is_moving",
    "last_contact_ms",
    "queues_at_once", "last_conflict_ms", "trip_begin_ms", "trip_end_ms", "trip_distance_m", "trip_is_open",
    "site", "site_since_ms",
  ]

  /// After a request of the device has been stored, in the same transaction.
  ///
  /// - Parameters:
  ///   - withStatus: the request has brought a status; only then it is read, which takes longest.
  static func refresh(_ db: any Database, device: Int64, withStatus: Bool, queuesAtOnce: Int) throws {
    let statement = """
      INSERT INTO device_now (device_id, \(columns.joined(separator: ", ")))
      SELECT device.id, record.latitude, record.longitude, record.time_ms, record.accuracy_m, record.speed_mps,
        record.heading_deg, record.is_moving, last_contact_ms, CAST(?2 AS BIGINT), last_conflict_ms,
        trip.begin_ms, trip.end_ms, trip.distance_m, trip.is_open, visit.name, visit.time_ms
      FROM device \(db.dialect.newestPosition)
        LEFT JOIN trip ON trip.device_id = device.id AND (trip.queue_id, trip.number) = (
          SELECT queue_id, number FROM trip WHERE device_id = ?1 ORDER BY begin_ms DESC LIMIT 1)
        LEFT JOIN event AS visit ON visit.device_id = device.id AND visit.uuid = (
          SELECT uuid FROM event WHERE device_id = ?1 AND event = 'geofence' AND action = 'ENTER' AND end_ms IS NULL
          ORDER BY time_ms DESC LIMIT 1)
      WHERE device.id = ?1
      ON CONFLICT (device_id) DO UPDATE SET \(columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
      """
    try db.execute(statement, [device, queuesAtOnce])
    guard try withStatus || mayContradict(db, device) else { return }
    let row = try db.row("SELECT status, last_contact_ms FROM device WHERE id = ?", [device])
    var summary = StatusSummary(JSONValue(text: row?["status"]))
    let moved_ms = try db.value(
      Int64.self, "SELECT time_ms FROM device_now WHERE device_id = ? AND is_moving = 1", [device])
    if let moved_ms, moved_ms > summary.made_ms ?? .min {
      (summary.noTrackBecause, summary.asleepUntil_ms, summary.asleepBecause) = (nil, nil, nil)
    }
    let contact_ms: Int64 = row?["last_contact_ms"] ?? 0
    try db.execute(
      """
      UPDATE device_now SET version = ?, no_track_because = ?, asleep_until_ms = ?, asleep_because = ?, problems = ?,
        figures = ?
      WHERE device_id = ?
      """,
      [
        summary.version, summary.noTrackBecause,
        summary.asleepUntil_ms.map { min($0, contact_ms + FleetClock.longestSleep_ms) },
        summary.asleepBecause,
        summary.problems.joined(separator: " "),
        summary.figures.isEmpty ? nil : JSONValue.object(summary.figures).text, device,
      ])
  }

  /// A vehicle that moves after its status said why there is no track.
  private static func mayContradict(_ db: any Database, _ device: Int64) throws -> Bool {
    let sql = """
      SELECT 1 FROM device_now WHERE device_id = ? AND is_moving = 1
        AND (no_track_because IS NOT NULL OR asleep_until_ms IS NOT NULL)
      """
    return try db.value(Int64.self, sql, [device]) != nil
  }

  fileprivate static func row(_ row: Row, groups: [String]?) -> VehicleRow {
    let problems: String? = row["problems"]
    let time_ms: Int64? = row["time_ms"]
    let contact_ms: Int64? = row["last_contact_ms"]
    let isMoving: Bool? = row["is_moving"]
    let isUnderWay = isMoving == true && (row["trip_is_open"] as Bool?) == true
    func time(_ column: String, _ isShown: Bool) -> String? {
      isShown ? (row[column] as Int64?).map(Timestamp.text) : nil
    }
    var vehicle = Vehicle(
      device: row["name"], latitude: row["latitude"], longitude: row["longitude"],
      timestamp: time_ms.map(Timestamp.text), accuracy: row["accuracy_m"], speed: row["speed_mps"],
      heading: row["heading_deg"], is_moving: isMoving, trip_begin: time("trip_begin_ms", isUnderWay),
      trip_distance_m: isUnderWay ? row["trip_distance_m"] : nil,
      still_since: time("trip_end_ms", isMoving == false), site: row["site"],
      site_since: time("site_since_ms", true), last_contact: contact_ms.map(Timestamp.text),
      version: row["version"], no_track_because: row["no_track_because"],
      asleep_because: row["asleep_because"],
      problems: (problems ?? "").split(separator: " ").map(String.init), severity: .none, groups: groups)
    let version: Int64? = row["config_version"]
    if let figures = JSONValue(text: row["figures"])?.members {
      vehicle.figures = figures.filter { $0.key != "config" }
      vehicle.settings_state = version.map { DeviceConfig.state(of: $0, figures["config"]) }
    } else {
      vehicle.settings_state = version.map { _ in .pending }
    }
    return VehicleRow(
      vehicle: vehicle, lastContact_ms: contact_ms, queuesAtOnce: row["queues_at_once"] ?? 0,
      lastConflict_ms: row["last_conflict_ms"], asleepUntil_ms: row["asleep_until_ms"])
  }
}

extension Store {
  /// All vehicles by name, or those of some names.
  func vehicles(
    named names: Set<ExactName>? = nil, at now_ms: Int64, silentAfter_ms: Int64,
    target: AgentVersion? = nil
  ) async throws -> [Vehicle] {
    try await connection.read { db in
      let clock = FleetClock(now_ms: now_ms, silentAfter_ms: silentAfter_ms, target: target)
      let columns =
        "name, config_version, device_now.* FROM device LEFT JOIN device_now ON device_id = device.id"
      guard let names else {
        let groups = try Self.groups(db)
        return try db.rows("SELECT device.id, \(columns) ORDER BY name")
          .map { clock.judged(VehicleNow.row($0, groups: groups[$0["id"]])) }
      }
      let statement = "SELECT device.id, \(columns) WHERE name = ?"
      return try names.map(\.text).sorted().compactMap { name in
        guard let row = try db.row(statement, [name]) else { return nil }
        return clock.judged(VehicleNow.row(row, groups: try Self.groups(of: row["id"], db)))
      }
    }
  }
}
