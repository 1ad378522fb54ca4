import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
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
      _ = try await client.post(compact: Self.golden, headers: ["Godwit-Schema": "compact/1"])
      let records = try #require(try await store.records(device: "van-7", after: nil, limit: 10))
      try #require(records.count == 5)
      let departure = records[0]
      #expect(departure.uuid == uuid(queue: queue, 41))
      #expect(departure.event == "motionchange")
      #expect(departure.extras == #"{"cause":"ignition"}"#)
      #expect(departure.timestamp == "2026-03-02T07:04:47.000Z")
      #expect(departure.latitude == 47.3769 && departure.longitude == 8.5417)
      #expect(departure.speed == 13.9 && departure.heading == 0 && departure.altitude == 431)
      #expect(departure.accuracy == 6.4 && departure.altitude_accuracy == 8.96)
      #expect(departure.speed_accuracy == 0.52 && departure.heading_accuracy == 4.4)
      #expect(departure.is_moving == true)
      let bare = records[3]
      #expect(bare.event.isEmpty && bare.latitude == 47.3802)
      #expect(bare.speed == nil && bare.heading == nil && bare.altitude_accuracy == nil)
      #expect(records[4].event == "warning" && records[4].extras == #"{"text":"Zürich"}"#)
      let device = try #require(try await store.devices().first)
      #expect(device.schema == "compact/1" && device.last_position?.latitude == 47.3802)
    }
  }

  @Test("that are cut anywhere are refused, or hold nothing; nothing traps")
  func cut() {
    for length in 0..<Self.golden.count {
      let batch = try? CompactBatch(Array(Self.golden.prefix(length)))
      #expect(batch == nil || (batch?.records.count ?? 0) == 0 || length > 100, "\(length)")
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

  @Test("that claim more records than a request has are refused before there is room made for them")
  func huge() async throws {
    try await withCollector { client, _ in
      let answer = try await client.post(compact: [0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F])
      #expect(answer.status == 400)
      #expect(
        answer.text
          == #"{"error":"the body is not in the compact format: the batch has more than 10000 records"}"#)
    }
  }

  @Test("a place that is not on the earth is refused")
  func nowhere() {
    // One record, latitude 2^40 units: a column of one dense number with the key 15.
    #expect(throws: CompactError.self) {
      _ = try CompactBatch([0x18, 0x01, 0x42, 0x08, 0x01, 0x0F, 0xFF, 0xFF, 0xFF, 0xE0, 0, 0])
    }
  }
}

extension TestClientProtocol {
  fileprivate func post(compact body: [UInt8], headers more: [String: String] = [:]) async throws -> Answer {
    var headers = HTTPFields()
    headers[.contentType] = "application/x-protobuf"
    headers[.godwitDevice] = "van-7"
    for (name, value) in more { headers[try #require(HTTPField.Name(name))] = value }
    return try await execute(
      uri: "/v1/locations", method: .post, headers: headers, body: ByteBuffer(bytes: body)
    ) { Answer(status: $0.status.code, text: String(buffer: $0.body), headers: $0.headers) }
  }
}
