import Foundation
import Testing

@testable import Collector

@Suite("Refusals")
struct RefusalTests {
  struct Problem: Decodable, Equatable {
    var error: String
    var index: Int?
    var uuid: String?
  }

  @Test(
    "one bad record refuses the request, names the record, and stores nothing",
    arguments: [
      (record("x"), "the uuid is not a UUID", "x"),
      (#"{"timestamp":"2026-01-01T00:00:00Z"}"#, "the record has no uuid", nil),
      (#"{"uuid":7}"#, "the record has no uuid", nil),
      (#"{"uuid":"\#(uuid(9))"}"#, "the record has no timestamp", uuid(9)),
      (record(uuid(9), time: "noon"), "the timestamp is not an RFC 3339 date and time", uuid(9)),
      (record(uuid(9), latitude: "90.1"), "the latitude is missing or not between -90 and 90", uuid(9)),
      (record(uuid(9), latitude: "null"), "the latitude is missing or not between -90 and 90", uuid(9)),
      (record(uuid(9), longitude: "-181"), "the longitude is missing or not between -180 and 180", uuid(9)),
      (
        record(uuid(9), longitude: #""east""#), "the longitude is missing or not between -180 and 180",
        uuid(9)
      ),
      ("[1]", "the record is not a JSON object", nil),
      ("17", "the record is not a JSON object", nil),
    ] as [(String, String, String?)])
  func badRecord(text: String, error: String, id: String?) async throws {
    try await withCollector { client, store in
      let answer = try await client.post(body([record(uuid(1)), text, record(uuid(2))], status: "{}"))
      #expect(answer.status == 422)
      #expect(try answer.decoded() == Problem(error: error, index: 1, uuid: id))
      #expect(try await store.devices() == [])
    }
  }

  @Test(
    "what is not the expected JSON is refused",
    arguments: [
      ("", "the body is not a JSON object"),
      ("[]", "the body is not a JSON object"),
      ("<html>", "the body is not a JSON object"),
      (#"{"location":[}"#, "the body is not a JSON object"),
      (String(body([record(uuid(1))]).dropLast(2)), "the body is not a JSON object"),
      ("{}", "the body has no array `location` or `geofence`"),
      (#"{"location":{}}"#, "the body's `location` is no array"),
      (#"{"location":[],"geofence":{}}"#, "the body's `geofence` is no array"),
      (#"{"location":[],"x":nonsense}"#, "the body is not JSON"),
      (#"{"location":[{"uuid":nonsense}]}"#, "the body is not JSON"),
      (
        #"{"location":[],"status":{"board":{"temperature_c":1e400}}}"#,
        "`temperature_c` has a number beyond ±1.8e308, which is more than a JSON number's double holds"
      ),
    ])
  func badBody(text: String, error: String) async throws {
    try await withCollector { client, _ in
      let answer = try await client.post(text)
      #expect(answer.status == 400)
      #expect(try answer.decoded() == Problem(error: error))
    }
  }

  @Test("a request must name its device")
  func noDevice() async throws {
    try await withCollector { client, _ in
      for device in [nil, ""] as [String?] {
        let answer = try await client.post(body([]), device: device)
        #expect(answer.status == 400)
        let error = "the request does not name its device: send the header Godwit-Device"
        #expect(try answer.decoded() == Problem(error: error))
      }
      let long = try await client.post(body([]), device: String(repeating: "x", count: 129))
      #expect(long.status == 400)
      #expect(
        try long.decoded()
          == Problem(error: "a device's name has 1 to 128 characters: this one has 129"))
      let raw = try await client.post(body([]), device: "M\u{fc}ller")
      let error =
        "the header Godwit-Device must have characters beyond ASCII and % as UTF-8 behind % signs"
      #expect(try raw.decoded() == Problem(error: error))
    }
  }

  @Test("a body over 8 MiB is refused, one of 8 MiB is not")
  func tooLarge() async throws {
    try await withCollector { client, _ in
      let most = body([]) + String(repeating: " ", count: 8 * 1024 * 1024 - body([]).utf8.count)
      #expect(try await client.post(most).status == 200)
      let answer = try await client.post(most + " ")
      #expect(answer.status == 413)
      let error = "the body is larger than 8 MiB: send fewer records at a time"
      #expect(try answer.decoded() == Problem(error: error))
      #expect(try await client.get("/v1/health").status == 200)
    }
  }

  @Test("a body that is compressed in another way than gzip is refused by name")
  func compressed() async throws {
    try await withCollector { client, _ in
      let answer = try await client.post(body([]), headers: ["Content-Encoding": "br"])
      #expect(answer.status == 415)
      #expect(answer.headers[.acceptEncoding] == "gzip")
      #expect(try answer.decoded() == Problem(error: "this collector reads bodies that are plain or gzip"))
    }
  }

  @Test(
    "a full disk is a reason to come again, and nothing is acknowledged",
    .enabled(if: !TestDatabase.isPostgres, "of SQLite alone"))
  func fullDisk() async throws {
    try await withCollector { client, store in
      _ = try await client.post(body([record(uuid(1))]))
      try await store.connection.write { db in
        let pages = try #require(try db.value(Int.self, "PRAGMA page_count"))
        try db.execute("PRAGMA max_page_count = \(pages)")
      }
      let answer = try await client.post(body((2...500).map { record(uuid($0)) }))
      #expect(answer.status == 503)
      let error = "the database refused: database or disk is full; try again later"
      #expect(try answer.decoded() == Problem(error: error))
      #expect(try await store.devices().map(\.records) == [1])
    }
  }

  @Test("an unknown path is refused in JSON")
  func unknownPath() async throws {
    try await withCollector { client, _ in
      let answer = try await client.get("/v2/locations")
      #expect(answer.status == 404)
      #expect(try answer.decoded() == Problem(error: "there is nothing at this path"))
    }
  }
}
