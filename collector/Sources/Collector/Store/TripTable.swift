/// Keeps `trip`: a row for each trip, also while it is under way.
enum TripTable {
  /// After records of a device have been stored, in the same transaction.
  static func add(
    _ records: [(UploadedRecord, RecordKey)], device: Int64, at now_ms: Int64, _ db: any Database
  )
    throws
  {
    var order: [DayTrip.Key] = []
    var byTrip: [DayTrip.Key: [DayRecord]] = [:]
    for (record, key) in records where record.isDated {
      let event = record.fields.event ?? ""
      guard event == "trip" || event.isEmpty || event == "motionchange" else { continue }
      let found = DayRecord(record, key)
      // A summary without a number is a trip by itself.
      let number = found.trip?.number ?? (event == "trip" ? -1 - key.sequence : nil)
      guard let number, event == "trip" || found.isTrack else { continue }
      let trip = DayTrip.Key(queueID: key.queueID, number: number)
      if byTrip[trip] == nil { order.append(trip) }
      byTrip[trip, default: []].append(found)
    }
    for key in order {
      var trip = try fetch(key, device: device, db)
      for record in byTrip[key] ?? [] { trip = try with(record, of: key, added: trip, device: device, db) }
      if let trip { try save(trip, key, device: device, at: now_ms, db) }
    }
  }

  private static func with(
    _ record: DayRecord, of key: DayTrip.Key, added trip: DayTrip?, device: Int64, _ db: any Database
  ) throws -> DayTrip? {
    if record.event == "trip" {
      var ended = DayTrip(record)
      ended?.start = trip?.start
      return ended ?? trip
    }
    guard var trip else {
      return DayTrip(key, fixes: [record], newest: record).map { $0.begun(with: record) }
    }
    if !trip.isOpen {
      // Its first fix may come after its record.
      if trip.start == nil, record.time_ms - trip.begin_ms <= 60_000 { trip.start = record.place }
      return trip
    }
    guard record.time_ms >= trip.end_ms else {
      // It is older than what came before it.
      let from_ms = min(trip.begin_ms, record.time_ms)
      let fixes = try Store.fixes(of: key, from: from_ms, to: trip.end_ms, db, device)
      return DayTrip(key, fixes: fixes, newest: nil)?.measured(by: fixes)
    }
    if let place = trip.place {
      trip.distance_m = (trip.distance_m ?? 0) + place.metres(to: record.coordinate)
    }
    trip.end_ms = record.time_ms
    trip.place = record.place
    trip.topSpeed_mps = [trip.topSpeed_mps, record.speed].compactMap(\.self).max()
    return trip
  }

  private static func fetch(_ key: DayTrip.Key, device: Int64, _ db: any Database) throws -> DayTrip? {
    try db.row(
      "SELECT * FROM trip WHERE device_id = ? AND queue_id = ? AND number = ?",
      [device, key.queueID, key.number]
    ).map(DayTrip.init)
  }

  private static let columns = [
    "device_id", "queue_id", "number", "begin_ms", "end_ms", "is_open", "distance_m", "idle_s",
    "top_speed_mps",
    "end_cause", "is_towed", "start_latitude", "start_longitude", "latitude", "longitude", "received_ms",
  ]

  private static func save(
    _ trip: DayTrip, _ key: DayTrip.Key, device: Int64, at now_ms: Int64, _ db: any Database
  ) throws {
    let changed = columns.dropFirst(3).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    try db.execute(
      """
      INSERT INTO trip (\(columns.joined(separator: ", ")))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (device_id, queue_id, number) DO UPDATE SET \(changed)
      """,
      [
        device, key.queueID, key.number, trip.begin_ms, trip.end_ms, trip.isOpen, trip.distance_m,
        trip.idle_s,
        trip.topSpeed_mps, trip.endCause.map { String($0.prefix(40)) }, trip.isTowed, trip.start?.latitude,
        trip.start?.longitude, trip.place?.latitude, trip.place?.longitude, now_ms,
      ])
  }
}

extension DayTrip {
  /// There is no record of its end.
  var isOpen: Bool { isUnderWay }

  fileprivate func begun(with record: DayRecord) -> DayTrip {
    var trip = self
    (trip.isUnderWay, trip.distance_m, trip.topSpeed_mps) = (true, 0, record.speed)
    return trip
  }

  fileprivate func measured(by fixes: [DayRecord]) -> DayTrip {
    var trip = self
    trip.isUnderWay = true
    trip.distance_m = Self.metres(fixes, from_ms: begin_ms, to_ms: end_ms)
    trip.topSpeed_mps = fixes.compactMap(\.speed).max()
    return trip
  }

  /// A row of `trip`.
  init(_ row: Row) {
    func place(_ latitude: String, _ longitude: String) -> Coordinate? {
      guard let latitude: Double = row[latitude], let longitude: Double = row[longitude] else { return nil }
      return Coordinate(latitude: latitude, longitude: longitude)
    }
    self.init(
      key: Key(queueID: row["queue_id"], number: row["number"]), begin_ms: row["begin_ms"],
      end_ms: row["end_ms"], distance_m: row["distance_m"], idle_s: row["idle_s"],
      topSpeed_mps: row["top_speed_mps"], endCause: row["end_cause"], isTowed: row["is_towed"],
      start: place("start_latitude", "start_longitude"), place: place("latitude", "longitude"),
      isUnderWay: row["is_open"])
  }
}
