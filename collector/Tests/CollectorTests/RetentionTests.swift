import Foundation
import Testing

@testable import Collector

@Suite("How long records stay")
struct RetentionTests {
  private static let day_ms: Int64 = 86_400_000

  /// Ten records, one a day from 2026-01-01 on, which came all at once on `received_ms`.
  private func fill(_ store: Store, device: String = "van-7", received received_ms: Int64) async throws {
    let records = (1...10).map { day in
      record(uuid(UInt64(day)), time: "2026-01-\(day < 10 ? "0" : "")\(day)T00:00:00.000Z")
    }
    let upload = try Upload(
      device: device, schema: nil, batch: nil, body: Array(body(records, status: #"{"a":1}"#).utf8))
    _ = try await store.store(upload, at: received_ms)
  }

  private func keeper(_ store: Store, days: Int?, byMonth: Bool = false, at now_ms: Int64) -> Keeper {
    Keeper(store: store, law: KeepLaw(usualDays: days, byMonth: byMonth), now_ms: { now_ms })
  }

  private let first_ms: Int64 = 1_767_225_600_000

  @Test("what is older than it is kept goes, the rest stays, and both are counted")
  func old() async throws {
    try await withCollector { client, store in
      try await fill(store, received: first_ms)
      await keeper(store, days: 7, at: first_ms + 10 * Self.day_ms).sweepInTurn()
      let device = try #require(try await store.devices().first)
      #expect(device.records == 7 && device.deleted == 3)
      #expect(
        device.first_time == "2026-01-04T00:00:00.000Z" && device.last_time == "2026-01-10T00:00:00.000Z")
      #expect(device.last_position?.timestamp == "2026-01-10T00:00:00.000Z")
      #expect(
        try await store.records(device: "van-7", after: nil, limit: 99)?.map(\.sequence) == Array(4...10))
      // What is new is numbered and stored as ever, and what is gone is no duplicate.
      #expect(
        try await client.post(body([record(uuid(1)), record(uuid(11))])).decoded(Receipt.self).stored == 2)
    }
  }

