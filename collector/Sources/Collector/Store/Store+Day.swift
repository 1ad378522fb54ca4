extension Store {
  /// So long a trip lasts at most: its record, made at its end, is looked for so far behind the span.
  static let longestTrip_ms: Int64 = 2 * 86_400_000
  /// Two lie over the ends of a span, unless a device says what cannot be.
  private static let mostCut = 4

  /// Nil if the device is unknown.
  func day(device: String, from from_ms: Int64, to to_ms: Int64) async throws -> Day? {
    let gaps = try await gaps(device: device, from: from_ms, to: to_ms)
    guard let gaps else { return nil }
    return try await connection.read { db in
      guard let id = try Self.id(of: device, db) else { return nil }
      let records = try Self.dayRecords(
        db, "\(db.dialect.byTime) WHERE device_id = ? AND time_ms >= ? AND time_ms < ?",
        [id, from_ms, to_ms],
        order: "time_ms, sequence LIMIT \(Day.most)")
      let before = try Self.dayRecords(
        db, " WHERE device_id = ? AND event = 'trip' AND time_ms < ?", [id, from_ms],
        order: "time_ms DESC LIMIT 1")
      let within = try Self.dayRecords(
        db, " WHERE device_id = ? AND event = 'trip' AND time_ms >= ? AND time_ms < ?",
        [id, from_ms, to_ms + Self.longestTrip_ms], order: "time_ms")
      var trips = (before + within).compactMap(DayTrip.init)
      var fixes: [DayTrip.Key: [DayRecord]] = [:]
      for trip in trips where trip.crosses(from_ms) || trip.crosses(to_ms) {
        guard let key = trip.key, fixes.count < Self.mostCut else { continue }
        fixes[key] = try Self.fixes(of: key, from: trip.begin_ms, to: trip.end_ms, db, id)
      }
      let open = try Self.openTrips(records, trips, db, id, from_ms: from_ms, to_ms: to_ms)
      trips += open.map(\.trip)
      for (trip, found) in open { trip.key.map { fixes[$0] = found } }
      return Day(
        device: device, from_ms: from_ms, to_ms: to_ms, records: records, trips: trips, fixes: fixes,
        gaps: gaps)
    }
  }

  func position(of device: String, at time_ms: Int64) async throws -> Day.Point?? {
    try await connection.read { db in
      guard let id = try Self.id(of: device, db) else { return nil }
      let found = try Self.dayRecords(
        db,
        """
        \(db.dialect.byTime) WHERE device_id = ? AND time_ms <= ? AND (latitude <> 0 OR longitude <> 0)
          AND event IN ('', 'motionchange')
        """, [id, time_ms], order: "time_ms DESC LIMIT 1")
      return .some(found.first.map(Day.Point.init))
    }
  }

  /// Trips that no record of ends: the one that is under way, and those whose record has not come.
  private static func openTrips(
    _ records: [DayRecord], _ finished: [DayTrip], _ db: any Database, _ id: Int64, from_ms: Int64,
    to_ms: Int64
  ) throws -> [(trip: DayTrip, fixes: [DayRecord])] {
    let newest = try db.row(
      "SELECT record.* FROM device \(db.dialect.newestPosition) WHERE device.id = ? AND record.id IS NOT NULL",
      [id]
    ).map(DayRecord.init)
    let known = Set(finished.compactMap(\.key))
    var fixes: [DayTrip.Key: [DayRecord]] = [:]
    var order: [DayTrip.Key] = []
    // Nothing may have come within the span of a trip that began before it.
    let earlier = newest.flatMap { $0.time_ms < from_ms ? $0 : nil }
    for record in [earlier].compactMap({ $0 }) + records where record.isTrack {
      guard let key = record.trip, !known.contains(key) else { continue }
      if fixes[key] == nil { order.append(key) }
      fixes[key, default: []].append(record)
    }
    // All others lie within the span.
    if let first = order.first {
      fixes[first]?.insert(
        contentsOf: try Self.fixes(of: first, from: from_ms - longestTrip_ms, to: from_ms - 1, db, id), at: 0)
    }
    if let last = order.last {
      fixes[last]? += try Self.fixes(of: last, from: to_ms, to: to_ms + longestTrip_ms, db, id)
    }
    return order.compactMap { key in
      DayTrip(key, fixes: fixes[key] ?? [], newest: newest).map { ($0, fixes[key] ?? []) }
    }
  }

  /// By time.
  static func fixes(
    of trip: DayTrip.Key, from from_ms: Int64, to to_ms: Int64, _ db: any Database, _ id: Int64
  ) throws -> [DayRecord] {
    try dayRecords(
      db, "\(db.dialect.byTime) WHERE device_id = ? AND time_ms >= ? AND time_ms <= ? AND extras LIKE ?",
      [id, from_ms, to_ms, "%\"trip\":\(trip.number)%"], order: "time_ms, sequence LIMIT \(Day.most)"
    ).filter { $0.isTrack && $0.trip == trip }
  }

  private static func dayRecords(
    _ db: any Database, _ condition: String, _ arguments: [(any SQLConvertible)?], order: String
  ) throws -> [DayRecord] {
    let columns = "queue_id, time_ms, latitude, longitude, speed_mps, is_moving, event, extras"
    return try db.rows("SELECT \(columns) FROM record\(condition) ORDER BY \(order)", arguments)
      .map(DayRecord.init)
  }
}

extension DayRecord {
  init(_ record: UploadedRecord, _ key: RecordKey) {
    let fields = record.fields
    self.init(
      queueID: key.queueID, time_ms: record.time_ms, latitude: record.latitude, longitude: record.longitude,
      speed: fields.speed_mps, isMoving: fields.isMoving, event: fields.event ?? "",
      extras: fields.extras.flatMap { $0.isEmpty ? nil : DayRecord.extras($0) })
  }

  fileprivate init(_ row: Row) {
    let text: String = row["extras"]
    self.init(
      queueID: row["queue_id"], time_ms: row["time_ms"], latitude: row["latitude"],
      longitude: row["longitude"],
      speed: row["speed_mps"], isMoving: row["is_moving"],
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
