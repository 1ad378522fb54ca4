import Glibc
import Testing
import TrackerBase
import TrackerWire

@testable import TrackerIO

/// What must hold for each: a verdict within the deadline, no status that could be taken for an acknowledgement,
/// and no more in memory than the limit.
@Suite("A hostile server")
struct HTTPHostileTests {
  typealias Reply = ScriptedServer.Reply
  static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

  let uploader: HTTPUploader

  init() throws { uploader = try HTTPUploader(version: "1") }

  @Test(
    "that stalls anywhere costs the time of a request, and no more",
    arguments: [
      Reply("", after: .stall), Reply("HTTP/1.1 2", after: .stall),
      Reply("HTTP/1.1 200 OK\r\n", after: .stall), Reply("HTTP/1.1 200 OK\r\nContent-Le", after: .stall),
      Reply("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", after: .stall),
      Reply("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{", after: .stall),
      Reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", after: .stall),
      Reply("HTTP/1.1 100 Continue\r\n\r\n", after: .stall),
      Reply("HTTP/1.1 200 OK\r\n\r\n{}", after: .stall),
    ])
  func stalls(reply: Reply) throws { try expectTimeout(ScriptedServer([reply])) }

  @Test(
    "silence counts from the first byte of the answer on: until then a server may think as long as a request may take",
    arguments: [
      (Reply("", after: .stall), 4.0, false),
      (Reply("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", after: .stall), 300.0, true),
    ])
  func silence(reply: Reply, timeout_s: Double, isSilence: Bool) throws {
    let server = ScriptedServer([reply])
    var request = request(server.url, requestTimeout_s: timeout_s)
    request.silence_s = 1
    try uploader.start(request)
    let result = try finish(uploader, with: server)
    #expect(result.failure == .timeout)
    #expect(result.message.contains("too slow") == isSilence, "\(result.message)")
  }

  @Test(
    "that sends a byte now and then gets no longer than one that sends none",
    arguments: [
      Reply("HTTP/1.1 200 OK\r\n", after: .drip, more: "X-Slow: loris\r\n"),
      Reply("", after: .drip, more: "HTTP/1.1 100 Continue\r\n\r\n"),
      Reply("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n", after: .drip),
    ])
  func drips(reply: Reply) throws { try expectTimeout(ScriptedServer([reply])) }

  @Test("that accepts and says nothing to TLS is left after the time for connecting")
  func stallsBeforeTLS() throws {
    let server = ScriptedServer([])
    var request = request("https://127.0.0.1:\(server.port)/")
    request.connectTimeout_s = 0.3
    request.requestTimeout_s = 3600
    try uploader.start(request)
    let result = try finish(uploader, with: server)
    #expect(result.failure == .timeout)
  }

  @Test("that answers TLS with plain text gets nothing of the body")
  func noTLS() throws {
    let server = ScriptedServer([], greeting: Reply("HTTP/1.1 400 Bad Request\r\n\r\n", after: .close))
    try uploader.start(request("https://127.0.0.1:\(server.port)/"))
    let result = try finish(uploader, with: server)
    #expect(result.failure == .tls)
    #expect(result.status == 0)
    #expect(server.requests.isEmpty)
  }

  @Test(
    "that breaks off has said nothing",
    arguments: [
      "", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n{}",
    ])
  func breaksOff(text: String) throws {
    let server = ScriptedServer([Reply(text, after: .close)])
    let result = try post(server)
    #expect(result.status == 0)
    #expect(result.failure != nil)
  }

