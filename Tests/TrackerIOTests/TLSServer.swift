import Glibc
import Testing

/// A child with an authority of its own that serves one TLS connection on loopback and says how it went.
final class TLSServer {
  static let isPossible =
    system("python3 -c 'import ssl' 2>/dev/null && command -v openssl >/dev/null 2>/dev/null") == 0

  struct Certificate {
    /// Days from now.
    var days = -1...1
    var name = "IP:127.0.0.1"
    /// Signed by an authority below the first, whose certificate is not sent.
    var lacksIntermediate = false
  }

  private let folder = QueueFolder()
  private let child: UnsafeMutablePointer<FILE>
  let port: Int

  /// - Parameters:
  ///   - wantsClient: only a client with a certificate of the same authority is served.
  ///   - resets: the connection of a client that is refused.
  init(
    _ certificate: Certificate = Certificate(), wantsClient: Bool = false, resets: Bool = false
  ) throws {
    folder.write(Array(TLSServer.script.utf8), to: "server.py")
    let arguments = [
      String(certificate.days.lowerBound), String(certificate.days.upperBound), certificate.name,
      wantsClient ? "client" : "any", certificate.lacksIntermediate ? "middle" : "ca",
      resets ? "reset" : "drain",
    ]
    let command =
      "cd \(folder.path) && exec python3 server.py \(arguments.joined(separator: " ")) 2>server.log"
    guard let child = popen(command, "r") else { throw WaitedTooLong() }
    self.child = child
    port = try #require(Int(TLSServer.line(child)))
  }

  deinit { pclose(child) }

  var url: String { "https://127.0.0.1:\(port)/" }
  var authority: String { file("ca.pem") }
  func file(_ name: String) -> String { "\(folder.path)/\(name)" }

  /// "served" or "refused", once the connection is over.
  func report() -> String { TLSServer.line(child) }

  private static func line(_ file: UnsafeMutablePointer<FILE>) -> String {
    var buffer = [CChar](repeating: 0, count: 100)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static let script = """
    import socket, ssl, struct, subprocess, sys, time
    first, last, name, clients = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    def stamp(days): return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + days * 86400))
    def openssl(*words): subprocess.run(["openssl", *words], check=True, stdout=subprocess.DEVNULL)
    def issue(subject, first, last, extension, issuer=None):
      open("extension", "w").write(extension + "\\n")
      openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
        "/CN=" + subject, "-keyout", subject + ".key", "-out", subject + ".csr")
      signer = ["-cert", issuer + ".pem", "-keyfile", issuer + ".key"] if issuer else [
        "-selfsign", "-keyfile", subject + ".key"]
      openssl("ca", "-batch", "-notext", "-config", "config", "-md", "sha256", "-in",
        subject + ".csr", "-out", subject + ".pem", "-startdate", stamp(first), "-enddate", stamp(last),
        "-extfile", "extension", *signer)
    open("index", "w").close()
    open("serial", "w").write("01\\n")
    open("config", "w").write("[ca]\\ndefault_ca=d\\n[d]\\ndatabase=index\\nserial=serial\\nnew_certs_dir=.\\nunique_subject=no\\n"
      "policy=p\\n[p]\\ncommonName=supplied\\n")
    issue("ca", -3650, 3650, "basicConstraints=critical,CA:TRUE")
    issue("other", -3650, 3650, "basicConstraints=critical,CA:TRUE")
    issue("middle", -3650, 3650, "basicConstraints=critical,CA:TRUE", "ca")
    issue("server", first, last, "subjectAltName=" + name, sys.argv[5])
    if clients == "client":
      issue("client", -1, 1, "extendedKeyUsage=clientAuth", "ca")
      issue("stranger", -1, 1, "extendedKeyUsage=clientAuth", "other")
      openssl("ec", "-aes128", "-passout", "pass:secret", "-in", "client.key", "-out", "locked.key")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("server.pem", "server.key")
    if clients == "client":
      context.verify_mode = ssl.CERT_REQUIRED
      context.load_verify_locations("ca.pem")
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(30)
    print(listener.getsockname()[1], flush=True)
    try:
      plain, _ = listener.accept()
      plain.settimeout(30)
      kept = plain.dup()
      if plain.recv(1, socket.MSG_PEEK) not in (b"\\x16", b""): print("plaintext", flush=True)
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
      if sys.argv[6] == "reset":
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        kept.close()
        sys.exit()
      # Closed with something unread, the connection would be reset, and TLS's last words lost.
      kept.settimeout(10)
      try:
        while kept.recv(65536): pass
      except OSError: pass
    """
}
