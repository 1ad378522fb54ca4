import Foundation
import Testing

@testable import Collector

@Suite("Tokens of devices")
struct DeviceTokenTests {
  private static let operators = ["Authorization": "Bearer operators"]

  private func collector(
    tokens: String? = nil, _ body: @escaping @Sendable (TestClient, Store) async throws -> Void
  ) async throws {
    try await withCollector(tokens: tokens, operators: "operators", deviceTokens: true, body)
  }

  private static func issue(_ device: String, _ client: TestClient) async throws
    -> Routes.IssuedToken
  {
    let answer = try await client.post(
      "", device: nil, path: "/v1/devices/\(device)/tokens", headers: operators)
    #expect(answer.status == 201)
    return try answer.decoded()
  }

  private static func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

  @Test("a device's token lets it send under its own name, and opens nothing else")
  func bound() async throws {
    try await collector { client, store async throws in
      let token = try await Self.issue("van-7", client).token
      #expect(token.hasPrefix("gwt_") && token.utf8.count == 47)
      let own = try await client.post(body([record(uuid(1))]), headers: Self.bearer(token))
      #expect(own.status == 200)

      let other = try await client.post(body([record(uuid(2))]), device: "van-8", headers: Self.bearer(token))
      #expect(other.status == 403)
      #expect(
        other.text
          == #"{"error":"this token belongs to another device than Godwit-Device names: correct device_id, or the token"}"#
      )
      #expect(try await store.devices().map(\.device) == ["van-7"])

      let closed = [
        "/v1/fleet", "/v1/events", "/metrics", "/v1/devices", "/v1/devices/van-7/records",
        "/v1/devices/van-7/gaps", "/v1/devices/van-7/config",
        "/v1/devices/van-7/commands", "/v1/devices/van-7/tokens", "/v1/tokens", "/v1/enrolment-codes",
        "/v1/locations",
      ]
      for path in closed {
        let answer = try await client.get(path, headers: Self.bearer(token))
        #expect(answer.status == 403, "\(path)")
        #expect(
          answer.text
            == #"{"error":"a device's token lets it send its own records, and opens nothing else"}"#,
          "\(path)")
      }
      let config = try await client.put(
        "/v1/devices/van-7/config", #"{"settings":{}}"#, headers: Self.bearer(token))
      #expect(config.status == 403)
      let again = try await client.post(
        "", device: nil, path: "/v1/devices/van-7/tokens", headers: Self.bearer(token))
      #expect(again.status == 403)
      #expect(try await client.delete("/v1/devices/van-7", headers: Self.bearer(token)).status == 403)
    }
  }

  /// In the path and in the header: u with U+0308 behind it, and U+00FC.
  @Test("a name that only looks like the token's is another device's")
  func alike() async throws {
    try await collector { client, store async throws in
      let token = try await Self.issue("Mu%CC%88ller-3", client).token
      let other = try await client.post(
        body([record(uuid(1))]), device: "M%C3%BCller-3", headers: Self.bearer(token))
      #expect(other.status == 403 && other.text.contains("belongs to another device"), "\(other)")
      #expect(try await store.devices().map(\.device.unicodeScalars.count) == [9])
      let own = try await client.post(body([]), device: "Mu%CC%88ller-3", headers: Self.bearer(token))
      #expect(own.status == 200)
    }
  }

  @Test("the token of an operator opens the page, and one of --token-file sends and reads as before")
  func others() async throws {
    try await collector(tokens: "shared") { client, _ async throws in
      #expect(try await client.get("/v1/fleet", headers: Self.operators).status == 200)
      #expect(try await client.get("/v1/devices", headers: Self.bearer("shared")).status == 200)
      #expect(try await client.post(body([]), headers: Self.bearer("shared")).status == 200)
      #expect(try await client.get("/v1/tokens", headers: Self.bearer("shared")).status == 403)
      #expect(try await client.post(body([])).status == 401)
      #expect(try await client.post(body([]), headers: Self.bearer("gwt_nobody")).status == 401)
    }
  }

  @Test("two are valid at a time, a third is refused, and a revoked one is out with the next request")
  func rotation() async throws {
    try await collector { client, _ async throws in
      let (old, new) = (try await Self.issue("van-7", client), try await Self.issue("van-7", client))
      for token in [old, new] {
        #expect(try await client.post(body([]), headers: Self.bearer(token.token)).status == 200)
      }
      let third = try await client.post(
        "", device: nil, path: "/v1/devices/van-7/tokens", headers: Self.operators)
      #expect(third.status == 409)
      #expect(
        third.text
          == #"{"error":"van-7 has 2 tokens already: revoke the one that it no longer uses first"}"#)
      let path = "/v1/devices/van-7/tokens"
      #expect(
        try await client.delete("\(path)/\(old.number)", headers: Self.operators).text == #"{"revoked":1}"#)
      #expect(try await client.post(body([]), headers: Self.bearer(old.token)).status == 401)
      #expect(try await client.post(body([]), headers: Self.bearer(new.token)).status == 200)
      #expect(try await client.delete(path, headers: Self.operators).status == 200)
      #expect(try await client.post(body([]), headers: Self.bearer(new.token)).status == 401)
      let none = try await client.delete(path, headers: Self.operators)
      #expect(none.status == 404)
      #expect(none.text == #"{"error":"the device has no token"}"#)
    }
  }

  @Test("the list shows when each was used, and the database holds no token")
  func hashed() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "fleet.sqlite").path
      let store = try Store(path: file)
      let (token, number) = try await store.issueToken(to: "van-7", at: now_ms)
      #expect(try await store.tokens(of: "van-7")?.map(\.last_used) == [nil])
      let owner = try #require(try await store.owner(ofToken: token))
      #expect(owner.device == "van-7" && owner.number == number)
      try await store.wasUsed(owner, at: now_ms + 1000)
      // Within the hour nothing is written.
      try await store.wasUsed(try #require(try await store.owner(ofToken: token)), at: now_ms + 3_600_000)
      let early = try #require(try await store.tokens(of: "van-7"))
      #expect(early.map(\.last_used) == ["2026-01-01T00:10:01.000Z"])
      try await store.wasUsed(try #require(try await store.owner(ofToken: token)), at: now_ms + 3_601_000)
      let late = try #require(try await store.tokens())
      #expect(late.map(\.first_used) == ["2026-01-01T00:10:01.000Z"])
      #expect(late.map(\.last_used) == ["2026-01-01T01:10:01.000Z"])
      try store.close()
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      #expect(bytes.range(of: Data(token.utf8)) == nil)
      #expect(bytes.range(of: Data(token.dropFirst(4).utf8)) == nil)
      #expect(bytes.range(of: Secret.hash(token)) != nil)
    }
  }

  @Test("tokens that were made elsewhere are registered by their hashes, all or none, and once")
  func registered() async throws {
    try await collector { client, store async throws in
      func text(_ entries: [(String, String)], replace: Bool = false) -> String {
        let elements = entries.map { device, token in
          let hex = Secret.hash(token).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
          return #"{"device":"\#(device)","sha256":"\#(hex)"}"#
        }
        return #"{"tokens":[\#(elements.joined(separator: ","))],"replace":\#(replace)}"#
      }
      func put(_ body: String) async throws -> Answer {
        try await client.put("/v1/tokens", body, headers: Self.operators)
      }
      let two = text([("van-7", "token-7"), ("Müller 8", "token-8")])
      #expect(try await put(two).text == #"{"ended":0,"registered":2,"unchanged":0}"#)
      #expect(try await put(two).text == #"{"ended":0,"registered":0,"unchanged":2}"#)
      let own = try await client.post(body([]), device: "M%C3%BCller 8", headers: Self.bearer("token-8"))
      #expect(own.status == 200)

      let taken = try await put(text([("van-9", "token-9"), ("van-9", "token-7")]))
      #expect(taken.status == 409)
      #expect(taken.text == #"{"error":"the token of van-9 is another device's: make a new one"}"#)
      #expect(try await store.tokens(of: "van-9") == nil)

      #expect(try await put(text([("van-7", "second")])).status == 200)
      #expect(try await put(text([("van-7", "third")])).status == 409)
      #expect(
        try await put(text([("van-7", "third")], replace: true)).text
          == #"{"ended":1,"registered":1,"unchanged":0}"#)
      for (token, status) in [("token-7", 401), ("second", 200), ("third", 200)] {
        #expect(try await client.post(body([]), headers: Self.bearer(token)).status == status, "\(token)")
      }
      for broken in ["{}", #"{"tokens":[{"device":"a"}]}"#, #"{"tokens":[{"device":"a","sha256":"12"}]}"#] {
        #expect(try await put(broken).status == 400, "\(broken)")
      }
    }
  }

  @Test("a device that was prepared and is deleted takes its tokens with it")
  func forgotten() async throws {
    try await collector { client, _ async throws in
      let token = try await Self.issue("van-7", client).token
      #expect(try await client.delete("/v1/devices/van-7", headers: Self.operators).status == 204)
      #expect(try await client.post(body([]), headers: Self.bearer(token)).status == 401)
    }
  }

  @Test("the tokens of a thousand devices are registered at once")
  func many() async throws {
    try await withTemporaryFolder { folder in
      let store = try openStore(folder.appending(path: "fleet.sqlite").path)
      let tokens = (0..<1000).map { (device: "van-\($0)", hash: Secret.hash("token \($0)")) }
      let done = try await store.register(tokens, ends: false, at: now_ms)
      #expect(done == TokensRegistered(registered: 1000))
      #expect(try await store.owner(ofToken: "token 999")?.device == "van-999")
      try store.close()
    }
  }
}
