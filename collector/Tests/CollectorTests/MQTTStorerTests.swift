import Foundation
import Hummingbird
import Testing

@testable import Collector

@Suite("Messages that are stored")
struct MQTTStorerTests {
  /// Refuses so often, as a full disk does.
  private final class Refusing: RecordStorage {
    struct Full: Error {}

    let base: any RecordStorage
    let left: Locked<Int>

    init(_ base: any RecordStorage, times: Int) { (self.base, left) = (base, Locked(times)) }

    func store(_ upload: Upload, at now_ms: Int64) async throws -> Receipt {
      let refuses = left.with { left in
        defer { left -= 1 }
        return left > 0
      }
      if refuses { throw Full() }
      return try await base.store(upload, at: now_ms)
    }
    func records(device: String, after sequence: Int64?, limit: Int) async throws -> [StoredRecord]? {
      try await base.records(device: device, after: sequence, limit: limit)
    }
    func gaps(device: String, from from_ms: Int64?, to to_ms: Int64?) async throws -> [StoredGap]? { nil }
    func devices() async throws -> [DeviceSummary] { try await base.devices() }
    func forget(device: String) async throws -> Bool? { nil }
  }

  private struct Settled: Sendable {
    var ticket: Int
    var answer: String?
    var topic: String?
  }

  private func withStorer(
    confirms: Bool = false, refusing: Int = 0,
    _ body: @Sendable (inout MQTTStorer, MQTTFigures) async throws -> Void
  ) async throws {
    try await withCollector { _, store in
      let figures = MQTTFigures()
      let intake = Intake(
        store: Refusing(store, times: refusing), feed: FleetFeed(), bell: Doorbell(), now_ms: { now_ms })
      var storer = MQTTStorer(
        topic: try MQTTTopic("fleet/{device}/records"), confirms: confirms, intake: intake, figures: figures)
      try await body(&storer, figures)
    }
  }

  private func store(_ payloads: [(String, [UInt8])], _ storer: MQTTStorer) async -> [Settled] {
    let settled = Locked<[Settled]>([])
    let messages = payloads.enumerated().map { number, one in
      MQTTMessage(arrival: MQTTArrival(topic: one.0, payload: one.1, id: 1), ticket: number)
    }
    await storer.store(messages) { ticket, answer in
      guard case .publish(let topic, let payload)? = answer else {
        return settled.with { $0.append(Settled(ticket: ticket)) }
      }
      let text = String(decoding: payload, as: UTF8.self)
      settled.with { $0.append(Settled(ticket: ticket, answer: text, topic: topic)) }
    }
    return settled.with { $0 }.sorted { $0.ticket < $1.ticket }
  }

  private func sequences(of device: String, _ storer: MQTTStorer) async throws -> [Int64] {
    try await storer.intake.store.records(device: device, after: nil, limit: 100)?.map(\.sequence) ?? []
  }

  private func text(_ records: [String], status: String? = nil) -> [UInt8] {
    Array(body(records, status: status).utf8)
  }

  @Test("the agent's formats are known by their first bytes, compressed or not")
  func formats() async throws {
    try await withStorer { storer, figures in
      let plain = text([record(uuid(1)), record(uuid(2))])
      let packed = try Array(GzipTests().gzipped(Data(text([record(uuid(3))]))))
      let settled = await store(
        [
          ("fleet/van-7/records", plain), ("fleet/van-7/records", packed),
          ("fleet/van-8/records", CompactTests.golden),
          ("fleet/van-9/records", try Array(GzipTests().gzipped(Data(CompactTests.golden)))),
          ("fleet/van-7/records", [0x0A, 0x20] + text([record(uuid(4))])),
        ], storer)
      #expect(settled.map(\.ticket) == [0, 1, 2, 3, 4])
      #expect(settled.allSatisfy { $0.answer == nil })
      let found = try await sequences(of: "van-7", storer)
      #expect(found == [1, 2, 3, 4])
      #expect(try await sequences(of: "van-8", storer) == [41, 42, 43, 44, 46])
      #expect(try await sequences(of: "van-9", storer) == [41, 42, 43, 44, 46])
      #expect(figures.count(of: .stored) == 5)
      let schemas = try await storer.intake.store.devices().map(\.schema)
      #expect(schemas == ["geomony/1", "compact/2", "compact/2"])
    }
  }

  @Test("a message that comes again is stored once")
  func again() async throws {
    try await withStorer { storer, figures in
      let one = ("fleet/van-7/records", text([record(uuid(1))]))
      #expect(await store([one, one, one], storer).count == 3)
      let found = try await sequences(of: "van-7", storer)
      #expect(found == [1])
      #expect(figures.metrics.contains("records_total{result=\"duplicate\"} 2\n"))
    }
  }

