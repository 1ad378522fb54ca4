import Foundation
import Testing

@testable import Collector

@Suite("Reading")
struct ReadingTests {
  @Test("a device is listed with its totals, newest position, status and last contact")
  func devices() async throws {
    try await withCollector { client, _ in
      let text = body(
        [
          record(uuid(1), time: "2026-01-01T00:00:00.000Z"),
          record(uuid(2), time: "2026-01-01T00:05:00.000Z", latitude: "59.5", isMoving: false),
        ], status: #"{"queue":{"depth":0},"temperature":48.5,"ok":true}"#)
      _ = try await client.post(text, headers: ["Godwit-Schema": "geomony/1", "Godwit-Batch": "b1"])
      let answer = try await client.get("/v1/devices")
      #expect(
        answer.text == """
          [{"device":"van-7","first_time":"2026-01-01T00:00:00.000Z",\
          "last_contact":"2026-01-01T00:10:00.000Z","last_position":{"accuracy":5,"is_moving":false,\
          "latitude":59.5,"longitude":18.0686,"speed":12.5,"timestamp":"2026-01-01T00:05:00.000Z"},\
          "last_time":"2026-01-01T00:05:00.000Z","records":2,"schema":"geomony/1",\
          "status":{"ok":true,"queue":{"depth":0},"temperature":48.5},\
          "status_received":"2026-01-01T00:10:00.000Z"}]
          """)
    }
  }

  @Test("the newest position is the highest sequence, whatever comes after it and whatever its clock said")
  func backfill() async throws {
    try await withCollector { client, store in
      _ = try await client.post(body([record(uuid(50), time: "2025-06-01T00:00:00Z", latitude: "1")]))
      _ = try await client.post(body([record(uuid(3), time: "2031-01-01T00:00:00Z", latitude: "2")]))
      #expect(try await store.devices().map(\.last_position?.latitude) == [1])
      _ = try await client.post(body([record(uuid(51), time: "2025-06-01T00:00:00Z", latitude: "3")]))
      #expect(try await store.devices().map(\.last_position?.latitude) == [3])
    }
  }

  @Test("a new queue starts at 1 again and its later position is the newest")
  func newQueue() async throws {
    try await withCollector { client, store in
      _ = try await client.post(body([record(uuid(5000), latitude: "1")]))
      let later = record(uuid(queue: 7, 1), time: "2026-01-02T00:00:00Z", latitude: "2")
      _ = try await client.post(body([later]))
      #expect(try await store.devices().map(\.last_position?.latitude) == [2])
    }
  }

  @Test("a record without a position does not hide the last one")
  func noPosition() async throws {
    try await withCollector { client, store in
      let empty = record(uuid(2), latitude: "0.0", longitude: "0.0", event: "status")
      _ = try await client.post(body([record(uuid(1)), empty]))
      #expect(try await store.devices().map(\.last_position?.latitude) == [59.3293])
      #expect(try await store.devices().map(\.records) == [2])
    }
  }

  @Test("a status stays until the next one")
  func statusStays() async throws {
    try await withCollector { client, store in
      _ = try await client.post(body([], status: #"{"n":1}"#))
      _ = try await client.post(body([record(uuid(1))]))
      _ = try await client.post(body([record(uuid(2))], status: "null"))
      #expect(try await store.devices().map(\.status) == [.object(["n": .integer(1)])])
    }
  }

  @Test("records come by sequence, page by page")
  func pages() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([5, 3, 1, 4, 2].map { record(uuid($0)) }))
      let sequences = { (path: String) in
        try await client.get("/v1/devices/van-7/records\(path)").decoded([Listed].self).map(\.sequence)
      }
      #expect(try await sequences("") == [1, 2, 3, 4, 5])
      #expect(try await sequences("?limit=2") == [1, 2])
      #expect(try await sequences("?after=2&limit=2") == [3, 4])
      #expect(try await sequences("?after=5") == [])
    }
  }

  @Test("no record falls between two pages when queues share sequences")
  func sharedSequences() async throws {
    try await withCollector { client, store in
      let ids: [UInt64] = [1, 2, 3]
      _ = try await client.post(
        body(ids.flatMap { [record(uuid(queue: 9, $0)), record(uuid(queue: 4, $0))] }))
      var seen: [String] = []
      var after: Int64?
      while let page = try await store.records(device: "van-7", after: after, limit: 1), !page.isEmpty {
        seen += page.map { "\($0.queue ?? "-"):\($0.sequence)" }
        after = page.last?.sequence
      }
      #expect(seen == ["4:1", "9:1", "4:2", "9:2", "4:3", "9:3"])
    }
  }

  @Test("a record is read back with what was measured, without what was not")
  func fields() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([record(uuid(1), event: "motionchange")]))
      let answer = try await client.get("/v1/devices/van-7/records")
      #expect(
        answer.text == """
          [{"accuracy":5,"altitude":0,"event":"motionchange","extras":"","is_moving":true,\
          "latitude":59.3293,"longitude":18.0686,"queue":"abcdef012345678",\
          "received":"2026-01-01T00:10:00.000Z","sequence":1,"speed":12.5,\
          "timestamp":"2026-01-01T00:00:00.000Z","uuid":"\(uuid(1))"}]
          """)
    }
  }

  @Test("a device's name may need escaping in the path")
  func escapedName() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([record(uuid(1))]), device: "van 7/a")
      #expect(try await client.get("/v1/devices/van%207%2Fa/records").status == 200)
    }
  }

  @Test(
    "a question that makes no sense is refused",
    arguments: [
      ("/v1/devices/van-8/records", 404, "no such device: van-8"),
      ("/v1/devices/van-7/records?limit=0", 400, "`limit` must be a number from 1 to 10000"),
      ("/v1/devices/van-7/records?limit=10001", 400, "`limit` must be a number from 1 to 10000"),
      ("/v1/devices/van-7/records?limit=x", 400, "`limit` must be a number from 1 to 10000"),
      ("/v1/devices/van-7/records?after=x", 400, "`after` must be a sequence number"),
    ])
  func refused(path: String, status: Int, error: String) async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([record(uuid(1))]))
      let answer = try await client.get(path)
      #expect(answer.status == status)
      #expect(answer.text == #"{"error":"\#(error)"}"#)
    }
  }

  @Test("health says ok")
  func health() async throws {
    try await withCollector { client, _ in
      let answer = try await client.get("/v1/health")
      #expect(answer.text == #"{"status":"ok"}"#)
    }
  }

  @Test("ready says whether the database can be asked, and health does not care", arguments: [nil, "secret"])
  func ready(tokens: String?) async throws {
    try await withCollector(tokens: tokens) { client, store in
      let ready = try await client.get("/v1/ready")
      #expect(ready.status == 200 && ready.text == #"{"status":"ready"}"#)
      // A database that does not do what it is asked.
      try await store.connection.write { try $0.execute("ALTER TABLE operator RENAME TO gone") }
      let refused = try await client.get("/v1/ready")
      #expect(refused.status == 503 && refused.headers[.retryAfter] == "10", "\(refused)")
      #expect(try await client.get("/v1/health").status == 200)
    }
  }

  private struct Listed: Decodable {
    var sequence: Int64
  }
}
