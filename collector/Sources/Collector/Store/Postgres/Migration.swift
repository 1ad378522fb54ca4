/// Takes everything from a SQLite file into an empty PostgreSQL: all of it in one transaction, or nothing.
public struct Migration {
  /// What was copied of a table.
  public struct Count: Equatable, Sendable {
    public var table: String
    public var rows: Int
  }

  /// So many rows go at once.
  private static let page = 2000

  private let source: SQLiteConnection
  private let target: PostgresSession

  /// A table, and the column that numbers its rows. What another one refers to comes before it.
  private static let tables: [(name: String, number: String?)] = [
    ("device", "id"), ("device_queue", nil), ("command", "number"), ("device_token", "number"),
    ("enrolment_code", "number"), ("device_now", nil), ("trip", nil), ("event", nil), ("device_group", nil),
    ("config_history", "number"),
    ("operator", "id"), ("session", nil), ("audit", "number"), ("webhook", "number"), ("delivery", "number"),
    ("record", "id"),
  ]

  /// - Parameters:
  ///   - path: of a file that no collector has open.
  ///   - progress: called with a table and how many of its rows are copied.
  /// - Returns: what was copied; each count was compared.
  public static func run(
    from path: String, to address: PostgresAddress, progress: (Count) -> Void = { _ in }
  ) throws -> [Count] {
    let source = try SQLiteConnection(path: path)
    defer { try? source.close() }
    do {
      // Makes the tables.
      try PostgresConnection(address).close()
      let target = try PostgresSession(address)
      return try Migration(source: source, target: target).run(progress)
    } catch let error as StorageError {
      throw MigrationError.failed(error.detail ?? error.words)
    }
  }

  private func run(_ progress: (Count) -> Void) throws -> [Count] {
    try target.run("BEGIN; SELECT \(PostgresConnection.lock(.write))")
    for table in Self.tables {
      guard try count(table.name) == 0 else { throw MigrationError.notEmpty(table: table.name) }
    }
    var counts: [Count] = []
    for table in Self.tables {
      let rows = try table.name == "record" ? copyRecords(progress) : copy(table.name, progress)
      if let number = table.number { try goOn(table.name, number) }
      guard try count(table.name) == rows else { throw MigrationError.differs(table: table.name) }
      counts.append(Count(table: table.name, rows: rows))
    }
    guard try count("record_key") == counts.last?.rows else {
      throw MigrationError.differs(table: "record_key")
    }
    try target.commit()
    // The server's plans go by how much there is.
    try target.run("ANALYZE")
    return counts
  }

  private func count(_ table: String) throws -> Int {
    try target.rows("SELECT count(*) AS count FROM \(table)").first?["count"] ?? 0
  }

  private func read(_ sql: String, _ arguments: [(any SQLConvertible)?] = []) throws -> [Row] {
    try source.queue.read { try SQLiteDatabase($0).rows(sql, arguments) }
  }

  // MARK: Rows

  private func copy(_ table: String, _ progress: (Count) -> Void) throws -> Int {
    let columns = try columns(of: table)
    let names = columns.map(\.name).joined(separator: ", ")
    let places = columns.enumerated().map { "$\($0 + 1)::\($1.type)[]" }.joined(separator: ", ")
    let insert = "INSERT INTO \(table) (\(names)) SELECT * FROM unnest(\(places))"
    // Where two tables refer to one another's rows is nowhere, so the order of the rows does not matter.
    var done = 0
    while true {
      let order = columns.count > 2 ? "1, 2, 3" : "1, 2"
      let rows = try read(
        "SELECT \(names) FROM \(table) ORDER BY \(order) LIMIT ? OFFSET ?", [Self.page, done])
      if rows.isEmpty { return done }
      var arguments = PostgresArguments()
      for (place, column) in columns.enumerated() {
        arguments.append(binary: PostgresArray.column(rows.map { $0.values[place] }, as: column.kind))
      }
      _ = try target.execute(insert, arguments)
      done += rows.count
      progress(Count(table: table, rows: done))
    }
  }

