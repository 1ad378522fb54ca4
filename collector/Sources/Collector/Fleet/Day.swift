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

  struct Trip: Encodable, Equatable, Sendable {
    var trip: Int64?
    var begin: String
    var end: String
    var distance_m: Double?
    var idle_s: Double?
    var top_speed: Double?
    var end_cause: String?
    var towed: Bool?
  }

  /// Between two trips, where the vehicle was then.
  struct Stop: Encodable, Equatable, Sendable {
    /// Left out where it began before anything is known.
    var begin: String?
    /// Left out while it goes on, as far as is known.
    var end: String?
    var latitude: Double
    var longitude: Double
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
  var time_ms: Int64
  var latitude: Double
  var longitude: Double
  var speed: Double?
  var event: String
  var extras: JSONValue?

  var hasPosition: Bool { latitude != 0 || longitude != 0 }
}

/// A summary of a trip, as its record has it.
struct TripSummary: Equatable, Sendable {
  var number: Int64?
  var begin_ms: Int64
  var end_ms: Int64
  var extras: JSONValue
  /// Of the record: where the vehicle came to stand. Nil where it has none.
  var place: (latitude: Double, longitude: Double)?

  /// Nil for what is no summary: a record is kept as it was sent.
  init?(_ record: DayRecord) {
    guard record.event == "trip", let extras = record.extras,
      let begin_ms = extras["start_ms"]?.integer, let end_ms = extras["end_ms"]?.integer, begin_ms <= end_ms,
      Timestamp.isReadable(begin_ms), Timestamp.isReadable(end_ms)
    else { return nil }
    (self.begin_ms, self.end_ms, self.extras) = (begin_ms, end_ms, extras)
    number = extras["trip"]?.integer
    place = record.hasPosition ? (record.latitude, record.longitude) : nil
  }

  static func == (one: TripSummary, other: TripSummary) -> Bool {
    one.number == other.number && one.begin_ms == other.begin_ms && one.end_ms == other.end_ms
      && one.extras == other.extras
  }

  var shown: Day.Trip {
    Day.Trip(
      trip: number, begin: Timestamp.text(begin_ms), end: Timestamp.text(end_ms),
      distance_m: extras["distance_m"]?.double, idle_s: extras["idle_s"]?.double,
      top_speed: extras["top_speed_mps"]?.double, end_cause: extras["end_cause"]?.string,
      towed: extras["towed"] == .bool(true) ? true : nil)
  }
}

extension Day {
  /// - Parameters:
  ///   - records: those of the span, by time.
  ///   - trips: those that share an instant with it, and the last one before it, by their begin.
  init(
    device: String, from_ms: Int64, to_ms: Int64, records: [DayRecord], trips: [TripSummary],
    gaps: [StoredGap]
  ) {
    self.device = device
    (from, to) = (Timestamp.text(from_ms), Timestamp.text(to_ms))
    track = records.filter(Self.isTrack).map { record in
      Point(
        time_ms: record.time_ms, latitude: record.latitude, longitude: record.longitude, speed: record.speed,
        trip: record.extras?["trip"]?.integer)
    }
    self.trips = trips.filter { $0.end_ms >= from_ms && $0.begin_ms <= to_ms }.map(\.shown)
    stops = Self.stops(between: trips, from_ms: from_ms, to_ms: to_ms)
    self.gaps = gaps
    events = records.filter { !$0.event.isEmpty && $0.event != "gap" }.map { record in
      Event(
        event: record.event, timestamp: Timestamp.text(record.time_ms),
        latitude: record.hasPosition ? record.latitude : nil,
        longitude: record.hasPosition ? record.longitude : nil, extras: record.extras)
    }
    cut_at = records.count >= Day.most ? records.last.map { Timestamp.text($0.time_ms) } : nil
  }

  /// A fix that was kept. One that the device itself does not believe is none, nor is an event's: it has the place of
  /// a fix that may be older than the event.
  private static func isTrack(_ record: DayRecord) -> Bool {
    guard record.hasPosition, record.extras?["jump"] != .bool(true) else { return false }
    return record.event.isEmpty || record.event == "motionchange"
  }

  private static func stops(between trips: [TripSummary], from_ms: Int64, to_ms: Int64) -> [Stop] {
    trips.indices.compactMap { index in
      let trip = trips[index]
      let next_ms = index + 1 < trips.count ? trips[index + 1].begin_ms : nil
      guard let place = trip.place, trip.end_ms < to_ms, next_ms ?? .max > from_ms else { return nil }
      return Stop(
        begin: Timestamp.text(trip.end_ms), end: next_ms.map(Timestamp.text), latitude: place.latitude,
        longitude: place.longitude)
    }
  }
}
