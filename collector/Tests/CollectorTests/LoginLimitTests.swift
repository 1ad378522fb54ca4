import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOEmbedded
import Testing

@testable import Collector

/// Whom wrong passwords close out, and whom they do not.
@Suite("Wrong passwords", .timeLimit(.minutes(10)))
struct LoginLimitTests {
  private static let cost = PasswordHash.Cost(rounds: 16, blockSize: 1, parallelism: 1)

  private func collector(
    _ body: @escaping @Sendable (TestClient, Store) async throws -> Void
  ) async throws {
    try await withCollector { client, store in
      for name in ["root", "olga"] {
        let hash = try PasswordHash("correct horse", cost: Self.cost)
        #expect(try await store.addOperator(name, role: .admin, hash, at: now_ms))
      }
      try await body(client, store)
    }
  }

  private func from(_ address: String, _ cookie: String? = nil) -> [String: String] {
    var headers = ["X-Forwarded-For": "203.0.113.1, \(address)"]
    headers["Cookie"] = cookie
    return headers
  }

  private func browserCookie(_ answer: Answer) throws -> String {
    let header = answer.headers[values: .setCookie].first { $0.hasPrefix("godwit_browser=") }
    return String(try #require(header?.split(separator: ";").first))
  }

  @Test(
    "ten from one network close the name there, not elsewhere, and not to a browser that has logged in before"
  )
  func oneNetwork() async throws {
    try await collector { client, _ in
      let known = try browserCookie(try await client.logIn("olga", headers: from("192.0.2.1")))
      for last in 1...10 {
        #expect(try await client.logIn("olga", "wrong", headers: from("192.0.2.\(last)")).status == 403)
      }
      #expect(try await client.logIn("olga", headers: from("192.0.2.99")).status == 429)
      #expect(try await client.logIn("root", headers: from("192.0.2.99")).status == 200)
      #expect(try await client.logIn("olga", headers: from("198.51.100.1")).status == 200)
      #expect(try await client.logIn("olga", headers: from("192.0.2.99", known)).status == 200)
    }
  }

  @Test("a flood of names from one network closes that network alone")
  func flood() async throws {
    try await collector { client, _ in
      for number in 1...LoginAttempt.mostOfNetwork {
        let answer = try await client.logIn("u\(number)", "wrong", headers: from("192.0.2.1"))
        #expect(answer.status == 403)
      }
      #expect(try await client.logIn("root", headers: from("192.0.2.2")).status == 429)
      #expect(try await client.logIn("root", headers: from("192.0.3.2")).status == 200)
    }
  }

  @Test("guesses from many networks close a name to strangers, and its owner's browsers pass")
  func manyNetworks() async throws {
    try await collector { client, _ in
      let known = try browserCookie(try await client.logIn("olga", headers: from("192.0.2.1")))
      for number in 1...LoginAttempt.mostOfName {
        #expect(try await client.logIn("olga", "wrong", headers: from("10.0.\(number).1")).status == 403)
      }
      #expect(try await client.logIn("olga", headers: from("192.0.2.1")).status == 429)
      #expect(try await client.logIn("olga", headers: from("192.0.2.1", known)).status == 200)
      #expect(try await client.logIn("root", headers: from("192.0.2.1", known)).status == 200)
    }
  }

  @Test("a browser that has logged in before has ten guesses as well")
  func knownLimit() async throws {
    try await collector { client, _ in
      let known = try browserCookie(try await client.logIn("olga"))
      for _ in 1...10 {
        #expect(try await client.logIn("olga", "wrong", headers: ["Cookie": known]).status == 403)
      }
      #expect(try await client.logIn("olga", headers: ["Cookie": known]).status == 429)
      #expect(try await client.logIn("olga").status == 200)
    }
  }

  @Test(
    "a browser is known by what the collector itself has made, for one name, one password and half a year")
  func known() throws {
    let (password, other) = (
      try PasswordHash("correct horse", cost: Self.cost), try PasswordHash("x", cost: Self.cost)
    )
    let mark = KnownBrowser.mark(of: "olga", with: password, at: 0)
    func claim(_ mark: String, _ name: String, _ hash: PasswordHash?, at time_ms: Int64 = 1) -> String? {
      let head = HTTPRequest(
        method: .post, scheme: nil, authority: nil, path: "/v1/session",
        headerFields: [.cookie: "godwit_session=x; godwit_browser=\(mark)"])
      let request = Request(head: head, body: .init(buffer: ByteBuffer()))
      return KnownBrowser.claim(in: request, of: name, with: hash, at: time_ms)
    }
    #expect(claim(mark, "olga", password) != nil)
    #expect(claim(mark, "root", password) == nil && claim(mark, "olga", other) == nil)
    #expect(claim(mark, "olga", nil) == nil && claim("1" + mark, "olga", password) == nil)
    #expect(claim("", "olga", password) == nil && claim(".", "olga", password) == nil)
    #expect(claim(mark, "olga", password, at: KnownBrowser.longest_ms - 1) != nil)
    #expect(claim(mark, "olga", password, at: KnownBrowser.longest_ms) == nil)
  }

  @Test("a proxy on this machine says who has sent, and nobody else does")
  func sender() throws {
    let head = HTTPRequest(
      method: .get, scheme: nil, authority: nil, path: "/",
      headerFields: [HTTPField.Name("X-Forwarded-For")!: "203.0.113.1, 192.0.2.7"])
    let request = Request(head: head, body: .init(buffer: ByteBuffer()))
    var context = CollectorContext(
      source: .init(channel: EmbeddedChannel(), logger: Logger(label: "test")))
    for (peer, sender) in [("127.0.0.1", "192.0.2.7"), ("::1", "192.0.2.7"), ("192.0.2.99", "192.0.2.99")] {
      context.peer = PeerAddress(peer)
      #expect(context.sender(of: request) == PeerAddress(sender))
    }
    context.peer = nil
    #expect(context.sender(of: request) == nil)
  }

  @Test(
    "a limit is over after its time, and with a clock that was set back",
    arguments: [-1, 899_999, 900_000] as [Int64])
  func over(after_ms: Int64) {
    let limit = LoginLimit()
    let attempt = LoginAttempt(name: "olga", network: "192.0.2")
    for _ in 1...LoginAttempt.mostOfNameInNetwork { limit.failed(attempt, at: 0) }
    #expect((limit.wait_s(for: attempt, at: after_ms) != nil) == (after_ms == 899_999))
    limit.succeeded(attempt)
    #expect(limit.wait_s(for: attempt, at: 1) == nil)
  }
}
