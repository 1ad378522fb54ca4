import Foundation
import Testing

/// The real agent on a real gpsd that lacks the receiver.
@Suite(
  "A gpsd without the receiver", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct MissingDeviceProcessTests {
  private static let advice = "gpsd has no device: give it one with sudo godwit-setup --gps-device DEVICE"

  private func gps(_ rig: Rig) -> [String: Any] { rig.status()?["gps"] as? [String: Any] ?? [:] }
  private func warning(_ rig: Rig) -> [String: Any]? {
    (rig.status()?["warnings"] as? [String: Any])?["gpsd_device"] as? [String: Any]
  }

  @Test("it is said in log, status and check, the power stays on, and a device that gpsd gets then is used")
  func none() async throws {
    let rig = try Rig()
    rig.gpsSettings =
      "silence_timeout_s = 2\nfirst_fix_timeout_s = 10\nfix_timeout_s = 10\nretry_pause_max_s = 10\n"
    try await rig.startCollector()
    try await rig.startFeeder(["--speed", "15", "--hold-after-end"])
    try await rig.startGPSD(devices: [])
    try await rig.startAgent("")
    try await rig.wait(until: "the warning") { warning(rig) != nil }
    #expect(gps(rig)["gpsd_devices"] as? [String] == [])
    let checked = try CommandTests.godwit(["check", rig.file("godwit.toml").path])
    #expect(checked.code == 0 && checked.output.contains("  gpsd      has no device"), "\(checked)")
    #expect(checked.output.contains("  warning: \(Self.advice)"), "\(checked)")
    // Twice as long as any session without a fix would last.
    try await rig.wait(until: "time has passed") { (rig.status()?["uptime_s"] as? Int ?? 0) > 24 }
    #expect(gps(rig)["sessions"] as? Int == 1 && rig.text("gpio/gps-power").hasPrefix("1"))
    #expect(rig.text("agent.log").split(separator: "\n").filter { $0.contains(Self.advice) }.count == 1)

    _ = rig.output(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["GPSD_SOCKET=\(rig.file("gpsd.ctl").path)", "/usr/sbin/gpsdctl", "add", rig.file("gps").path])
    try await rig.wait(until: "fixes come") { gps(rig)["fixes"] as? Int ?? 0 > 5 }
    #expect(gps(rig)["gpsd_devices"] as? [String] == [rig.file("gps").path])
    #expect(warning(rig)?["until"] != nil)
    let fine = try CommandTests.godwit(["check", rig.file("godwit.toml").path])
    #expect(fine.output.contains("  gpsd      has \"\(rig.file("gps").path)\"\n"), "\(fine)")
    try await rig.end("agent")
  }

  @Test(
    "a receiver that the settings name and gpsd does not have is named, with what it has; the other is used")
  func named() async throws {
    let rig = try Rig()
    rig.gpsSettings = "silence_timeout_s = 5\ndevice = \"/dev/ttyAMA99\"\n"
    try await rig.startCollector()
    try await rig.startFeeder(["--speed", "15", "--hold-after-end"])
    try await rig.startGPSD()
    try await rig.startAgent("")
    // The log cuts what is longer than any device's name.
    let words = "gps.device: gpsd does not have \"/dev/ttyAMA99\", but \"\(rig.file("gps").path.prefix(30))"
    try await rig.wait(until: "the warning", limit_s: 300) { rig.text("agent.log").contains(words) }
    try await rig.wait(until: "fixes come") { gps(rig)["fixes"] as? Int ?? 0 > 5 }
    let checked = try CommandTests.godwit(["check", rig.file("godwit.toml").path])
    #expect(checked.code == 0 && checked.output.contains("  warning: \(words)"), "\(checked)")
    try await rig.end("agent")
  }
}
