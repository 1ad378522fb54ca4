import Foundation
import Testing

/// What Debian's own nginx and caddy answer, with the collector behind them and the whole agent before them.
@Suite(
  "Real servers", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"),
  .enabled(if: FrontServer.isPossible, "needs nginx, caddy and openssl"))
struct RealServerTests {
  private func secret(_ rig: Rig, _ name: String, _ text: String) throws {
    try text.write(to: rig.file(name), atomically: false, encoding: .utf8)
    #expect(chmod(rig.file(name).path, 0o600) == 0)
  }

  @Test("nginx's auth_basic, and a key in a header, let in who has them in files, which are read anew")
  func basic() async throws {
    let rig = try await Rig.driving()
    let front = try FrontServer(rig)
    try "van:{PLAIN}open sesame\n".write(to: rig.file("users"), atomically: false, encoding: .utf8)
    try await front.startNginx(
      """
      location / {
        auth_basic "fleet";
        auth_basic_user_file users;
        if ($http_x_api_key != "k7 of the van") { return 403; }
        proxy_pass \(rig.server);
      }
      """)
    try secret(rig, "password", "wrong")
    try secret(rig, "api-key", "wrong too")
    rig.syncSettings += """
      user = "van"
      password_file = "\(rig.file("password").path)"
      header_files = { X-Api-Key = "\(rig.file("api-key").path)" }
      unauthorised_retry_s = 1

      """
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "the key is refused") { rig.sync["last_reply"] as? String == "403" }
    try secret(rig, "api-key", "k7 of the van")
    try await rig.wait(until: "the password is refused") { rig.sync["last_reply"] as? String == "401" }
    let reported = "sync.token_file, sync.password_file or [sync.header_files]"
    try await rig.wait(until: "the journal says where to look") { rig.text("agent.log").contains(reported) }
    try secret(rig, "password", "open sesame")
    try await rig.expectAllOnce()
    let log = rig.text("agent.log")
    #expect(!["sesame", "wrong", "of the van"].contains(where: log.contains))
  }

  @Test("nginx's 400 to a device without its certificate is about the certificate, and halves nothing")
  func noCertificate() async throws {
    let rig = try await Rig.driving()
    let front = try FrontServer(rig)
    try await front.startNginx(
      "ssl_verify_client on; ssl_client_certificate server.pem; location / { proxy_pass \(rig.server); }")
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "it is refused thrice") { front.statuses("nginx").count >= 3 }
    #expect(rig.sync["last_reply"] as? String == "400" && rig.sync["problem"] as? String == "tls")
    #expect(Set(front.statuses("nginx")) == [400])
    #expect(
      rig.text("agent.log").contains("No required SSL certificate was sent")
        && rig.text("agent.log").contains("look at sync.client_cert_file"))
    #expect(rig.warnings["records_refused"] == nil)
    try await rig.end("agent")
    // A certificate by somebody else, then the right one.
    for name in ["other", "server"] {
      let certificate = "client_cert_file = \"\(rig.file("\(name).pem").path)\"\n"
      let key = "client_key_file = \"\(rig.file("\(name).key").path)\"\n"
      let settings = rig.syncSettings
      rig.syncSettings += certificate + key
      try await rig.startAgent(Rig.everyFix)
      if name == "server" { break }
      let reported = "The SSL certificate error"
      try await rig.wait(until: "it is refused too") { rig.text("agent.log").contains(reported) }
      #expect(rig.sync["problem"] as? String == "tls")
      try await rig.end("agent")
      rig.syncSettings = settings
    }
    try await rig.expectAllOnce()
  }

  @Test(
    "nginx's 301 from http to https is reported as that, with the new place for sync.url, and is not followed"
  )
  func toTLS() async throws {
    let rig = try await Rig.driving()
    let front = try FrontServer(rig)
    let plainPort = freePort()
    try await front.startNginx(
      "location / { proxy_pass \(rig.server); }",
      beside: "server { listen 127.0.0.1:\(plainPort); return 301 https://$host:\(front.port)$request_uri; }")
    let url = rig.url
    rig.url = "http://127.0.0.1:\(plainPort)/v1/locations"
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "it is reported") {
      rig.text("agent.log").contains("redirects to another address of its own, such as https://")
    }
    #expect(rig.sync["problem"] as? String == "redirect" && rig.sync["last_reply"] as? String == "301")
    #expect(rig.warnings["captive_portal"] == nil)
    #expect(Set(front.statuses("nginx")) == [301])
    try await rig.end("agent")
    rig.url = url
    try await rig.startAgent(Rig.everyFix)
    try await rig.expectAllOnce()
  }

  @Test(
    "a server's limit on bodies makes batches smaller, whatever it says: nginx 413, caddy 502; everything arrives",
    arguments: ["nginx", "caddy"], [1, 2])
  func sizeLimit(_ program: String, http: Int) async throws {
    let rig = try await Rig.driving()
    let front = try FrontServer(rig, http: http)
    if program == "nginx" {
      try await front.startNginx("client_max_body_size 4k; location / { proxy_pass \(rig.server); }")
    } else {
      try await front.startCaddy("request_body {\n max_size 4KB\n }\n reverse_proxy \(rig.server)")
    }
    rig.syncSettings += "sync_threshold = 60\nsync_retry_max_s = 1\nstatus_interval_s = 86400\n"
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "a batch was too large") {
      front.statuses(program).contains { $0 == 413 || $0 == 502 }
    }
    try await rig.expectAllOnce()
    #expect(Set(front.statuses(program)).isSubset(of: [200, program == "nginx" ? 413 : 502]))
  }
}
