import Foundation

/// Makes reports of the fleet from the tables that are kept as records come in.
struct Reports: Sendable {
  let store: any Storage
  let places: Places
  let scope: ReportScope
  /// Whose days are counted.
  let zone: TimeZone
  /// Only trips that begin or end outside of these hours of Monday to Friday; nil: all.
  var outside: WorkingHours?
  let now_ms: Int64

  init(
    store: any Storage, places: Places, scope: ReportScope, zone: TimeZone, outside: WorkingHours?,
    now_ms: Int64
  ) {
    (self.store, self.places, self.scope, self.zone) = (store, places, scope, zone)
    (self.outside, self.now_ms) = (outside, now_ms)
  }

  func table(_ kind: ReportTable.Kind) async throws -> ReportTable {
    switch kind {
    case .summary: try await summary()
    case .trips: try await trips()
    case .stops: try await stops()
    case .sites: try await sites()
    case .events: try await events()
    case .days: try await days()
    }
  }

  // MARK: Trips

  private func trips(withOneBefore: Bool) async throws -> [(device: String, trip: DayTrip)] {
    let all = try await store.trips(in: scope, withOneBefore: withOneBefore)
    guard let outside else { return all }
    return all.filter { !outside.contains($0.trip.begin_ms, zone) || !outside.contains($0.trip.end_ms, zone) }
  }

  private func trips() async throws -> ReportTable {
    let rows = try await trips(withOneBefore: false)
    return ReportTable(
      [
        "device", "begin", "end", "duration_s", "from", "to", "distance_m", "idle_s", "top_speed_mps",
        "state",
      ],
      rows.map { device, trip in
        let part = part(of: trip, scope.from_ms, scope.to_ms)
        return [
          .string(device), .time(trip.begin_ms), .time(trip.isOpen ? nil : trip.end_ms),
          .rounded(part.engine_s), name(trip.start), name(trip.place), .rounded(part.distance_m),
          .rounded(part.idle_s), .rounded(trip.topSpeed_mps),
          .string(trip.isTowed ? "towed" : trip.isOpen ? "open" : "ended"),
        ]
      })
  }

  private struct Part {
    var engine_s = 0.0
    var idle_s = 0.0
    var distance_m = 0.0
    var driving_s: Double { max(0, engine_s - idle_s) }
  }

  /// What of a trip lies in a span, by its share of the trip's time.
  private func part(of trip: DayTrip, _ from_ms: Int64, _ to_ms: Int64) -> Part {
    let inside_ms = min(trip.end_ms, to_ms) - max(trip.begin_ms, from_ms)
    let whole_ms = trip.end_ms - trip.begin_ms
    let share = whole_ms > 0 ? min(1, max(0, Double(inside_ms) / Double(whole_ms))) : 1
    return Part(
      engine_s: share * Double(whole_ms) / 1000, idle_s: share * (trip.idle_s ?? 0),
      distance_m: share * (trip.distance_m ?? 0))
  }

  /// A trip begins where the last one has ended: places are asked for once, to about ten metres.
  private struct Spot: Hashable {
    var latitude: Int
    var longitude: Int
  }
  private let names = Locked<[Spot: JSONValue]>([:])

  private func name(_ place: Coordinate?) -> JSONValue {
    guard let place else { return .null }
    let spot = Spot(latitude: Int(place.latitude * 10_000), longitude: Int(place.longitude * 10_000))
    return names.with { names in
      let found = names[spot] ?? .text(places.name(place)?.text)
      names[spot] = found
      return found
    }
  }

  // MARK: Sums

  private struct Sum {
    var trips = 0
    var part = Part()
    var first_ms: Int64?
    var last_ms: Int64?
    var top_mps: Double?

    mutating func add(_ trip: DayTrip, _ part: Part, from from_ms: Int64, to to_ms: Int64) {
      trips += 1
      self.part.engine_s += part.engine_s
      self.part.idle_s += part.idle_s
      self.part.distance_m += part.distance_m
      first_ms = min(first_ms ?? .max, max(trip.begin_ms, from_ms))
      last_ms = max(last_ms ?? .min, min(trip.end_ms, to_ms))
      top_mps = [top_mps, trip.topSpeed_mps].compactMap(\.self).max()
    }

    var cells: [JSONValue] {
      [
        .integer(Int64(trips)), .rounded(part.distance_m), .rounded(part.driving_s), .rounded(part.idle_s),
        .rounded(part.engine_s), .time(first_ms), .time(last_ms), .rounded(top_mps),
      ]
    }

    static let columns = [
      "trips", "distance_m", "driving_s", "idle_s", "engine_s", "first_start", "last_end", "top_speed_mps",
    ]
  }

  /// A row for each vehicle of the scope, also for one that did not drive.
  private func summary() async throws -> ReportTable {
    let names = try await store.names(in: scope)
    let trips = try await trips(withOneBefore: true)
    let stops = Dictionary(grouping: stops(between: trips), by: \.device).mapValues(\.count)
    var sums: [String: Sum] = [:]
    for (device, trip) in trips where trip.begin_ms < scope.to_ms && trip.end_ms >= scope.from_ms {
      let part = part(of: trip, scope.from_ms, scope.to_ms)
      sums[device, default: Sum()].add(trip, part, from: scope.from_ms, to: scope.to_ms)
    }
    return ReportTable(
      ["device"] + Sum.columns + ["stops"],
      names.map { [.string($0)] + (sums[$0] ?? Sum()).cells + [.integer(Int64(stops[$0] ?? 0))] })
  }

