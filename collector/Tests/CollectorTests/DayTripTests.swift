import Testing

@testable import Collector

@Suite("Trips that are under way, and parts of trips")
struct DayTripTests {
  private struct Shown: Decodable {
    struct Whole: Decodable, Equatable { var begin: String?, end: String?, distance_m: Double? }
    struct Span: Decodable {
      var trip: Int?, begin: String?, end: String?, distance_m: Double?, idle_s: Double?, top_speed: Double?
      var under_way: Bool?, longitude: Double?, cause: String?, whole: Whole?
    }

    var trips: [Span]
    var stops: [Span]
    var gaps: [Span]
  }

  /// A degree of longitude at the equator.
  private static let degree_m = 111_195.08

  /// Of 2026-01-01 or 2026-01-02: `2 00:10`.
  private static func time(_ clock: String) -> String {
    let parts = clock.split(separator: " ")
    return "2026-01-0\(parts[0])T\(parts[1]):00.000Z"
  }
  private static func ms(_ clock: String) -> Int64 { Timestamp.milliseconds(time(clock)) ?? 0 }

  /// At the equator; as the agent sends it: a motion change with the trip's number, then its fixes.
  private func fix(
    _ number: UInt64, _ clock: String, _ longitude: String, trip: Int, event: String = "",
    isMoving: Bool = true, queue: UInt64 = 7
  ) -> String {
    record(
      uuid(queue: queue, number), time: Self.time(clock), latitude: "0", longitude: longitude,
      isMoving: isMoving,
      event: event
    ).replacing(#""extras":"""#, with: #""extras":"{\"trip\":\#(trip)}""#)
  }

  private func summary(
    _ number: UInt64, _ trip: Int, _ begin: String, _ end: String, metres: Double, queue: UInt64 = 7
  ) -> String {
    let extras =
      #"{\"trip\":\#(trip),\"start_ms\":\#(Self.ms(begin)),\"end_ms\":\#(Self.ms(end)),\"distance_m\":\#(metres),"#
      + #"\"idle_s\":60,\"top_speed_mps\":30.5,\"end_cause\":\"stayed\"}"#
    return record(
      uuid(queue: queue, number), time: Self.time(end), latitude: "0", longitude: "8.4", isMoving: false,
      event: "trip"
    ).replacing(#""extras":"""#, with: #""extras":"\#(extras)""#)
  }

  private func withDays(
    _ records: [String],
    _ check: @Sendable (@Sendable (String, String) async throws -> Shown) async throws -> Void
  ) async throws {
    try await withCollector { client, _ in
      #expect(try await client.post(body(records)).status == 200)
      try await check { from, to in
        try await client.get("/v1/devices/van-7/day?from=\(Self.time(from))&to=\(Self.time(to))").decoded()
      }
    }
  }

  /// One trip is over, the next one is under way.
  private var underWay: [String] {
    [
      fix(1, "1 08:00", "8.1", trip: 1), summary(2, 1, "1 08:00", "1 08:10", metres: 900),
      fix(3, "1 09:00", "8.2", trip: 2, event: "motionchange"), fix(4, "1 09:10", "8.3", trip: 2),
    ]
  }

  @Test("a trip that is under way is a trip with its metres so far, and no stop")
  func going() async throws {
    try await withDays(underWay) { day in
      let found = try await day("1 00:00", "2 00:00")
      #expect(found.trips.map(\.trip) == [1, 2] && found.trips.map(\.under_way) == [nil, true])
      let last = try #require(found.trips.last)
      #expect(last.begin == Self.time("1 09:00") && last.end == Self.time("1 09:10") && last.whole == nil)
      #expect(abs((last.distance_m ?? 0) - Self.degree_m / 10) < 1)
      #expect(last.top_speed == 12.5)
      #expect(found.stops.map(\.begin) == [Self.time("1 08:10")])
      #expect(found.stops.map(\.end) == [Self.time("1 09:00")])
    }
  }

  @Test("it is one trip when its record comes, with what the record says")
  func ended() async throws {
    try await withDays(underWay + [summary(5, 2, "1 09:00", "1 09:20", metres: 12_000)]) { day in
      let found = try await day("1 00:00", "2 00:00")
      #expect(found.trips.map(\.trip) == [1, 2] && found.trips.map(\.distance_m) == [900, 12_000])
      #expect(found.trips.allSatisfy { $0.under_way == nil && $0.idle_s == 60 })
      #expect(found.stops.map(\.begin) == [Self.time("1 08:10"), Self.time("1 09:20")])
    }
  }

  @Test("a trip whose record never comes ends with its last fix once the vehicle stands")
  func withoutRecord() async throws {
    let parked = fix(5, "1 09:15", "8.3", trip: 2, event: "motionchange", isMoving: false)
    try await withDays(underWay + [parked]) { day in
      let found = try await day("1 00:00", "2 00:00")
      #expect(found.trips.map(\.under_way) == [nil, nil])
      #expect(found.stops.last?.begin == Self.time("1 09:15") && found.stops.last?.end == nil)
    }
  }

  @Test("a trip of a new queue is not the one of an older queue that has its number")
  func anotherQueue() async throws {
    try await withDays(underWay + [fix(1, "1 10:00", "8.5", trip: 1, queue: 8)]) { day in
      let found = try await day("1 00:00", "2 00:00")
      #expect(found.trips.map(\.trip) == [1, 2, 1] && found.trips.map(\.under_way) == [nil, nil, true])
    }
  }

  @Test("a day on which nothing has come of a trip that began before it has no stop")
  func silent() async throws {
    try await withDays(underWay) { day in
      let found = try await day("2 00:00", "2 12:00")
      #expect(found.trips.isEmpty && found.stops.isEmpty)
    }
  }

  /// 23:30 to 00:10; a quarter of the way is after midnight.
  private var overnight: [String] {
    [
      fix(1, "1 23:30", "8.0", trip: 3, event: "motionchange"), fix(2, "1 23:50", "8.2", trip: 3),
      fix(3, "2 00:10", "8.4", trip: 3), summary(4, 3, "1 23:30", "2 00:10", metres: 50_000),
    ]
  }

  @Test("a trip over midnight has on each day what was driven there, and the parts add up")
  func midnight() async throws {
    try await withDays(overnight) { day in
      let (first, second) = (try await day("1 00:00", "2 00:00"), try await day("2 00:00", "2 12:00"))
      let parts = try [#require(first.trips.first), #require(second.trips.first)]
      #expect(parts.map(\.begin) == [Self.time("1 23:30"), Self.time("2 00:00")])
      #expect(parts.map(\.end) == [Self.time("2 00:00"), Self.time("2 00:10")])
      #expect(parts.map(\.distance_m) == [37_500, 12_500])
      let whole = Shown.Whole(begin: Self.time("1 23:30"), end: Self.time("2 00:10"), distance_m: 50_000)
      #expect(parts.map(\.whole) == [whole, whole])
      #expect(parts.allSatisfy { $0.idle_s == nil && $0.top_speed == 12.5 })
    }
  }

  @Test("a trip over midnight that is under way has on each day what was driven there")
  func midnightUnderWay() async throws {
    try await withDays(Array(overnight.dropLast())) { day in
      let (first, second) = (try await day("1 00:00", "2 00:00"), try await day("2 00:00", "2 12:00"))
      for (trip, degrees) in [(first.trips.first, 0.3), (second.trips.first, 0.1)] {
        #expect(abs((trip?.distance_m ?? 0) - degrees * Self.degree_m) < 1)
        #expect(
          trip?.under_way == true && trip?.whole?.begin == Self.time("1 23:30") && trip?.whole?.end == nil)
      }
      #expect(second.trips.first?.begin == Self.time("2 00:00"))
    }
  }

  @Test("a trip that ended at midnight is no trip of the next day")
  func atMidnight() async throws {
    try await withDays([summary(1, 1, "1 23:30", "2 00:00", metres: 500)]) { day in
      let (first, second) = (try await day("1 00:00", "2 00:00"), try await day("2 00:00", "2 12:00"))
      #expect(second.trips.isEmpty)
      #expect(first.trips.map(\.distance_m) == [500] && first.trips.first?.whole == nil)
    }
  }

  @Test("a trip without a track is divided by its time")
  func withoutTrack() async throws {
    try await withDays([summary(1, 1, "1 23:30", "2 00:10", metres: 800)]) { day in
      let (first, second) = (try await day("1 00:00", "2 00:00"), try await day("2 00:00", "2 12:00"))
      #expect(first.trips.map(\.distance_m) == [600] && second.trips.map(\.distance_m) == [200])
    }
  }

  @Test("a stop and a gap over midnight have their part of each day")
  func stopOverMidnight() async throws {
    let gap = record(uuid(9), time: Self.time("2 06:00"), latitude: "0", longitude: "0", event: "gap")
      .replacing(
        #""extras":"""#,
        with:
          #""extras":"{\"cause\":\"parked\",\"begin_ms\":\#(Self.ms("1 18:00")),\"end_ms\":\#(Self.ms("2 06:00"))}""#
      )
    let records = [
      summary(1, 1, "1 17:00", "1 18:00", metres: 900), summary(2, 2, "2 06:00", "2 06:30", metres: 900), gap,
    ]
    try await withDays(records) { day in
      for (from, to, begin, end) in [
        ("1 00:00", "2 00:00", "1 18:00", "2 00:00"), ("2 00:00", "2 06:10", "2 00:00", "2 06:00"),
      ] {
        let found = try await day(from, to)
        for part in [found.stops.first, found.gaps.first] {
          #expect(part?.begin == Self.time(begin) && part?.end == Self.time(end))
          #expect(part?.whole?.begin == Self.time("1 18:00") && part?.whole?.end == Self.time("2 06:00"))
        }
      }
    }
  }
}
