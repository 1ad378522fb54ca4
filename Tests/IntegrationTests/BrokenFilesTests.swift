import Foundation
import Testing
import TrackerIO

/// Settings, zone and geofences that are lost, cut or come back, at the start and at a reload of the real agent.
@Suite(
  "Broken files", .serialized,
  .disabled(
    if: WrongClock.missing() != nil, "gpsd, cc, a product or the collector is missing: Tests/run has them"))
struct BrokenFilesTests {
  private static let closed = "schedule = [\"2030-01-01 08:00-09:00\"]\ntimezone = \"Here/Zone\"\n"
  private static let fence =
    #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":"#
    + #"{"type":"Point","coordinates":[8,47]},"properties":{"id":"depot","radius_m":50}}]}"#

  private func hash(_ rig: Rig) -> String? { rig.status()?["settings"] as? String }

  private func count(_ rig: Rig, _ warning: String) -> Int {
    let warnings = rig.status()?["warnings"] as? [String: Any]
    return (warnings?[warning] as? [String: Any])?["count"] as? Int ?? 0
  }

  private func fences(_ rig: Rig) -> Int? { (rig.status()?["geofences"] as? [String: Any])?["count"] as? Int }

  /// A zone folder, geofences, and a window that is closed.
  private func rig() async throws -> Rig {
    let rig = try Rig()
    rig.gpsdPort = freePort()
    try FileManager.default.createDirectory(at: rig.file("zones/Here"), withIntermediateDirectories: true)
    try putZone(rig)
    try Self.fence.write(to: rig.file("fences.geojson"), atomically: true, encoding: .utf8)
    // The time is known, so that the zone decides.
    let clock = try WrongClock(in: rig, ahead_s: 0, isSynchronised: true)
    rig.environments["agent"] = clock.environment.merging(["TZDIR": rig.file("zones").path]) { $1 }
    rig.topSettings = Self.closed + "geofences_file = \"\(rig.file("fences.geojson").path)\"\n"
    rig.url = "http://127.0.0.1:\(freePort())/"
    try await rig.startAgent("")
    return rig
  }

  private func putZone(_ rig: Rig) throws {
    let zone = rig.file("zones/Here/Zone")
    try? FileManager.default.removeItem(at: zone)
    try FileManager.default.copyItem(at: URL(fileURLWithPath: "/usr/share/zoneinfo/Asia/Tokyo"), to: zone)
  }

  private func nextChange(_ rig: Rig) -> String? {
    (rig.status()?["window"] as? [String: Any])?["next_change"] as? String
  }

  private func cause(_ rig: Rig) -> String? { rig.status()?["no_track_because"] as? String }

  @Test(
    "settings that are emptied, cut or overwritten by NULs are refused: at SIGHUP the old ones go on, at a start the last good ones",
    arguments: ["empty", "blank", "cut", "null", "gone"])
  func settings(how: String) async throws {
    let rig = try await rig()
    let (file, before) = (rig.file("godwit.toml"), hash(rig))
    let text = rig.text("godwit.toml")
    try #require(before != nil)
    switch how {
    case "empty": try Data().write(to: file)
    case "blank": try Data("\n \n".utf8).write(to: file)
    case "cut": try Data(text.utf8.prefix(text.utf8.count / 3)).write(to: file)
    case "null": try Data(count: text.utf8.count).write(to: file)
    default: try FileManager.default.removeItem(at: file)
    }
    rig.signal("agent", SIGHUP)
    try await rig.wait(until: "the file is refused") { count(rig, "settings_refused") == 1 }
    #expect(hash(rig) == before && cause(rig) == "window_closed")
    try await rig.end("agent", with: SIGKILL)

    try await rig.startAgentAsWritten()
    #expect(hash(rig) == before && cause(rig) == "window_closed")
    try await rig.wait(until: "it is reported") { count(rig, "settings_refused") == 1 }
    #expect(rig.text("agent.log").contains("is refused: the settings of the last run go on"))
    // What comes back is taken by itself.
    try text.write(to: file, atomically: true, encoding: .utf8)
    try await rig.wait(until: "the file counts again") {
      rig.text("agent.log").contains("the new settings are in force")
    }
    #expect(try await rig.end("agent") == 0)
  }

  @Test(
    "settings that end early, at a whole line, are refused, and taken when they say that it is on purpose")
  func shortened() async throws {
    let rig = try await rig()
    let (file, text, before) = (rig.file("godwit.toml"), rig.text("godwit.toml"), hash(rig))
    let short = String(text[..<text.range(of: "confirm_s")!.lowerBound])
    try short.write(to: file, atomically: true, encoding: .utf8)
    rig.signal("agent", SIGHUP)
    try await rig.wait(until: "it is refused") { count(rig, "settings_refused") == 1 }
    #expect(rig.text("agent.log").contains("is only the beginning of what the agent ran with"))
    let check = try CommandTests.godwit(["check", file.path], in: rig)
    #expect(check.code == 78 && check.output.isEmpty, "\(check)")
    #expect(check.errors.hasPrefix("\(file.path): is only the beginning of what the agent ran with"))
    let (schedule, list) = (
      try CommandTests.godwit(["schedule", "--timezone", "UTC", "--config", file.path], in: rig),
      try CommandTests.godwit(["geofence", "list", "--config", file.path], in: rig)
    )
    for outcome in [schedule, list] {
      #expect(outcome.code == 0, "\(outcome)")
      #expect(outcome.errors.contains("is refused: the settings of the last run go on"), "\(outcome)")
    }
    #expect(list.output.contains("depot  circle of 50 m"), "\(list)")
    try (short + "# end\n").write(to: file, atomically: true, encoding: .utf8)
    rig.signal("agent", SIGHUP)
    try await rig.wait(until: "it is taken") { hash(rig) != before }
    #expect(try await rig.end("agent") == 0)
  }

