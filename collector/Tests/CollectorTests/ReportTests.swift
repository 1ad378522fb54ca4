import Foundation
import Testing

@testable import Collector

@Suite("Reports")
struct ReportTests {
  private struct Table: Decodable {
    var columns: [String]
    var rows: [[JSONValue]]
    var sums: [JSONValue]

    /// Of each row, the cells of some columns as texts.
    func cells(_ names: String...) -> [String] {
      rows.map { row in
        names.map { name in
          let value = columns.firstIndex(of: name).map { row[$0] } ?? .null
          return value.string ?? (value == .null ? "–" : value.text)
        }.joined(separator: " ")
      }
    }

    func sum(_ name: String) -> Double? { columns.firstIndex(of: name).flatMap { sums[$0].double } }
  }

  /// Of 2026-01-01 or 2026-01-02: `2 00:10`.
  private static func time(_ clock: String) -> String {
    let parts = clock.split(separator: " ")
    return "2026-01-0\(parts[0])T\(parts[1]):00.000Z"
  }
  private static func ms(_ clock: String) -> Int64 { Timestamp.milliseconds(time(clock)) ?? 0 }

  private func fix(
    _ number: UInt64, _ clock: String, _ longitude: String, trip: Int, isMoving: Bool = true
  ) -> String {
    record(
      uuid(queue: 7, number), time: Self.time(clock), latitude: "0", longitude: longitude, isMoving: isMoving,
      extra: ""
    ).replacing(#""extras":"""#, with: #""extras":"{\"trip\":\#(trip)}""#)
  }

  private func summary(
    _ number: UInt64, _ trip: Int, _ begin: String, _ end: String, metres: Int, longitude: String = "8.4"
  ) -> String {
    let extras =
      #"{\"trip\":\#(trip),\"start_ms\":\#(Self.ms(begin)),\"end_ms\":\#(Self.ms(end)),\"distance_m\":\#(metres),"#
      + #"\"idle_s\":60,\"top_speed_mps\":30.5,\"end_cause\":\"stayed\"}"#
    return record(
      uuid(queue: 7, number), time: Self.time(end), latitude: "0", longitude: longitude, isMoving: false,
      event: "trip"
    ).replacing(#""extras":"""#, with: #""extras":"\#(extras)""#)
  }

  private func visit(_ number: UInt64, _ action: String, _ clock: String, _ name: String = "depot") -> String
  {
    record(uuid(queue: 7, number), time: Self.time(clock), event: "geofence")
      .replacing(#""extras":"""#, with: #""extras":"{\"action\":\"\#(action)\",\"geofence\":\"\#(name)\"}""#)
  }

  private static let day = "from=\(time("1 00:00"))&to=\(time("2 00:00"))"

  private func withReports(
    _ bodies: [[String]],
    _ check: @Sendable (@Sendable (String) async throws -> Table) async throws -> Void
  ) async throws {
    try await withCollector { client, _ in
      for records in bodies { #expect(try await client.post(body(records)).status == 200) }
      try await check { try await client.get("/v1/reports/\($0)").decoded(Table.self) }
    }
  }

  @Test(
    "the summary has each vehicle's kilometres, hours, trips and stops, with sums; also one that did not drive"
  )
  func summaries() async throws {
    let trips = [
      summary(1, 1, "1 08:00", "1 08:10", metres: 900), summary(2, 2, "1 09:00", "1 09:30", metres: 12_000),
    ]
    try await withCollector { client, _ in
      _ = try await client.post(body(trips))
      _ = try await client.post(body([]), device: "van-8")
      let table = try await client.get("/v1/reports/summary?\(Self.day)").decoded(Table.self)
      #expect(
        table.cells(
          "device", "trips", "distance_m", "driving_s", "idle_s", "engine_s", "stops", "first_start")
          == [
            "van-7 2 12900 2280 120 2400 2 \(Self.time("1 08:00"))", "van-8 0 0 0 0 0 0 –",
          ])
      #expect(table.sum("distance_m") == 12_900 && table.sum("trips") == 2 && table.sum("first_start") == nil)
    }
  }

  @Test("a report is about a group, or about single vehicles")
  func scope() async throws {
    try await withCollector { client, _ in
      for device in ["a", "b, c", "d"] { _ = try await client.post(body([]), device: device) }
      _ = try await client.put("/v1/devices/a/groups", #"{"groups":["north"]}"#)
      func devices(_ query: String) async throws -> [String] {
        try await client.get("/v1/reports/summary?\(Self.day)&\(query)").decoded(Table.self).cells("device")
      }
      #expect(try await devices("group=north") == ["a"])
      #expect(try await devices("device=b,%20c&device=d") == ["b, c", "d"])
      #expect(try await devices("group=south").isEmpty)
    }
  }

  @Test("a trip over midnight has its share of each day, by time")
  func midnight() async throws {
    try await withReports([[summary(1, 1, "1 23:30", "2 00:10", metres: 800)]]) { report in
      let span = "from=\(Self.time("1 00:00"))&to=\(Self.time("3 00:00"))"
      let days = try await report("days?\(span)")
      #expect(
        days.cells("day", "distance_m", "engine_s")
          == ["2026-01-01 600 1800", "2026-01-02 200 600"])
      #expect(days.sum("distance_m") == 800)
      // An hour to the east it is all of the second day.
      let east = try await report("days?\(span)&zone=Europe/Zurich")
      #expect(east.cells("day", "distance_m") == ["2026-01-02 800"])
      #expect(try await report("summary?\(Self.day)").cells("distance_m") == ["600"])
    }
  }

  @Test("a trip that is under way is in the report with its metres so far, in whatever order its fixes come")
  func underWay() async throws {
    let fixes = [
      fix(1, "1 09:00", "8.0", trip: 2), fix(2, "1 09:10", "8.1", trip: 2), fix(3, "1 09:20", "8.2", trip: 2),
    ]
    for order in [[[0, 1, 2]], [[0], [1], [2]], [[2], [0, 1]], [[0, 2], [1]]] {
      try await withReports(order.map { $0.map { fixes[$0] } }) { report in
        let trips = try await report("trips?\(Self.day)")
        #expect(trips.cells("begin", "end", "state") == ["\(Self.time("1 09:00")) – open"], "\(order)")
        let metres = try #require(trips.sum("distance_m"))
        #expect(abs(metres - 0.2 * Coordinate.degree_m) < 1, "\(order)")
      }
    }
  }

  @Test(
    "trips outside of working hours are those that begin or end then, at weekends all; 2026-01-01 is a Thursday"
  )
  func outside() async throws {
    let trips = [
      summary(1, 1, "1 08:00", "1 09:00", metres: 1), summary(2, 2, "1 17:50", "1 18:10", metres: 2),
      summary(3, 3, "3 08:00", "3 09:00", metres: 4),
    ]
    try await withReports([trips]) { report in
      let span = "from=\(Self.time("1 00:00"))&to=\(Self.time("4 00:00"))"
      #expect(try await report("trips?\(span)&outside=06:00-18:00").cells("distance_m") == ["2", "4"])
      // An hour to the east the first two are an hour later.
      let east = try await report("trips?\(span)&outside=06:00-19:30&zone=Europe/Zurich")
      #expect(east.cells("distance_m") == ["4"])
    }
  }

  @Test("its record takes the place of what was added up, and late fixes change nothing")
  func ended() async throws {
    let record = summary(4, 2, "1 09:00", "1 09:30", metres: 5000)
    try await withReports([
      [fix(1, "1 09:00", "8.0", trip: 2)], [record], [fix(2, "1 09:10", "8.1", trip: 2)],
    ]) {
      report in
      let trips = try await report("trips?\(Self.day)")
      #expect(trips.cells("distance_m", "duration_s", "state") == ["5000 1800 ended"])
    }
  }

  @Test("a stop is between two trips, also one that began before the span, and the last one goes on")
  func stops() async throws {
    let trips = [
      summary(1, 1, "1 08:00", "1 09:00", metres: 900, longitude: "8.1"),
      summary(2, 2, "2 06:00", "2 07:00", metres: 900),
    ]
    try await withReports([trips]) { report in
      let span = "from=\(Self.time("2 00:00"))&to=\(Self.time("2 08:00"))"
      let stops = try await report("stops?\(span)")
      #expect(
        stops.cells("begin", "end", "longitude") == [
          "\(Self.time("1 09:00")) \(Self.time("2 06:00")) 8.1", "\(Self.time("2 07:00")) – 8.4",
        ])
      #expect(stops.cells("duration_s").first == "21600", "only what lies in the span counts")
    }
  }

  @Test(
    "a visit ends with the EXIT after it, in whatever order both come; without one, with the next ENTER",
    arguments: [[[0, 1, 2]], [[1], [0], [2]], [[2, 1, 0]], [[2], [1], [0]]])
  func visits(order: [[Int]]) async throws {
    let events = [visit(1, "ENTER", "1 08:00"), visit(2, "EXIT", "1 09:00"), visit(3, "ENTER", "1 10:00")]
    try await withReports(order.map { $0.map { events[$0] } }) { report in
      let sites = try await report("sites?\(Self.day)")
      #expect(
        sites.cells("geofence", "device", "entered", "left") == [
          "depot van-7 \(Self.time("1 08:00")) \(Self.time("1 09:00"))",
          "depot van-7 \(Self.time("1 10:00")) –",
        ])
      #expect(sites.cells("duration_s").first == "3600")
    }
  }

  @Test(
    "a second ENTER of the same geofence without an EXIT ends the first visit; others have visits of their own"
  )
  func visitsWithoutExit() async throws {
    let events = [
      visit(1, "ENTER", "1 08:00"), visit(2, "ENTER", "1 09:00"), visit(3, "ENTER", "1 08:30", "yard"),
    ]
    try await withReports([events]) { report in
      let sites = try await report("sites?\(Self.day)")
      #expect(
        sites.cells("geofence", "entered", "left") == [
          "depot \(Self.time("1 08:00")) \(Self.time("1 09:00"))", "yard \(Self.time("1 08:30")) –",
          "depot \(Self.time("1 09:00")) –",
        ])
    }
  }

