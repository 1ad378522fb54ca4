import Foundation
import Testing

@testable import Collector

@Suite("Settings for the form, and for many")
struct SteeringTests {
  private static let schema = #"""
    {"type":"object","properties":{
      "device_id":{"type":"string","default":""},
      "schedule":{"type":"array","items":{"type":"string"},"default":[],"x-remote":true},
      "motion":{"type":"object","properties":{
        "mode":{"description":"How.","type":"string","enum":["full","wire_only"],"default":"full","x-remote":true},
        "stop_timeout_s":{"type":"number","minimum":10,"maximum":7200,"default":300,"x-remote":true},
        "cells":{"type":"boolean","default":true,"x-remote":true}}},
      "vibration":{"type":"object","properties":{
        "edges":{"type":"integer","minimum":1,"maximum":1000,"default":5,"x-remote":true}}}}}
    """#

  private func collector(_ body: @escaping @Sendable (TestClient, Store) async throws -> Void)
    async throws
  {
    try await withCollector(change: { $0.schema = SettingsSchema(text: Self.schema) }, body)
  }

  @Test("those that a server may set are listed with their type, range and meaning, and no others")
  func listed() async throws {
    try await collector { client, _ in
      let text = try await client.get("/v1/settings").text
      let keys = JSONValue(text: text)?.elements?.compactMap { $0["key"]?.string }
      #expect(
        keys == ["motion.cells", "motion.mode", "motion.stop_timeout_s", "schedule", "vibration.edges"])
      #expect(
        text.contains(
          #"{"choices":["full","wire_only"],"default":"full","description":"How.","key":"motion.mode","type":"string"}"#
        ))
    }
  }

  @Test("the agent's own schema marks what a server may set")
  func ownSchema() throws {
    let file =
      #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/config/godwit.schema.json"
    let schema = try #require(SettingsSchema(text: try String(contentsOfFile: file, encoding: .utf8)))
    let keys = schema.settings.map(\.key)
    #expect(keys.contains("motion.stop_timeout_s") && keys.contains("schedule"))
    #expect(!keys.contains("sync.url") && !keys.contains("device_id"))
  }

  @Test(
    "each mistake is named by its key",
    arguments: [
      (#"{"motion.stop_timeout_s":5}"#, "motion.stop_timeout_s", "must be from 10 to 7200"),
      (#"{"motion.stop_timeout_s":"5"}"#, "motion.stop_timeout_s", "must be a number"),
      (#"{"vibration.edges":2.5}"#, "vibration.edges", "must be a whole number"),
      (#"{"motion.cells":1}"#, "motion.cells", "must be true or false"),
      (#"{"motion.mode":"half"}"#, "motion.mode", "must be one of full, wire_only"),
      (#"{"schedule":"mon"}"#, "schedule", "must be a list of texts"),
      (#"{"device_id":"x"}"#, "device_id", "is no setting that a server may set"),
    ])
  func mistakes(settings: String, key: String, problem: String) async throws {
    try await collector { client, _ in
      let answer = try await client.send(.post, "/v1/settings/check", #"{"settings":\#(settings)}"#)
      #expect(answer.text == #"{"problems":[{"key":"\#(key)","problem":"\#(problem)"}]}"#)
    }
  }

  @Test("what is fit has no mistake, and without a schema the collector says so")
  func fit() async throws {
    try await collector { client, _ in
      let settings =
        #"{"settings":{"motion.stop_timeout_s":10,"motion.cells":false,"schedule":["mon-fri 07:00-19:00"]}}"#
      let answer = try await client.send(.post, "/v1/settings/check", settings)
      #expect(answer.text == #"{"problems":[]}"#)
    }
    try await withCollector { client, _ in
      let answer = try await client.get("/v1/settings")
      #expect(answer.status == 404 && answer.text.contains("--settings-schema names godwit.schema.json"))
    }
  }

  @Test("for a group: what is named changes, the rest of each stays, and null takes back")
  func merged() async throws {
    try await collector { client, _ in
      for device in ["a", "b", "c"] { _ = try await client.post(body([]), device: device) }
      for device in ["a", "b"] {
        _ = try await client.put("/v1/devices/\(device)/groups", #"{"groups":["north"]}"#)
      }
      _ = try await client.put(
        "/v1/devices/a/config",
        #"{"settings":{"track.max_error_m":10.50,"motion.mode":"full"},"geofences":{"type":"FeatureCollection","features":[]}}"#
      )
      let answer = try await client.put(
        "/v1/config",
        #"{"group":"north","merge":true,"settings":{"motion.stop_timeout_s":600,"motion.mode":null}}"#)
      #expect(answer.text == #"{"failed":[],"set":[{"device":"a","version":2},{"device":"b","version":1}]}"#)
      let first = try await client.get("/v1/devices/a/config").text
      #expect(
        first.contains(
          #""geofences":{"type":"FeatureCollection","features":[]},"settings":{"motion.stop_timeout_s":600,"track.max_error_m":10.50},"version":2"#
        ),
        "\(first)")
      #expect(try await client.get("/v1/devices/c/config").status == 404)
    }
  }

  @Test("for all, and for those that are named")
  func all() async throws {
    try await collector { client, _ in
      for device in ["a", "b"] { _ = try await client.post(body([]), device: device) }
      let all = try await client.put("/v1/config", #"{"all":true,"settings":{}}"#)
      #expect(all.text == #"{"failed":[],"set":[{"device":"a","version":1},{"device":"b","version":1}]}"#)
      let named = try await client.put("/v1/config", #"{"devices":["b","new"],"settings":{}}"#)
      #expect(named.text == #"{"failed":[],"set":[{"device":"b","version":2},{"device":"new","version":1}]}"#)
    }
  }

  @Test("names that only look alike are two devices, and two groups")
  func alike() async throws {
    try await collector { client, _ in
      let two = #"{"devices":["M\u00fcller","Mu\u0308ller"],"settings":{}}"#
      let named = try await client.put("/v1/config", two)
      #expect(named.text.components(separatedBy: #""version":1"#).count == 3, "\(named.text)")
      for (device, group) in [("M%C3%BCller", "N\u{FC}rnberg"), ("Mu%CC%88ller", "Nu\u{308}rnberg")] {
        _ = try await client.put("/v1/devices/\(device)/groups", #"{"groups":["\#(group)"]}"#)
      }
      let one = try await client.put("/v1/config", #"{"group":"N\u00fcrnberg","settings":{}}"#)
      #expect(one.text.components(separatedBy: #""version":2"#).count == 2, "\(one.text)")
    }
  }

  @Test("more than one transaction holds, and a device that is named twice is set once")
  func many() async throws {
    try await collector { client, store in
      let names = (1...450).map { "van-\($0)" }
      let list = (names + names.reversed()).map { "\"\($0)\"" }.joined(separator: ",")
      let answer = try await client.put("/v1/config", #"{"devices":[\#(list)],"settings":{}}"#)
      let set = names.map { #"{"device":"\#($0)","version":1}"# }.joined(separator: ",")
      #expect(answer.text == #"{"failed":[],"set":[\#(set)]}"#)
      #expect(try await store.configHistory(of: "van-450")?.count == 1)
    }
  }

  @Test("one that is refused holds nobody else up, and is not changed")
  func oneRefused() async throws {
    try await collector { client, _ in
      let large = #"{"settings":{"x":"\#(String(repeating: "a", count: 65_480))"}}"#
      #expect(try await client.put("/v1/devices/b/config", large).status == 200)
      let answer = try await client.put(
        "/v1/config",
        #"{"devices":["a","b","c"],"merge":true,"settings":{"motion.stop_timeout_s":600,"track.max_error_m":10.5}}"#
      )
      #expect(
        answer.text.hasPrefix(#"{"failed":[{"device":"b","error":"the settings have 655"#)
          && answer.text.hasSuffix(#""set":[{"device":"a","version":1},{"device":"c","version":1}]}"#),
        "\(answer.text)")
      #expect(try await client.get("/v1/devices/b/config").text.contains(#""version":1"#))
    }
  }

  @Test(
    "a request that is not clear changes nothing",
    arguments: [
      (#"{"settings":{}}"#, 400, "the body says for whom by one of `devices`, `group` and `all`"),
      (#"{"all":true,"group":"north","settings":{}}"#, 400, "the body says for whom by one of `devices`"),
      (#"{"all":false,"settings":{}}"#, 400, "`group` must be the name of a group, and `all` true"),
      (#"{"devices":"van-7","settings":{}}"#, 400, "`devices` must have 1 to 10000 names"),
      (#"{"group":"south","settings":{}}"#, 404, "there is no device in this group"),
      (#"{"devices":[],"settings":{}}"#, 400, "`devices` must have 1 to 10000 names"),
      (#"{"all":true,"merge":true,"settings":{"a\"b":1}}"#, 400, "`a"),
      (#"{"all":true,"version":3,"settings":{}}"#, 400, "the body may hold"),
    ])
  func unclear(text: String, status: Int, words: String) async throws {
    try await collector { client, store in
      _ = try await client.post(body([]))
      let answer = try await client.put("/v1/config", text)
      #expect(answer.status == status && answer.text.hasPrefix(#"{"error":"\#(words)"#), "\(answer)")
      #expect(try await store.configHistory(of: "van-7") == [])
    }
  }

  @Test("the history has who has set what, the newest first, and a hundred of them")
  func history() async throws {
    try await collector { client, store in
      for number in 1...101 {
        _ = try await store.setConfig(
          device: "van-7", version: nil, members: ["settings": "{\"n\":\(number)}"], by: "an\"na", at: now_ms)
      }
      let text = try await client.get("/v1/devices/van-7/config/history").text
      let versions = try #require(JSONValue(text: text)?.elements)
      #expect(versions.count == 100)
      #expect(versions.first?["version"] == .integer(101) && versions.last?["version"] == .integer(2))
      #expect(versions.first?["who"]?.string == "an\"na")
      #expect(versions.first?["config"]?["settings"]?["n"] == .integer(101))
    }
  }
}
