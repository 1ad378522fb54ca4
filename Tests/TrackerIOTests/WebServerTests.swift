import Glibc
import Testing

@testable import TrackerIO

/// Debian's web servers, as they are, with TLS and a certificate of our own.
@Suite("Web servers", .serialized, .enabled(if: WebServer.isPossible, "needs nginx, apache2, caddy, openssl"))
struct WebServerTests {
  @Test(
    "one connection carries all requests, as long as the server keeps it",
    arguments: WebServer.Program.allCases, [1, 2])
  func oneConnection(_ program: WebServer.Program, http: Int) throws {
    let server = try WebServer(program, http: http)
    let uploader = try HTTPUploader(version: "1")
    for number in 1...8 {
      var request = UploadRequest(
        url: server.url, body: [UInt8](repeating: 0x78, count: 2000), contentType: "text/plain")
      request.caFile = server.file("server.pem")
      try uploader.start(request)
      let result = try finish(uploader)
      #expect((200...204).contains(result.status), "\(program) \(number): \(result.message)")
      server.awaitLateFrames()
    }
    let log = server.connections(requests: 8)
    #expect(log.count == 8 && Set(log.map(\.connection)).count == 1, "\(program) HTTP/\(http): \(log)")
    #expect(Set(log.map(\.version)) == [http == 2 ? "HTTP/2.0" : "HTTP/1.1"])
  }
}
