import Foundation
import Testing

@testable import Collector

/// Two boxes from one copied card: FAULTS 67.
@Suite("Conflict")
struct ConflictTests {
  private func stored(_ store: Store) async throws -> [String] {
    try await store.connection.read { try $0.values(String.self, "SELECT json FROM record ORDER BY id") }
  }

  @Test("a record with the identity of another one is neither stored nor acknowledged; its neighbours are")
  func amongOthers() async throws {
    try await withCollector { client, store in
      let first = record(uuid(1))
      _ = try await client.post(body([first]))
      let other = record(uuid(1), latitude: "46.5")
      let answer = try await client.post(body([other, record(uuid(2)), first]))
      #expect(answer.status == 200)
      let receipt = try answer.decoded(Receipt.self)
      #expect(receipt.ack == [uuid(2), uuid(1)])
      #expect(receipt.stored == 1 && receipt.duplicates == 1)
      #expect(receipt.refused?.map(\.uuid) == [uuid(1)])
      #expect(receipt.refused?.map(\.code) == ["identity_conflict"])
      #expect(receipt.refused?.first?.reason.contains("do two devices share a name") == true)
      #expect(!answer.text.contains("46.5"))
      #expect(try await stored(store) == [first, record(uuid(2))])
    }
  }

  @Test("a request of nothing else is 409 and names each; a status in it counts all the same")
  func alone() async throws {
    struct Named: Decodable {
      var error: String
      var uuid: String
      var refused: [RefusedRecord]
    }
    try await withCollector { client, store in
      let ids = (1...3).map { uuid($0) }
      _ = try await client.post(body(ids.map { record($0) }))
      let others = ids.map { record($0, time: "2026-01-01T00:00:01.000Z") }
      let answer = try await client.post(body(others, status: #"{"version":"2"}"#))
      #expect(answer.status == 409)
      let named = try answer.decoded(Named.self)
      #expect(named.refused.map(\.uuid) == ids && named.uuid == ids[0] && !named.error.isEmpty)
      #expect(try await stored(store).count == 3)
      let device = try #require(try await store.devices().first)
      #expect(
        device.conflicts == 3 && device.last_conflict == "2026-01-01T00:10:00.000Z" && device.records == 3)
      #expect(device.status == .object(["version": .string("2")]))
    }
  }

  private func undated(_ record: String) -> String {
    record.replacing("\"extras\":\"\"", with: "\"extras\":\"{\\\"clock\\\":\\\"untrusted\\\"}\"")
  }

  @Test(
    "a record whose date was not trusted comes again with its true date: it is the same, and the first one stays"
  )
  func dateBecomesKnown() async throws {
    try await withCollector { client, store in
      let first = undated(record(uuid(1), time: "2023-01-01T00:00:00.000Z", event: "status"))
      _ = try await client.post(body([first]))
      let answer = try await client.post(body([record(uuid(1), event: "status")]))
      let receipt = try answer.decoded(Receipt.self)
      #expect(receipt.ack == [uuid(1)] && receipt.duplicates == 1 && receipt.refused == nil)
      #expect(try await stored(store) == [first])
    }
  }

  @Test(
    "a marked date excuses no other difference: two marked dates, a date that was trusted before, another place",
    arguments: [0, 1, 2])
  func stillConflicts(_ number: Int) async throws {
    let (early, late) = ("2023-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z")
    let cases = [
      (undated(record(uuid(1), time: early)), undated(record(uuid(1), time: late))),
      (record(uuid(1), time: late), undated(record(uuid(1), time: early))),
      (undated(record(uuid(1), time: early)), record(uuid(1), time: late, latitude: "46.5")),
    ]
    try await withCollector { client, store in
      _ = try await client.post(body([cases[number].0]))
      #expect(try await client.post(body([cases[number].1])).status == 409)
      #expect(try await stored(store) == [cases[number].0])
    }
  }

  @Test("a date that was not trusted makes neither two boxes of one, nor a history of years")
  func undatedSpans() async throws {
    try await withCollector { client, _ in
      let (first, second): (UInt64, UInt64) = (0xabc_def0_1234_5678, 0xabc_def0_1234_5679)
      _ = try await client.post(
        body(
          (1...5 as ClosedRange<UInt64>).map {
            record(uuid(queue: first, $0), time: "2025-12-31T23:0\($0):00.000Z")
          }))
      let old = record(uuid(queue: second, 1), time: "2023-01-01T00:00:00.000Z", event: "status")
      _ = try await client.post(body([undated(old), record(uuid(queue: second, 2))]))
      let text = try await client.get("/v1/devices").text
      #expect(!text.contains("2023") && !text.contains("at_once"), "\(text)")
    }
  }

  @Test("the lists say so, and of a device without conflicts nothing")
  func visible() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([record(uuid(1))]))
      let (quiet, quietFleet) = (
        try await client.get("/v1/devices").text, try await client.get("/v1/fleet").text
      )
      #expect(!quiet.contains("conflict") && quietFleet.contains(#""problems":[]"#))
      for _ in 1...2 { _ = try await client.post(body([record(uuid(1), event: "trip")])) }
      let text = try await client.get("/v1/devices").text
      #expect(text.contains(#""conflicts":2"#) && text.contains("last_conflict"))
      let fleet = try await client.get("/v1/fleet").text
      #expect(fleet.contains(#""problems":["identity_conflict"],"severity":2"#))
    }
  }

  @Test("a random id of the original client with other content is a conflict too")
  func version4() async throws {
    try await withCollector { client, _ in
      let id = "3d813cbb-47fb-42ba-91df-831e1593ac29"
      _ = try await client.post(body([record(id)]))
      #expect(try await client.post(body([record(id.uppercased())])).status == 200)
      #expect(try await client.post(body([record(id, longitude: "18.1")])).status == 409)
    }
  }

  @Test("twice in one request, once so and once so: the first stays")
  func withinRequest() async throws {
    try await withCollector { client, _ in
      let receipt = try await client.post(body([record(uuid(1)), record(uuid(1), latitude: "1")]))
        .decoded(Receipt.self)
      #expect(receipt.ack == [uuid(1)] && receipt.refused?.count == 1)
    }
  }

  // MARK: the same content

  @Test("what another format rounds or leaves out is the same record")
  func formats() async throws {
    try await withCollector { client, store in
      let same = [
        record(uuid(1)), record(uuid(1), latitude: "59.329305", longitude: "18.068595"),
        record(uuid(1), latitude: "0", longitude: "0"), record(uuid(1), time: "2026-01-01T00:00:00.001Z"),
        record(uuid(1), time: "2026-01-01T01:00:00+01:00"),
        record(uuid(1), isMoving: false, extra: #","trip":7"#),
      ]
      for text in same {
        let answer = try await client.post(body([text]), headers: ["Godwit-Backfill": "1"])
        #expect(answer.status == 200, "\(text): \(answer.text)")
      }
      #expect(try await stored(store) == [same[0]])
    }
  }

  @Test(
    "time, event and place distinguish records",
    arguments: [
      (0, "", 0.0, 0.0, true), (1, "", 0, 0, true), (2, "", 0, 0, false), (-2, "", 0, 0, false),
      (0, "trip", 0, 0, false), (0, "", 0.000_009, -0.000_009, true), (0, "", 0.000_02, 0, false),
      (0, "", 0, 0.000_02, false), (0, "", 0, 360, true),
    ] as [(Int64, String, Double, Double, Bool)])
  func table(later_ms: Int64, event: String, north: Double, east: Double, isSame: Bool) {
    let one = RecordContent(time_ms: 1000, event: "", latitude: 59, longitude: -179.999_99)
    let other = RecordContent(
      time_ms: 1000 + later_ms, event: event, latitude: 59 + north, longitude: -179.999_99 + east)
    #expect(one.isSame(as: other) == isSame && other.isSame(as: one) == isSame)
  }

  @Test("a kind that one of them had no name for is the same")
  func unnamedEvent() {
    let gap = RecordContent(time_ms: 1000, event: "gap", latitude: 0, longitude: 0)
    let unnamed = RecordContent(time_ms: 1000, event: "unknown", latitude: 0, longitude: 0)
    #expect(gap.isSame(as: unnamed) && unnamed.isSame(as: gap))
  }

  @Test("without a place on one side time and event decide, and no time is too far")
  func withoutPlace() {
    let none = RecordContent(time_ms: 1000, event: "status", latitude: 0, longitude: 0)
    #expect(none.isSame(as: RecordContent(time_ms: 1000, event: "status", latitude: 5, longitude: 5)))
    #expect(!none.isSame(as: RecordContent(time_ms: 3000, event: "status", latitude: 5, longitude: 5)))
    #expect(!none.isSame(as: RecordContent(time_ms: .min, event: "status", latitude: 0, longitude: 0)))
    #expect(!none.isSame(as: RecordContent(time_ms: .max, event: "status", latitude: 0, longitude: 0)))
  }
}
