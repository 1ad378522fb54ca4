import Foundation
import Testing

@testable import Collector

@Suite("Upload")
struct UploadTests {
  @Test("a request that comes again is acknowledged again and stored once")
  func resend() async throws {
    try await withCollector { client, store in
      let text = body([record(uuid(1)), record(uuid(2))])
      let first = try await client.post(text).decoded(Receipt.self)
      #expect(first == Receipt(ack: [uuid(1), uuid(2)], stored: 2, duplicates: 0))
      let second = try await client.post(text).decoded(Receipt.self)
      #expect(second == Receipt(ack: [uuid(1), uuid(2)], stored: 0, duplicates: 2))
      #expect(try await count(store) == 2)
    }
  }

  @Test("a request of which all is stored is acknowledged by its numbers, the first time and again")
  func numbers() async throws {
    try await withCollector { client, _ in
      let text = body([record(uuid(41)), record(uuid(43)), record(uuid(42))])
      let headers = ["Godwit-Batch": "41-43"]
      let first = try await client.post(text, headers: headers)
      #expect(first.text == #"{"ack":"41-43","duplicates":0,"stored":3}"#)
      let again = try await client.post(text, headers: headers)
      #expect(again.text == #"{"ack":"41-43","duplicates":3,"stored":0}"#)
    }
  }

  @Test(
    "numbers that are not those of the records, or that nobody knows, are not said back",
    arguments: [
      "41-44", "40-42", "42-41", "41", "status", "", "41-42-43", "b1", "-41-42", "+41-42", "41-042",
    ])
  func strangeNumbers(batch: String) async throws {
    try await withCollector { client, _ in
      let answer = try await client.post(
        body([record(uuid(41)), record(uuid(42))]), headers: ["Godwit-Batch": batch])
      #expect(try answer.decoded(Receipt.self).ack == [uuid(41), uuid(42)])
    }
  }

  @Test("records of a kind that a later version may send are not acknowledged with the others")
  func unknownMember() async throws {
    try await withCollector { client, _ in
      let text = "{\"location\":[\(record(uuid(41))),\(record(uuid(43)))],\"visits\":[\(record(uuid(42)))]}"
      let answer = try await client.post(text, headers: ["Godwit-Batch": "41-43"])
      #expect(try answer.decoded(Receipt.self).ack == [uuid(41), uuid(43)])
    }
  }

