import Foundation
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
      #expect(
        try await client.get("/v1/fleet").text
          == #"[{"device":"box 1","problems":[],"settings_state":"pending","severity":0}]"#)
      #expect(try await client.get(path + "/records").text == "[]")
      #expect(try await client.get(path + "/gaps").text == "[]")
      _ = try await client.post(body([]), device: "box 1")
      #expect(try await store.devices().map(\.last_contact) == ["2026-01-01T00:10:00.000Z"])
      #expect(
        try await client.get("/v1/fleet").text
          == #"[{"device":"box 1","last_contact":"2026-01-01T00:10:00.000Z","problems":[],"#
          + #""settings_state":"pending","severity":0}]"#)
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
}
