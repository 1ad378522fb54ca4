import Foundation
import Testing

/// The whole agent, the real bus, and our imitation of ModemManager on it (Tests/Rig/modem-manager).
@Suite("Link, bytes and starts in the status", .serialized)
struct LinkStatusTests {
  private static func hasModules() -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-daemon")
      && Rig.status(of: URL(fileURLWithPath: "/usr/bin/python3"), ["-c", "import dbus, gi"]) == 0
  }

  /// Somebody answers each request with 200.
  private func start(_ rig: Rig, _ sync: String) async throws -> BadLink {
    let link = try BadLink(to: "http://127.0.0.1:1") { _ in
      .says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    rig.gpsdPort = 1
    rig.url = link.url
    rig.syncSettings = "ack = \"any\"\nstatus_interval_s = 10\n" + sync
    try await rig.startAgent("")
    try await rig.wait(until: "a status has gone") { rig.sync["interface"] != nil }
    return link
  }

  private func group(_ rig: Rig, _ name: String) -> [String: Any] {
    rig.status()?[name] as? [String: Any] ?? [:]
  }

  private func bytes(_ rig: Rig) -> Int {
    (group(rig, "traffic")["month_up_bytes"] as? [String: Int] ?? [:]).values.reduce(0, +)
  }

  @Test("the modem that the requests go over, and that it is roaming", .enabled(if: Self.hasModules()))
  func modem() async throws {
    let rig = try Rig()
    let address = "unix:path=\(rig.file("bus").path)"
    let environment = Rig.environment.merging(["DBUS_SYSTEM_BUS_ADDRESS": address]) { $1 }
    (rig.environments["modems"], rig.environments["agent"]) = (environment, environment)
    try rig.start(
      "bus", URL(fileURLWithPath: "/usr/bin/dbus-daemon"), ["--session", "--nofork", "--address", address])
    try await rig.wait(until: "the bus is there") {
      FileManager.default.fileExists(atPath: rig.file("bus").path)
    }
    let modems = Rig.repository.appendingPathComponent("Tests/Rig/modem-manager").path
    let state = #"{"ports": ["lo"], "registration": 5, "operator": "Elsewhere"}"#
    try rig.start("modems", URL(fileURLWithPath: "/usr/bin/python3"), [modems, state])
    try await rig.wait(until: "there is a modem") { rig.text("modems.log").contains("ready") }
    let server = try await start(rig, "[sync.roaming]\ninterval_s = 3\nbudget_day_kb = 1000\n")
    defer { server.end() }
    try await rig.wait(until: "it is roaming") { group(rig, "link")["roaming"] as? Bool == true }
    #expect(group(rig, "link")["operator"] as? String == "Elsewhere")
    #expect(group(rig, "link")["technology"] as? String == "lte")
    #expect(rig.sync["interface"] as? String == "lo")
    try await rig.wait(until: "its budget is used") {
      (rig.sync["roaming_budget"] as? [String: Any])?["day_bytes"] as? Int ?? 0 > 0
    }
    #expect(rig.text("agent.log").contains("the modem is roaming: sync.roaming is in force"))
    #expect(group(rig, "host")["disk_free_bytes"] as? Int ?? 0 > 0)
  }

  @Test("bytes and starts outlive restarts; a kill is a crash")
  func restarts() async throws {
    let rig = try Rig()
    let server = try await start(rig, "")
    defer { server.end() }
    let before = bytes(rig)
    #expect(before > 300)
    try await rig.end("agent")
    try await rig.startAgentAsWritten()
    #expect(bytes(rig) >= before)
    try await rig.end("agent", with: SIGKILL)
    try await rig.startAgentAsWritten()
    let starts = group(rig, "starts").compactMapValues { $0 as? Int }
    #expect(starts == ["boots": 1, "restarts": 2, "crashes": 1])
  }
}
