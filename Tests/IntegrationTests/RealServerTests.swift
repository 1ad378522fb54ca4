import Foundation
import Testing

/// What Debian's own nginx and caddy answer, with the collector behind them and the whole agent before them.
@Suite(
  "Real servers", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"),
  .enabled(if: FrontServer.isPossible, "needs nginx, caddy and openssl"))
struct RealServerTests {
  static let everyFix = "[track]\nsampling = \"all\"\n"

  private func drivingRig() async throws -> Rig {
    let rig = try Rig()
    try await rig.startCollector()
    try await rig.startFeeder(["--speed", "15", "--hold-after-end"])
    try await rig.startGPSD()
    return rig
  }

  private func sync(_ rig: Rig) -> [String: Any] { rig.status()?["sync"] as? [String: Any] ?? [:] }
  private func warnings(_ rig: Rig) -> [String: Any] { rig.status()?["warnings"] as? [String: Any] ?? [:] }
  private func secret(_ rig: Rig, _ name: String, _ text: String) throws {
    try text.write(to: rig.file(name), atomically: false, encoding: .utf8)
    #expect(chmod(rig.file(name).path, 0o600) == 0)
  }

  /// Each record that was made has arrived, once, and none was taken for a bad one.
  private func expectAllOnce(_ rig: Rig) async throws {
    try await rig.end("feeder", with: SIGKILL)
    try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }
    let sequences = try rig.records().map(\.sequence)
    #expect(sequences == Array(1...(sequences.last ?? 1)))
    #expect(warnings(rig)["records_refused"] == nil)
  }

  @Test("nginx's auth_basic, and a key in a header, let in who has them in files, which are read anew")
  func basic() async throws {
    let rig = try await drivingRig()
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
    try await rig.startAgent(Self.everyFix)
    try await rig.wait(until: "the key is refused") { sync(rig)["last_reply"] as? String == "403" }
    try secret(rig, "api-key", "k7 of the van")
    try await rig.wait(until: "the password is refused") { sync(rig)["last_reply"] as? String == "401" }
    let told = "sync.token_file, sync.password_file or [sync.header_files]"
    try await rig.wait(until: "the journal says where to look") { rig.text("agent.log").contains(told) }
    try secret(rig, "password", "open sesame")
    try await expectAllOnce(rig)
    let log = rig.text("agent.log")
    #expect(!["sesame", "wrong", "of the van"].contains(where: log.contains))
  }
}
