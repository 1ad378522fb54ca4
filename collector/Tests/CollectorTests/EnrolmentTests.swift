import Foundation
import Testing

@testable import Collector

@Suite("Enrolment by a code")
struct EnrolmentTests {
  private static let nonce = "0123456789abcdef0123456789abcdef"
  private static let operators = ["Authorization": "Bearer operators"]

  private func collector(
    _ body: @escaping @Sendable (TestClient, Store) async throws -> Void
  ) async throws {
    try await withCollector(operators: "operators", deviceTokens: true, body)
  }

  private static func code(
    _ client: TestClient, for name: String? = nil
  ) async throws -> String {
    let body = name.map { #"{"for":"\#($0)"}"# } ?? "{}"
    let answer = try await client.post(body, device: nil, path: "/v1/enrolment-codes", headers: operators)
    #expect(answer.status == 201)
    return try #require(try answer.decoded(Routes.MadeCodes.self).codes.first)
  }

  private static func enrol(
    _ client: TestClient, _ code: String, nonce: String = nonce, device: String? = "board-1"
  ) async throws -> Answer {
    let name = device.map { #","device":"\#($0)""# } ?? ""
    return try await client.post(
      #"{"code":"\#(code)","nonce":"\#(nonce)"\#(name)}"#, device: nil, path: "/v1/enrol")
  }

  private static func sends(_ token: String, _ client: TestClient, as device: String) async throws
    -> Int
  {
    try await client.post(body([]), device: device, headers: ["Authorization": "Bearer \(token)"]).status
  }

  @Test("a box gets a token for the name that it wants, without a token, and sends with it")
  func enrols() async throws {
    try await collector { client, store async throws in
      let code = try await Self.code(client)
      #expect(code.wholeMatch(of: /([0-9A-Z]{4}-){3}[0-9A-Z]{4}/) != nil)
      // As somebody types it.
      let answer = try await Self.enrol(
        client, " \(code.lowercased().replacingOccurrences(of: "0", with: "o")) ")
      #expect(answer.status == 200)
      let enrolment = try answer.decoded(Enrolment.self)
      #expect(enrolment.device == "board-1")
      #expect(try await Self.sends(enrolment.token, client, as: "board-1") == 200)
      #expect(try await Self.sends(enrolment.token, client, as: "board-2") == 403)
      #expect(try await store.codes(at: now_ms).map(\.state) == [.used])
      #expect(try await store.codes(at: now_ms).map(\.device) == ["board-1"])
      #expect(try await store.tokens()?.map(\.source) == [.enrolled])
    }
  }

  @Test("a code for a device gives it that name, whatever it wanted")
  func named() async throws {
    try await collector { client, _ async throws in
      let code = try await Self.code(client, for: "van-7")
      #expect(try await Self.enrol(client, code, device: nil).decoded(Enrolment.self).device == "van-7")
    }
  }

  @Test("a code is good for one box; that box may ask again until it has used its token")
  func once() async throws {
    try await collector { client, _ async throws in
      let code = try await Self.code(client)
      let first = try await Self.enrol(client, code)
      let other = try await Self.enrol(client, code, nonce: String(repeating: "f", count: 32))
      #expect(other.status == 403)
      #expect(other.text == #"{"error":"the code was used: have another one made"}"#)

      let again = try await Self.enrol(client, code)
      #expect(again.status == 200 && again.text == first.text)
      let token = try first.decoded(Enrolment.self).token
      #expect(try await Self.sends(token, client, as: "board-1") == 200)
      #expect(try await Self.enrol(client, code).status == 403)
      #expect(try await Self.sends(token, client, as: "board-1") == 200)
    }
  }

  @Test("the database has neither code, nonce nor token")
  func hashed() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "fleet.sqlite").path
      let store = try Store(path: file)
      let made = try await store.makeCodes(1, for: nil, validFor_ms: 1000, at: now_ms)
      let code = try #require(EnrolmentCode.plain(made[0]))
      let outcome = try await store.enrol(code: code, nonce: Self.nonce, wanted: "board-1", at: now_ms)
      guard case .enrolled(let enrolment, isAgain: false) = outcome else {
        return #expect(outcome == .unknown)
      }
      try store.close()
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      for secret in [code, made[0], Self.nonce, enrolment.token] {
        #expect(bytes.range(of: Data(secret.utf8)) == nil)
      }
      #expect(bytes.range(of: Secret.hash(enrolment.token)) != nil)
    }
  }

