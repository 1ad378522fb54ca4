import Foundation
import Testing

@testable import Collector

/// Two devices under one name, each with a queue of its own.
@Suite("Queues of a device")
struct QueuesTests {
  private struct Listed: Decodable {
    struct Queue: Decodable {
      var queue: String
      var records: Int
      var first_time: String
      var last_time: String
    }
    var queues: [Queue]?
    var queues_at_once: Int?
  }

  private func records(_ queue: UInt64, minutes: ClosedRange<UInt64>) -> [String] {
    minutes.map { minute in
      record(
        uuid(queue: queue, minute),
        time: "2026-01-01T00:\(minute < 10 ? "0" : "")\(minute):00.000Z", latitude: "59.\(queue)")
    }
  }

  @Test("one after the other, as with another card: listed, and nothing is wrong")
  func oneAfterTheOther() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body(records(1, minutes: 1...5)))
      var listed = try await client.get("/v1/devices").decoded([Listed].self)
      #expect(listed.first?.queues == nil && listed.first?.queues_at_once == nil)
      _ = try await client.post(body(records(2, minutes: 6...9)))
      listed = try await client.get("/v1/devices").decoded([Listed].self)
      #expect(listed.first?.queues?.map(\.queue) == ["1", "2"])
      #expect(listed.first?.queues?.map(\.records) == [5, 4])
      #expect(listed.first?.queues?.last?.first_time == "2026-01-01T00:06:00.000Z")
      #expect(listed.first?.queues_at_once == nil)
      #expect(try await client.get("/v1/fleet").text.contains(#""problems":[]"#))
    }
  }

  @Test("over the same time, as with two boxes of one name: the lists and the log say so")
  func atOnce() async throws {
    try await withCollector { client, store in
      _ = try await client.post(body(records(1, minutes: 1...5)))
      let upload = try Upload(
        device: "van-7", schema: nil, batch: nil, body: Array(body(records(2, minutes: 3...6)).utf8))
      #expect(try await store.store(upload, at: now_ms).newlyAtOnce == 2)
      #expect(try await store.store(upload, at: now_ms).newlyAtOnce == nil, "reported once")
      let listed = try await client.get("/v1/devices").decoded([Listed].self)
      #expect(listed.first?.queues_at_once == 2 && listed.first?.queues?.map(\.records) == [5, 4])
      #expect(
        try await client.get("/v1/fleet").text.contains(#""problems":["two_at_once"],"severity":2"#))
    }
  }

  @Test("records that came again are counted once, and those of no queue are passed over")
  func again() async throws {
    try await withCollector { client, store in
      for _ in 1...2 { _ = try await client.post(body(records(1, minutes: 1...5))) }
      _ = try await client.post(body([record("3d813cbb-47fb-42ba-91df-831e1593ac29")]))
      let found = try await store.connection.read { try DeviceQueue.fetch($0, device: 1) }
      #expect(found.queues.map(\.records) == [5] && found.atOnce == 0)
    }
  }

  @Test("times as far apart as numbers go")
  func far() {
    let all = QueueSpan(first_ms: .min, last_ms: .max)
    #expect(QueueSpan.atOnce([all, QueueSpan(first_ms: .max, last_ms: .max)]) == 0)
    #expect(QueueSpan.atOnce([all, QueueSpan(first_ms: 0, last_ms: 60_001), all]) <= 3)
    #expect(
      QueueSpan.atOnce([QueueSpan(first_ms: 0, last_ms: 60_000), QueueSpan(first_ms: 0, last_ms: 60_000)])
        == 0)
    #expect(
      QueueSpan.atOnce([QueueSpan(first_ms: 0, last_ms: 60_001), QueueSpan(first_ms: 0, last_ms: 60_001)])
        == 2)
  }
}
