import Foundation
import Testing

/// A link whose name servers take questions and never answer: as behind a captive portal, a firewall, or a modem that
/// is dialled up and has no network yet.
@Suite(
  "Silent name servers", .serialized,
  .disabled(
    if: SilentNameServers.missing() != nil, "needs root, mounts, gpsd and all products: Tests/run reports"))
struct SilentNameServerTests {
  /// Far under the seven minutes that a library which waits for these name servers would take.
  static let soon_s = 120.0

  private func value(_ rig: Rig, _ group: String, _ key: String) -> Any? {
    (rig.status()?[group] as? [String: Any])?[key]
  }

  private func level(_ rig: Rig) -> String { String(rig.text("gpio/gps-power").prefix(1)) }

  /// An agent whose server has a name that nobody reports.
  private func askingRig(
    _ servers: SilentNameServers, url: String = "https://fleet.example.org/v1", _ settings: String = ""
  ) async throws -> Rig {
    let rig = try Rig()
    rig.wrappers["agent"] = try servers.wrapper(in: rig)
    rig.url = url
    rig.gpsdPort = freePort()
    rig.syncSettings += settings
    return rig
  }

  /// An operator's pause is reported to the server at once.
  private func waitUntilAsked(_ servers: SilentNameServers, _ rig: Rig) async throws {
    let paused = try CommandTests.godwit(["pause", "--config", rig.file("godwit.toml").path])
    #expect(paused.code == 0)
    try await rig.wait(until: "the name servers are asked") { servers.asked() > 0 }
  }

  @Test(
    "SIGTERM during a look-up ends the agent at once",
    arguments: ["https://fleet.example.org/v1", "mqtts://broker.example.org/fleet"])
  func term(url: String) async throws {
    let servers = try SilentNameServers(count: 3, first: 1)
    let rig = try await askingRig(servers, url: url)
    try await rig.startAgent("")
    try await waitUntilAsked(servers, rig)
    rig.signal("agent", SIGTERM)
    try await rig.wait(until: "the agent has ended", limit_s: Self.soon_s) { !rig.isRunning("agent") }
    #expect(try await rig.end("agent") == 0)
  }

  @Test("a pipe in the place of /etc/resolv.conf is named, and waited for by nobody")
  func pipe() async throws {
    let rig = try Rig()
    try #require(mkfifo(rig.file("resolv.conf").path, 0o600) == 0)
    rig.wrappers["agent"] = SilentNameServers.wrapper(with: rig.file("resolv.conf").path)
    rig.url = "https://fleet.example.org/v1"
    rig.gpsdPort = freePort()
    try await rig.startAgent("")
    try await rig.wait(until: "the look-up has failed") { rig.text("agent.log").contains("resolv.conf is a") }
    rig.signal("agent", SIGTERM)
    try await rig.wait(until: "the agent has ended", limit_s: Self.soon_s) { !rig.isRunning("agent") }
    #expect(try await rig.end("agent") == 0)
  }

  @Test("SIGHUP during a look-up is obeyed at once, and a look-up that fails is named as what it is")
  func reloaded() async throws {
    let servers = try SilentNameServers(count: 3, first: 4)
    let rig = try await askingRig(servers)
    try await rig.startAgent("")
    try await waitUntilAsked(servers, rig)
    let hash = rig.status()?["settings"] as? String
    rig.syncSettings += "connect_timeout_s = 2\n"
    try rig.writeSettings("")
    rig.signal("agent", SIGHUP)
    try await rig.wait(until: "the new settings are in force", limit_s: Self.soon_s) {
      rig.status()?["settings"] as? String != hash
    }
    try await rig.wait(until: "the look-up is given up") {
      value(rig, "sync", "last_reply") as? String == "resolve"
    }
    #expect(rig.text("agent.log").contains("no name server has given the address of fleet.example.org"))
    rig.signal("agent", SIGTERM)
    try await rig.wait(until: "the agent has ended", limit_s: Self.soon_s) { !rig.isRunning("agent") }
  }

  @Test("the GPS goes off when its window ends, and fixes come until then, whatever name servers do")
  func windowEnd() async throws {
    let servers = try SilentNameServers(count: 3, first: 7)
    // Each attempt asks for 5 s and the next follows within one: at the window's end one is under way, or nearly.
    let rig = try await askingRig(servers, "connect_timeout_s = 5\nsync_retry_max_s = 1\n")
    rig.gpsdPort = 0
    try await rig.startFeeder(["--hold-after-end", "--cold-start-s", "2"])
    try await rig.startGPSD()
    rig.topSettings = "timezone = \"UTC\"\nschedule = [\"2020-01-01 00:00-00:00\"]\n"
    try await rig.startAgent("[clock]\nwhen_clock_unknown = \"closed\"\n")
    // A window by hand, which is reported to the server at once.
    let length_s = 20.0
    let opened = try CommandTests.godwit(
      ["track", "--for", "\(Int(length_s))s", "--config", rig.file("godwit.toml").path])
    #expect(opened.code == 0)
    try await rig.wait(until: "fixes come") { value(rig, "gps", "fixes") as? Int ?? 0 > 0 }
    try await rig.wait(until: "the GPS is off", limit_s: length_s + Self.soon_s) { level(rig) == "0" }
    #expect(servers.asked() > 0)
    #expect(value(rig, "warnings", "gps_silent") == nil)
    #expect(value(rig, "sync", "last_reply") as? String == "resolve")
    rig.signal("agent", SIGTERM)
    try await rig.wait(until: "the agent has ended", limit_s: Self.soon_s) { !rig.isRunning("agent") }
  }

  @Test("a gpsd whose host's name nobody reports holds up neither the status nor SIGTERM")
  func gpsHost() async throws {
    let servers = try SilentNameServers(count: 2, first: 10)
    let rig = try await askingRig(servers, url: "")
    rig.gpsSettings = "host = \"gps.example.org\"\n"
    try await rig.startAgent("")
    try await rig.wait(until: "the name servers are asked") { servers.asked() > 0 }
    rig.signal("agent", SIGTERM)
    try await rig.wait(until: "the agent has ended", limit_s: Self.soon_s) { !rig.isRunning("agent") }
    #expect(level(rig) == "0")
  }
}
