import Foundation
import Testing

@testable import Collector

/// "Why is there no track from 10:00 to 12:00?"
@Suite("Gaps")
struct GapTests {
  private func gap(_ sequence: UInt64, _ cause: String, _ begin: String, _ end: String) throws -> String {
    let (begin_ms, end_ms) = (
      try #require(Timestamp.milliseconds(begin)), try #require(Timestamp.milliseconds(end))
    )
    return record(uuid(sequence), time: end, isMoving: false, event: "gap")
      .replacing(
        #""extras":"""#,
        with: #""extras":"{\"cause\":\"\#(cause)\",\"begin_ms\":\#(begin_ms),\"end_ms\":\#(end_ms)}""#)
  }

  private func day() throws -> String {
    body([
      try gap(1, "window_closed", "2026-01-01T00:00:00.000Z", "2026-01-01T08:00:00.000Z"),
      try gap(2, "acquiring", "2026-01-01T08:00:00.000Z", "2026-01-01T08:01:00.000Z"),
      record(uuid(3), time: "2026-01-01T08:02:00.000Z"),
      try gap(4, "parked", "2026-01-01T09:30:00.000Z", "2026-01-01T11:00:00.000Z"),
      try gap(5, "no_sky", "2026-01-01T11:00:00.000Z", "2026-01-01T12:30:00.000Z"),
      try gap(6, "board_off", "2026-01-01T13:00:00.000Z", "2026-01-01T14:00:00.000Z"),
    ])
  }

  @Test("of a span are answered from the database alone, also when it is opened anew")
  func span() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "fleet.sqlite").path
      let upload = try Upload(
        device: "van-7", schema: "geomony/1", batch: nil, body: Array(try day().utf8))
      let first = try openStore(path)
      _ = try await first.store(upload, at: now_ms)
      try first.close()
      let store = try openStore(path)
      let gaps = try #require(
        try await store.gaps(
          device: "van-7", from: Timestamp.milliseconds("2026-01-01T10:00:00Z"),
          to: Timestamp.milliseconds("2026-01-01T12:00:00Z")))
      #expect(gaps.map(\.cause) == ["parked", "no_sky"])
      #expect(gaps[0].begin == "2026-01-01T09:30:00.000Z" && gaps[0].end == "2026-01-01T11:00:00.000Z")
      try store.close()
    }
  }

  @Test("of a board that slept say what ended it")
  func wake() async throws {
    try await withCollector { client, _ in
      let slept = try gap(1, "board_off", "2026-01-01T13:00:00.000Z", "2026-01-01T14:00:00.000Z")
        .replacing(#"}""#, with: #",\"wake\":\"alarm\"}""#)
      _ = try await client.post(body([slept]))
      let text = try await client.get("/v1/devices/van-7/gaps").text
      #expect(text.contains(#""cause":"board_off""#) && text.contains(#""wake":"alarm""#), "\(text)")
    }
  }

  @Test("are read over HTTP, all of them or those of a span")
  func http() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(try day())
      let all = try await client.get("/v1/devices/van-7/gaps")
      #expect(all.status == 200 && all.text.components(separatedBy: "cause").count == 6)
      let one = try await client.get(
        "/v1/devices/van-7/gaps?from=2026-01-01T13:00:00Z&to=2026-01-01T13:30:00Z")
      #expect(
        one.text
          == #"[{"begin":"2026-01-01T13:00:00.000Z","cause":"board_off","end":"2026-01-01T14:00:00.000Z"}]"#)
      #expect(try await client.get("/v1/devices/van-8/gaps").status == 404)
      let wrong = try await client.get("/v1/devices/van-7/gaps?from=yesterday")
      #expect(wrong.status == 400)
      #expect(wrong.text == #"{"error":"`from` must be an RFC 3339 date and time, with + as %2B"}"#)
    }
  }

  @Test("that nobody can read are passed over")
  func garbage() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([record(uuid(1), event: "gap")]))
      #expect(try await client.get("/v1/devices/van-7/gaps").text == "[]")
    }
  }

  @Test(
    "of times that nobody can read are passed over, and their records stay as they were sent",
    arguments: [
      ("-9223372036854775807", "0"), ("0", "9223372036854775807"), ("-9223372036854775808", "1767225600000"),
      ("-62167219200001", "0"), ("0", "253402300800000"), ("0", "9.3e18"),
    ])
  func unreadable(begin: String, end: String) async throws {
    try await withCollector { client, _ in
      let extras = #"{\"cause\":\"parked\",\"begin_ms\":\#(begin),\"end_ms\":\#(end)}"#
      let gap = record(uuid(1), event: "gap").replacing(#""extras":"""#, with: #""extras":"\#(extras)""#)
      #expect(try await client.post(body([gap])).status == 200)
      #expect(try await client.get("/v1/devices/van-7/gaps").text == "[]")
      let stored = try await client.get("/v1/devices/van-7/records").text
      #expect(stored.contains(#""extras":"\#(extras)""#), "\(stored)")
    }
  }

  @Test("of the compact format are those of the geomony format")
  func compact() throws {
    let batch = Godwit_Compact_Batch.with {
      ($0.timeUnitMs, $0.positionUnitE7, $0.accuracyUnitCm) = (1000, 50, 50)
      ($0.sequence, $0.time, $0.kind, $0.count) = ([7], [1_767_225_600], [.gap], 1)
      $0.gaps = [.with { ($0.cause, $0.durationMs, $0.endAgoMs) = (.gpsdLost, 90_000, 500) }]
    }
    let read = try CompactBatch(try batch.serializedBytes())
    #expect(
      read.records.map(\.extras) == [
        #"{"cause":"gpsd_lost","begin_ms":1767225509500,"end_ms":1767225599500}"#
      ])
    #expect(read.records.map(\.kind) == [8])
  }
}
