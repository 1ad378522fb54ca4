import Foundation
import GRDB
import Testing

@testable import Collector

@Suite("Devices that have not sent yet")
struct PreparedDeviceTests {
  private let settings = #"{"settings":{"motion.stop_timeout_s":600}}"#
  private let path = "/v1/devices/box%201"

  @Test("get settings and commands with the answer to their first request")
  func prepared() async throws {
    try await withCollector { client, _ in
      let set = try await client.put(path + "/config", settings)
      #expect(set.status == 200 && set.text.contains(#""version":1},"#) && set.text.contains("pending"))
      #expect(
        try await client.post(#"{"id":"a","command":"locate"}"#, path: path + "/commands").status == 201)
      let answer = try await client.post(body([record(uuid(1))]), device: "box 1")
      #expect(
        answer.text
          == #"{"ack":["\#(uuid(1))"],"commands":[{"command":"locate","id":"a"}],"config":{"settings":{"motion.stop_timeout_s":600},"version":1},"duplicates":0,"stored":1}"#
      )
    }
  }

  @Test("are listed and shown without a contact until they send")
  func shown() async throws {
    try await withCollector { client, store in
      _ = try await client.put(path + "/config", settings)
      #expect(try await client.get("/v1/devices").text == #"[{"device":"box 1","records":0}]"#)
      #expect(try await client.get("/v1/fleet").text == #"[{"device":"box 1","problems":[],"severity":0}]"#)
      #expect(try await client.get(path + "/records").text == "[]")
      #expect(try await client.get(path + "/gaps").text == "[]")
      _ = try await client.post(body([]), device: "box 1")
      #expect(try await store.devices().map(\.last_contact) == ["2026-01-01T00:10:00.000Z"])
      #expect(
        try await client.get("/v1/fleet").text
          == #"[{"device":"box 1","last_contact":"2026-01-01T00:10:00.000Z","problems":[],"severity":0}]"#)
      let first_ms = try await store.connection.read { db in
        try db.value(Int64.self, "SELECT first_contact_ms FROM device")
      }
      #expect(first_ms == now_ms)
    }
  }

  @Test("a misspelt one is taken back, one that has sent is not")
  func forget() async throws {
    try await withCollector { client, _ in
      _ = try await client.put(path + "/config", settings)
      _ = try await client.post(#"{"command":"locate"}"#, path: path + "/commands")
      #expect(try await client.delete(path).status == 204)
      #expect(try await client.get("/v1/devices").text == "[]")
      let gone = try await client.delete(path)
      #expect(gone.status == 404 && gone.text == #"{"error":"no such device: box 1"}"#)
      _ = try await client.post(body([]))
      let kept = try await client.delete("/v1/devices/van-7")
      #expect(
        kept.status == 409
          && kept.text == #"{"error":"the device has sent: DELETE its history, if it is to go"}"#)
    }
  }

  @Test("only an operator prepares and takes back")
  func operators() async throws {
    try await withCollector(tokens: "device", operators: "operator") { client, _ in
      let device = ["Authorization": "Bearer device"]
      let refused = try await client.put(path + "/config", settings, headers: device)
      #expect(refused.status == 403)
      #expect(try await client.delete(path, headers: device).status == 403)
      #expect(try await client.get("/v1/devices", headers: device).text == "[]")
    }
  }

  @Test("have a name that a device can have")
  func names() async throws {
    try await withCollector { client, _ in
      for (name, fault) in [
        (String(repeating: "x", count: 129), "has 129"),
        ("a%07", "has a character that cannot be seen, U+0007, as number 2"),
      ] {
        for answer in [
          try await client.put("/v1/devices/\(name)/config", settings),
          try await client.post(#"{"command":"sync"}"#, path: "/v1/devices/\(name)/commands"),
        ] {
          #expect(answer.status == 400)
          #expect(
            answer.text
              == #"{"error":"a device's name has 1 to 128 characters: this one \#(fault)"}"#)
        }
      }
    }
  }

  @Test("a database from before has all it had, and takes them")
  func migration() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "fleet.sqlite").path
      let upload = try Upload(
        device: "van-7", schema: nil, batch: nil, body: Array(body([record(uuid(1))]).utf8))
      do {
        let queue = try DatabaseQueue(path: path)
        try Schema.migrator.migrate(queue, upTo: "6 queues")
        try await queue.write { db in
          try db.execute(
            sql: """
              INSERT INTO device (id, name, records, status, first_contact_ms, last_contact_ms, config, conflicts)
              VALUES (3, 'van-8', 1, '{}', 5, 6, '{"settings":{},"version":2}', 4);
              INSERT INTO record (id, device_id, queue_id, sequence, uuid, time_ms, latitude, longitude, event, extras,
                received_ms, json) VALUES (9, 3, 1, 1, 'u', 0, 1, 2, '', '', 0, '{}');
              UPDATE device SET position_record_id = 9;
              INSERT INTO command (device_id, id, json, created_ms) VALUES (3, 'c', '{"id":"c"}', 0);
              """)
        }
        try queue.close()
      }
      let store = try Store(path: path)
      let device = try #require(try await store.devices().first)
      #expect(device.device == "van-8" && device.records == 1 && device.conflicts == 4)
      #expect(device.last_contact == "1970-01-01T00:00:00.006Z" && device.last_position?.latitude == 1)
      let config = try await store.config(device: "van-8")
      #expect(config??.text == #"{"settings":{},"version":2}"#)
      #expect(try await store.commands(device: "van-8")?.count == 1)
      #expect(try await store.records(device: "van-8", after: nil, limit: 9)?.count == 1)
      #expect(try await store.store(upload, at: now_ms).stored == 1)
      try store.close()
    }
  }
}
