import Foundation
import Testing

/// The serial port behind a real gpsd, as the agent has it opened and closed.
@Suite(
  "The serial port", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct SerialPortTests {
  /// gpsd keeps a device open for a minute after its last watcher has gone.
  private static let gpsdHolds_s = 60.0

  private func level(_ rig: Rig) -> String { String(rig.text("gpio/gps-power").prefix(1)) }
  private func fixes(_ rig: Rig) -> Int { (rig.status()?["gps"] as? [String: Any])?["fixes"] as? Int ?? 0 }

  /// Whether gpsd has a pseudo-terminal open.
  private func isOpen(_ rig: Rig) -> Bool {
    let folder = "/proc/\(rig.processID("gpsd") ?? 0)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))?.hasPrefix("/dev/pts/")
        == true
    }
  }

  private func startedRig(gpsSettings: String = "") async throws -> Rig {
    let rig = try Rig()
    rig.gpsSettings = gpsSettings
    try await rig.startCollector()
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    try await rig.startAgent(SurvivalTests.settings)
    try await rig.wait(until: "fixes come") { fixes(rig) > 10 }
    return rig
  }

  @Test(
    "while the GPS has no power the agent holds no watch, so gpsd closes the port; power on opens it again")
  func closed() async throws {
    let rig = try await startedRig()
    #expect(isOpen(rig))
    let paused = try CommandTests.godwit(["pause", "--config", rig.file("godwit.toml").path])
    #expect(paused.code == 0 && level(rig) == "0")
    try await rig.wait(until: "gpsd has closed the port", limit_s: Self.gpsdHolds_s + 300) { !isOpen(rig) }

    let before = fixes(rig)
    let resumed = try CommandTests.godwit(["resume", "--config", rig.file("godwit.toml").path])
    #expect(resumed.code == 0)
    try await rig.wait(until: "fixes come again") { fixes(rig) > before + 10 }
    #expect(isOpen(rig))
    try await rig.end("agent")
  }

  @Test("the device is unplugged and plugged in again: reported by name, and fixes come again by themselves")
  func unplugged() async throws {
    let rig = try await startedRig(gpsSettings: "silence_timeout_s = 3\nretry_pause_max_s = 10\n")
    // The new pseudo-terminal has the old one's name before that goes: gpsd forgets a device for good that is not there
    // when it opens it.
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"], as: "plugged in again", link: "another")
    #expect(rename(rig.file("another").path, rig.file("gps").path) == 0)
    try await rig.end("feeder", with: SIGKILL)
    try await rig.wait(until: "the agent says so") {
      (rig.status()?["warnings"] as? [String: Any])?["gps_silent"] != nil
    }
    let before = fixes(rig)
    try await rig.wait(until: "fixes come again") { fixes(rig) > before + 10 }
    #expect(rig.isRunning("gpsd"))
    try await rig.end("agent")
  }
}
