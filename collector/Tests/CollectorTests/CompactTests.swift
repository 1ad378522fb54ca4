import Foundation
import HTTPTypes
import Hummingbird
import SwiftProtobuf
import Testing

@testable import Collector

/// The body is the agent's golden one: queue 0x123456789abcde, records 41 to 44 and 46.
@Suite("Compact bodies")
struct CompactTests {
  static let golden: [UInt8] = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let file = folder.appending(path: "Tests/TrackerWireTests/Golden/compact.hex")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let digits = Array(text.filter { $0.isHexDigit })
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }()
  private let queue: UInt64 = 0x012_3456_789A_BCDE

  @Test("are stored once, under the ids of the geomony format")
  func stored() async throws {
    try await withCollector { client, store in
      let ids = [41, 42, 43, 44, 46].map { uuid(queue: queue, $0) }
      let first = try await client.post(compact: Self.golden).decoded(Receipt.self)
      #expect(first == Receipt(ack: ids, stored: 5, duplicates: 0))
      let again = try await client.post(compact: Self.golden).decoded(Receipt.self)
      #expect(again == Receipt(ack: ids, stored: 0, duplicates: 5))
      let plain = record(
        ids[0], time: "2026-03-02T07:04:47.000Z", latitude: "47.37690123", longitude: "8.54169877",
        event: "motionchange")
      let other = try await client.post(body([plain])).decoded(Receipt.self)
      #expect(other == Receipt(ack: [ids[0]], stored: 0, duplicates: 1))
    }
  }

  @Test("are the same when they come as compact after the geomony format, and not others")
  func afterGeomony() async throws {
    try await withCollector { client, store in
      let ids = [41, 42].map { uuid(queue: queue, $0) }
      let plain = record(
        ids[0], time: "2026-03-02T07:04:47.000Z", latitude: "47.37690123", longitude: "8.54169877",
        event: "motionchange")
      _ = try await client.post(body([plain, record(ids[1])]))
      let receipt = try await client.post(compact: Self.golden).decoded(Receipt.self)
      #expect(receipt.stored == 3 && receipt.duplicates == 1)
      #expect(receipt.refused?.map(\.uuid) == [ids[1]])
    }
  }

  @Test("are read back as if they had come in the geomony format")
  func readBack() async throws {
    try await withCollector { client, store in
      _ = try await client.post(compact: Self.golden, headers: ["Godwit-Schema": "compact/2"])
      let records = try #require(try await store.records(device: "van-7", after: nil, limit: 10))
      try #require(records.count == 5)
      let departure = records[0]
      #expect(departure.uuid == uuid(queue: queue, 41))
      #expect(departure.event == "motionchange")
      #expect(departure.extras == #"{"trip":3,"cause":"ignition"}"#)
      #expect(departure.timestamp == "2026-03-02T07:04:47.000Z")
      #expect(departure.latitude == 47.3769 && departure.longitude == 8.5417)
      #expect(departure.speed == 13.9 && departure.heading == 0 && departure.altitude == 431)
      #expect(departure.accuracy == 6.5 && departure.altitude_accuracy == 9.5)
      #expect(departure.speed_accuracy == 0.5 && departure.heading_accuracy == 5)
      #expect(departure.is_moving == true)
      let bare = records[3]
      #expect(bare.event.isEmpty && bare.latitude == 47.3802)
      #expect(bare.speed == nil && bare.heading == nil && bare.altitude_accuracy == nil)
      #expect(records[4].event == "warning" && records[4].extras == #"{"trip":3,"text":"Zürich"}"#)
      let device = try #require(try await store.devices().first)
      #expect(device.schema == "compact/2" && device.last_position?.latitude == 47.3802)
    }
  }

  @Test(
    "of a newer agent: a record of an unknown kind is stored with all that it says, as in geomony")
  func newerKind() async throws {
    let batch = Godwit_Compact_Batch.with {
      ($0.queueID, $0.count, $0.timeUnitMs, $0.positionUnitE7, $0.accuracyUnitCm) = (queue, 2, 1000, 1, 1)
      ($0.sequence, $0.time, $0.flags, $0.trip) = ([7, 1], [1_772_434_800, 1], [32, 32], [3, 0])
      $0.kind = [.UNRECOGNIZED(99), .trip]
      $0.others = [.with { ($0.record, $0.extras) = (0, #"{"seats":2}"#) }]
    }
    try await withCollector { client, store in
      let receipt = try await client.post(compact: try batch.serializedBytes()).decoded(Receipt.self)
      #expect(receipt.stored == 2 && receipt.refused == nil)
      let records = try #require(try await store.records(device: "van-7", after: nil, limit: 10))
      #expect(records.map(\.event) == ["unknown", "trip"])
      #expect(records.map(\.extras) == [#"{"trip":3,"seats":2}"#, #"{"trip":3}"#])
    }
  }

  @Test("without records and without a status are refused: they may be the beginning of one")
  func nothing() async throws {
    let beginning = Godwit_Compact_Batch.with { $0.queueID = queue }
    try await withCollector { client, _ in
      let answer = try await client.post(compact: try beginning.serializedBytes())
      #expect(answer.status == 400 && answer.text.contains("it has neither records nor a status"))
    }
  }

  @Test("that are cut anywhere are refused; nothing traps")
  func cut() {
    for length in 0..<Self.golden.count {
      #expect((try? CompactBatch(Array(Self.golden.prefix(length)))) == nil, "\(length)")
    }
  }

  @Test("with any bit turned do not trap")
  func flipped() {
    for bit in 0..<8 * Self.golden.count {
      var body = Self.golden
      body[bit / 8] ^= 1 << UInt8(bit % 8)
      _ = try? Upload(device: "van-7", schema: nil, batch: nil, compact: body)
    }
  }

  @Test("with more records than a request has, or with columns that do not fit, are refused")
  func refused() async throws {
    let long = Godwit_Compact_Batch.with { $0.sequence = Array(repeating: 1, count: 10_001) }
    try await withCollector { client, _ in
      let answer = try await client.post(compact: try long.serializedBytes())
      #expect(answer.status == 400)
      #expect(
        answer.text
          == #"{"error":"the body is not in the compact format: the batch has more than 10000 records"}"#)
    }
    var batch = Godwit_Compact_Batch()
    (batch.timeUnitMs, batch.positionUnitE7, batch.accuracyUnitCm) = (1000, 50, 50)
    (batch.sequence, batch.flags, batch.latitude) = ([1, 1], [64, 64], [0])
    expect(batch, "it was cut on its way")
    batch.count = 2
    expect(batch, "its columns are not equally long")
    batch.latitude = [1 << 40, 0]
    expect(batch, "a place is not on the earth")
    (batch.latitude, batch.time) = ([], [.max, 0])
    expect(batch, "a time is outside the years 0 to 9999")
    (batch.time, batch.others) = ([], [.with { $0.record = 2 }])
    expect(batch, "an event is of a record that is not there")
    batch.timeUnitMs = 0
    expect(batch, "a unit of the batch is missing or out of range")
  }

  @Test("of another version are refused by 415, which costs no record: the device waits and says why")
  func otherVersion() async throws {
    try await withCollector { client, _ in
      let answer = try await client.post(compact: Self.golden, headers: ["Godwit-Schema": "compact/1"])
      #expect(answer.status == 415)
      #expect(
        answer.text
          == #"{"error":"this collector reads compact/2, not compact/1: update the older of the two"}"#)
    }
  }

  private func expect(_ batch: Godwit_Compact_Batch, _ words: String) {
    #expect(throws: CompactError(description: words)) { _ = try CompactBatch(try batch.serializedBytes()) }
  }
}

extension TestClient {
  func post(compact body: [UInt8], headers more: [String: String] = [:]) async throws -> Answer {
    var headers = HTTPFields()
    headers[.contentType] = "application/x-protobuf"
    headers[.godwitDevice] = "van-7"
    for (name, value) in more { headers[try #require(HTTPField.Name(name))] = value }
    return Answer(
      try await execute(uri: "/v1/locations", method: .post, headers: headers, body: ByteBuffer(bytes: body)))
  }
}
