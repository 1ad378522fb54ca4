/// How long records stay, and which go.
protocol RetentionStorage: Sendable {
  /// - Parameter days: nil: the collector's own.
  /// - Returns: false if the device is unknown.
  func setKeepDays(_ days: Int?, of device: String) async throws -> Bool
  func expired(_ law: KeepLaw, at now_ms: Int64) async throws -> [Doomed]
  /// - Returns: how many are gone, `limit` at most; nil if the device is unknown.
  func deleteRecords(_ doomed: Doomed, limit: Int, at now_ms: Int64) async throws -> Int?
  /// Of what reports are made of.
  func forgetSummaries(_ law: KeepLaw, at now_ms: Int64) async throws
  func dropMonths(_ law: KeepLaw, at now_ms: Int64, _ log: MonthLog) async throws -> Bool
  /// - Returns: how many are gone; nil if the device is unknown.
  func deleteHistory(_ doomed: Doomed, at now_ms: Int64) async throws -> Int?
  func forgetPresent(of device: String) async throws
  func leaveNoTrace() async throws
}

/// How long records stay.
struct KeepLaw: Equatable, Sendable {
  /// Of devices that have no span of their own. Nil: for ever.
  var usualDays: Int?
  /// No record goes before all of its month may.
  var byMonth = false
}

/// Records of a device that are to go.
struct Doomed: Equatable, Sendable {
  var device: String
  /// By their own time.
  var before_ms: Int64
  /// A device's clock may have been wrong: what came later than this stays.
  var receivedBefore_ms: Int64
}

extension Store {
  func setKeepDays(_ days: Int?, of device: String) async throws -> Bool {
    try await connection.write { db in
      try db.execute("UPDATE device SET keep_days = ? WHERE name = ?", [days, device]) == 1
    }
  }

  /// Devices that have records older than they are kept.
  func expired(_ law: KeepLaw, at now_ms: Int64) async throws -> [Doomed] {
    try await connection.read { db in
      let sql = """
        SELECT name, first_time_ms, coalesce(keep_days, ?1) AS days FROM device
        WHERE first_time_ms < ?2 - coalesce(keep_days, ?1) * 86400000 ORDER BY name
        """
      return try db.rows(sql, [law.usualDays, now_ms]).compactMap { row in
        let end_ms = now_ms - (row["days"] as Int64) * Timestamp.millisecondsPerDay
        let before_ms = law.byMonth ? RecordMonth(end_ms)?.begin_ms ?? end_ms : end_ms
        guard (row["first_time_ms"] as Int64) < before_ms else { return nil }
        return Doomed(device: row["name"], before_ms: before_ms, receivedBefore_ms: end_ms)
      }
    }
  }

  func deleteRecords(_ doomed: Doomed, limit: Int, at now_ms: Int64) async throws -> Int? {
    try await connection.write { db in
      guard let id = try Self.id(of: doomed.device, db) else { return nil }
      let sql = """
        SELECT id, uuid FROM record\(db.dialect.byTime)
        WHERE device_id = ? AND time_ms < ? AND received_ms < ? ORDER BY time_ms LIMIT ?
        """
      let rows = try db.rows(sql, [id, doomed.before_ms, doomed.receivedBefore_ms, limit])
      guard !rows.isEmpty else { return 0 }
      // What refers to one of them, first.
      try db.execute("UPDATE device SET position_record_id = NULL WHERE id = ?", [id])
      let numbers = JSONValue.array(rows.map { .integer($0["id"]) }).text
      let uuids = JSONValue.array(rows.map { .string($0["uuid"]) }).text
      try db.execute(
        "DELETE FROM record WHERE device_id = ? AND time_ms < ? AND id IN (\(db.dialect.numbers))",
        [id, doomed.before_ms, numbers])
      if let statement = db.dialect.deleteKeys { try db.execute(statement, [numbers]) }
      try db.execute("DELETE FROM delivery WHERE event_id IN (\(db.dialect.texts))", [uuids])
      try Self.count(rows.count, deletedOf: id, before: doomed.before_ms, at: now_ms, db)
      return rows.count
    }
  }

  /// Totals, newest position and queues of a device, as they are without what was deleted.
  static func count(
    _ count: Int, deletedOf id: Int64, before before_ms: Int64, at now_ms: Int64, _ db: any Database
  ) throws {
    try db.execute(
      """
      UPDATE device SET deleted = deleted + ?2, last_deleted_ms = ?3,
        first_time_ms = (SELECT min(time_ms) FROM record WHERE device_id = ?1),
        last_time_ms = (SELECT max(time_ms) FROM record WHERE device_id = ?1),
        position_record_id = (SELECT id FROM record\(db.dialect.byTime)
          WHERE device_id = ?1 AND (latitude <> 0 OR longitude <> 0) ORDER BY time_ms DESC LIMIT 1)
      WHERE id = ?1
      """, [id, count, now_ms])
    try db.execute(
      "DELETE FROM device_queue WHERE device_id = ? AND last_time_ms < ?",
      [id, before_ms])
    let atOnce = try DeviceQueue.atOnce(db, device: id)
    try VehicleNow.refresh(db, device: id, withStatus: false, queuesAtOnce: atOnce)
  }

  func deleteHistory(_ doomed: Doomed, at now_ms: Int64) async throws -> Int? {
    try await forgetSummaries(doomed)
    guard let count = try await deleteAll(doomed, at: now_ms) else { return nil }
    guard connection.monthTables != nil else { return count }
    // Of a month that is being dropped some records may be put back, and may have been just now.
    let takenOut = try await forgetTakenOut(doomed, at: now_ms)
    return try await count + takenOut + (deleteAll(doomed, at: now_ms) ?? 0)
  }

  func leaveNoTrace() async throws { try await connection.leaveNoTrace() }

  /// What is not history, and yet of the past: the last status, and commands with their results. The next status brings
  /// back what is so.
  func forgetPresent(of device: String) async throws {
    try await connection.write { db in
      guard let id = try Self.id(of: device, db) else { return }
      try db.execute(
        "UPDATE device SET status = NULL, status_received_ms = NULL WHERE id = ?", [id])
      try db.execute(
        "DELETE FROM command WHERE device_id = ? AND result_received_ms IS NOT NULL", [id])
      let atOnce = try DeviceQueue.atOnce(db, device: id)
      try VehicleNow.refresh(db, device: id, withStatus: true, queuesAtOnce: atOnce)
    }
  }
}
