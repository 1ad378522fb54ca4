/// A database in which each month's records lie in a table of their own, so that an old month goes as a whole.
protocol MonthTables: Sendable {
  /// Makes those that records of now and of the next weeks need.
  func makeMonths(at now_ms: Int64) async throws
  /// Calls `body` unless another collector is at it. - Returns: false: one is.
  func alone(_ body: () async throws -> Void) async throws -> Bool
  /// Those that are part of `record`, the oldest first.
  func attachedMonths() async throws -> [RecordMonth]
  /// Those that were taken out and are not dropped yet.
  func expiredMonths() async throws -> [RecordMonth]
  /// Its records are not among the others any more. - Returns: false: somebody was at work with them all the time.
  func takeOut(_ month: RecordMonth) async throws -> Bool
  /// One that was taken out. - Returns: false: as there.
  func drop(_ month: RecordMonth) async throws -> Bool
}

/// What is told of months that are dropped.
struct MonthLog: Sendable {
  var deleted: @Sendable (_ count: Int, _ device: String) -> Void = { _, _ in }
  var dropped: @Sendable (RecordMonth) -> Void = { _ in }
  /// Somebody was at work with it; tried again with the next sweep.
  var busy: @Sendable (RecordMonth) -> Void = { _ in }
}

/// A month is taken out of `record`, what is to stay of it is put back, the identities of the rest are deleted and counted
/// device by device, and its table is dropped. What is done is never counted again, so whoever comes next goes on where
/// a collector has ended in the middle.
extension Store {
  /// So many identities of a device go in one transaction.
  private static let identitiesAtOnce = 10_000
  /// Of so many records one may have to be put back: a vehicle that was away, or is kept longer.
  private static let onePutBackOf = 100

  /// Drops the months that are past. Where months have no tables it does nothing.
  ///
  /// - Returns: false: another collector is at it.
  func dropMonths(_ law: KeepLaw, at now_ms: Int64, _ log: MonthLog) async throws -> Bool {
    guard let tables = connection.monthTables else { return true }
    try await tables.makeMonths(at: now_ms)
    return try await tables.alone {
      for month in try await tables.expiredMonths() {
        try await finish(month, tables, law, at: now_ms, log)
      }
      for month in try await tables.attachedMonths() where try await isPast(month, law, at: now_ms) {
        guard try await tables.takeOut(month) else {
          log.busy(month)
          continue
        }
        try await finish(month, tables, law, at: now_ms, log)
      }
    }
  }

  // MARK: Which

  /// Whether nearly all of its records may go. Of a large month some thousand pages are looked at: what this decides is
  /// how they go, and not which.
  private func isPast(_ month: RecordMonth, _ law: KeepLaw, at now_ms: Int64) async throws -> Bool {
    try Task.checkCancellation()
    return try await connection.read { db in
      let least = try db.value(
        Int64.self, "SELECT min(coalesce(keep_days, ?1)) FROM device", [law.usualDays])
      guard let least, month.end_ms <= now_ms - least * Timestamp.millisecondsPerDay else { return false }
      let sql = """
        SELECT count(*) AS found, count(*) FILTER (WHERE \(Self.stays)) AS staying
        FROM \(month.table) AS old
          TABLESAMPLE SYSTEM (least(100, 1e5 * 8192 / greatest(1, pg_relation_size('\(month.table)'))))
          JOIN device ON device.id = old.device_id
        """
      guard let row = try db.row(sql, [law.usualDays, now_ms]) else { return false }
      return (row["staying"] as Int64) * Int64(Self.onePutBackOf) <= (row["found"] as Int64)
    }
  }

  /// Of a record `old` and its `device`; places are the usual days, and now.
  private static let stays = """
    coalesce(keep_days, ?1) IS NULL OR old.time_ms >= ?2 - coalesce(keep_days, ?1) * 86400000
      OR old.received_ms >= ?2 - coalesce(keep_days, ?1) * 86400000
    """

  // MARK: Gone

  private func finish(
    _ month: RecordMonth, _ tables: any MonthTables, _ law: KeepLaw, at now_ms: Int64, _ log: MonthLog
  ) async throws {
    try await putBack(month, law, at: now_ms)
    let devices = try await connection.read { db in
      try db.rows(
        """
        SELECT id, name FROM device
        WHERE EXISTS (SELECT 1 FROM \(month.expiredTable) AS old WHERE old.device_id = device.id) ORDER BY name
        """
      ).map { (id: $0["id"] as Int64, name: $0["name"] as String) }
    }
    for device in devices {
      let count = try await forget(month, of: device.id, at: now_ms)
      if count > 0 { log.deleted(count, device.name) }
    }
    if try await tables.drop(month) { log.dropped(month) } else { log.busy(month) }
  }

