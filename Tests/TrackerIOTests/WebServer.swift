import Glibc
import Testing

/// A web server of Debian's on a port of its own, that takes each POST and writes down the connections. It hands on what
/// it has read whole, as before a real program: what answers by itself does so before it has read the body.
final class WebServer {
  enum Program: String, CaseIterable { case nginx, apache2, caddy }

  static let isPossible =
    system(
      "PATH=$PATH:/usr/sbin; for p in nginx apache2 caddy openssl; do command -v $p || exit 1; done >/dev/null"
    ) == 0

  private let folder = QueueFolder()
  private let child: UnsafeMutablePointer<FILE>
  let port: UInt16

  /// - Parameter http: 1 or 2, what the server offers.
  init(_ program: Program, http: Int) throws {
    port = UInt16(freePort())
    folder.write(Array(WebServer.configuration(program, http, port, folder.path).utf8), to: "config")
    // It reads what is sent: apache2 by itself would reset an HTTP/2 stream whose body it has no use for.
    folder.write(
      Array("#!/bin/sh\ncat >/dev/null\nprintf 'Status: 204 No Content\\r\\n\\r\\n'\n".utf8), to: "sink")
    let certificate =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=x -days 2 "
      + "-addext subjectAltName=IP:127.0.0.1 -keyout server.key -out server.pem 2>/dev/null"
    let command =
      switch program {
      case .nginx: "nginx -p . -e error.log -c config -g 'daemon off; master_process off;'"
      case .apache2: "apache2 -X -d . -f \(folder.path)/config"
      case .caddy: "XDG_DATA_HOME=. XDG_CONFIG_HOME=. HOME=. caddy run --adapter caddyfile --config config"
      }
    // The server ends with the pipe that it reads nothing from: the shell waits for its end.
    let script = """
      cd \(folder.path) && chmod 755 . sink && \(certificate) && PATH=$PATH:/usr/sbin
      (\(command)) >server.log 2>&1 & server=$!; cat >/dev/null; kill $server; wait $server
      """
    child = try #require(popen(script, "w"))
    try awaitListeners(behind: program != .apache2)
  }

  deinit { pclose(child) }

  var url: String { "https://127.0.0.1:\(port)/track" }
  func file(_ name: String) -> String { "\(folder.path)/\(name)" }

  /// In front, and behind where there is such a listener: caddy opens one after the other.
  private func awaitListeners(behind: Bool) throws {
    let end = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < end {
      if connects(WebServer.address(port)), !behind || connects(WebServer.address(file("behind"))) { return }
      poll(nil, 0, 50)
    }
    throw WaitedTooLong()
  }

  private func connects(_ address: [UInt8]) -> Bool {
    address.withUnsafeBytes {
      let address = $0.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      let probe = socket(Int32(address.pointee.sa_family), Int32(SOCK_STREAM.rawValue), 0)
      defer { close(probe) }
      return connect(probe, address, socklen_t($0.count)) == 0
    }
  }

  private static func address(_ port: UInt16) -> [UInt8] {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    (address.sin_port, address.sin_addr.s_addr) = (port.bigEndian, UInt32(0x7F00_0001).bigEndian)
    return withUnsafeBytes(of: address) { Array($0) }
  }

  private static func address(_ path: String) -> [UInt8] {
    withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) } + Array(path.utf8) + [0]
  }

  /// Between two requests there is time: what the server still has to say has come by then.
  func awaitLateFrames() { poll(nil, 0, 100) }

  /// Of the POSTs, once there are so many: what names the connection, and the protocol.
  func connections(requests: Int) -> [(connection: String, version: String)] {
    let end = ContinuousClock.now + .seconds(60)
    var found: [(connection: String, version: String)] = []
    while ContinuousClock.now < end {
      let words = text("access.log").split(separator: "\n").map { $0.split(separator: " ") }
      found = words.compactMap { line in
        line.first == "POST" && line.count == 3 ? (String(line[1]), String(line[2])) : nil
      }
      if found.isEmpty { found = caddyConnections() }
      if found.count >= requests { return found }
      poll(nil, 0, 50)
    }
    return found
  }

  private func caddyConnections() -> [(connection: String, version: String)] {
    text("access.json").split(separator: "\n").compactMap { line in
      func value(_ key: String) -> String? {
        guard let range = line.firstRange(of: "\"\(key)\":\"") else { return nil }
        return String(line[range.upperBound...].prefix { $0 != "\"" })
      }
      guard value("method") == "POST", let port = value("remote_port"), let version = value("proto") else {
        return nil
      }
      return (port, version)
    }
  }

  private func text(_ name: String) -> String {
    guard let file = fopen(file(name), "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  private static func configuration(
    _ program: Program, _ http: Int, _ port: UInt16, _ folder: String
  ) -> String {
    switch program {
    case .nginx:
      """
      pid nginx.pid;
      events {}
      http {
        log_format connections '$request_method $connection $server_protocol';
        access_log access.log connections;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        server {
          listen 127.0.0.1:\(port) ssl\(http == 2 ? " http2" : "");
          ssl_certificate server.pem;
          ssl_certificate_key server.key;
          location / { proxy_pass http://unix:\(folder)/behind; }
        }
        server { listen unix:\(folder)/behind; access_log off; default_type application/json; return 200 '{}'; }
      }
      """
    case .apache2:
      """
      LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
      LoadModule ssl_module /usr/lib/apache2/modules/mod_ssl.so
      LoadModule http2_module /usr/lib/apache2/modules/mod_http2.so
      LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
      LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
      LoadModule cgi_module /usr/lib/apache2/modules/mod_cgi.so
      ServerName localhost
      PidFile \(folder)/apache.pid
      DefaultRuntimeDir \(folder)
      Mutex file:\(folder)
      Listen 127.0.0.1:\(port)
      ErrorLog \(folder)/error.log
      LogFormat "%m %{remote}p %H" connections
      CustomLog \(folder)/access.log connections
      Protocols \(http == 2 ? "h2 http/1.1" : "http/1.1")
      SSLEngine on
      SSLCertificateFile \(folder)/server.pem
      SSLCertificateKeyFile \(folder)/server.key
      ScriptAlias /track \(folder)/sink
      """
    case .caddy:
      """
      {
        admin off
        auto_https off
        servers {
          protocols h1 \(http == 2 ? "h2" : "")
        }
      }
      https://127.0.0.1:\(port) {
        bind 127.0.0.1
        tls server.pem server.key
        log {
          output file access.json
          format json
        }
        reverse_proxy unix/\(folder)/behind {
          buffer_requests
        }
      }
      http:// {
        bind unix/\(folder)/behind
        respond "{}"
      }
      """
    }
  }
}
