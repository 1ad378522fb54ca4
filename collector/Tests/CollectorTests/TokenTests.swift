import Foundation
import Testing

@testable import Collector

@Suite("Tokens")
struct TokenTests {
  private static let none = #"{"error":"the request brings no token: send `Authorization: Bearer …`"}"#
  private static let unknown = #"{"error":"the token is not known here"}"#

  @Test("the right token is let in, also the second of two during a change")
  func bearer() async throws {
    try await withCollector(tokens: "old-token\n  new-token \n\n") { client, _ in
      for token in ["old-token", "new-token"] {
        let answer = try await client.post(body([]), headers: ["Authorization": "Bearer \(token)"])
        #expect(answer.status == 200)
      }
    }
  }

  @Test(
    "anything else is not, and the answer holds no token",
    arguments: [
      (nil, none), ("Bearer wrong", unknown), ("Bearer secre", unknown), ("Bearer secretx", unknown),
      ("Bearer secretsecret", unknown), ("Bearer ", unknown), ("Bearer", unknown), ("secret", unknown),
      ("Basic c2VjcmV0", unknown),
    ] as [(String?, String)])
  func refused(header: String?, text: String) async throws {
    try await withCollector(tokens: "secret") { client, store in
      let headers = header.map { ["Authorization": $0] } ?? [:]
      let answer = try await client.post(body([record(uuid(1))]), headers: headers)
      #expect(answer.status == 401)
      #expect(answer.text == text)
      #expect(try await store.devices() == [])
    }
  }

  @Test("positions are not shown without the token; health is")
  func reading() async throws {
    try await withCollector(tokens: "secret") { client, _ in
      for path in [
        "/v1/fleet", "/v1/events", "/metrics", "/v1/devices", "/v1/devices/van-7/records",
        "/v1/devices/van-7/day",
      ] {
        let answer = try await client.get(path)
        #expect(answer.status == 401)
      }
      let health = try await client.get("/v1/health")
      #expect(health.status == 200)
    }
  }

  @Test("a browser may bring the token as a password")
  func basic() async throws {
    try await withCollector(tokens: "secret") { client, _ in
      let refused = try await client.get("/v1/fleet")
      #expect(refused.headers[.wwwAuthenticate] == "Basic realm=\"godwit collector\", charset=\"UTF-8\"")
      let password = Data("anyone:secret".utf8).base64EncodedString()
      #expect(
        try await client.get("/v1/fleet", headers: ["Authorization": "Basic \(password)"]).status == 200)
    }
  }

  @Test("a file without a token is none", arguments: ["", "\n", "  \n\t\n", "# old: none\n  #secret\n"])
  func empty(text: String) {
    #expect(Tokens(text: text) == nil)
  }
}