  /// What came late, and what is kept longer. What has lost its identity already stays where it is; one that is just
  /// losing it is waited for.
  private func putBack(_ month: RecordMonth, _ law: KeepLaw, at now_ms: Int64) async throws {
    let spans = try await connection.writeBeside { db in
      let sql = """
        WITH late AS MATERIALIZED (
          SELECT old.id, old.device_id, old.time_ms FROM \(month.expiredTable) AS old
            JOIN device ON device.id = old.device_id WHERE \(Self.stays)),
        known AS MATERIALIZED (
          SELECT late.* FROM late JOIN record_key ON record_key.id = late.id FOR KEY SHARE OF record_key),
        staying AS (
          DELETE FROM \(month.expiredTable) AS old USING known
          WHERE old.device_id = known.device_id AND old.time_ms = known.time_ms AND old.id = known.id
          RETURNING old.*),
        back AS (INSERT INTO record SELECT * FROM staying RETURNING device_id, time_ms)
        SELECT device_id, min(time_ms) AS first_ms, max(time_ms) AS last_ms FROM back GROUP BY device_id
        """
      return try db.rows(sql, [law.usualDays, now_ms])
    }
    // Somebody may have deleted of a device meanwhile, and have found no such records.
    for span in spans {
      try await connection.writeBeside { db in
        try db.execute(
          """
          UPDATE device SET first_time_ms = least(first_time_ms, ?), last_time_ms = greatest(last_time_ms, ?)
          WHERE id = ?
          """,
          [span["first_ms"] as Int64, span["last_ms"] as Int64, span["device_id"] as Int64])
      }
    }
  }

  /// What is doomed of a device in months that were taken out, and might be put back.
  func forgetTakenOut(_ doomed: Doomed, at now_ms: Int64) async throws -> Int {
    guard let tables = connection.monthTables,
      let id = try await connection.read({ try Self.id(of: doomed.device, $0) })
    else { return 0 }
    var sum = 0
    for month in try await tables.expiredMonths() {
      do {
        sum += try await forget(month, of: id, doomed, at: now_ms)
      } catch let error as StorageError where error.code == "PostgreSQL 42P01" {
        // It is dropped by now.
      }
    }
    return sum
  }

  private func forget(
    _ month: RecordMonth, of device: Int64, _ doomed: Doomed? = nil, at now_ms: Int64
  ) async throws -> Int {
    var (sum, last_ms) = (0, month.begin_ms - 1)
    while true {
      try Task.checkCancellation()
      let after_ms = last_ms
      let done = try await connection.writeBeside { db in
        try Self.forgetSome(month, of: device, doomed, after: after_ms, at: now_ms, db)
      }
      guard let done else { return sum }
      sum += done.count
      last_ms = done.last_ms
    }
  }

  /// - Parameter doomed: nil: all of the device.
  /// - Returns: how many, and the time of the last one that was looked at; nil: there are no more.
  private static func forgetSome(
    _ month: RecordMonth, of device: Int64, _ doomed: Doomed?, after after_ms: Int64, at now_ms: Int64,
    _ db: any Database
  ) throws -> (count: Int, last_ms: Int64)? {
    _ = try db.row("SELECT id FROM device WHERE id = ?\(db.dialect.lockingDevice)", [device])
    let some = "FROM \(month.expiredTable) WHERE device_id = ?1 AND time_ms > ?2"
    let last_ms = try db.value(
      Int64.self, "SELECT max(time_ms) FROM (SELECT time_ms \(some) ORDER BY time_ms LIMIT ?3) AS part",
      [device, after_ms, identitiesAtOnce])
    guard let last_ms else { return nil }
    let these = "\(some) AND time_ms <= ?3 AND time_ms < ?4 AND received_ms < ?5"
    let values: [(any SQLConvertible)?] = [
      device, after_ms, last_ms, doomed?.before_ms ?? .max, doomed?.receivedBefore_ms ?? .max,
    ]
    let count = try db.execute(
      "DELETE FROM record_key WHERE device_id = ?1 AND id IN (SELECT id \(these))", values)
    try db.execute(
      "DELETE FROM delivery WHERE event_id IN (SELECT uuid \(these) AND event <> '')", values)
    if count > 0 {
      let before_ms = min(month.end_ms, doomed?.before_ms ?? .max)
      try Self.count(count, deletedOf: device, before: before_ms, at: now_ms, db)
    }
    return (count, last_ms)
  }
}