  @Test("a code that has expired, and one that was never made, are refused with words")
  func refused() async throws {
    try await withTemporaryFolder { folder in
      let store = try openStore(folder.appending(path: "fleet.sqlite").path)
      let code = try await store.makeCodes(1, for: nil, validFor_ms: 1000, at: now_ms)
        .compactMap(EnrolmentCode.plain)[0]
      func outcome(_ code: String, at time_ms: Int64) async throws -> EnrolmentOutcome {
        try await store.enrol(code: code, nonce: Self.nonce, wanted: "a", at: time_ms)
      }
      #expect(try await outcome(code, at: now_ms + 1000) == .expired)
      #expect(try await outcome("0000000000000000", at: now_ms) == .unknown)
      guard case .enrolled = try await outcome(code, at: now_ms + 999) else { return #expect(Bool(false)) }
      try store.close()
    }
    try await collector { client, _ async throws in
      for code in ["0000-0000-0000-0000", "", "x", "UUUU-UUUU-UUUU-UUUU"] {
        let answer = try await Self.enrol(client, code)
        #expect(answer.status == 403)
        #expect(answer.text == #"{"error":"the code is not known here: is it typed as it was given?"}"#)
      }
    }
  }

  @Test("nobody gets the name of a device that has sent or has a token, but with a code made for it")
  func taken() async throws {
    try await collector { client, store async throws in
      let code = try await Self.code(client)
      let first = try await store.issueToken(to: "van-7", at: now_ms).token
      let second = try await store.issueToken(to: "van-7", at: now_ms).token
      let answer = try await Self.enrol(client, code, device: "van-7")
      #expect(answer.status == 409)
      #expect(
        answer.text
          == #"{"error":"there is a device of this name: have a code made for it (godwit-collector enrol-code make --for NAME)"}"#
      )
      // The code is still good, for another name.
      #expect(try await Self.enrol(client, code, device: "van-8").status == 200)

      let own = try await Self.code(client, for: "van-7")
      let token = try await Self.enrol(client, own).decoded(Enrolment.self).token
      for (token, status) in [(first, 401), (second, 200), (token, 200)] {
        #expect(try await Self.sends(token, client, as: "van-7") == status)
      }
    }
  }

  @Test("settings that were prepared for a name do not keep the box from coming")
  func prepared() async throws {
    try await collector { client, _ async throws in
      let put = try await client.put(
        "/v1/devices/board-1/config", #"{"settings":{}}"#, headers: Self.operators)
      #expect(put.status == 200)
      #expect(try await Self.enrol(client, try await Self.code(client)).status == 200)
    }
  }

  @Test("too many wrong codes are answered with 429, and the right one all the same with its token")
  func limited() async throws {
    try await collector { client, _ async throws in
      let code = try await Self.code(client)
      for index in 1...EnrolmentLimit.most + 2 {
        let answer = try await Self.enrol(client, "0000-0000-0000-0000")
        #expect(answer.status == (index <= EnrolmentLimit.most ? 403 : 429))
        if answer.status == 429 { #expect(answer.headers[.retryAfter] == "60") }
      }
      #expect(try await Self.enrol(client, code).status == 200)
    }
  }

  @Test("the limit counts by the minute, also after a clock that is set back")
  func minutes() {
    let limit = EnrolmentLimit()
    for count in 1...EnrolmentLimit.most { #expect(limit.refused(at: 1000) == .said(count: count)) }
    #expect(limit.refused(at: 60_999) == .tooMany(isFirst: true, count: 31))
    #expect(limit.refused(at: 60_999) == .tooMany(isFirst: false, count: 32))
    #expect(limit.refused(at: 61_000) == .said(count: 33))
    #expect(limit.refused(at: 0) == .said(count: 34))
  }

  @Test(
    "a request that lacks something is refused with words",
    arguments: [
      ("[]", "the body is not a JSON object"), ("{}", "the body has no text `code`"),
      (
        #"{"code":"a","nonce":"short"}"#,
        "the body needs a text `nonce` of 16 to 128 bytes, drawn by chance and kept until the token is: with it the box may ask again"
      ),
      (#"{"code":"a","nonce":"0123456789abcdef","device":7}"#, "`device` must be the name of the box"),
    ])
  func malformed(text: String, words: String) async throws {
    try await collector { client, _ async throws in
      let answer = try await client.post(text, device: nil, path: "/v1/enrol")
      #expect(answer.status == 400)
      #expect(answer.text == #"{"error":"\#(words)"}"#)
    }
  }

  @Test("a code for no one device needs a name, and stays good")
  func nameless() async throws {
    try await collector { client, _ async throws in
      let code = try await Self.code(client)
      let answer = try await Self.enrol(client, code, device: nil)
      #expect(answer.status == 400)
      #expect(try await Self.enrol(client, code).status == 200)
    }
  }

  @Test("only operators make codes")
  func operatorsAlone() async throws {
    try await withCollector(tokens: "shared", operators: "operators") { client, _ async throws in
      let headers = ["Authorization": "Bearer shared"]
      let answer = try await client.post("{}", device: nil, path: "/v1/enrolment-codes", headers: headers)
      #expect(answer.status == 403)
      #expect(try await client.post("{}", device: nil, path: "/v1/enrolment-codes").status == 401)
    }
  }
}