  @Test("a record that can never be stored is counted, and its neighbours are stored")
  func badNeighbour() async throws {
    try await withStorer(confirms: true) { storer, figures in
      let bad = record(uuid(2), time: "yesterday")
      let settled = await store(
        [("fleet/van-7/records", text([record(uuid(1)), bad, record(uuid(3))]))], storer)
      let found = try await sequences(of: "van-7", storer)
      #expect(found == [1, 3])
      #expect(
        settled.map(\.answer) == [
          """
          {"ack":["\(uuid(1))","\(uuid(3))"],"duplicates":0,"refused":[{"code":"bad_record",\
          "reason":"the timestamp is not an RFC 3339 date and time","uuid":"\(uuid(2))"}],"stored":2}
          """
        ])
      #expect(figures.metrics.contains("records_total{result=\"refused\"} 1\n"))
    }
  }

  @Test(
    "what can never be stored is settled, and counted by its kind",
    arguments: [
      ("fleet/van-7/records", Array("nonsense".utf8), .malformed), ("fleet/van-7/records", [], .malformed),
      ("fleet/van-7/records", [0x1F, 0x8B, 0], .malformed),
      ("fleet/van-7/records", Array("{\"_type\":\"location\"}".utf8), .malformed),
      ("fleet//records", Array("{\"location\":[]}".utf8), .malformed),
      ("fleet/van-7/other", Array("{\"location\":[]}".utf8), .otherTopic),
    ] as [(String, [UInt8], MQTTFigures.Outcome)])
  func never(topic: String, payload: [UInt8], outcome: MQTTFigures.Outcome) async throws {
    try await withStorer(confirms: true) { storer, figures in
      let settled = await store([(topic, payload)], storer)
      #expect(settled.map(\.answer) == [nil])
      #expect(figures.count(of: outcome) == 1)
      #expect(figures.count(of: .stored) == 0)
      let devices = try await storer.intake.store.devices()
      #expect(devices.isEmpty)
    }
  }

  @Test("one that was too large to be kept is settled")
  func tooLarge() async throws {
    try await withStorer { storer, figures in
      let settled = Locked(0)
      let arrival = MQTTArrival(topic: "fleet/van-7/records", payload: [], id: 1, tooLarge_bytes: 9 << 20)
      await storer.store([MQTTMessage(arrival: arrival, ticket: 1)]) { _, _ in settled.with { $0 += 1 } }
      #expect(settled.with { $0 } == 1)
      #expect(figures.count(of: .tooLarge) == 1)
    }
  }

  @Test("while the database refuses, a message is not settled, and tried again after longer pauses")
  func full() async throws {
    try await withStorer(refusing: 3) { storer, figures in
      let pauses = Locked<[Int]>([])
      storer.pause = { pause_ms in
        #expect(figures.held == 1)
        pauses.with { $0.append(pause_ms) }
      }
      let settled = await store([("fleet/van-7/records", text([record(uuid(1))]))], storer)
      #expect(settled.map(\.ticket) == [0])
      #expect(pauses.with { $0 } == [500, 1000, 2000])
      #expect(figures.held == 0)
      let found = try await sequences(of: "van-7", storer)
      #expect(found == [1])
    }
  }

  @Test("what the database still refuses at the end is never settled")
  func fullAtTheEnd() async throws {
    try await withStorer(refusing: .max) { storer, figures in
      storer.pause = { _ in throw CancellationError() }
      #expect(await store([("fleet/van-7/records", text([record(uuid(1))]))], storer).isEmpty)
      #expect(figures.count(of: .stored) == 0)
    }
  }

  @Test("an answer goes to the topic of the message, and has what one over HTTP has")
  func answer() async throws {
    try await withCollector { _, store in
      let intake = Intake(store: store, feed: FleetFeed(), bell: Doorbell(), now_ms: { now_ms })
      let storer = MQTTStorer(
        topic: try MQTTTopic("fleet/{device}/records"), confirms: true, intake: intake, figures: MQTTFigures()
      )
      _ = try await store.setConfig(
        device: "van-7", version: nil, members: ["settings": "{\"a\":1}"], by: "test", at: now_ms)
      let settled = await self.store([("fleet/van-7/records", text([record(uuid(1))]))], storer)
      #expect(settled.map(\.topic) == ["fleet/van-7/records/ack"])
      let expected =
        "{\"ack\":[\"\(uuid(1))\"],\"config\":{\"settings\":{\"a\":1},\"version\":1},\"duplicates\":0,\"stored\":1}"
      #expect(settled.map(\.answer) == [expected])
    }
  }

  @Test("the newest status of a device is the one that stays, whatever comes at once")
  func order() async throws {
    try await withStorer { storer, _ in
      let messages = (1...30).map { number in
        ("fleet/van-7/records", text([record(uuid(UInt64(number)))], status: "{\"version\":\"\(number)\"}"))
      }
      #expect(await store(messages, storer).count == 30)
      let summary = try #require(try await storer.intake.store.devices().first)
      #expect(Response.objectText(summary.status)?.contains("30") == true)
    }
  }
}
