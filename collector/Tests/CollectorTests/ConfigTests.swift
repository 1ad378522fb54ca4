import Foundation
import Testing

@testable import Collector

/// Settings of devices: set by an operator, carried to the device, reported by it.
@Suite("Settings of devices")
struct ConfigTests {
  private static let path = "/v1/devices/van-7/config"
  private let settings = #"{"settings":{"motion.stop_timeout_s":600}}"#

  /// - Parameter config: of the status; nil: it says nothing of it.
  private func report(_ client: TestClient, _ config: String? = nil) async throws -> String {
    let status = config.map { #"{"config":\#($0)}"# } ?? "{}"
    return try await client.post(body([], status: status)).text
  }

  private func state(_ client: TestClient) async throws -> String {
    let answer = try await client.get(Self.path).text
    return answer.components(separatedBy: #""state":""#).last?.components(separatedBy: "\"").first ?? answer
  }

  @Test("go with each answer until the device has reported that it has looked at them")
  func carried() async throws {
    try await withCollector { client, _ in
      let plain = #"{"ack":[],"duplicates":0,"stored":0}"#
      let carrying =
        #"{"ack":[],"config":{"settings":{"motion.stop_timeout_s":600},"version":1},"duplicates":0,"stored":0}"#
      #expect(try await report(client) == plain)
      let set = try await client.put(Self.path, settings)
      #expect(set.status == 200)
      #expect(
        set.text
          == #"{"config":{"settings":{"motion.stop_timeout_s":600},"version":1},"set":"2026-01-01T00:10:00.000Z","state":"pending"}"#
      )
      #expect(try await report(client) == carrying)
      #expect(try await report(client, #"{"ignored":0}"#) == carrying)
      #expect(try await state(client) == "pending")
      #expect(
        try await report(
          client, #"{"desired":1,"in_force":1,"trial_left_s":590,"trial_until":"2026-01-01T00:20:00Z"}"#)
          == plain)
      #expect(try await state(client) == "trial")
      _ = try await report(client, #"{"desired":1,"in_force":1,"trial_left_s":590,"trial_waits_for":"x"}"#)
      #expect(try await state(client) == "trial")
      #expect(try await report(client, #"{"desired":1,"in_force":1}"#) == plain)
      #expect(try await state(client) == "in_force")
      #expect(try await report(client, #"{"desired":1,"off_because":"x"}"#) == plain)
      #expect(try await state(client) == "off")
      // A card that was put back from a copy knows less.
      #expect(try await report(client) == carrying)
    }
  }

  @Test("that the device refuses are not sent again, and its words are shown")
  func refused() async throws {
    try await withCollector { client, _ in
      _ = try await report(client)
      _ = try await client.put(Self.path, settings)
      let reported = #"{"desired":1,"refused":1,"refused_because":"schedule: rule 1 is malformed"}"#
      #expect(try await report(client, reported) == #"{"ack":[],"duplicates":0,"stored":0}"#)
      #expect(try await state(client) == "refused")
      #expect(try await client.get(Self.path).text.contains("schedule: rule 1 is malformed"))
      _ = try await client.put(Self.path, #"{"settings":{}}"#)
      #expect(
        try await report(client, reported).contains(#""config":{"settings":{},"version":2}"#))
    }
  }

  @Test("have versions that grow, above what the device has seen of any server")
  func versions() async throws {
    try await withCollector { client, _ in
      _ = try await report(client, #"{"desired":41,"in_force":41}"#)
      #expect(try await client.put(Self.path, settings).text.contains(#""version":42"#))
      let same = try await client.put(Self.path, #"{"version":42,"settings":{}}"#)
      #expect(same.status == 409)
      #expect(
        same.text
          == #"{"error":"version 42 is not above 42, which the device or this collector has seen"}"#)
      #expect(
        try await client.put(Self.path, #"{"version":50.0,"settings":{}}"#).text.contains(#""version":50}"#))
      _ = try await report(client, #"{"desired":60,"in_force":60}"#)
      #expect(try await state(client) == "outdated")
    }
  }

  @Test("have versions that go round, as the device counts them, whatever a device reports")
  func goesRound() async throws {
    try await withCollector { client, _ in
      _ = try await report(client, #"{"desired":9007199254740992}"#)
      #expect(try await client.put(Self.path, settings).text.contains(#""version":1}"#))
      #expect(try await state(client) == "pending")
      #expect(try await client.put(Self.path, settings).text.contains(#""version":2}"#))
      let far = try await client.put(Self.path, #"{"version":9007199254740992,"settings":{}}"#)
      #expect(far.status == 409)
      #expect(
        far.text
          == #"{"error":"version 9007199254740992 is 4503599627370496 or more above 2, which the device or this collector has seen: the device would take it for an older one; the next is 3"}"#
      )
      _ = try await report(client, #"{"desired":2,"in_force":2}"#)
      #expect(try await state(client) == "in_force")
      for odd in ["9223372036854775807", "-1", "0", "9007199254740993"] {
        _ = try await report(client, #"{"desired":\#(odd)}"#)
        #expect(try await state(client) == "pending")
      }
      #expect(try await client.put(Self.path, settings).text.contains(#""version":3}"#))
    }
  }

  @Test(
    "are refused where they are none",
    arguments: [
      ("", "the body is not a JSON object"), ("[]", "the body is not a JSON object"),
      ("{}", "the body has no object `settings`; an empty one takes all back"),
      (#"{"settings":[]}"#, "the body has no object `settings`; an empty one takes all back"),
      (#"{"version":0,"settings":{}}"#, "`version` must be a whole number from 1 to 9007199254740992"),
      (#"{"version":"1","settings":{}}"#, "`version` must be a whole number from 1 to 9007199254740992"),
      (#"{"version":1,"version":2,"settings":{}}"#, "the body has `version` twice in one object"),
      (
        #"{"settings":{"track.max_error_m":9,"track.max_error_m":8}}"#,
        "the body has `track.max_error_m` twice in one object"
      ),
      (
        #"{"settings":{},"geofences":{"features":[{},{"id":1,"id":2}]}}"#,
        "the body has `id` twice in one object"
      ),
      (
        #"{"settings":{"schedule":[],"track.max_error_m":1e400}}"#,
        "`track.max_error_m` has a number beyond ±1.8e308, which is more than a JSON number's double holds"
      ),
      (
        #"{"settings":{},"geofences":{"features":[{"id":"a"},{"corners":[[8,47],[8,-1e400]]}]}}"#,
        "`corners` has a number beyond ±1.8e308, which is more than a JSON number's double holds"
      ),
      (
        #"[1e400]"#, "the body has a number beyond ±1.8e308, which is more than a JSON number's double holds"
      ),
      (#"{"settings":{"a":"1e400"}"#, "the body is not a JSON object"),
      (
        #"{"sett\u0069ngs":{}}"#, "the body has no object `settings`; an empty one takes all back"
      ),
      (
        #"{"settings":{},"url":1}"#,
        "the body may hold `version`, `settings` and `geofences`, not `url`"
      ),
    ])
  func malformed(text: String, words: String) async throws {
    try await withCollector { client, _ in
      _ = try await report(client)
      let answer = try await client.put(Self.path, text)
      #expect(answer.status == 400 && answer.text == #"{"error":"\#(words)"}"#)
    }
  }

  @Test("go on in the order in which they were set, white space apart, stored, answered and sent")
  func order() async throws {
    try await withCollector { client, _ in
      _ = try await report(client)
      let set = #"{ "settings" : {"z":[1, 2.50],"b":1e2,\#n"a":" {\" x : "} , "geofences":null}"#
      let config =
        #""config":{"geofences":null,"settings":{"z":[1,2.50],"b":1e2,"a":" {\" x : "},"version":1}"#
      #expect(try await client.put(Self.path, set).text.hasPrefix("{\(config),"))
      #expect(try await client.get(Self.path).text.hasPrefix("{\(config),"))
      #expect(try await report(client) == "{\"ack\":[],\(config),\"duplicates\":0,\"stored\":0}")
    }
  }

  @Test("may have 64 KiB, and are absent before anybody set any")
  func bounds() async throws {
    try await withCollector { client, _ in
      #expect(try await client.get(Self.path).text == #"{"error":"no such device: van-7"}"#)
      _ = try await report(client)
      let none = try await client.get(Self.path)
      #expect(none.status == 404 && none.text == #"{"error":"nobody has set anything for this device"}"#)
      let large = #"{"settings":{},"geofences":""# + String(repeating: "x", count: 70_000) + "\"}"
      let answer = try await client.put(Self.path, large)
      #expect(answer.status == 413)
      #expect(
        answer.text
          == #"{"error":"the settings have 70042 bytes as they are sent, and a device takes 64 KiB: simplify the geofences"}"#
      )
      // Long as it comes, and short as it is sent.
      let spaces = #"{"settings":{},"geofences":["# + String(repeating: " ", count: 70_000) + "]}"
      #expect(try await client.put(Self.path, spaces).status == 200)
      let most = #"{"settings":{},"geofences":""# + String(repeating: "x", count: 65_490) + "\"}"
      #expect(try await client.put(Self.path, most).status == 200)
    }
  }

  @Test("wait for an answer that has room for them within the least max_reply_kb, with a smaller batch")
  func room() async throws {
    try await withCollector { client, _ in
      _ = try await report(client)
      let most = #"{"settings":{},"geofences":""# + String(repeating: "x", count: 65_490) + "\"}"
      #expect(try await client.put(Self.path, most).status == 200)
      let many = try await client.post(body((1...1700).map { record(uuid($0)) }))
      #expect(many.status == 200 && many.text.utf8.count > 65_536 && !many.text.contains("geofences"))
      let fewer = try await client.post(body((2001...3500).map { record(uuid($0)) }))
      #expect(fewer.text.contains("geofences") && fewer.text.utf8.count <= 131_072)
    }
  }

  @Test("outlive a restart of the collector")
  func restart() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "fleet.sqlite").path
      let upload = try Upload(
        device: "van-7", schema: nil, batch: nil, body: Array(body([record(uuid(1))]).utf8))
      let first = try openStore(path)
      _ = try await first.store(upload, at: now_ms)
      _ = try await first.setConfig(
        device: "van-7", version: 3, members: ["settings": "{}"], by: "anna", at: now_ms)
      try first.close()
      let second = try openStore(path)
      let receipt = try await second.store(upload, at: now_ms)
      #expect(receipt.config == #"{"settings":{},"version":3}"#)
      try second.close()
    }
  }

  // MARK: who may

  private func put(_ client: TestClient, _ token: String) async throws -> Answer {
    try await client.put(Self.path, settings, headers: ["Authorization": "Bearer \(token)"])
  }

  private func known(_ client: TestClient) async throws {
    _ = try await client.post(body([]), headers: ["Authorization": "Bearer device"])
  }

  @Test("are set by an operator's token, not by a device's, and read by both")
  func operators() async throws {
    try await withCollector(tokens: "device", operators: "operator") { client, _ in
      try await known(client)
      let refused = try await put(client, "device")
      #expect(refused.status == 403)
      #expect(
        refused.text
          == #"{"error":"only an operator's token may change devices (--operator-token-file)"}"#)
      #expect(try await put(client, "nobody").status == 401)
      #expect(try await put(client, "operator").status == 200)
      for token in ["device", "operator"] {
        let answer = try await client.get(Self.path, headers: ["Authorization": "Bearer \(token)"])
        #expect(answer.status == 200)
      }
    }
  }

  @Test("nobody sets them where devices have tokens and operators have none")
  func noOperators() async throws {
    try await withCollector(tokens: "device") { client, _ in
      try await known(client)
      let refused = try await put(client, "device")
      #expect(refused.status == 403)
      #expect(
        refused.text
          == #"{"error":"nobody may change devices here: start the collector with --operator-token-file"}"#)
    }
  }
}