  @Test("a file has local times, sums nothing, and takes no formula from a device's name")
  func csv() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(
        body([summary(1, 1, "1 08:00", "1 08:10", metres: 900)]), device: "=1+1,\"x\"")
      let answer = try await client.get("/v1/reports/trips.csv?\(Self.day)&zone=Europe/Zurich")
      #expect(answer.headers[.contentType] == "text/csv; charset=utf-8; header=present")
      #expect(answer.headers[.contentDisposition]?.contains("trips.csv") == true)
      let lines = answer.text.split(separator: "\r\n")
      #expect(lines.first == "device,begin,end,duration_s,from,to,distance_m,idle_s,top_speed_mps,state")
      #expect(
        lines.dropFirst() == [
          "\"'=1+1,\"\"x\"\"\",2026-01-01 09:00:00,2026-01-01 09:10:00,600,,,900,60,30.5,ended"
        ])
    }
  }

  @Test(
    "mistakes are named",
    arguments: [
      ("trip?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z", 404, "there is no such report"),
      ("trips?from=2026-01-01T00:00:00Z", 400, "needs `from` and `to`"),
      ("trips?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", 400, "`to` must be later"),
      (
        "trips?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&outside=6-18", 400, "`outside` must be hours"
      ),
      ("days?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&zone=Mars", 400, "`zone` is no time zone"),
    ])
  func mistakes(query: String, status: Int, words: String) async throws {
    try await withCollector { client, _ in
      let answer = try await client.get("/v1/reports/\(query)")
      #expect(answer.status == status && answer.text.contains(words), "\(answer.text)")
    }
  }

  @Test("what a report has goes with the records: on request, and after their days")
  func deleted() async throws {
    try await withCollector { client, store in
      let records = [summary(1, 1, "1 08:00", "1 08:10", metres: 900), visit(2, "ENTER", "1 08:00")]
      for device in ["van-7", "van-8"] { _ = try await client.post(body(records), device: device) }
      _ = try await client.delete("/v1/devices/van-7/history")
      for report in ["trips", "sites", "events"] {
        let table = try await client.get("/v1/reports/\(report)?\(Self.day)").decoded(Table.self)
        #expect(table.cells("device") == ["van-8"], "\(report)")
      }
      let keeper = Keeper(store: store, law: KeepLaw(usualDays: 1), now_ms: { now_ms + 3 * 86_400_000 })
      await keeper.sweepInTurn()
      for table in ["trip", "event"] { #expect(try await rows(of: table, store) == 0, "\(table)") }
    }
  }

  @Test(
    "a month of a fleet is read by an index over time",
    .enabled(if: !TestDatabase.isPostgres, "of SQLite alone"))
  func plan() async throws {
    try await withTemporaryFolder { folder in
      let store = try Store(path: folder.appending(path: "fleet.sqlite").path)
      for (sql, index) in [
        ("SELECT * FROM trip WHERE begin_ms >= 1 AND begin_ms < 9", "trip_time"),
        ("SELECT number FROM trip WHERE device_id = 1 ORDER BY begin_ms DESC LIMIT 1", "trip_device"),
        ("SELECT * FROM event WHERE time_ms >= 1 AND time_ms < 9", "event_time"),
        (
          """
          SELECT uuid FROM event WHERE device_id = 1 AND event = 'geofence' AND action = 'ENTER' AND end_ms IS NULL
          ORDER BY time_ms DESC LIMIT 1
          """, "event_visit"
        ),
      ] {
        let plan = try await store.connection.read { db in
          try db.rows("EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
        }
        #expect(plan.contains { $0.contains(index) } && plan.allSatisfy { !$0.contains("SCAN") }, "\(plan)")
      }
      try store.close()
    }
  }
}
