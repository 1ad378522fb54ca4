/// Whom and when a report is about.
struct ReportScope: Equatable, Sendable {
  var from_ms: Int64
  var to_ms: Int64
  /// Nil: all.
  var group: String?
  /// Empty: all.
  var devices: [String] = []
}

/// A visit to a geofence, or something else that happened.
struct ReportedEvent: Equatable, Sendable {
  var device: String
  var time_ms: Int64
  /// Of a visit: when the vehicle left. Nil where it is there still.
  var end_ms: Int64?
  var event: String
  var name: String
  var action: String
  var place: Coordinate?
}

/// What reports are made of.
protocol ReportStorage: Sendable {
  /// Names of vehicles that a report is about.
  func names(in scope: ReportScope) async throws -> [String]
  /// Trips that share an instant with the span, and by choice the last one before it, by vehicle and begin.
  func trips(in scope: ReportScope, withOneBefore: Bool) async throws -> [(device: String, trip: DayTrip)]
  /// Visits that share an instant with the span.
  func visits(in scope: ReportScope) async throws -> [ReportedEvent]
  func events(in scope: ReportScope) async throws -> [ReportedEvent]
}

extension Store {
  func names(in scope: ReportScope) async throws -> [String] {
    try await connection.read { db in
      try db.values(
        String.self, "SELECT name FROM device WHERE \(scope.condition(db)) ORDER BY name", scope.arguments)
    }
  }

  func trips(in scope: ReportScope, withOneBefore: Bool) async throws -> [(device: String, trip: DayTrip)] {
    try await connection.read { db in
      let join = "SELECT device.name AS device, trip.* FROM trip JOIN device ON device.id = trip.device_id"
      let within = """
        \(join) WHERE begin_ms >= ?1 AND begin_ms < ?2 AND end_ms >= ?5 AND \(scope.condition(db))
        ORDER BY device.name, begin_ms LIMIT \(ReportTable.most + 1)
        """
      let values: [(any SQLConvertible)?] = [scope.from_ms - Self.longestTrip_ms, scope.to_ms]
      var rows = try db.rows(within, values + scope.arguments.dropFirst(2) + [scope.from_ms])
      if withOneBefore {
        rows += try db.rows(
          """
          \(join) WHERE (trip.queue_id, trip.number) = (
            SELECT queue_id, number FROM trip WHERE device_id = device.id AND begin_ms < ?1 AND end_ms < ?1
            ORDER BY begin_ms DESC LIMIT 1) AND \(scope.condition(db))
          """, scope.arguments)
      }
      return rows.map { ($0["device"] as String, DayTrip($0)) }
        .sorted { ($0.0, $0.1.begin_ms) < ($1.0, $1.1.begin_ms) }
    }
  }

  func visits(in scope: ReportScope) async throws -> [ReportedEvent] {
    try await reported(
      scope, "event = 'geofence' AND action = 'ENTER' AND time_ms < ?2 AND (end_ms IS NULL OR end_ms > ?1)")
  }

  func events(in scope: ReportScope) async throws -> [ReportedEvent] {
    try await reported(scope, "time_ms >= ?1 AND time_ms < ?2")
  }

  private func reported(_ scope: ReportScope, _ condition: String) async throws -> [ReportedEvent] {
    try await connection.read { db in
      try db.rows(
        """
        SELECT device.name AS device, event.* FROM event JOIN device ON device.id = device_id
        WHERE \(condition) AND \(scope.condition(db)) ORDER BY time_ms, device.name LIMIT \(ReportTable.most + 1)
        """, scope.arguments
      ).map { row in
        let latitude: Double? = row["latitude"]
        return ReportedEvent(
          device: row["device"], time_ms: row["time_ms"], end_ms: row["end_ms"], event: row["event"],
          name: row["name"], action: row["action"],
          place: latitude.map { Coordinate(latitude: $0, longitude: row["longitude"] ?? 0) })
      }
    }
  }

  func geofences() async throws -> [JSONValue] {
    let texts = try await connection.read { db in
      try db.values(String.self, "SELECT DISTINCT config FROM device WHERE config IS NOT NULL")
    }
    let collections = Set(texts.compactMap { JSONSlices.texts($0)["geofences"] })
    var known: Set<String> = []
    return collections.sorted().flatMap { JSONValue(text: $0)?["features"]?.elements ?? [] }.filter {
      known.insert($0.text).inserted
    }
  }

  /// Reports end with their records. Those of a month that stays as a whole go by the day.
  func forgetSummaries(_ law: KeepLaw, at now_ms: Int64) async throws {
    try await connection.write { db in
      for (table, time) in [("trip", "end_ms"), ("event", "time_ms")] {
        let end = """
          ?2 - coalesce((SELECT keep_days FROM device WHERE id = device_id), CAST(?1 AS BIGINT)) * 86400000
          """
        try db.execute(
          "DELETE FROM \(table) WHERE \(time) < \(end) AND received_ms < \(end)", [law.usualDays, now_ms])
      }
    }
  }

  func forgetSummaries(_ doomed: Doomed) async throws {
    try await connection.write { db in
      guard let id = try Self.id(of: doomed.device, db) else { return }
      for (table, time) in [("trip", "end_ms"), ("event", "time_ms")] {
        try db.execute(
          "DELETE FROM \(table) WHERE device_id = ? AND \(time) < ? AND received_ms < ?",
          [id, doomed.before_ms, doomed.receivedBefore_ms])
      }
    }
  }
}

extension ReportScope {
  /// Of `device`; `arguments` has the values of its places, ?3 and ?4.
  fileprivate func condition(_ db: any Database) -> String {
    let texts = db.dialect.texts.replacing("?", with: "?4")
    return """
      (CAST(?3 AS TEXT) IS NULL OR device.id IN (SELECT device_id FROM device_group WHERE name = ?3))
      AND (CAST(?4 AS TEXT) IS NULL OR device.name IN (\(texts)))
      AND CAST(?1 AS BIGINT) <= CAST(?2 AS BIGINT)
      """
  }

  fileprivate var arguments: [(any SQLConvertible)?] {
    [from_ms, to_ms, group, devices.isEmpty ? nil : JSONValue.array(devices.map { .string($0) }).text]
  }
}
