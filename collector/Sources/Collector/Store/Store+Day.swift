extension Store {
  /// So long a trip lasts at most: its record, made at its end, is looked for so far behind the span.
  private static let longestTrip_ms: Int64 = 2 * 86_400_000

  /// Nil if the device is unknown.
  func day(device: String, from from_ms: Int64, to to_ms: Int64) async throws -> Day? {
    let gaps = try await gaps(device: device, from: from_ms, to: to_ms)
    guard let gaps else { return nil }
    return try await connection.read { db in
      guard let id = try Self.id(of: device, db) else { return nil }
      let columns = "SELECT time_ms, latitude, longitude, speed_mps, event, extras FROM record"
      let records = try db.rows(
        """
        \(columns)\(db.dialect.byTime) WHERE device_id = ? AND time_ms >= ? AND time_ms < ?
        ORDER BY time_ms, sequence LIMIT ?
        """,
        [id, from_ms, to_ms, Day.most]
      ).map(DayRecord.init)
      let before = try db.rows(
        """
        \(columns) WHERE device_id = ? AND event = 'trip' AND time_ms < ? ORDER BY time_ms DESC LIMIT 1
        """,
        [id, from_ms])
      let within = try db.rows(
        """
        \(columns) WHERE device_id = ? AND event = 'trip' AND time_ms >= ? AND time_ms < ? ORDER BY time_ms
        """,
        [id, from_ms, to_ms + Self.longestTrip_ms])
      let trips = (before + within).map(DayRecord.init).compactMap(TripSummary.init)
        .sorted { $0.begin_ms < $1.begin_ms }
      return Day(
        device: device, from_ms: from_ms, to_ms: to_ms, records: records, trips: trips, gaps: gaps)
    }
  }
}

extension DayRecord {
  fileprivate init(_ row: Row) {
    let text: String = row["extras"]
    self.init(
      time_ms: row["time_ms"], latitude: row["latitude"], longitude: row["longitude"],
      speed: row["speed_mps"],
      event: row["event"], extras: text.isEmpty ? nil : DayRecord.extras(text))
  }

  /// Nearly every record of a trip has nothing but its number: that is read without a decoder, which a day's thousands
  /// would wait for.
  private static func extras(_ text: String) -> JSONValue? {
    let head = "{\"trip\":"
    if text.hasPrefix(head), text.hasSuffix("}"), let number = Int64(text.dropFirst(head.count).dropLast()) {
      return .object(["trip": .integer(number)])
    }
    return JSONValue(text: text)
  }
}