  /// A row for each vehicle and day with a trip; a trip over midnight has a part of both.
  private func days() async throws -> ReportTable {
    let days = days(from: scope.from_ms, to: scope.to_ms)
    var rows: [(device: String, day: Int, sum: Sum)] = []
    for (device, trip) in try await trips(withOneBefore: false) {
      // The last day that begins before the trip does, and those that it reaches.
      var day = max(0, (days.firstIndex { $0.lowerBound > trip.begin_ms } ?? days.count) - 1)
      while day < days.count, day == 0 || days[day].lowerBound < max(trip.end_ms, trip.begin_ms + 1) {
        let span = days[day]
        if trip.end_ms >= span.lowerBound {
          let part = part(of: trip, span.lowerBound, span.upperBound)
          if rows.last?.device != device || rows.last?.day != day { rows.append((device, day, Sum())) }
          rows[rows.count - 1].sum.add(trip, part, from: span.lowerBound, to: span.upperBound)
        }
        day += 1
      }
    }
    return ReportTable(
      ["day", "device"] + Sum.columns + ["share_percent"],
      rows.map { row in
        let span = days[row.day]
        let length_s = Double(span.upperBound - span.lowerBound) / 1000
        return [.string(dayText(span.lowerBound)), .string(row.device)] + row.sum.cells
          + [.rounded(row.sum.part.engine_s / length_s * 100)]
      })
  }

  /// Days with a change of the clock have 23 or 25 hours.
  private func days(from from_ms: Int64, to to_ms: Int64) -> [Range<Int64>] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    var days: [Range<Int64>] = []
    var begin_ms = from_ms
    while begin_ms < to_ms {
      let date = Date(timeIntervalSince1970: Double(begin_ms) / 1000)
      let next = calendar.date(byAdding: .day, value: 1, to: calendar.startOfDay(for: date)) ?? date
      let next_ms = max(begin_ms + 1, Int64(next.timeIntervalSince1970 * 1000))
      days.append(begin_ms..<min(next_ms, to_ms))
      begin_ms = next_ms
    }
    return days
  }

  private func dayText(_ time_ms: Int64) -> String {
    let offset_s = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time_ms) / 1000))
    return String(Timestamp.text(time_ms + Int64(offset_s) * 1000).prefix(10))
  }

  // MARK: Stops

  private struct Stop {
    var device: String
    var begin_ms: Int64
    var end_ms: Int64?
    var place: Coordinate?
  }

  /// Between two trips of a vehicle, as far as they share an instant with the span.
  private func stops(between trips: [(device: String, trip: DayTrip)]) -> [Stop] {
    trips.indices.compactMap { index in
      let (device, trip) = trips[index]
      let next = index + 1 < trips.count ? trips[index + 1] : nil
      let end_ms = next?.device == device ? next?.trip.begin_ms : nil
      guard !trip.isOpen || end_ms != nil, trip.end_ms < scope.to_ms, trip.end_ms < end_ms ?? .max,
        end_ms ?? .max > scope.from_ms
      else { return nil }
      return Stop(device: device, begin_ms: trip.end_ms, end_ms: end_ms, place: trip.place)
    }
  }

  private func stops() async throws -> ReportTable {
    // What lies outside of hours is a question about trips.
    let found = stops(between: try await store.trips(in: scope, withOneBefore: true))
    return ReportTable(
      ["device", "place", "begin", "end", "duration_s", "latitude", "longitude"],
      found.map { stop in
        [
          .string(stop.device), name(stop.place), .time(stop.begin_ms), .time(stop.end_ms),
          duration(stop.begin_ms, stop.end_ms), .degrees(stop.place?.latitude),
          .degrees(stop.place?.longitude),
        ]
      })
  }

  /// Within the span, and until now for what goes on.
  private func duration(_ begin_ms: Int64, _ end_ms: Int64?) -> JSONValue {
    let last_ms = min(end_ms ?? now_ms, scope.to_ms)
    return .rounded(Double(max(0, last_ms - max(begin_ms, scope.from_ms))) / 1000)
  }

  // MARK: Events

  private func sites() async throws -> ReportTable {
    ReportTable(
      ["geofence", "device", "entered", "left", "duration_s"],
      try await store.visits(in: scope).map { visit in
        [
          .string(visit.name), .string(visit.device), .time(visit.time_ms), .time(visit.end_ms),
          duration(visit.time_ms, visit.end_ms),
        ]
      })
  }

  private func events() async throws -> ReportTable {
    ReportTable(
      ["time", "device", "event", "name", "detail", "place", "latitude", "longitude"],
      try await store.events(in: scope).map { event in
        [
          .time(event.time_ms), .string(event.device), .string(event.event), .string(event.name),
          .string(event.action), name(event.place), .degrees(event.place?.latitude),
          .degrees(event.place?.longitude),
        ]
      })
  }
}
