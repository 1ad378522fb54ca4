import Glibc
import Testing

@testable import TrackerIO

@Suite("TLS", .enabled(if: TLSServer.isPossible, "needs python3 with ssl, and openssl"))
struct HTTPTLSTests {
  @Test("a certificate that nobody vouches for is refused, and the body not sent")
  func selfSigned() throws {
    let server = try TLSServer()
    let result = try post(to: "https://127.0.0.1:\(server.port)/")
    #expect(result.failure == .tls)
    #expect(result.status == 0)
    #expect(result.bytesUp > 0)
    #expect(server.report() == "refused")
  }

  @Test("a pinned authority is trusted, and handshakes are counted")
  func pinned() throws {
    let server = try TLSServer()
    let result = try post(to: "https://127.0.0.1:\(server.port)/", caFile: server.certificate)
    #expect(result.message == "")
    #expect(result.status == 200)
    #expect(result.body == Array("{}".utf8))
    #expect(result.bytesDown > 500)
    #expect(server.report() == "served")
  }

  @Test("a good certificate for another name is refused")
  func wrongName() throws {
    let server = try TLSServer()
    let result = try post(to: "https://localhost:\(server.port)/", caFile: server.certificate)
    #expect(result.failure == .tls)
    #expect(server.report() == "refused")
  }

  @Test("a CA file that is not there is a TLS failure, not a reason to trust others")
  func missingAuthority() throws {
    let server = try TLSServer()
    let result = try post(to: "https://127.0.0.1:\(server.port)/", caFile: server.certificate + ".missing")
    #expect(result.failure == .tls)
    #expect(server.report() == "refused")
  }

  private func post(to url: String, caFile: String = "") throws -> UploadResult {
    let uploader = try HTTPUploader(version: "1")
    var request = UploadRequest(url: url, body: Array("secret".utf8), contentType: "text/plain")
    request.caFile = caFile
    try uploader.start(request)
    return try finish(uploader)
  }
}

/// A child that makes itself a certificate for 127.0.0.1, serves one connection, and says how it went.
private final class TLSServer {
  static let isPossible = system("python3 -c 'import ssl' 2>/dev/null && command -v openssl >/dev/null") == 0

  private let folder = QueueFolder()
  private let child: UnsafeMutablePointer<FILE>
  let port: Int
  var certificate: String { folder.path + "/cert.pem" }

  init() throws {
    folder.write(Array(TLSServer.script.utf8), to: "server.py")
    guard let child = popen("cd \(folder.path) && exec python3 server.py 2>server.log", "r") else {
      throw WaitedTooLong()
    }
    self.child = child
    port = try #require(Int(TLSServer.line(child)))
  }

  deinit { pclose(child) }

  /// "served" or "refused", once the connection is over.
  func report() -> String { TLSServer.line(child) }

  private static func line(_ file: UnsafeMutablePointer<FILE>) -> String {
    var buffer = [CChar](repeating: 0, count: 100)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static let script = """
    import socket, ssl, subprocess
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=godwit",
      "-addext", "subjectAltName=IP:127.0.0.1"], check=True, stdout=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("cert.pem", "key.pem")
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(30)
    print(listener.getsockname()[1], flush=True)
    try:
      plain, _ = listener.accept()
      plain.settimeout(30)
      with context.wrap_socket(plain, server_side=True) as stream:
        request = b""
        while not request.endswith(b"secret"):
          part = stream.recv(65536)
          if not part: raise OSError("closed")
          request += part
        stream.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}")
      print("served", flush=True)
    except OSError:
      print("refused", flush=True)
    """
}