  private func copyRecords(_ progress: (Count) -> Void) throws -> Int {
    let columns = try columns(of: "record").filter { $0.name != "gap" }
    let names = columns.map(\.name).joined(separator: ", ")
    let places = columns.enumerated().map { "$\($0 + 1)::\($1.type)[]" }.joined(separator: ", ")
    let insert = """
      WITH new AS (SELECT * FROM unnest(\(places)) AS new (\(names))), keys AS (
        INSERT INTO record_key (device_id, sequence, queue_id, id, time_ms, uuid)
        SELECT device_id, sequence, queue_id, id, time_ms, CASE WHEN queue_id = -1 THEN uuid END FROM new)
      INSERT INTO record (\(names), gap)
      SELECT \(names), CASE WHEN event = 'gap' THEN godwit_json(extras) END FROM new
      """
    let time = columns.firstIndex { $0.name == "time_ms" } ?? 0
    let number = columns.firstIndex { $0.name == "id" } ?? 0
    var (done, last, months) = (0, Int64.min, Set<RecordMonth>())
    while true {
      let rows = try read("SELECT \(names) FROM record WHERE id > ? ORDER BY id LIMIT ?", [last, Self.page])
      guard let end = rows.last else { return done }
      let times_ms = rows.compactMap { Int64(sqlValue: $0.values[time]) }
      for month in Set(times_ms.compactMap(RecordMonth.init)).subtracting(months) {
        try target.run(month.partition)
        months.insert(month)
      }
      var arguments = PostgresArguments()
      for (place, column) in columns.enumerated() {
        arguments.append(binary: PostgresArray.column(rows.map { $0.values[place] }, as: column.kind))
      }
      _ = try target.execute(insert, arguments)
      last = Int64(sqlValue: end.values[number]) ?? .max
      done += rows.count
      progress(Count(table: "record", rows: done))
    }
  }

  /// Numbers go on behind the last one, also behind those of rows that were deleted since.
  private func goOn(_ table: String, _ column: String) throws {
    let newest = try read("SELECT max(\(column)) AS number FROM \(table)").first?["number"] as Int64?
    let given = try read("SELECT seq FROM sqlite_sequence WHERE name = ?", [table]).first?["seq"] as Int64?
    let number = max(newest ?? 0, given ?? 0)
    guard number > 0 else { return }
    let owner = table == "record" ? "record_key" : table
    try target.run("SELECT setval(pg_get_serial_sequence('\(owner)', '\(column)'), \(number))")
  }

  // MARK: Columns

  private struct Column {
    var name: String
    /// As SQL has it.
    var type: String
    var kind: PostgresType
  }

  /// Those that both have.
  private func columns(of table: String) throws -> [Column] {
    let known = Set(try read("SELECT name FROM pragma_table_info('\(table)')").map { $0["name"] as String })
    let rows = try target.rows(
      """
      SELECT attname::text AS name, format_type(atttypid, NULL) AS type, CAST(atttypid AS bigint) AS number
      FROM pg_attribute WHERE attrelid = to_regclass('\(table)') AND attnum > 0 AND NOT attisdropped ORDER BY attnum
      """)
    return rows.compactMap { row in
      guard known.contains(row["name"]), let number: Int64 = row["number"],
        let kind = PostgresType(rawValue: UInt32(number))
      else { return nil }
      return Column(name: row["name"], type: row["type"], kind: kind)
    }
  }
}

/// Why a migration was not done. Nothing of it is in the target.
public enum MigrationError: Error, Equatable, CustomStringConvertible {
  case notEmpty(table: String)
  case differs(table: String)
  case failed(String)

  public var description: String {
    switch self {
    case .notEmpty(let table):
      "the PostgreSQL database is not empty: its table \(table) has rows; nothing was changed; name a new database"
    case .differs(let table):
      "the table \(table) has not as many rows in PostgreSQL as in the file; nothing was changed in PostgreSQL"
    case .failed(let words): "nothing was changed in PostgreSQL: \(words)"
    }
  }
}
