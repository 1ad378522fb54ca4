import Foundation
import HTTPTypes
import Testing

@testable import Collector

/// Somebody's browser: his cookie, and what the page sends beside it.
struct Browser {
  var cookie: String
  var csrf: String

  var looking: [String: String] { ["Cookie": cookie] }
  var changing: [String: String] { ["Cookie": cookie, "Godwit-CSRF": csrf] }
}

private struct Told: Decodable { var name: String?, role: String?, csrf: String?, accounts: Bool }

extension TestClient {
  func logIn(_ name: String, _ password: String = "correct horse", headers: [String: String] = [:])
    async throws -> Answer
  {
    try await send(.post, "/v1/session", #"{"name":"\#(name)","password":"\#(password)"}"#, headers: headers)
  }

  func browser(of name: String) async throws -> Browser {
    let answer = try await logIn(name)
    let cookie = try #require(answer.headers[.setCookie]?.split(separator: ";").first)
    return Browser(cookie: String(cookie), csrf: try #require(try answer.decoded(Told.self).csrf))
  }
}

@Suite("Logging in")
struct LoginTests {
  private static func add(_ name: String, _ role: Role, to store: Store) async throws {
    let hash = try PasswordHash("correct horse", cost: .init(rounds: 16, blockSize: 1, parallelism: 1))
    #expect(try await store.addOperator(name, role: role, hash, at: now_ms))
  }

  private func collector(
    tokens: String? = nil, _ body: @escaping @Sendable (TestClient, Store) async throws -> Void
  ) async throws {
    try await withCollector(tokens: tokens) { client, store in
      try await Self.add("root", .admin, to: store)
      try await Self.add("olga", .operator, to: store)
      try await Self.add("victor", .viewer, to: store)
      try await body(client, store)
    }
  }

  @Test("gives a cookie that scripts cannot read, and what the page has to send beside it")
  func cookie() async throws {
    try await collector { client, store in
      let answer = try await client.logIn("olga")
      let cookie = try #require(answer.headers[values: .setCookie].first)
      #expect(cookie.hasPrefix("godwit_session=gwt_"))
      #expect(cookie.hasSuffix("; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict"))
      #expect(answer.text.contains(#""name":"olga","role":"operator"}"#))
      let secure = try await client.logIn("olga", headers: ["Origin": "https://localhost"])
      #expect(secure.headers[values: .setCookie].count == 2)
      #expect(secure.headers[values: .setCookie].allSatisfy { $0.hasSuffix("; SameSite=Strict; Secure") })
      let kept = try await store.connection.read { try $0.values(Data.self, "SELECT hash FROM session") }
      #expect(kept.count == 2 && kept.allSatisfy { $0.count == 32 })
    }
  }

  @Test("once there is an operator nothing is shown without a login, and devices send as before")
  func closed() async throws {
    try await withCollector { client, store in
      #expect(try await client.get("/v1/fleet").status == 200)
      try await Self.add("root", .admin, to: store)
      let refused = try await client.get("/v1/fleet")
      #expect(refused.status == 401)
      // A browser would ask its user for a token otherwise.
      #expect(refused.headers[.wwwAuthenticate] == "Bearer realm=\"godwit collector\"")
      #expect(try await client.post(body([])).status == 200)
      #expect(try await client.get("/v1/session").text == #"{"accounts":true}"#)
      let browser = try await client.browser(of: "root")
      #expect(try await client.get("/v1/fleet", headers: browser.looking).status == 200)
    }
  }

  @Test("a token that every box has sends, and reads no longer once there are operators")
  func sharedToken() async throws {
    try await withCollector(tokens: "shared") { client, store in
      let shared = ["Authorization": "Bearer shared"]
      #expect(try await client.get("/v1/devices", headers: shared).status == 200)
      try await Self.add("root", .admin, to: store)
      #expect(try await client.get("/v1/devices", headers: shared).status == 403)
      #expect(try await client.post(body([]), headers: shared).status == 200)
    }
  }

  @Test(
    "each role may do what those before it may",
    arguments: [("victor", [200, 403, 403]), ("olga", [200, 201, 403]), ("root", [200, 201, 200])])
  func roles(name: String, expected: [Int]) async throws {
    try await collector { client, _ in
      _ = try await client.post(body([]))
      let browser = try await client.browser(of: name)
      let found = [
        try await client.get("/v1/fleet", headers: browser.looking).status,
        try await client.send(
          .post, "/v1/devices/van-7/commands", #"{"command":"sync"}"#, headers: browser.changing
        ).status,
        try await client.get("/v1/operators", headers: browser.looking).status,
      ]
      #expect(found == expected)
    }
  }

  @Test("who may not is told which role it needs")
  func words() async throws {
    try await collector { client, _ in
      let browser = try await client.browser(of: "victor")
      let answer = try await client.get("/v1/tokens", headers: browser.looking)
      #expect(answer.text == #"{"error":"this needs the role admin, and victor has the role viewer"}"#)
    }
  }

  @Test("a cookie alone changes nothing: another page can make a browser send it")
  func csrf() async throws {
    try await collector { client, _ in
      let (olga, root) = (try await client.browser(of: "olga"), try await client.browser(of: "root"))
      let path = "/v1/devices/van-7/commands"
      for headers in [olga.looking, ["Cookie": olga.cookie, "Godwit-CSRF": root.csrf]] {
        let answer = try await client.send(.post, path, #"{"command":"sync"}"#, headers: headers)
        #expect(answer.status == 403)
        #expect(
          answer.text == #"{"error":"the request does not prove that it is this page's: reload the page"}"#)
      }
      #expect(
        try await client.send(.post, path, #"{"command":"sync"}"#, headers: olga.changing).status == 201)
    }
  }

  @Test("a request that another page has made is refused, also where nobody logs in")
  func otherPage() async throws {
    try await withCollector { client, _ in
      let path = "/v1/devices/van-7/commands"
      let foreign = try await client.send(
        .post, path, #"{"command":"sync"}"#, headers: ["Origin": "https://elsewhere.example"])
      #expect(foreign.status == 403)
      #expect(foreign.text.contains("this request comes from another page than the collector's own"))
      #expect(
        try await client.send(.post, path, #"{"command":"sync"}"#, headers: ["Origin": "null"]).status == 403)
      #expect(try await client.send(.post, path, #"{"command":"sync"}"#).status == 201)
    }
  }

  @Test("a login comes as JSON, which no form of another page can send")
  func form() async throws {
    try await collector { client, _ in
      let answer = try await client.logIn("olga", headers: ["Content-Type": "text/plain"])
      #expect(answer.status == 415)
    }
  }

  @Test("name and password that are wrong get the same answer, and ten close the name for a while")
  func limit() async throws {
    try await collector { client, store in
      let wrong = #"{"error":"name or password is wrong"}"#
      for _ in 1...10 { #expect(try await client.logIn("olga", "wrong").text == wrong) }
      let closed = try await client.logIn("olga")
      #expect(closed.status == 429 && closed.headers[.retryAfter] == "900")
      #expect(closed.text == #"{"error":"too many passwords were wrong: try again in 15 min"}"#)
      #expect(try await client.logIn("nobody", "wrong").text == wrong)
      #expect(try await client.logIn("root").status == 200)
      let log = try await store.audits(device: nil, before: nil, limit: 3)
      #expect(log.map(\.who) == ["root", "somebody", "olga"] && log.map(\.status) == [200, 403, 403])
    }
  }

  @Test("a session ends when its owner logs out, is unused, or old")
  func end() async throws {
    try await collector { client, store in
      let browser = try await client.browser(of: "olga")
      #expect(try await client.send(.delete, "/v1/session", headers: browser.looking).status == 403)
      #expect(try await client.send(.delete, "/v1/session", headers: browser.changing).status == 204)
      #expect(try await client.get("/v1/fleet", headers: browser.looking).status == 401)
      let hash = Secret.hash("x")
      let password = try #require(try await store.passwordHash(of: "olga"))
      _ = try await store.openSession(hash, of: "olga", with: password, at: 0)
      #expect(
        try await store.session(hash, at: Session.idle_ms - 1) == Session(name: "olga", role: .operator))
      #expect(try await store.session(hash, at: 2 * Session.idle_ms - 2) != nil, "that was a use")
      #expect(try await store.session(hash, at: 3 * Session.idle_ms - 2) == nil)
      let other = Secret.hash("y")
      _ = try await store.openSession(other, of: "olga", with: password, at: 0)
      for use in stride(from: Int64(0), to: Session.longest_ms, by: Int(Session.idle_ms / 2)) {
        #expect(try await store.session(other, at: use) != nil)
      }
      #expect(try await store.session(other, at: Session.longest_ms) == nil)
    }
  }

  @Test("another role or password, and removal, end somebody's sessions at once")
  func changed() async throws {
    try await collector { client, _ in
      let root = try await client.browser(of: "root")
      for change in [#"{"role":"viewer"}"#, #"{"password":"battery staple"}"#] {
        let olga = try await client.browser(of: "olga")
        #expect(
          try await client.send(.patch, "/v1/operators/olga", change, headers: root.changing).status == 204)
        #expect(try await client.get("/v1/fleet", headers: olga.looking).status == 401)
        _ = try await client.send(
          .patch, "/v1/operators/olga", #"{"password":"correct horse"}"#, headers: root.changing)
      }
      let olga = try await client.browser(of: "olga")
      #expect(try await client.send(.delete, "/v1/operators/olga", headers: root.changing).status == 204)
      #expect(try await client.get("/v1/fleet", headers: olga.looking).status == 401)
      #expect(try await client.logIn("olga").status == 403)
    }
  }

  @Test("somebody changes his own password with the old one, and stays logged in here alone")
  func ownPassword() async throws {
    try await collector { client, _ in
      let (here, there) = (try await client.browser(of: "victor"), try await client.browser(of: "victor"))
      let path = "/v1/session/password"
      let wrong = try await client.send(
        .put, path, #"{"old":"wrong","password":"battery staple"}"#, headers: here.changing)
      #expect(wrong.status == 403 && wrong.text == #"{"error":"the old password is wrong"}"#)
      let changed = try await client.send(
        .put, path, #"{"old":"correct horse","password":"battery staple"}"#, headers: here.changing)
      #expect(changed.status == 200 && changed.headers[.setCookie] != nil)
      #expect(try await client.get("/v1/fleet", headers: there.looking).status == 401)
      #expect(try await client.logIn("victor", "battery staple").status == 200)
    }
  }

  @Test("who has logged in with a password that was changed meanwhile is not let in, nor may he change it")
  func changedMeanwhile() async throws {
    try await collector { _, store in
      let old = try #require(try await store.passwordHash(of: "olga"))
      let cost = PasswordHash.Cost(rounds: 16, blockSize: 1, parallelism: 1)
      let new = try PasswordHash("battery staple", cost: cost)
      #expect(try await store.changeOperator("olga", role: nil, new, at: now_ms))
      #expect(try await store.openSession(Secret.hash("x"), of: "olga", with: old, at: now_ms) == nil)
      #expect(try await store.session(Secret.hash("x"), at: now_ms) == nil)
      #expect(try await !store.changeOperator("olga", role: nil, old, ifStill: old, at: now_ms))
      #expect(try await store.passwordHash(of: "olga") == new)
      let session = try await store.openSession(Secret.hash("y"), of: "olga", with: new, at: now_ms)
      #expect(session == Session(name: "olga", role: .operator))
    }
  }

  @Test("the last admin stays an admin, and the last account goes only where that is said")
  func lastAdmin() async throws {
    try await collector { client, store in
      let root = try await client.browser(of: "root")
      let answer = try await client.send(.delete, "/v1/operators/root", headers: root.changing)
      #expect(answer.status == 409)
      #expect(answer.text == #"{"error":"there would be no admin left: make another operator admin first"}"#)
      for name in ["olga", "victor"] {
        #expect(
          try await client.send(.patch, "/v1/operators/root", #"{"role":"viewer"}"#, headers: root.changing)
            .status == 409)
        #expect(try await client.send(.delete, "/v1/operators/\(name)", headers: root.changing).status == 204)
      }
      #expect(
        try await client.send(.patch, "/v1/operators/root", #"{"role":"viewer"}"#, headers: root.changing)
          .status == 409)
      let last = try await client.send(.delete, "/v1/operators/root", headers: root.changing)
      #expect(last.status == 409)
      #expect(
        last.text.hasPrefix(#"{"error":"this is the last account, and without it the collector asks nobody"#))
      #expect(last.text.contains("run godwit-collector operator remove NAME --open"))
      #expect(try await store.operators().count == 1)
      #expect(
        try await client.send(.delete, "/v1/operators/root?open=true", headers: root.changing).status == 204)
      #expect(try await store.operators().isEmpty)
    }
  }

  @Test(
    "what an operator cannot be is refused in words",
    arguments: [
      (
        #"{"role":"admin","password":"correct horse"}"#, 400,
        "the body has no `name`"
      ),
      (
        #"{"name":"anna\u202e","role":"admin","password":"correct horse"}"#, 400,
        "an operator's name has 1 to 64 characters: this one has a character that cannot be seen, U+202E, as number 5"
      ),
      (#"{"name":"anna","password":"correct horse"}"#, 400, "`role` must be viewer, operator or admin"),
      (
        #"{"name":"anna","role":"chief","password":"correct horse"}"#, 400,
        "`role` must be viewer, operator or admin"
      ),
      (#"{"name":"anna","role":"viewer"}"#, 400, "the body has no text `password`"),
      (#"{"name":"anna","role":"viewer","password":"short"}"#, 400, "a password has 12 to 256 characters"),
      (
        #"{"name":"anna","role":"viewer","password":"Anna's own password"}"#, 400,
        "a password does not hold the operator's name"
      ),
      (
        #"{"name":"anna","role":"viewer","password":"aaaaaaaaaaaab"}"#, 400,
        "a password has five different characters at least"
      ),
      (
        #"{"name":"olga","role":"viewer","password":"correct horse"}"#, 409,
        "there is an operator of this name"
      ),
    ])
  func refused(text: String, status: Int, words: String) async throws {
    try await collector { client, _ in
      let root = try await client.browser(of: "root")
      let answer = try await client.send(.post, "/v1/operators", text, headers: root.changing)
      #expect(answer.status == status && answer.text == #"{"error":"\#(words)"}"#)
    }
  }

  @Test("the first operator is an admin, since nobody else could add the next")
  func first() async throws {
    try await withCollector { client, _ in
      let answer = try await client.send(
        .post, "/v1/operators", #"{"name":"anna","role":"viewer","password":"correct horse"}"#)
      #expect(answer.status == 409)
      #expect(answer.text == #"{"error":"the first operator must be admin: nobody else could add the next"}"#)
    }
  }
}

@Suite("Passwords")
struct PasswordTests {
  @Test("are hashed as RFC 7914 has it")
  func vector() throws {
    let hash = try PasswordHash(
      "password", salt: Data("NaCl".utf8), cost: .init(rounds: 1024, blockSize: 8, parallelism: 16))
    #expect(hash.hash == Secret.hash(hex: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"))
  }

  @Test("are right as they were set, however their letters are put together, and not otherwise")
  func right() throws {
    let hash = try PasswordHash("Zürich 2026!", cost: .init(rounds: 16, blockSize: 1, parallelism: 1))
    #expect(hash.isOf("Zu\u{308}rich 2026!") && !hash.isOf("Zurich 2026!") && !hash.isOf(""))
    let read = try #require(PasswordHash(text: hash.text))
    #expect(read == hash && read.isOf("Zürich 2026!"))
    #expect(!hash.text.contains("rich 2026!"))
  }

  @Test(
    "what is no hash is none",
    arguments: ["", "plain", "scrypt$16$1$1$AA==$AA==", "argon2id$16$1$1$AA==$AA=="])
  func unreadable(text: String) {
    #expect(PasswordHash(text: text) == nil)
  }

  @Test("cost what they must: 32 MiB and three passes")
  func cost() {
    let cost = PasswordHash.Cost()
    #expect(128 * cost.rounds * cost.blockSize == 32 << 20 && cost.parallelism == 3)
    #expect(CollectorOptions().passwordCost == cost)
  }
}
