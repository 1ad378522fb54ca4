import Foundation
import FoundationXML
import Testing

@testable import Collector

@Suite("Exports")
struct ExportTests {
  private func fixes(_ count: UInt64) -> [String] {
    (1...count).map { sequence in
      let time = Timestamp.text(1_767_225_600_000 + Int64(sequence) * 1000)
      return record(uuid(sequence), time: time, longitude: "8.\(1000 + sequence)")
    }
  }

  @Test("CSV has the columns that godwit simulate reads, events too, and no formula of a device's own")
  func csv() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(
        body([record(uuid(1)), record(uuid(2), latitude: "0", longitude: "0", event: "=1+1,gap")]))
      let answer = try await client.get("/v1/devices/van-7/export.csv")
      #expect(
        answer.text == """
          unix_ms,iso_time,lat,lon,alt_m,speed_mps,course_deg,hacc_m,mode,sats,hdop,is_moving,event,trip,jump,uuid
          1767225600000,2026-01-01T00:00:00.000Z,59.3293000,18.0686000,,12.50,,5.0,2,,,1,,,,\(uuid(1))
          1767225600000,2026-01-01T00:00:00.000Z,,,,12.50,,5.0,1,,,1,11gap,,,\(uuid(2))

          """)
      #expect(answer.headers[.contentType] == "text/csv; charset=utf-8; header=present")
      #expect(
        answer.headers[.contentDisposition]
          == #"attachment; filename="van-7.csv"; filename*=UTF-8''van-7.csv"#)
    }
  }

  @Test(
    "GPX has a track for each trip, broken at a gap, events as waypoints before them, and names that are no markup"
  )
  func gpx() async throws {
    try await withCollector { client, _ in
      var records = fixes(6).enumerated().map { index, text in
        text.replacing(
          #""extras":"""#, with: #""extras":"{\"trip\":\#(index / 4),\"hdop\":0.8}","satellites":9"#)
      }
      records[1] = records[1].replacing(#""event":"""#, with: #""event":"geofence""#)
      records[2] = records[2].replacing(#""event":"""#, with: #""event":"gap""#)
      _ = try await client.post(body(records), device: "<van & co>")
      let text = try await client.get("/v1/devices/%3Cvan%20%26%20co%3E/export.gpx").text
      #expect(text.contains("<metadata><name>&lt;van &amp; co&gt;</name></metadata>\n<wpt "))
      #expect(text.components(separatedBy: "<wpt ").count == 3)
      let names = text.components(separatedBy: "<trk><name>").dropFirst().map { String($0.prefix(6)) }
      #expect(names == ["Trip 0", "Trip 0", "Trip 1"])
      #expect(
        text.contains(
          #"<trkpt lat="59.3293000" lon="8.1001000"><time>2026-01-01T00:00:01.000Z</time><sat>9</sat><hdop>0.8</hdop>"#
        ))
      #expect(text.hasSuffix("</trkpt>\n</trkseg></trk>\n</gpx>\n"))
      let parser = XMLParser(data: Data(text.utf8))
      #expect(parser.parse())
    }
  }

  @Test("a GPX of nothing is whole too")
  func empty() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([]))
      #expect(
        try await client.get("/v1/devices/van-7/export.gpx").text.hasSuffix("</metadata>\n</gpx>\n"))
      let text = try await client.get("/v1/devices/van-7/export.geojson").text
      #expect(JSONValue(text: text)?["features"]?.elements?.isEmpty == true)
    }
  }

  @Test("GeoJSON has each record once over any number of pages, in order")
  func pages() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body(fixes(2500)))
      let text = try await client.get("/v1/devices/van-7/export.geojson").text
      let features = try #require(JSONValue(text: text)?["features"]?.elements)
      #expect(features.count == 2500)
      let times = features.compactMap { $0["properties"]?["time"]?.string }
      #expect(times == times.sorted() && Set(times).count == 2500)
      #expect(
        features.first?["geometry"]?["coordinates"]?.elements == [
          .number(8.1001), .number(59.3293),
        ])
    }
  }

  @Test("records of the same time are not lost between two pages")
  func sameTime() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body((1...2100).map { record(uuid($0)) }))
      let lines = try await client.get("/v1/devices/van-7/export.csv").text.split(separator: "\n")
      #expect(lines.count == 2101)
    }
  }

  @Test("a page within records of one time begins where the page before has ended")
  func pagesOfSameTime() async throws {
    try await withCollector { client, store in
      let plan = try await store.connection.read { db -> [String]? in
        if db.dialect.isShared { return nil }
        let sql = "EXPLAIN QUERY PLAN \(Store.exportSelect(db.dialect, Store.atSameTime))"
        return try db.rows(sql, [1, 1, 1, 1000]).map { $0["detail"] }
      }
      let words = plan?.joined(separator: "; ") ?? "time_ms=? AND rowid>?"
      #expect(words.contains("time_ms=? AND rowid>?") && !words.contains("B-TREE"), "\(words)")
    }
  }

  @Test("a span begins with `from` and ends before `to`")
  func span() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body(fixes(10)))
      let query = "from=2026-01-01T00:00:03Z&to=2026-01-01T00:00:06Z"
      let lines = try await client.get("/v1/devices/van-7/export.csv?\(query)").text.split(separator: "\n")
      #expect(lines.dropFirst().map { $0.dropFirst(31).prefix(2) } == ["03", "04", "05"])
      #expect(try await client.get("/v1/devices/van-8/export.csv").status == 404)
      #expect(try await client.get("/v1/devices/van-7/export.csv?from=now").status == 400)
    }
  }

  @Test(
    "numbers have no exponent",
    arguments: [
      (0.00001, 7, "0.0000100"), (-0.05, 7, "-0.0500000"), (180, 7, "180.0000000"),
      (-0.00000001, 7, "0.0000000"),
      (12.345, 1, "12.3"), (99.96, 1, "100.0"), (7, 0, "7"), (1e300, 2, nil), (.nan, 2, nil),
    ] as [(Double, Int, String?)])
  func fixed(value: Double, decimals: Int, text: String?) {
    #expect(Fixed.text(value, decimals: decimals) == text)
  }

  @Test("figures for Prometheus have no places, and names that end no line")
  func metrics() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([record(uuid(1))], status: #"{"undervoltage":true}"#), device: "a\"b\\c")
      let answer = try await client.get("/metrics")
      #expect(answer.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
      for line in [
        "godwit_fleet_vehicles 1", #"godwit_fleet_problems{problem="undervoltage"} 1"#,
        "godwit_fleet_moving 1",
        #"godwit_vehicle_last_contact_seconds{device="a\"b\\c"} 1767226200.000"#,
        #"godwit_vehicle_severity{device="a\"b\\c"} 2"#,
      ] {
        #expect(answer.text.contains("\n\(line)\n"), "\(line)")
      }
      #expect(!answer.text.contains("59.3293") && !answer.text.contains("18.0686"))
    }
  }

  @Test("an upload whose connection breaks was answered by nobody", .timeLimit(.minutes(10)))
  func cutUpload() async throws {
    try await withCollector { client, _ in
      let port = client.port
      do {
        let line = try Line(port: port)
        try line.send(
          "POST /v1/locations HTTP/1.1\r\nHost: localhost\r\nGodwit-Device: van-7\r\n"
            + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"loc")
      }
      // It is closed now; the collector finds out in its own time.
      while try await !client.get("/metrics").text.contains("uploads_total{status=\"none\"} 1\n") {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(try await !client.get("/metrics").text.contains("uploads_total{status=\"500\"}"))
    }
  }

  @Test("figures count what came, by its fate, and what waits for webhooks")
  func figures() async throws {
    try await withCollector { client, store in
      _ = try await client.post(body([record(uuid(1)), record(uuid(2))]))
      _ = try await client.post(body([record(uuid(2))]))
      _ = try await client.post(body([record(uuid(1), latitude: "1"), record(uuid(3))]))
      _ = try await client.post("nothing")
      let kinds = FleetEvent.Kind.allCases
      _ = try await store.addWebhook("https://a.example/secret", kinds, secret: "s", at: now_ms)
      let event = record(uuid(4), event: "geofence")
        .replacing(#""extras":"""#, with: #""extras":"{\"action\":\"ENTER\",\"geofence\":\"depot\"}""#)
      _ = try await client.post(body([event]))
      let text = try await client.get("/metrics").text
      for line in [
        #"godwit_collector_uploads_total{status="200"} 4"#,
        #"godwit_collector_uploads_total{status="400"} 1"#,
        #"godwit_collector_records_total{result="stored"} 4"#,
        #"godwit_collector_records_total{result="duplicate"} 1"#,
        #"godwit_collector_records_total{result="refused"} 1"#, #"godwit_webhook_waiting{webhook="1"} 1"#,
        #"godwit_webhook_delivered_total{webhook="1"} 0"#,
      ] {
        #expect(text.contains("\n\(line)\n"), "\(line) in \(text)")
      }
      #expect(!text.contains("a.example"))
    }
  }
}
