import Foundation
import Testing

@testable import Collector

@Suite("Geofence events of the geomony format")
struct GeofenceTests {
  /// As the original client sends it: without an id.
  private func event(
    action: String = "ENTER", time: String = "2026-01-01T00:00:00Z",
    more: String = #","extras":{"jobId":"123"}"#
  ) -> String {
    """
    {"accuracy":5.0,"action":"\(action)","identifier":"home","latitude":40.785,"longitude":-73.968,\
    "timestamp":"\(time)"\(more)}
    """
  }

  private func body(geofence events: [String], location: [String]? = nil) -> String {
    let locations = location.map { #","location":[\#($0.joined(separator: ","))]"# } ?? ""
    return #"{"geofence":[\#(events.joined(separator: ","))]\#(locations)}"#
  }

  @Test("are stored with everything they hold, once, however often they come, beside locations and alone")
  func stored() async throws {
    try await withCollector { client, store in
      let events = [event(), event(action: "EXIT", time: "2026-01-01T00:05:00Z", more: "")]
      let first = try await client.post(body(geofence: events, location: [record(uuid(1))]))
        .decoded(Receipt.self)
      #expect(first.stored == 3 && first.ack.count == 3 && first.ack.last == uuid(1))
      let again = try await client.post(body(geofence: events)).decoded(Receipt.self)
      #expect(again == Receipt(ack: Array(first.ack.prefix(2)), stored: 0, duplicates: 2))
      let records = try #require(try await store.records(device: "van-7", after: nil, limit: 10))
        .filter { $0.event == "geofence" }
      #expect(
        records.map(\.extras) == [
          #"{"action":"ENTER","geofence":"home","extras":{"jobId":"123"}}"#,
          #"{"action":"EXIT","geofence":"home"}"#,
        ])
      #expect(records.map(\.timestamp) == ["2026-01-01T00:00:00.000Z", "2026-01-01T00:05:00.000Z"])
      #expect(records.map(\.accuracy) == [5, 5])
      #expect(records.allSatisfy { $0.latitude == 40.785 && $0.longitude == -73.968 })
      let kept = try await store.connection.read {
        try $0.values(String.self, "SELECT json FROM record WHERE event = 'geofence' ORDER BY sequence")
      }
      #expect(kept == events)
    }
  }

  @Test("with a uuid of Godwit are the same record in whichever key or format they come")
  func ours() async throws {
    try await withCollector { client, store in
      let mine = event(time: "2026-01-01T00:00:00.000Z", more: #","uuid":"\#(uuid(7))""#)
      let receipt = try await client.post(body(geofence: [mine])).decoded(Receipt.self)
      #expect(receipt == Receipt(ack: [uuid(7)], stored: 1, duplicates: 0))
      let place = record(uuid(7), latitude: "40.785", longitude: "-73.968", event: "geofence")
      let again = try await client.post(#"{"location":[\#(place)]}"#).decoded(Receipt.self)
      #expect(again == Receipt(ack: [uuid(7)], stored: 0, duplicates: 1))
    }
  }

  @Test(
    "that cannot be read are refused with the request, not acknowledged",
    arguments: [
      (#"{"action":"ENTER","timestamp":"2026-01-01T00:00:00Z"}"#, "the geofence event has no identifier"),
      (#"{"identifier":"home","action":7}"#, "the geofence event has no action"),
      (#"{"identifier":"home","action":"EXIT","latitude":1,"longitude":2}"#, "the record has no timestamp"),
      ("7", "the record is not a JSON object"),
    ])
  func refused(text: String, error: String) async throws {
    try await withCollector { client, store in
      let answer = try await client.post(body(geofence: [event(), text], location: [record(uuid(1))]))
      #expect(answer.status == 422)
      let problem = try answer.decoded(RefusalTests.Problem.self)
      #expect(problem.error == error && problem.index == 1)
      #expect(try await store.devices().isEmpty)
    }
  }

  @Test("a key that comes twice drops nothing")
  func twice() async throws {
    try await withCollector { client, _ in
      let text = #"{"location":[\#(record(uuid(1)))],"location":[\#(record(uuid(2)))]}"#
      let receipt = try await client.post(text).decoded(Receipt.self)
      #expect(receipt == Receipt(ack: [uuid(1), uuid(2)], stored: 2, duplicates: 0))
    }
  }

  @Test("an id made of a text is that of RFC 9562")
  func named() throws {
    // Appendix A.4: the namespace of DNS.
    let dns = try #require(UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
    let bytes = withUnsafeBytes(of: dns.uuid) { Array($0) }
    #expect(NameBasedUUID.text("www.example.com".utf8, in: bytes) == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
    // Python's uuid.uuid5, for lengths around a block's end.
    for (length, expected) in Self.lengths {
      #expect(NameBasedUUID.text([UInt8](repeating: 0x61, count: length)) == expected, "\(length)")
    }
  }

  private static let lengths: [(Int, String)] = [
    (0, "50519ef5-ac08-584c-81bc-a216a21a9a66"),
    (39, "7e5ee5ef-5071-536d-a4f2-9156bb471102"),
    (40, "7bc4d19a-986e-502b-a2e4-173f168de78a"),
    (47, "c33861ee-2967-5841-a2fc-ea7bb08a5ecc"),
    (48, "1998ecce-6e66-5d41-aa0b-40732721b152"),
    (112, "97d22092-e5dd-5963-9f56-46cba06349fb"),
    (1000, "0aa0d135-6b1a-5666-bc64-0a5bb35b67b7"),
  ]
}
