import Foundation

/// Debian's nginx or caddy with TLS, before the rig's collector: the agent posts there.
final class FrontServer {
  static let isPossible =
    Rig.status(
      of: URL(fileURLWithPath: "/bin/sh"),
      [
        "-c",
        "PATH=$PATH:/usr/sbin; for p in nginx caddy openssl; do command -v $p || exit 1; done >/dev/null",
      ])
    == 0

  let port = freePort()
  private let rig: Rig
  private let http: Int

  /// Makes server.pem and other.pem, each with its key and its own authority, in the rig's folder.
  ///
  /// - Parameter http: 1 or 2, what the server offers.
  init(_ rig: Rig, http: Int = 1) throws {
    (self.rig, self.http) = (rig, http)
    for name in ["server", "other"] {
      let paths = ["-keyout", rig.file("\(name).key").path, "-out", rig.file("\(name).pem").path]
      let status = Rig.status(
        of: URL(fileURLWithPath: "/usr/bin/openssl"),
        ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
          + ["-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1"] + paths)
      guard status == 0 else { throw RigError.gaveUp("openssl makes no certificate") }
    }
    rig.url = "https://127.0.0.1:\(port)/v1/locations"
    rig.syncSettings += "ca_file = \"\(rig.file("server.pem").path)\"\n"
  }

  /// - Parameters:
  ///   - server: directives of its one server, beside port and certificate.
  ///   - other: more servers.
  func startNginx(_ server: String, beside other: String = "") async throws {
    let configuration = """
      pid nginx.pid;
      events {}
      http {
        log_format status 'status $status';
        access_log access.log status;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        server {
          listen 127.0.0.1:\(port) ssl\(http == 2 ? " http2" : "");
          ssl_certificate server.pem;
          ssl_certificate_key server.key;
          \(server)
        }
        \(other)
      }
      """
    try configuration.write(to: rig.file("nginx.conf"), atomically: false, encoding: .utf8)
    try rig.start(
      "nginx", URL(fileURLWithPath: "/usr/sbin/nginx"),
      ["-p", rig.folder.path, "-e", "error.log", "-c", "nginx.conf", "-g", "daemon off; master_process off;"])
    try await rig.wait(until: "nginx listens") { canConnect(to: port) }
  }

  /// - Parameter site: directives of its one site.
  func startCaddy(_ site: String) async throws {
    let configuration = """
      {
        admin off
        auto_https off
        servers {
          protocols h1 \(http == 2 ? "h2" : "")
        }
      }
      https://127.0.0.1:\(port) {
        bind 127.0.0.1
        tls \(rig.file("server.pem").path) \(rig.file("server.key").path)
        log {
          output file \(rig.file("access.log").path)
          format json
        }
        \(site)
      }
      """
    try configuration.write(to: rig.file("Caddyfile"), atomically: false, encoding: .utf8)
    rig.environments["caddy"] = Rig.environment.merging(
      ["HOME": rig.folder.path, "XDG_DATA_HOME": rig.folder.path, "XDG_CONFIG_HOME": rig.folder.path]
    ) { $1 }
    try rig.start(
      "caddy", URL(fileURLWithPath: "/usr/bin/caddy"),
      ["run", "--adapter", "caddyfile", "--config", rig.file("Caddyfile").path])
    try await rig.wait(until: "caddy listens") { canConnect(to: port) }
  }

  /// What it has answered so far.
  func statuses(_ program: String) -> [Int] {
    let mark = program == "nginx" ? "status " : "\"status\":"
    return rig.text("access.log").split(separator: "\n").compactMap { line in
      line.components(separatedBy: mark).last.flatMap { Int($0.prefix { $0.isNumber }) }
    }
  }
}
