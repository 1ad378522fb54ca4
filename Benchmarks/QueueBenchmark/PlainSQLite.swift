import CSQLite
import TrackerBase
import TrackerWire

/// The usual way: one table, one transaction for each row that comes, one for each batch that leaves.
final class PlainSQLite {
  private var database: OpaquePointer?
  private var insert: OpaquePointer?

  init(path: String, journal: String) throws {
    guard sqlite3_open(path, &database) == SQLITE_OK else { throw BenchmarkError("cannot open \(path)") }
    try run("PRAGMA journal_mode = \(journal)")
    try run("PRAGMA synchronous = FULL")
    try run(
      """
      CREATE TABLE locations(id INTEGER PRIMARY KEY, time INTEGER, kind INTEGER, latitude REAL, longitude REAL,
      altitude REAL, speed REAL, course REAL, accuracy REAL, moving INTEGER, odometer REAL, extras TEXT)
      """)
    sqlite3_prepare_v2(
      database, "INSERT INTO locations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", -1, &insert, nil)
  }

  deinit {
    sqlite3_finalize(insert)
    sqlite3_close(database)
  }

  func take(_ effect: DayStep.Effect) throws {
    switch effect {
    case .commit(let commit): for record in commit.records { try add(record) }
    case .remove(let sequences):
      if sequences.isEmpty { return }
      let ids = sequences.map { "\($0)" }.joined(separator: ",")
      try run("DELETE FROM locations WHERE id IN (\(ids))")
    }
  }

  private func add(_ record: Record) throws {
    sqlite3_bind_int64(insert, 1, record.sequence)
    sqlite3_bind_int64(insert, 2, record.time_ms)
    sqlite3_bind_int64(insert, 3, Int64(record.kind.rawValue))
    let fix = record.fix
    let values = [
      fix?.position.latitude_deg, fix?.position.longitude_deg, fix?.altitude_m, fix?.speed_mps,
      fix?.course_deg, fix?.accuracy_m,
    ]
    for (offset, value) in values.enumerated() { sqlite3_bind_double(insert, Int32(4 + offset), value ?? 0) }
    sqlite3_bind_int64(insert, 10, record.isMoving ? 1 : 0)
    sqlite3_bind_double(insert, 11, record.odometer_m)
    let extras = record.content.extras
    _ = godwit_sqlite_bind_text(insert, 12, extras, Int32(extras.utf8.count))
    let code = sqlite3_step(insert)
    sqlite3_reset(insert)
    guard code == SQLITE_DONE else { throw BenchmarkError("insert: \(code)") }
  }

  private func run(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw BenchmarkError("\(sql): \(String(cString: sqlite3_errmsg(database)))")
    }
  }
}
