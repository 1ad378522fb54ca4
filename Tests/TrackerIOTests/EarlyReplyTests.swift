import Testing
import TrackerBase

@testable import TrackerIO

/// A server that answers before it can have read the request: FAULTS 66.
@Suite("An early reply")
struct EarlyReplyTests {
  let uploader: HTTPUploader

  init() throws { uploader = try HTTPUploader(version: "1") }

  private func post(_ server: ScriptedServer, bytes: Int = 30_000_000) throws -> UploadResult {
    try uploader.start(
      UploadRequest(
        url: server.url, body: Array(repeating: 0x20, count: bytes), contentType: "application/json",
        requestTimeout_s: 300))
    return try finish(uploader, with: server)
  }

  static let heads = [
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
  ]

  @Test("of 2xx acknowledges nothing, whatever becomes of the connection", arguments: heads, [true, false])
  func early(head: String, closes: Bool) throws {
    let server = ScriptedServer([ScriptedServer.Reply(head, after: closes ? .close : .keep)])
    server.answersEarly = true
    let result = try post(server)
    #expect(result.status == 0)
    // Where the connection breaks before libcurl has read the reply, that is all that is seen.
    #expect(result.failure == .earlyReply || closes && result.failure == .dropped, "\(result)")
    if result.failure == .earlyReply {
      #expect(result.message.hasPrefix("the server answered 20"), "\(result.message)")
      #expect(
        result.message.hasSuffix(
          "of the request's 30000000 bytes had been sent, so it cannot have the records"))
    }
  }

  @Test(
    "of 4xx says what it says: a server need not read what is too large for it",
    arguments: [400, 401, 413, 503])
  func refusal(status: Int) throws {
    let server = ScriptedServer([ScriptedServer.Reply("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")])
    server.answersEarly = true
    let result = try post(server)
    #expect(result.status == status && result.failure == nil, "\(result)")
  }

  @Test("on another connection than the kept one, which died under the request, is early too")
  func onSecondConnection() throws {
    let server = ScriptedServer([.json("200 OK", "{}"), ScriptedServer.Reply(Self.heads[1])])
    #expect(try post(server, bytes: 100).status == 200)
    server.hangsUpNext = true
    server.answersEarly = true
    let result = try post(server)
    #expect(server.connectionCount == 2)
    #expect(result.failure == .earlyReply, "\(result)")
  }

  @Test("is none where the body was sent whole before, small or large, or where there is no body")
  func whole() throws {
    for bytes in [0, 1, 100, 65_535, 65_536, 100_000, 3_000_000] {
      let server = ScriptedServer([.json("200 OK", "{}")])
      let result = try post(server, bytes: bytes)
      #expect(result.status == 200 && result.failure == nil, "\(bytes): \(result.message)")
    }
  }
}