  @Test("to a command of another version the agent says what it may ask")
  func unknownRequest() async throws {
    let rig = try await rig()
    let unknown = try ControlClient.ask(directory: rig.file("run").path, line: "something else")
    #expect(
      unknown.contains(
        "unknown request; this agent knows status, queue, sync, test, locate, reload, geofences, pause, resume, track"
      ), "\(unknown)")
    #expect(try await rig.end("agent") == 0)
  }

  @Test("without settings of an earlier run a start ends with 78", arguments: ["", " \n\n", "\0\0\0"])
  func firstStart(text: String) async throws {
    let rig = try Rig()
    try text.write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    let outcome = try CommandTests.godwit(["run", "--config", rig.file("godwit.toml").path])
    #expect(outcome.code == 78)
    #expect(outcome.errors.contains(text.contains("\0") ? "holds NUL bytes" : "is empty"))
  }

  @Test(
    "zone data that is gone, cut or garbage: the old zone goes on over reload and start, and is reported",
    arguments: ["gone", "cut", "garbage"])
  func zone(how: String) async throws {
    let rig = try await rig()
    let before = nextChange(rig)
    #expect(before == "2029-12-31T23:00:00.000Z")
    let zone = rig.file("zones/Here/Zone")
    let bytes = try Data(contentsOf: zone)
    switch how {
    case "gone": try FileManager.default.removeItem(at: zone)
    case "cut": try bytes.prefix(bytes.count - 3).write(to: zone)
    default: try Data("TZif2garbage".utf8).write(to: zone)
    }
    rig.signal("agent", SIGHUP)
    try await rig.wait(until: "it is reported") { count(rig, "zone_unreadable") == 1 }
    #expect(nextChange(rig) == before)
    try await rig.end("agent", with: SIGKILL)
    try await rig.startAgentAsWritten()
    try await rig.wait(until: "it is reported") { count(rig, "zone_unreadable") == 1 }
    #expect(nextChange(rig) == before && cause(rig) == "window_closed")

    // Without a copy nobody knows when the schedule is open.
    try await rig.end("agent")
    try FileManager.default.removeItem(at: rig.file("queue.db.zone"))
    try await rig.startAgentAsWritten()
    #expect(cause(rig) == "zone_unknown" && nextChange(rig) == nil)
    try putZone(rig)
    try await rig.wait(until: "the zone is found") { nextChange(rig) == before }
    #expect(try await rig.end("agent") == 0)
  }

  @Test(
    "geofences that break: the old ones go on over reload and start, then none, and they come back by themselves"
  )
  func geofences() async throws {
    let rig = try await rig()
    #expect(fences(rig) == 1)
    try "{".write(to: rig.file("fences.geojson"), atomically: true, encoding: .utf8)
    rig.signal("agent", SIGHUP)
    try await rig.wait(until: "it is reported") { count(rig, "geofences_refused") == 1 }
    #expect(fences(rig) == 1)
    try await rig.end("agent", with: SIGKILL)
    try await rig.startAgentAsWritten()
    try await rig.wait(until: "it is reported") { count(rig, "geofences_refused") == 1 }
    #expect(fences(rig) == 1)

    try await rig.end("agent")
    try FileManager.default.removeItem(at: rig.file("queue.db.geofences"))
    try await rig.startAgentAsWritten()
    try await rig.wait(until: "it is reported") { count(rig, "geofences_refused") == 1 }
    #expect(fences(rig) ?? 0 == 0)
    try Self.fence.write(to: rig.file("fences.geojson"), atomically: true, encoding: .utf8)
    try await rig.wait(until: "they are back") { fences(rig) == 1 }
    #expect(try await rig.end("agent") == 0)
  }

  @Test("check names rules that open at no time any more, and the file is fine all the same")
  func idleRules() throws {
    let rig = try Rig()
    let text = """
      device_id = "x"
      schedule = ["2020-01-01 08:00-09:00", "mon 08:00-09:00", "cron 0 0 30 2 * for 1h"]
      timezone = "UTC"

      """
    try text.write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    let outcome = try CommandTests.godwit(["check", rig.file("godwit.toml").path])
    #expect(outcome.code == 0)
    #expect(
      outcome.output.contains(
        "warning: schedule rule 1 \"2020-01-01 08:00-09:00\" opens at no time from now on"))
    #expect(outcome.output.contains("warning: schedule rule 3"))
    #expect(!outcome.output.contains("rule 2"))
  }
}
