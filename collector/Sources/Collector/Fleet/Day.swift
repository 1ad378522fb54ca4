/// What a vehicle did within a span of time: its track, trips, stops, gaps and events, for a map and a timeline.
struct Day: Encodable, Equatable, Sendable {
  /// A point of the track, as short as it can be said: a day has thousands. In JSON an array:
  /// Unix milliseconds, latitude, longitude, metres a second or null, the number of the trip or null.
  struct Point: Encodable, Equatable, Sendable {
    var time_ms: Int64
    var latitude: Double
    var longitude: Double
    var speed: Double?
    var trip: Int64?

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      try list.encode(time_ms)
      try list.encode(latitude)
      try list.encode(longitude)
      try speed.map { try list.encode($0) } ?? list.encodeNil()
      try trip.map { try list.encode($0) } ?? list.encodeNil()
    }
  }

  /// Where a vehicle was at an instant.
  struct Position: Encodable, Equatable, Sendable {
    var latitude: Double
    var longitude: Double
    /// Of the fix, which may be older than what was asked for.
    var timestamp: String
    var speed: Double?
    var place: PlaceName?
  }

  /// All of a trip, stop or gap of which the span has a part.
  struct Whole: Encodable, Equatable, Sendable {
    var begin: String
    /// Left out while it goes on.
    var end: String?
    var distance_m: Double?
  }

  /// Its part within the span.
  struct Trip: Encodable, Equatable, Sendable {
    var trip: Int64?
    var begin: String
    /// Of one that is under way: the time of its last fix.
    var end: String
    var distance_m: Double?
    /// Left out of a part: only the record of the whole trip has it.
    var idle_s: Double?
    var top_speed: Double?
    var end_cause: String?
    var towed: Bool?
    /// It has not ended; left out of one that has.
    var under_way: Bool?
    var whole: Whole?
  }

  /// Between two trips, where the vehicle was then: its part within the span.
  struct Stop: Encodable, Equatable, Sendable {
    var begin: String
    /// Left out while it goes on, as far as is known.
    var end: String?
    var latitude: Double
    var longitude: Double
    /// In words.
    var place: PlaceName?
    var whole: Whole?
  }

  struct Event: Encodable, Equatable, Sendable {
    var event: String
    var timestamp: String
    /// Left out where nobody knows the place.
    var latitude: Double?
    var longitude: Double?
    var extras: JSONValue?
  }

  var device: String
  var from: String
  var to: String
  var track: [Point]
  var trips: [Trip]
  var stops: [Stop]
  var gaps: [StoredGap]
  var events: [Event]
  /// Only the first ``most`` records of the span are in it; left out where that is all.
  var cut_at: String?

  /// So many records at most. A device at one fix a second makes 86,400 a day.
  static let most = 100_000
  /// So long a span at most.
  static let longest_ms: Int64 = 32 * 86_400_000
}

/// A record of the span, as far as a day needs it.
struct DayRecord: Equatable, Sendable {
  var queueID = RecordIdentity.noQueueID
  var time_ms: Int64
  var latitude: Double
  var longitude: Double
  var speed: Double?
  var isMoving: Bool?
  var event: String
  var extras: JSONValue?

  var hasPosition: Bool { latitude != 0 || longitude != 0 }
  var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
  var place: Coordinate? { hasPosition ? coordinate : nil }

  /// The trip that it belongs to.
  var trip: DayTrip.Key? {
    extras?["trip"]?.integer.map { DayTrip.Key(queueID: queueID, number: $0) }
  }

  /// A fix that was kept. One that the device itself does not believe is none, nor is an event's: it has the place of
  /// a fix that may be older than the event.
  var isTrack: Bool {
    guard hasPosition, extras?["jump"] != .bool(true) else { return false }
    return event.isEmpty || event == "motionchange"
  }
}

extension Day {
  /// - Parameters:
  ///   - records: those of the span, by time.
  ///   - trips: those that share an instant with it, and the last one before it.
  ///   - fixes: of trips that are under way or partly in the span, by time.
  init(
    device: String, from_ms: Int64, to_ms: Int64, records: [DayRecord], trips: [DayTrip],
    fixes: [DayTrip.Key: [DayRecord]] = [:], gaps: [StoredGap]
  ) {
    self.device = device
    (from, to) = (Timestamp.text(from_ms), Timestamp.text(to_ms))
    track = records.filter(\.isTrack).map(Point.init)
    let trips = trips.sorted { $0.begin_ms < $1.begin_ms }
    self.trips = trips.filter { $0.begin_ms < to_ms && max($0.begin_ms, $0.end_ms - 1) >= from_ms }
      .map { $0.shown(from_ms: from_ms, to_ms: to_ms, fixes: $0.key.flatMap { fixes[$0] } ?? []) }
    stops = Self.stops(between: trips, from_ms: from_ms, to_ms: to_ms)
    self.gaps = gaps.map { [from, to] in $0.part(from: from, to: to) }
    events = records.filter { !$0.event.isEmpty && $0.event != "gap" }.map { record in
      Event(
        event: record.event, timestamp: Timestamp.text(record.time_ms),
        latitude: record.hasPosition ? record.latitude : nil,
        longitude: record.hasPosition ? record.longitude : nil, extras: record.extras)
    }
    cut_at = records.count >= Day.most ? records.last.map { Timestamp.text($0.time_ms) } : nil
  }

  /// - Parameter trips: by their begin.
  private static func stops(between trips: [DayTrip], from_ms: Int64, to_ms: Int64) -> [Stop] {
    trips.indices.compactMap { index in
      let trip = trips[index]
      let next_ms = index + 1 < trips.count ? trips[index + 1].begin_ms : nil
      let (begin_ms, end_ms) = (max(trip.end_ms, from_ms), next_ms.map { min($0, to_ms) })
      guard !trip.isUnderWay, let place = trip.place, begin_ms < end_ms ?? to_ms else { return nil }
      let isCut = begin_ms != trip.end_ms || end_ms != next_ms
      return Stop(
        begin: Timestamp.text(begin_ms), end: end_ms.map(Timestamp.text), latitude: place.latitude,
        longitude: place.longitude,
        whole: isCut ? Whole(begin: Timestamp.text(trip.end_ms), end: next_ms.map(Timestamp.text)) : nil)
    }
  }
}

extension Day.Point {
  init(_ record: DayRecord) {
    self.init(
      time_ms: record.time_ms, latitude: record.latitude, longitude: record.longitude, speed: record.speed,
      trip: record.trip?.number)
  }
}

extension StoredGap {
  /// Times of one form sort as their texts do.
  fileprivate func part(from: String, to: String) -> StoredGap {
    var part = self
    (part.begin, part.end) = (max(begin, from), min(end, to))
    if (part.begin, part.end) != (begin, end) { part.whole = Day.Whole(begin: begin, end: end) }
    return part
  }
}
