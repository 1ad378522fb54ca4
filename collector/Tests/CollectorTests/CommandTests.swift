import Foundation
import Testing

@testable import Collector

@Suite("Commands")
struct CommandTests {
  private struct Listed: Decodable {
    var command: [String: JSONValue]
    var result: String
    var who: String?
    var why: String?
    var ended: String?
    var report: [String]?
  }

  private struct Reply: Decodable {
    var commands: [JSONValue]?
  }

  private let path = "/v1/devices/van-7/commands"

  private func offered(_ client: TestClient, status: String? = nil) async throws -> [JSONValue] {
    try await client.post(body([], status: status)).decoded(Reply.self).commands ?? []
  }

  private func listed(_ client: TestClient) async throws -> [Listed] {
    try await client.get(path).decoded()
  }

  private func status(_ results: String) -> String { "{\"commands\":{\"results\":[\(results)]}}" }

  @Test("one goes with each answer until the device has reported its result, which is kept")
  func life() async throws {
    try await withCollector { client, _ in
      #expect(try await client.get(path).status == 404)
      #expect(try await offered(client).isEmpty)
      let added = try await client.post(#"{"id":"a","command":"report","lines":2}"#, path: path)
      #expect(added.status == 201)
      let a = JSONValue(text: #"{"id":"a","command":"report","lines":2}"#)!
      for _ in 0..<2 { #expect(try await offered(client) == [a]) }
      #expect(try await listed(client).map(\.result) == ["waiting"])
      #expect(try await listed(client).map(\.who) == ["anyone"])

      let running = status(
        #"{"id":"a","command":"report","result":"running","at":"2026-01-01T00:00:00.000Z"}"#)
      #expect(try await offered(client, status: running) == [a])
      #expect(try await listed(client).map(\.result) == ["running"])
      let done = status(
        #"{"id":"a","command":"report","result":"done","at":"2026-01-01T00:00:05.000Z","report":["x","y"]}"#)
      #expect(try await offered(client, status: done).isEmpty)
      // A later status has the result without its lines.
      _ = try await offered(client, status: running)
      let end = try #require(try await listed(client).first)
      #expect(end.result == "done" && end.report == ["x", "y"] && end.ended == "2026-01-01T00:00:05.000Z")
    }
  }

  @Test("ids are the operator's or the collector's own, and each is used once")
  func ids() async throws {
    try await withCollector { client, _ in
      _ = try await offered(client)
      for _ in 0..<2 { #expect(try await client.post(#"{"command":"sync"}"#, path: path).status == 201) }
      let ids = try await listed(client).compactMap { $0.command["id"]?.string }
      #expect(Set(ids).count == 2)
      let again = "{\"id\":\"\(ids[0])\",\"command\":\"sync\"}"
      let answer = try await client.post(again, path: path)
      #expect(answer.status == 409)
      #expect(answer.text == #"{"error":"there was a command with this id for this device"}"#)
    }
  }

  @Test(
    "what is no command is refused with words",
    arguments: [
      ("[]", "the body is not a JSON object"), ("", "the body is not a JSON object"),
      ("{}", "the body has no text `command`, such as \\\"locate\\\""),
      (#"{"command":7}"#, "the body has no text `command`, such as \\\"locate\\\""),
      (#"{"command":"sync","id":""}"#, "`id` must be text of 1 to 64 ASCII letters, digits, - _ . and :"),
      (#"{"command":"sync","id":"a b"}"#, "`id` must be text of 1 to 64 ASCII letters, digits, - _ . and :"),
      (
        #"{"command":"locate","timeout_s":1e400}"#,
        "`timeout_s` has a number beyond ±1.8e308, which is more than a JSON number's double holds"
      ),
      (#"{"command":"sync","expires":"soon"}"#, "`expires` must be an RFC 3339 date and time"),
    ])
  func refused(text: String, words: String) async throws {
    try await withCollector { client, _ in
      _ = try await offered(client)
      let answer = try await client.post(text, path: path)
      #expect(answer.status == 400)
      #expect(answer.text == "{\"error\":\"\(words)\"}")
    }
  }

  @Test("an answer carries 16, the oldest first; one that expires meanwhile is not sent")
  func bounds() async throws {
    try await withCollector { client, _ in
      _ = try await offered(client)
      let old = #"{"id":"old","command":"sync","expires":"2026-01-01T00:00:00Z"}"#
      #expect(try await client.post(old, path: path).status == 201)
      for number in 0..<20 {
        _ = try await client.post("{\"id\":\"c\(number)\",\"command\":\"sync\"}", path: path)
      }
      let ids = try await offered(client).compactMap { $0["id"]?.string }
      #expect(ids == (0..<16).map { "c\($0)" })
      let last = try #require(try await listed(client).last)
      #expect(last.result == "expired" && last.why == "the device did not ask in time")
    }
  }

  @Test("a status may say anything: only results that are some are taken")
  func hostileStatus() async throws {
    try await withCollector { client, _ in
      _ = try await offered(client)
      _ = try await client.post(#"{"id":"a","command":"sync"}"#, path: path)
      for text in [
        #"{"commands":7}"#, #"{"commands":{"results":{}}}"#, status("7,[],null,{}"),
        status(#"{"id":7,"result":"done"}"#),
        status(#"{"id":"b","result":"done"}"#), status(#"{"id":"a","result":{}}"#),
      ] {
        #expect(try await offered(client, status: text).count == 1)
      }
    }
  }

  @Test(
    "a report is an array of texts, and an end a time: anything else is none",
    arguments: [
      #""report":"all is well""#, #""report":{"0":"x"}"#, #""report":["x",7]"#, #""report":null"#,
      #""at":"now""#,
      #""at":"10000-01-01T00:00:00Z""#,
    ])
  func hostileReport(member: String) async throws {
    try await withCollector { client, _ in
      _ = try await offered(client)
      _ = try await client.post(#"{"id":"a","command":"report"}"#, path: path)
      let done = status(#"{"id":"a","result":"done",\#(member)}"#)
      #expect(try await offered(client, status: done).isEmpty)
      let end = try #require(try await listed(client).first)
      #expect(end.result == "done" && end.report == nil && end.ended == nil)
    }
  }

  @Test("another device's commands are not this one's, and results neither")
  func apart() async throws {
    try await withCollector { client, _ in
      _ = try await offered(client)
      _ = try await client.post(body([]), device: "van-8")
      _ = try await client.post(#"{"id":"a","command":"sync"}"#, path: path)
      let other = try await client.post(
        body([], status: status(#"{"id":"a","result":"done"}"#)), device: "van-8")
      #expect(try other.decoded(Reply.self).commands == nil)
      #expect(try await offered(client).count == 1)
    }
  }

  @Test("a device's token commands no device")
  func operators() async throws {
    try await withTemporaryFolder { folder in
      let store = try openStore(folder.appending(path: "fleet.sqlite").path)
      var options = CollectorOptions()
      options.tokens = Tokens(text: "device")
      options.operatorTokens = Tokens(text: "boss")
      let collector = makeCollector(store: store, options: options, now_ms: { now_ms })
      try await collector.test { client in
        _ = try await client.post(body([]), headers: ["Authorization": "Bearer device"])
        for (token, status) in [("device", 403), ("boss", 201), ("x", 401)] {
          let answer = try await client.post(
            #"{"command":"sync"}"#, path: path, headers: ["Authorization": "Bearer \(token)"])
          #expect(answer.status == status)
        }
      }
      try store.close()
    }
  }
}
