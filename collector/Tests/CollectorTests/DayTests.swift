import Foundation
import Testing

@testable import Collector

@Suite("A vehicle's day")
struct DayTests {
  private static func time(_ clock: String) -> String { "2026-01-01T\(clock):00.000Z" }
  private static func ms(_ clock: String) -> Int64 { Timestamp.milliseconds(time(clock)) ?? 0 }

  private func fix(_ sequence: UInt64, _ clock: String, _ longitude: String, trip: Int = 1) -> String {
    record(uuid(sequence), time: Self.time(clock), longitude: longitude)
      .replacing(#""extras":"""#, with: #""extras":"{\"trip\":\#(trip)}""#)
  }

  private func event(
    _ sequence: UInt64, _ name: String, _ clock: String, _ extras: String, longitude: String = "8.5"
  )
    -> String
  {
    record(uuid(sequence), time: Self.time(clock), longitude: longitude, event: name)
      .replacing(#""extras":"""#, with: #""extras":"\#(extras.replacing("\"", with: "\\\""))""#)
  }

  private func trip(
    _ sequence: UInt64, _ number: Int, _ begin: String, _ end: String, made: String, longitude: String
  )
    -> String
  {
    event(
      sequence, "trip", made,
      #"{"trip":\#(number),"start_ms":\#(Self.ms(begin)),"end_ms":\#(Self.ms(end)),"distance_m":1200.5,"idle_s":30,"#
        + #""top_speed_mps":13.9,"end_cause":"stayed"}"#, longitude: longitude)
  }

  private func day() -> String {
    body([
      fix(1, "08:00", "8.1"), fix(2, "08:10", "8.2"),
      trip(3, 1, "08:00", "08:10", made: "08:15", longitude: "8.2"),
      event(4, "geofence", "08:11", #"{"action":"ENTER","geofence":"depot"}"#, longitude: "8.2"),
      event(
        5, "gap", "09:00",
        #"{"cause":"parked","begin_ms":\#(Self.ms("08:10")),"end_ms":\#(Self.ms("09:00"))}"#),
      fix(6, "09:00", "8.2", trip: 2), fix(7, "09:30", "8.4", trip: 2),
      trip(8, 2, "09:00", "09:30", made: "09:35", longitude: "8.4"),
      event(9, "warning", "09:40", #"{"warning":"gps_lost","cause":"no_sky"}"#),
    ])
  }

  private struct Shown: Decodable {
    struct Span: Decodable {
      var begin: String?, end: String?, distance_m: Double?, longitude: Double?, cause: String?
      var trip: Int?, top_speed: Double?, idle_s: Double?, under_way: Bool?, whole: Whole?
    }
    struct Whole: Decodable { var begin: String?, end: String?, distance_m: Double? }
    struct Event: Decodable { var event: String, longitude: Double? }

    var track: [[Double?]]
    var trips: [Span]
    var stops: [Span]
    var gaps: [Span]
    var events: [Event]
    var cut_at: String?
  }

  private func ask(_ from: String, _ to: String) async throws -> Shown {
    try await withCollectorAnswer { client in
      _ = try await client.post(day())
      return try await shown(client, from, to)
    }
  }

  private func shown(_ client: TestClient, _ from: String, _ to: String) async throws -> Shown {
    try await client.get("/v1/devices/van-7/day?from=\(Self.time(from))&to=\(Self.time(to))")
      .decoded(Shown.self)
  }

  private func withCollectorAnswer<Value: Sendable>(
    _ body: @escaping @Sendable (TestClient) async throws -> Value
  ) async throws -> Value {
    let result = Locked<Value?>(nil)
    try await withCollector { client, _ in
      let value = try await body(client)
      result.with { $0 = value }
    }
    return try #require(result.with { $0 })
  }

  @Test("has its track by trips, the trips, the stops between them, gaps and events")
  func whole() async throws {
    let day = try await ask("00:00", "23:00")
    #expect(day.track.map { $0[2] } == [8.1, 8.2, 8.2, 8.4])
    #expect(day.track.map { $0[4] } == [1, 1, 2, 2])
    #expect(day.track[0] == [Double(Self.ms("08:00")), 59.3293, 8.1, 12.5, 1])
    #expect(day.trips.map(\.begin) == [Self.time("08:00"), Self.time("09:00")])
    #expect(day.trips.map(\.distance_m) == [1200.5, 1200.5])
    #expect(day.stops.map(\.begin) == [Self.time("08:10"), Self.time("09:30")])
    #expect(day.stops.map(\.end) == [Self.time("09:00"), nil])
    #expect(day.stops.map(\.longitude) == [8.2, 8.4])
    #expect(day.gaps.map(\.cause) == ["parked"])
    #expect(day.events.map(\.event) == ["geofence", "trip", "trip", "warning"])
    #expect(day.cut_at == nil)
  }

  @Test("a span within a trip has the trip, whose record comes later, and none of the other")
  func within() async throws {
    let day = try await ask("09:10", "09:20")
    #expect(day.track.isEmpty && day.stops.isEmpty)
    #expect(day.trips.map(\.begin) == [Self.time("09:10")] && day.trips.map(\.end) == [Self.time("09:20")])
    #expect(day.trips.map(\.whole?.begin) == [Self.time("09:00")])
    #expect(day.trips.map(\.whole?.distance_m) == [1200.5])
  }

  @Test("a stop that began before the span is known from the trip before it")
  func before() async throws {
    let day = try await ask("10:00", "11:00")
    #expect(day.trips.isEmpty)
    #expect(day.stops.map(\.begin) == [Self.time("10:00")])
    #expect(day.stops.map(\.whole?.begin) == [Self.time("09:30")])
    #expect(day.stops.map(\.longitude) == [8.4])
  }

  @Test("a fix that the device itself does not believe is no part of the track")
  func jump() {
    let record = DayRecord(
      time_ms: 1, latitude: 47, longitude: 8, event: "", extras: .object(["jump": .bool(true)]))
    let day = Day(device: "a", from_ms: 0, to_ms: 2, records: [record], trips: [], gaps: [])
    #expect(day.track.isEmpty)
  }

  @Test(
    "what is no summary of a trip is none",
    arguments: [
      nil, "{}", #"{"start_ms":5,"end_ms":4}"#, "[1]", #"{"start_ms":-9223372036854775808,"end_ms":4}"#,
      #"{"start_ms":5,"end_ms":9223372036854775807}"#, #"{"start_ms":5,"end_ms":253402300800000}"#,
    ])
  func notSummary(text: String?) {
    let record = DayRecord(
      time_ms: 1, latitude: 47, longitude: 8, event: "trip", extras: JSONValue(text: text))
    #expect(DayTrip(record) == nil)
  }

  @Test(
    "a request says what is wrong with it",
    arguments: [
      ("", 400, "the request needs `from` and `to`, RFC 3339 dates and times"),
      ("?from=yesterday&to=now", 400, "`from` must be an RFC 3339 date and time, with + as %2B"),
      (
        "?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", 400,
        "`to` must be later than `from`, by 32 days at most"
      ),
      (
        "?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z", 400,
        "`to` must be later than `from`, by 32 days at most"
      ),
      ("?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z", 404, "no such device: van-9"),
    ])
  func wrong(query: String, status: Int, words: String) async throws {
    try await withCollector { client, _ in
      let answer = try await client.get("/v1/devices/van-9/day\(query)")
      #expect(answer.status == status && answer.text == #"{"error":"\#(words)"}"#)
    }
  }
}