  @Test("where one record is refused, or none has a number, the others are named by their ids")
  func notByNumbers() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([record(uuid(41))]))
      let other = record(uuid(41), time: "2026-01-01T09:00:00.000Z")
      let answer = try await client.post(
        body([other, record(uuid(42))]), headers: ["Godwit-Batch": "41-42"])
      #expect(try answer.decoded(Receipt.self).ack == [uuid(42)])
      let random = "3d813cbb-47fb-42ba-91df-831e1593ac29"
      let original = try await client.post(body([record(random)]), headers: ["Godwit-Batch": "41-42"])
      #expect(try original.decoded(Receipt.self).ack == [random])
    }
  }

  @Test("acknowledgements stand in the order of the request, old and new mixed")
  func order() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([record(uuid(2))]))
      let ids = [uuid(9), uuid(2), uuid(1), uuid(9)]
      let receipt = try await client.post(body(ids.map { record($0) })).decoded(Receipt.self)
      #expect(receipt == Receipt(ack: ids, stored: 2, duplicates: 2))
    }
  }

  @Test("an id is acknowledged letter by letter as it was sent, and known in either case")
  func letterCase() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([record(uuid(1))]))
      let shouted = uuid(1).uppercased()
      let receipt = try await client.post(body([record(shouted)])).decoded(Receipt.self)
      #expect(receipt == Receipt(ack: [shouted], stored: 0, duplicates: 1))
    }
  }

  @Test(
    "the same queue and sequence from another device, or the sequence from another queue, is another record")
  func otherIdentities() async throws {
    try await withCollector { client, store in
      _ = try await client.post(body([record(uuid(1))]))
      let other = try await client.post(body([record(uuid(1))]), device: "van-8").decoded(Receipt.self)
      let queue = try await client.post(body([record(uuid(queue: 7, 1))])).decoded(Receipt.self)
      #expect(other.stored == 1)
      #expect(queue.stored == 1)
      #expect(try await count(store) == 3)
    }
  }

  @Test("the original client's random ids are stored once and numbered by arrival")
  func version4() async throws {
    try await withCollector { client, store in
      let ids = ["3d813cbb-47fb-42ba-91df-831e1593ac29", "0b6c3f0e-5f0a-4f5e-9a39-6f2f1c1f7a55"]
      let first = try await client.post(body(ids.map { record($0) })).decoded(Receipt.self)
      #expect(first == Receipt(ack: ids, stored: 2, duplicates: 0))
      let again = try await client.post(body([record(ids[1])])).decoded(Receipt.self)
      #expect(again == Receipt(ack: [ids[1]], stored: 0, duplicates: 1))
      let records = try #require(try await store.records(device: "van-7", after: nil, limit: 10))
      #expect(records.map(\.uuid) == ids)
      #expect(records.map(\.sequence) == [1, 2])
      #expect(records.map(\.queue) == [nil, nil])
    }
  }

  @Test("a record's own text is kept byte for byte, unknown members and all")
  func original() async throws {
    try await withCollector { client, store in
      let text = record(uuid(1), extra: #", "odometer":1.50,"äö":[{"x":"}"}]"#)
      #expect(try await client.post(#"{"more":[1],"location":[ \#(text) ]}"#).status == 200)
      let kept = try await store.connection.read { try $0.value(String.self, "SELECT json FROM record") }
      #expect(kept == text)
    }
  }

  @Test("fields of an unexpected type do not spoil a record")
  func oddTypes() async throws {
    try await withCollector { client, store in
      let odd = """
        {"uuid":"\(uuid(1))","timestamp":"2026-01-01T00:00:00Z","latitude":1,"longitude":2,\
        "speed":"fast","is_moving":"yes","extras":{"a":1},"event":null}
        """
      #expect(try await client.post(body([odd])).status == 200)
      let records = try #require(try await store.records(device: "van-7", after: nil, limit: 10))
      #expect(records.map(\.speed) == [nil])
      #expect(records.map(\.event) == [""])
    }
  }

  @Test("an event of a device that has no position yet is stored without one")
  func eventWithoutPlace() async throws {
    try await withCollector { client, store in
      let event = record(uuid(1), latitude: "null", longitude: "null", event: "warning")
      #expect(try await client.post(body([event])).status == 200)
      let devices = try await store.devices()
      #expect(devices.count == 1 && devices.allSatisfy { $0.last_position == nil })
      let position = record(uuid(2), latitude: "null", longitude: "null")
      #expect(try await client.post(body([position])).status == 422)
    }
  }

  @Test("a status alone is a request too")
  func statusAlone() async throws {
    try await withCollector { client, store in
      let receipt = try await client.post(body([], status: #"{"version":"1.0"}"#)).decoded(Receipt.self)
      #expect(receipt == Receipt(ack: [], stored: 0, duplicates: 0))
      #expect(try await store.devices().map(\.status) == [.object(["version": .string("1.0")])])
    }
  }

  @Test("the path that devices post to can be chosen")
  func otherPath() async throws {
    try await withCollector(path: "/in/geomony") { client, _ in
      let chosen = try await client.post(body([record(uuid(1))]), path: "/in/geomony")
      #expect(chosen.status == 200)
      let usual = try await client.post(body([record(uuid(1))]))
      #expect(usual.status == 404)
    }
  }

  private func count(_ store: Store) async throws -> Int? {
    try await store.connection.read { try $0.value(Int.self, "SELECT count(*) FROM record") }
  }
}
