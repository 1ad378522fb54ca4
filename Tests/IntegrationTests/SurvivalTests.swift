import Foundation
import Testing

/// One generated drive, faster than life, and what must not break it.
@Suite(
  "Survival", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct SurvivalTests {
  static let settings = """
    [motion]
    stop_timeout_s = 120
    probe_interval_s = 6
    probe_interval_max_s = 12
    probe_timeout_s = 5

    """

  private func drivingRig(format: String = "geomony") async throws -> Rig {
    let rig = try Rig()
    try await rig.startCollector()
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    try await rig.startAgent(Self.settings, format: format)
    try await rig.wait(until: "the vehicle drives") { distance_m(rig) > 300 }
    return rig
  }

  private func trip(_ rig: Rig) -> [String: Any] { rig.status()?["trip"] as? [String: Any] ?? [:] }
  private func distance_m(_ rig: Rig) -> Double { distance_m(rig.status() ?? [:]) }
  private func distance_m(_ status: [String: Any]) -> Double {
    (status["trip"] as? [String: Any])?["distance_m"] as? Double ?? 0
  }
  private func delivered(_ status: [String: Any]) -> Int {
    (status["sync"] as? [String: Any])?["delivered"] as? Int ?? 0
  }
  /// Records since the start.
  private func made(_ status: [String: Any]) -> Int {
    let queue = status["queue"] as? [String: Any] ?? [:]
    return delivered(status) + (queue["records"] as? Int ?? 0) + (queue["in_memory"] as? Int ?? 0)
  }
  private func odometer_m(_ rig: Rig) -> Double { trip(rig)["odometer_m"] as? Double ?? 0 }
  private func fixes(_ rig: Rig) -> Int { (rig.status()?["gps"] as? [String: Any])?["fixes"] as? Int ?? 0 }

  private func expectAllOnce(_ rig: Rig) async throws {
    try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }
    let sequences = try rig.records().map(\.sequence)
    #expect(Set(sequences).count == sequences.count)
    #expect(sequences == sequences.sorted())
  }

  @Test("kill -9 in mid-trip: the next start goes on with trip and odometer, and nothing committed is lost")
  func killed() async throws {
    let rig = try await drivingRig()
    let id = trip(rig)["id"] as? Int
    let before = try #require(rig.status())
    let before_m = distance_m(before)
    try await rig.wait(until: "that is committed: a later record has arrived") {
      delivered(rig.status() ?? [:]) > made(before)
    }
    try await rig.end("agent", with: SIGKILL)

    try await rig.startAgent(Self.settings)
    #expect(trip(rig)["id"] as? Int == id)
    #expect(distance_m(rig) > 0 && odometer_m(rig) > 0)
    // What lies between the last point that was kept and the newest fix is measured again with the next fix.
    try await rig.wait(until: "no metre is missing") {
      distance_m(rig) >= before_m && odometer_m(rig) >= before_m
    }
    let resumed_m = distance_m(rig)
    try await rig.wait(until: "the trip goes on") { distance_m(rig) > resumed_m + 100 }
    try await expectAllOnce(rig)
    // No number is missing in between: each committed record has arrived.
    let sequences = try rig.records().map(\.sequence)
    #expect(sequences.first == 1)
  }

  @Test(
    "the file system turns read-only: sampling goes on, the server is informed, and after another mount all is written",
    .enabled(if: LoopDisk.isPossible, "it is a loop mount, which needs root"))
  func readOnlyStorage() async throws {
    let (disk, rig) = try await drivingOnDisk()

    try disk.breakDown()
    try await rig.wait(until: "the agent says so") { storage(rig) == "failed" }
    let before = fixes(rig)
    try await rig.wait(until: "the server is informed") { isReported(rig) }
    try await rig.wait(until: "sampling goes on") { fixes(rig) > before + 100 }
    // The second try, 10 s after the first, has let the files go.
    try await rig.wait(until: "the file system can be mounted again") { (try? disk.mountAgain()) != nil }
    try await rig.wait(until: "the storage works again") { storage(rig) == "ok" }
    let written = try rig.records().count
    try await rig.wait(until: "records go on") { try rig.records().count > written + 3 }
    try await expectAllOnce(rig)
    // Not even what was made while storage failed.
    let sequences = try rig.records().map(\.sequence)
    #expect(sequences == Array(1...(sequences.last ?? 1)))
    #expect(rig.isRunning("agent"))
    try await rig.end("agent")
  }

  @Test(
    "the agent starts on a file system that an error has made read-only: it goes on with the trip, reports, and writes later",
    .enabled(if: LoopDisk.isPossible, "it is a loop mount, which needs root"))
  func startOnReadOnlyStorage() async throws {
    let (disk, rig) = try await drivingOnDisk()
    try await rig.wait(until: "something has arrived") { ((try? rig.records().count) ?? 0) > 3 }
    let id = trip(rig)["id"] as? Int
    try await rig.end("agent", with: SIGKILL)
    let known = try rig.records().last?.sequence ?? 0

    try disk.breakDown()
    try await rig.startAgentAsWritten()
    #expect(storage(rig) == "failed")
    #expect(trip(rig)["id"] as? Int == id)
    try await rig.wait(until: "the server is informed") { isReported(rig) }
    try await rig.wait(until: "fixes come") { fixes(rig) > 100 }
    // Nothing is open on it.
    try disk.mountAgain()
    try await rig.wait(until: "the storage works again") { storage(rig) == "ok" }
    try await rig.wait(until: "records go on") { try rig.records().last?.sequence ?? 0 > known + 3 }
    try await expectAllOnce(rig)
    try await rig.end("agent")
  }

  private func drivingOnDisk() async throws -> (LoopDisk, Rig) {
    let disk = try LoopDisk()
    let rig = try Rig()
    rig.queuePath = disk.path + "/queue.db"
    try await rig.startCollector()
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    try await rig.startAgent(Self.settings)
    try await rig.wait(until: "the vehicle drives") { distance_m(rig) > 300 }
    return (disk, rig)
  }

  private func isReported(_ rig: Rig) -> Bool {
    let devices = (try? String(contentsOf: URL(string: "\(rig.server)/v1/devices")!, encoding: .utf8)) ?? ""
    return devices.filter { $0 != " " }.contains("\"storage\":\"failed\"")
  }

  private func storage(_ rig: Rig) -> String? {
    (rig.status()?["queue"] as? [String: Any])?["storage"] as? String
  }

  @Test("a drive in the compact format arrives, each record once, and goes on in the geomony format")
  func compact() async throws {
    let rig = try await drivingRig(format: "compact")
    try await rig.wait(until: "something has arrived") { (try? rig.records().count) ?? 0 > 0 }
    try await rig.end("agent", with: SIGTERM)
    let compact = try rig.records().count
    try await rig.startAgent(Self.settings)
    try await rig.wait(until: "more has arrived") { (try? rig.records().count) ?? 0 > compact }
    try await expectAllOnce(rig)
    #expect(try rig.records().first?.sequence == 1)
  }

  @Test("SIGTERM: everything is saved, the GPS is off, exit code 0")
  func terminated() async throws {
    let rig = try await drivingRig()
    #expect(try await rig.end("agent") == 0)
    #expect(rig.text("gpio/gps-power").trimmingCharacters(in: .whitespacesAndNewlines) == "0")
  }

  @Test("gpsd is killed and comes back: so do the fixes, and the status reports")
  func gpsdKilled() async throws {
    let rig = try await drivingRig()
    try await rig.end("gpsd", with: SIGKILL)
    try await rig.wait(until: "the agent notices") {
      rig.status()?["no_track_because"] as? String == "gpsd_lost"
    }
    let before = fixes(rig)
    try await rig.startGPSD()
    try await rig.wait(until: "fixes come again") { fixes(rig) > before + 10 }
    let warnings = rig.status()?["warnings"] as? [String: Any]
    #expect(warnings?["gpsd_lost"] != nil)
    #expect(rig.status()?["no_track_because"] == nil)
  }

  @Test("the server is gone for a while: sampling goes on, and then everything arrives once")
  func serverGone() async throws {
    let rig = try await drivingRig()
    try await rig.end("collector", with: SIGKILL)
    let before = fixes(rig)
    try await rig.wait(until: "uploads fail") {
      (rig.status()?["sync"] as? [String: Any])?["failures"] as? Int ?? 0 > 0
    }
    try await rig.wait(until: "records pile up") { rig.waiting() > 3 && fixes(rig) > before + 50 }
    try await rig.startCollector()
    try await expectAllOnce(rig)
  }

  @Test("a second agent on the same queue refuses to start and says who holds it")
  func secondInstance() async throws {
    let rig = try await drivingRig()
    let (code, said) = try second(rig.file("godwit.toml"))
    #expect(code == 75)
    #expect(said.contains("process"), "\(said)")
    #expect(rig.status() != nil)
  }

  @Test("one with another queue and the same folder refuses to start before it touches the GPS")
  func secondInFolder() async throws {
    let rig = try await drivingRig()
    let calls = rig.file("power-calls")
    let settings = rig.text("godwit.toml")
      .replacingOccurrences(of: rig.file("queue.db").path, with: rig.file("second.db").path)
      .replacingOccurrences(
        of: "mode = \"level\"", with: "mode = \"command\"\ncommand = [\"/usr/bin/touch\", \"\(calls.path)\"]")
    try settings.write(to: rig.file("second.toml"), atomically: true, encoding: .utf8)
    let (code, said) = try second(rig.file("second.toml"))
    #expect(code == 75)
    #expect(said.contains("another godwit is running"), "\(said)")
    #expect(!FileManager.default.fileExists(atPath: calls.path))
    #expect(rig.status() != nil)
  }

  private func second(_ settings: URL) throws -> (code: Int32, said: String) {
    let process = Process()
    let errors = Pipe()
    process.executableURL = Rig.product("godwit")
    process.arguments = ["run", "--config", settings.path]
    process.environment = Rig.environment
    process.standardError = errors
    try process.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, said)
  }
}