  @Test(
    "that speaks another protocol is named as such",
    arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "220 mail ESMTP\r\n", "\0\u{1}\u{2}\u{3}garbage", "{}"])
  func notHTTP(text: String) throws {
    let server = ScriptedServer([Reply(text, after: .close)])
    let result = try post(server)
    #expect(result.status == 0)
    #expect(result.failure == .notHTTP)
    #expect(result.message.contains("no web server"), "\(result.message)")
  }

  @Test(
    "that never ends is cut off at the limit",
    arguments: [
      Reply("HTTP/1.1 200 OK\r\n\r\n", after: .flood),
      Reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", after: .flood, more: "4\r\nxxxx\r\n"),
      Reply("HTTP/1.1 200 OK\r\n", after: .flood, more: "X-Filler: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n"),
      Reply("", after: .flood, more: "HTTP/1.1 100 Continue\r\n\r\n"),
      Reply("", after: .flood, more: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
    ])
  func endless(reply: Reply) throws {
    let server = ScriptedServer([reply])
    let result = try post(server, requestTimeout_s: 300)
    #expect(result.failure == .replyTooLarge)
    #expect(result.status == 0)
    #expect(result.body.count <= 4096)
    #expect(result.bytesDown < 400_000)
  }

  @Test("whose one header never ends is cut off as well")
  func endlessHeader() throws {
    let server = ScriptedServer([Reply("HTTP/1.1 200 OK\r\nX-Long: ", after: .flood)])
    let result = try post(server, requestTimeout_s: 300)
    #expect(result.failure != nil)
    #expect(result.failure != .timeout)
    #expect(result.status == 0)
    #expect(result.bytesDown < 400_000)
  }

  @Test("that sends more than it announced is not believed about the next request")
  func stale() throws {
    let server = ScriptedServer([
      Reply(Self.whole + Self.whole), Reply("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"),
    ])
    #expect(try post(server).status == 200)
    #expect(try post(server).status == 503)
  }

  @Test("that speaks before it was asked is not believed about the request")
  func early() throws {
    let server = ScriptedServer(
      [Reply(Self.whole), Reply("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")])
    #expect(try post(server).status == 200)
    // An answer to nothing, on the connection that is kept.
    server.say(Self.whole)
    #expect(try post(server).status == 503)
  }

  @Test("that redirects leads nowhere", arguments: [301, 302, 303, 307, 308])
  func redirects(status: Int) throws {
    let other = ScriptedServer([Reply(Self.whole)])
    for target in ["/elsewhere", other.url, "http://[::1]:\(other.port)/", "file:///etc/hostname"] {
      let server = ScriptedServer([
        Reply("HTTP/1.1 \(status) Moved\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n")
      ])
      #expect(try post(server).status == status)
      #expect(server.requests.count == 1)
    }
    #expect(waitForDescriptors(other.descriptors, timeout_ms: 0) == [])
  }

  @Test("that hangs up on a kept connection after the request may get it twice: ids make it one")
  func lostOnKeptConnection() throws {
    let server = ScriptedServer([Reply(Self.whole), Reply("", after: .close), Reply(Self.whole)])
    #expect(try post(server).status == 200)
    let result = try post(server)
    #expect(result.status == 200)
    #expect(server.requests.count == 3)
    #expect(server.requests[1] == server.requests[2])
    #expect(result.bytesUp == server.requests[1].count * 2)
  }

  @Test("that wants a password, compresses, or sets cookies gets the same request again")
  func stateless() throws {
    let tricks = "WWW-Authenticate: Digest realm=\"x\", nonce=\"y\"\r\nSet-Cookie: a=b\r\n"
    let server = ScriptedServer([
      Reply("HTTP/1.1 401 No\r\n\(tricks)Content-Length: 0\r\n\r\n"), Reply(Self.whole),
    ])
    #expect(try post(server).status == 401)
    #expect(try post(server).status == 200)
    #expect(server.requests[0] == server.requests[1])
  }

  private func expectTimeout(_ server: ScriptedServer) throws {
    let result = try post(server, requestTimeout_s: 0.3)
    #expect(result.failure == .timeout)
    #expect(result.status == 0)
  }

  private func post(_ server: ScriptedServer, requestTimeout_s: Double = 300) throws -> UploadResult {
    try uploader.start(request(server.url, requestTimeout_s: requestTimeout_s))
    return try finish(uploader, with: server)
  }

  private func request(_ url: String, requestTimeout_s: Double = 300) -> UploadRequest {
    UploadRequest(
      url: url, body: Array("{}".utf8), contentType: "application/json", requestTimeout_s: requestTimeout_s,
      maxReply_bytes: 4096)
  }
}

@Suite("Interface and coding")
struct HTTPTransportTests {
  @Test("requests go through the interface that is named")
  func interface() throws {
    let server = ScriptedServer([.json("200 OK", "{}")])
    #expect(try post(server, interface: "lo").status == 200)
  }

  @Test("an interface that is not there is named, and nothing is sent another way")
  func missingInterface() throws {
    let server = ScriptedServer([.json("200 OK", "{}")])
    let result = try post(server, interface: "wwan77")
    #expect(result.failure == .interface)
    #expect(result.message.contains("wwan77"), "\(result.message)")
    #expect(result.message.hasSuffix("; sync.interface is not there, or has no address"))
    #expect(waitForDescriptors(server.descriptors, timeout_ms: 0) == [])
  }

  @Test(
    "a chunked reply with trailers is whole",
    arguments: ["2\r\n{}\r\n0\r\n", "0\r\n"], ["", "X-Sum: 1\r\n", "Server-Timing: a;dur=1\r\nX-B: 2\r\n"])
  func trailers(chunks: String, trailers: String) throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    let server = ScriptedServer([
      ScriptedServer.Reply(head + chunks + trailers + "\r\n"),
      ScriptedServer.Reply(
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + head + chunks + trailers + "\r\n"),
    ])
    for _ in 1...2 {
      let result = try post(server)
      #expect(result.status == 200 && result.failure == nil, "\(result.message)")
      #expect(result.body == Array(chunks.hasPrefix("2") ? "{}".utf8 : "".utf8))
    }
  }

  @Test("what the server takes is handed on")
  func acceptEncoding() throws {
    let server = ScriptedServer([
      .json("200 OK", "{}", headers: "accept-encoding: br, gzip\r\n"), .json("200 OK", "{}"),
    ])
    #expect(try post(server).acceptEncoding == "br, gzip")
    #expect(try post(server).acceptEncoding == "")
  }

  @Test("a gzip body unpacks to what it was, and one that would not be shorter is none")
  func gzip() throws {
    let text = (1...100).map { "{\"latitude\":47.\($0),\"longitude\":8.5}" }.joined(separator: ",")
    let packed = try #require(Gzip.compressed(Array(text.utf8)))
    #expect(packed.count < text.utf8.count / 4)
    let folder = QueueFolder()
    folder.write(packed, to: "body.gz")
    #expect(system("cd \(folder.path) && gzip -dk body.gz") == 0)
    #expect(folder.read("body") == Array(text.utf8))
    #expect(Gzip.compressed([]) == nil)
    #expect(Gzip.compressed([1, 2, 3]) == nil)
    #expect(Gzip.compressed((0..<1000).map { _ in UInt8.random(in: 0...255) }) == nil)
    #expect(Gzip.compressed(Array(text.utf8)) == packed)
  }

  private func post(_ server: ScriptedServer, interface: String = "") throws -> UploadResult {
    let uploader = try HTTPUploader(version: "1")
    var request = UploadRequest(url: server.url, body: Array("{}".utf8), contentType: "application/json")
    request.interface = interface
    try uploader.start(request)
    return try finish(uploader, with: server)
  }
}
