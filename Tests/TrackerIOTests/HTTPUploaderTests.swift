import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("The uploader")
struct HTTPUploaderTests {
  let uploader: HTTPUploader

  init() throws { uploader = try HTTPUploader(version: "1.2.3") }

  @Test("a whole reply brings status, type and body")
  func success() throws {
    let server = ScriptedServer([.json("200 OK", #"{"ack":["a"]}"#)])
    try uploader.start(request(server))
    let result = try finish(uploader, with: server)
    #expect(result.status == 200)
    #expect(result.failure == nil)
    #expect(result.message == "")
    #expect(result.contentType == "application/json")
    #expect(result.body == Array(#"{"ack":["a"]}"#.utf8))
    #expect(result.retryAfter_s == nil)
    #expect(!uploader.isInFlight)
  }

  @Test("headers and body arrive byte for byte, and both are counted")
  func bytesOnTheWire() throws {
    let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let reply = ScriptedServer.Reply.json("200 OK", "{}")
    let server = ScriptedServer([reply])
    var request = request(server, body: body)
    request.headers = [("X-Device", "van 7"), ("X-Empty", "")]
    request.bearerToken = "secret-token"
    try uploader.start(request)
    let result = try finish(uploader, with: server)
    let received = try #require(server.requests.first)
    let head = """
      POST /track HTTP/1.1\r
      Host: 127.0.0.1:\(server.port)\r
      User-Agent: godwit/1.2.3\r
      X-Device: van 7\r
      X-Empty:\r
      Content-Type: application/json\r
      Authorization: Bearer secret-token\r
      Content-Length: 200000\r
      \r

      """
    #expect(String(decoding: received.dropLast(body.count), as: UTF8.self) == head)
    #expect(received.suffix(body.count).elementsEqual(body))
    #expect(result.bytesUp == received.count)
    #expect(result.bytesDown == reply.bytes.count)
  }

  @Test("user and password go with the first request, as RFC 7617 has them, and secret headers as they are")
  func basic() throws {
    let server = ScriptedServer([.json("200 OK", "{}")])
    var request = request(server)
    (request.user, request.password) = ("Aladdin", "open sesame")
    request.secretHeaders = [("X-Api-Key", "k 7")]
    try uploader.start(request)
    #expect(try finish(uploader, with: server).status == 200)
    let head = String(decoding: try #require(server.requests.first), as: UTF8.self)
    #expect(head.contains("\r\nAuthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"))
    #expect(head.contains("\r\nX-Api-Key: k 7\r\n"))
  }

  @Test("the connection is kept for the next request")
  func reuse() throws {
    let server = ScriptedServer([.json("200 OK", "{}"), .json("200 OK", "{}"), .json("200 OK", "{}")])
    for _ in 1...3 {
      try uploader.start(request(server))
      #expect(try finish(uploader, with: server).status == 200)
    }
    #expect(server.connectionCount == 1)
  }

  @Test("a kept connection that the server has closed is opened anew")
  func closedBetween() throws {
    let server = ScriptedServer([
      .init("HTTP/1.1 204 No Content\r\n\r\n", after: .close), .json("200 OK", "{}"),
    ])
    try uploader.start(request(server))
    #expect(try finish(uploader, with: server).status == 204)
    try uploader.start(request(server))
    #expect(try finish(uploader, with: server).status == 200)
    #expect(server.connectionCount == 2)
  }

  @Test(
    "a refusal is a reply like any other",
    arguments: [
      ("500 Internal Server Error", 500), ("401 Unauthorized", 401), ("413 Content Too Large", 413),
    ])
  func refusal(line: String, status: Int) throws {
    let server = ScriptedServer([.json(line, "words")])
    try uploader.start(request(server))
    let result = try finish(uploader, with: server)
    #expect(result.status == status)
    #expect(result.failure == nil)
    #expect(result.body == Array("words".utf8))
  }

  @Test("Retry-After in seconds is handed on")
  func retryAfter() throws {
    let server = ScriptedServer([.json("503 Busy", "", headers: "Retry-After: 120\r\n")])
    try uploader.start(request(server))
    #expect(try finish(uploader, with: server).retryAfter_s == 120)
  }

  @Test("a redirect is not followed")
  func redirect() throws {
    let other = ScriptedServer([.json("200 OK", "{}")])
    let server = ScriptedServer([.json("302 Found", "", headers: "Location: \(other.url)\r\n")])
    try uploader.start(request(server))
    #expect(try finish(uploader, with: server).status == 302)
    #expect(waitForDescriptors(other.descriptors, timeout_ms: 0) == [])
  }

  @Test("a server that never answers ends in a time-out")
  func stall() throws {
    let server = ScriptedServer([.init("", after: .stall)])
    try uploader.start(request(server, requestTimeout_s: 0.2))
    let result = try finish(uploader, with: server)
    #expect(result.failure == .timeout)
    #expect(result.status == 0)
    #expect(server.requests.count == 1)
  }

  @Test("a body without end is cut off", arguments: [false, true])
  func endlessBody(isAnnounced: Bool) throws {
    let length = isAnnounced ? "Content-Length: 99999999999\r\n" : ""
    let server = ScriptedServer([.init("HTTP/1.1 200 OK\r\n\(length)\r\n", after: .flood)])
    try uploader.start(request(server))
    let result = try finish(uploader, with: server)
    #expect(result.failure == .replyTooLarge)
    #expect(result.status == 0)
    #expect(result.body.count <= 4096)
    #expect(result.bytesDown < 200_000)
  }

  @Test(
    "of a reply that is too long its status and its beginning are known, announced or not",
    arguments: [false, true])
  func beginning(isAnnounced: Bool) throws {
    let body = #"{"ack":["a"],"config":""# + String(repeating: "x", count: 9000) + "\"}"
    let length = isAnnounced ? "Content-Length: \(body.utf8.count)\r\n" : ""
    let server = ScriptedServer([.init("HTTP/1.1 200 OK\r\n\(length)\r\n\(body)")])
    try uploader.start(request(server))
    let result = try finish(uploader, with: server)
    #expect(result.failure == .replyTooLarge && result.status == 0 && result.cutStatus == 200)
    #expect(result.body == Array(body.utf8.prefix(4096)))
    #expect(result.message == "the reply is longer than sync.max_reply_kb")
  }

  @Test(
    "a reply of just the allowed size is taken, one byte more is not",
    arguments: [(4096, true), (4097, false)])
  func replyLimit(count: Int, isTaken: Bool) throws {
    let server = ScriptedServer([.json("200 OK", String(repeating: "x", count: count))])
    try uploader.start(request(server))
    let result = try finish(uploader, with: server)
    #expect((result.failure == nil) == isTaken)
    #expect((result.status == 200) == isTaken)
  }

  @Test("a reply that breaks off has no status, so that nobody takes it for an acknowledgement")
  func cutInReply() throws {
    let server = ScriptedServer([
      .init("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"ack\"", after: .close)
    ])
    try uploader.start(request(server))
    let result = try finish(uploader, with: server)
    #expect(result.failure == .dropped)
    #expect(result.status == 0)
  }

  @Test("a connection that closes without a word is a send or receive failure")
  func noReply() throws {
    let server = ScriptedServer([.init("", after: .close)])
    try uploader.start(request(server))
    #expect(try finish(uploader, with: server).failure == .dropped)
  }

  @Test("a refused connection is named, and the URL's query is not in the message")
  func refusedConnection() throws {
    try uploader.start(
      UploadRequest(url: "http://127.0.0.1:\(freePort())/?key=k3y", body: [1], contentType: "a/b"))
    let result = try finish(uploader)
    #expect(result.failure == .connect)
    #expect(result.message.contains("127.0.0.1"))
    #expect(!result.message.contains("k3y"))
  }

  @Test("a name that does not exist is named as such")
  func unknownName() throws {
    try uploader.start(UploadRequest(url: "https://nowhere.invalid/", body: [1], contentType: "a/b"))
    #expect(try finish(uploader).failure == .resolve)
  }

  @Test("plaintext leads to this machine only, unless allowed")
  func plaintext() throws {
    for url in ["http://example.invalid/", "HTTP://127.0.0.1.example.invalid/", "http://10.0.0.1/"] {
      #expect(throws: UploadError.plaintextRefused) {
        try uploader.start(UploadRequest(url: url, body: [], contentType: "a/b"))
      }
    }
    for url in ["http://localhost/", "http://127.1.2.3/", "http://[::1]/"] {
      try uploader.start(UploadRequest(url: url, body: [], contentType: "a/b"))
      uploader.cancel()
    }
    var allowed = UploadRequest(url: "http://10.0.0.1/", body: [], contentType: "a/b")
    allowed.allowPlaintext = true
    try uploader.start(allowed)
  }

  @Test(
    "no other protocol is spoken",
    arguments: ["file:///etc/hostname", "ftp://127.0.0.1/", "gopher://127.0.0.1/"])
  func otherProtocol(url: String) throws {
    try uploader.start(UploadRequest(url: url, body: [1], contentType: "a/b"))
    let result = try finish(uploader)
    #expect(result.failure == .setup)
    #expect(result.body == [])
  }

  @Test("a line break in a header is refused and its value not shown")
  func headerInjection() throws {
    var request = UploadRequest(url: "https://127.0.0.1/", body: [], contentType: "a/b")
    request.bearerToken = "s3cret\nX-Evil: 1"
    let error = thrown(UploadError.self) { try uploader.start(request) }
    #expect(error == .badHeader("Authorization"))
    #expect(!"\(try #require(error))".contains("s3cret"))
  }

  @Test("one request at a time; after a cancel the next may start")
  func oneAtATime() throws {
    let server = ScriptedServer([.json("200 OK", "{}")])
    try uploader.start(request(server))
    #expect(throws: UploadError.inFlight) { try uploader.start(request(server)) }
    uploader.cancel()
    #expect(uploader.drive(ready: []) == nil)
    try uploader.start(request(server))
    #expect(try finish(uploader, with: server).status == 200)
  }

  @Test("at rest it wants nothing from the loop")
  func atRest() throws {
    #expect(uploader.descriptors == [])
    #expect(uploader.timeout_ms == nil)
    let server = ScriptedServer([.json("200 OK", "{}")])
    try uploader.start(request(server))
    _ = try finish(uploader, with: server)
    #expect(uploader.descriptors == [])
  }

  @Test("secrets are cut out of a message wherever they stand")
  func redaction() {
    #expect(redact("a key=1 b key=1", ["key=1", ""]) == "a … b …")
    #expect(redact("key", ["key"]) == "…")
    #expect(redact("ke", ["key"]) == "ke")
  }

  private func request(
    _ server: ScriptedServer, body: [UInt8] = Array("{}".utf8), requestTimeout_s: Double = 300
  ) -> UploadRequest {
    UploadRequest(
      url: server.url, body: body, contentType: "application/json", requestTimeout_s: requestTimeout_s,
      maxReply_bytes: 4096)
  }
}
