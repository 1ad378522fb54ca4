import Foundation
import Testing

/// `godwit record` with a real gpsd and a module that drives.
@Suite("godwit record", .enabled(if: Rig.missing() == nil))
struct RecordCommandTests {
  private let rig: Rig
  private var settings: String { rig.file("godwit.toml").path }

  init() throws {
    rig = try Rig()
    // Nobody is there.
    rig.url = "http://127.0.0.1:9/v1/locations"
  }

  /// A module that has power, and a gpsd on it.
  private func startReceiver() async throws {
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    try rig.writeSettings("")
    try "1".write(to: rig.file("gpio/gps-power"), atomically: false, encoding: .utf8)
  }

  private func reports() -> Int { rig.text("drive.json").split(separator: "\"class\":\"TPV\"").count - 1 }

  @Test(
    "writes what gpsd sends until it is ended, also over gpsd's own end, and simulate reads it, packed too")
  func whole() async throws {
    try await startReceiver()
    let file = rig.file("drive.json").path
    try rig.start("record", Rig.product("godwit"), ["record", file, "--config", settings])
    try await rig.wait(until: "a hundred reports are there") { reports() > 100 }
    try await rig.end("gpsd", with: SIGKILL)
    let before = reports()
    try await rig.wait(until: "it says so") { rig.text("record.log").contains("tried again every 5 s") }
    try await rig.startGPSD()
    try await rig.wait(until: "it goes on") { reports() > before + 100 }
    #expect(try await rig.end("record", with: SIGINT) == 0)
    #expect(rig.text("record.log").contains(" with a fix, "))
    #expect(rig.text("record.log").contains("; godwit simulate --track \(file) replays it"))
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let lines = rig.text("drive.json").split(separator: "\n", omittingEmptySubsequences: false)
    #expect(
      lines.last == "" && lines.dropLast().allSatisfy { $0.hasPrefix("{\"class\":\"") && $0.hasSuffix("}") })
    let plain = try CommandTests.godwit(["simulate", "--track", file])
    #expect(plain.code == 0 && plain.output.contains("  trip 1  "), "\(plain)")
    #expect(Rig.status(of: URL(filePath: "/bin/gzip"), [file]) == 0)
    let packed = try CommandTests.godwit(["simulate", "--track", file + ".gz"])
    #expect(packed.output == plain.output.replacing("drive.json", with: "drive.json.gz"), "\(packed)")
  }

  @Test("a file that is there stays as it is, and --for ends a recording")
  func bounded() async throws {
    try await startReceiver()
    let file = rig.file("drive.json").path
    let outcome = try CommandTests.godwit(["record", file, "--for", "15s", "--config", settings])
    #expect(outcome.code == 0 && outcome.errors.contains(" with a fix, "), "\(outcome)")
    let text = rig.text("drive.json")
    let again = try CommandTests.godwit(["record", file, "--for", "3s", "--config", settings])
    #expect(again.code == 73)
    #expect(again.errors == "godwit: \(file) is there already: name another file, or move it away\n")
    #expect(rig.text("drive.json") == text)
    let output = try CommandTests.godwit(["record", "-", "--for", "15s", "--config", settings])
    #expect(output.code == 0 && output.output.contains("{\"class\":\"TPV\""), "\(output)")
  }

  @Test("where gpsd speaks and its receiver does not, nothing is in the way of the next try")
  func silent() async throws {
    try await startReceiver()
    try "0".write(to: rig.file("gpio/gps-power"), atomically: false, encoding: .utf8)
    for _ in 1...2 {
      let outcome = try CommandTests.godwit([
        "record", rig.file("drive.json").path, "--for", "2s", "--config", settings,
      ])
      #expect(outcome.code == 69, "\(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: rig.file("drive.json").path))
  }

  @Test("without gpsd nothing is left behind, and the exit code says so")
  func absent() throws {
    rig.gpsdPort = freePort()
    try rig.writeSettings("")
    let outcome = try CommandTests.godwit([
      "record", rig.file("drive.json").path, "--for", "1s", "--config", settings,
    ])
    #expect(outcome.code == 69)
    #expect(outcome.errors.contains("tried again every 5 s"), "\(outcome)")
    #expect(
      outcome.errors.hasSuffix("gpsd sent no report of a position: nothing was recorded\n"), "\(outcome)")
    #expect(!FileManager.default.fileExists(atPath: rig.file("drive.json").path))
    let length = try CommandTests.godwit(["record", "-", "--for", "2"])
    #expect(length.code == 64 && length.errors.contains("--for \"2\" is not a length"))
  }
}