  @Test("a device's own span counts before the collector's, and null gives it back")
  func ownSpan() async throws {
    try await withCollector { client, store in
      for device in ["van-7", "van-8"] { try await fill(store, device: device, received: first_ms) }
      let path = "/v1/devices/van-7/retention"
      #expect(try await client.put(path, #"{"keep_days":2}"#).status == 204)
      let end_ms = first_ms + 10 * Self.day_ms
      #expect(
        try await store.expired(KeepLaw(usualDays: nil), at: end_ms)
          == [
            Doomed(
              device: "van-7", before_ms: end_ms - 2 * Self.day_ms,
              receivedBefore_ms: end_ms - 2 * Self.day_ms)
          ])
      await keeper(store, days: 5, at: end_ms).sweepInTurn()
      #expect(try await store.devices().map(\.records) == [2, 5])
      #expect(try await store.devices().map(\.keep_days) == [2, nil])
      #expect(try await client.put(path, #"{"keep_days":null}"#).status == 204)
      #expect(try await store.devices().map(\.keep_days) == [nil, nil])
      await keeper(store, days: nil, at: end_ms + 99 * Self.day_ms).sweepInTurn()
      #expect(try await store.devices().map(\.records) == [2, 5])
    }
  }

  @Test("the pages are told how long records stay that have no span of their own")
  func told() async throws {
    for days in [400, nil] {
      try await withCollector(change: { $0.keepDays = days }) { client, _ in
        let session = try await client.get("/v1/session").decoded([String: JSONValue].self)
        #expect(session["keep_days"] == days.map { .integer(Int64($0)) })
      }
    }
  }

  @Test("a record with an old time that has just come stays as long as any other")
  func justCame() async throws {
    try await withCollector { _, store in
      let came_ms = first_ms + 100 * Self.day_ms
      try await fill(store, received: came_ms)
      await keeper(store, days: 7, at: came_ms + Self.day_ms).sweepInTurn()
      #expect(try await store.devices().first?.deleted == nil)
      await keeper(store, days: 7, at: came_ms + 7 * Self.day_ms + 1).sweepInTurn()
      #expect(try await store.devices().first?.deleted == 10)
    }
  }

  @Test("a history is deleted on request, to its last place, and counted")
  func whole() async throws {
    try await withCollector { client, store in
      _ = try await store.addWebhook("https://a.example", [.trip], secret: "s", at: 0)
      _ = try await client.post(body([record(uuid(20), event: "trip")]))
      try await fill(store, received: first_ms)
      try await fill(store, device: "van-8", received: first_ms)
      let answer = try await client.delete("/v1/devices/van-7/history")
      #expect(answer.status == 200 && answer.text == #"{"deleted":11}"#)
      let device = try #require(try await store.devices().first)
      #expect(device.records == 0 && device.deleted == 11 && device.last_position == nil)
      #expect(device.status == nil && device.first_time == nil)
      let vehicle = try #require(
        try await store.vehicles(named: ["van-7"], at: now_ms, silentAfter_ms: .max).first)
      #expect(vehicle.latitude == nil && vehicle.timestamp == nil)
      #expect(try await store.dueDeliveries(at: .max, limit: 10).isEmpty, "a place in what waits")
      #expect(try await store.records(device: "van-8", after: nil, limit: 99)?.count == 10)
      #expect(try await client.delete("/v1/devices/van-9/history").status == 404)
    }
  }

  @Test("only what is older than the time that is named goes")
  func before() async throws {
    try await withCollector { client, store in
      try await fill(store, received: first_ms)
      let answer = try await client.delete("/v1/devices/van-7/history?before=2026-01-03T00:00:00Z")
      #expect(answer.text == #"{"deleted":2}"#)
      #expect(try await store.devices().first?.status != nil)
      let wrong = try await client.delete("/v1/devices/van-7/history?before=yesterday")
      #expect(wrong.status == 400)
    }
  }

  @Test("more than one transaction's worth goes too")
  func many() async throws {
    try await withCollector { client, store in
      let count = Keeper.atOnce * 2 + 1
      for part in 0..<3 {
        let records = (1...(count / 3)).map { record(uuid(UInt64(part * 1000 + $0))) }
        _ = try await client.post(body(records))
      }
      #expect(try await client.delete("/v1/devices/van-7/history").text == #"{"deleted":\#(count)}"#)
    }
  }

  @Test("a span that is none is refused", arguments: ["0", "36501", "1.5", #""7""#, "-1"])
  func wrong(days: String) async throws {
    try await withCollector { client, store in
      try await fill(store, received: first_ms)
      let answer = try await client.put("/v1/devices/van-7/retention", #"{"keep_days":\#(days)}"#)
      let words = "`keep_days` must be a whole number from 1 to 36500, or null for the collector's own"
      #expect(answer.status == 400 && answer.text == #"{"error":"\#(words)"}"#)
      #expect(try await client.put("/v1/devices/van-9/retention", #"{"keep_days":1}"#).status == 404)
    }
  }

  @Test("is an admin's to say, and stands in the audit")
  func admins() async throws {
    try await withCollector(tokens: "device", operators: "admin") { client, store in
      try await fill(store, received: first_ms)
      let path = "/v1/devices/van-7/history"
      #expect(try await client.delete(path, headers: ["Authorization": "Bearer device"]).status == 403)
      #expect(try await client.delete(path, headers: ["Authorization": "Bearer admin"]).status == 200)
      let audit = try await store.audits(device: "van-7", before: nil, limit: 9)
      #expect(audit.map(\.action) == ["DELETE /v1/devices/van-7/history"] && audit.map(\.status) == [200])
    }
  }

  @Test("what is deleted is not in the files any more, while they are open")
  func noTrace() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "fleet.sqlite").path
      let store = try Store(path: path)
      try await fill(store, received: first_ms)
      let mark = Data(uuid(5).utf8)
      _ = try await store.deleteAll(
        Doomed(device: "van-7", before_ms: .max, receivedBefore_ms: .max), at: first_ms)
      let wal = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
      #expect(wal.range(of: mark) != nil)
      try await store.leaveNoTrace()
      for file in [path, path + "-wal"] {
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)).range(of: mark) == nil)
      }
      try store.close()
    }
  }
}
