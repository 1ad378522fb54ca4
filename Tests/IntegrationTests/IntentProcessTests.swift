import Foundation
import Testing

/// The operator's commands and a crashing agent, as processes.
@Suite(
  "Pause, track, resume, safe mode: processes", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct IntentProcessTests {
  private func level(_ rig: Rig) -> String { String(rig.text("gpio/gps-power").prefix(1)) }

  private func godwit(_ rig: Rig, _ words: String...) throws -> CommandTests.Outcome {
    try CommandTests.godwit(words + ["--config", rig.file("godwit.toml").path])
  }

  private func intent(_ rig: Rig) -> [String: Any]? { rig.status()?["intent"] as? [String: Any] }

  private func startedRig(_ settings: String = SurvivalTests.settings) async throws -> Rig {
    let rig = try Rig()
    try await rig.startCollector()
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    try await rig.startAgent(settings)
    return rig
  }

  @Test("pause: GPS off, over kill -9 and a removed queue too; resume: on; the server has the gap's cause")
  func pause() async throws {
    let rig = try await startedRig()
    try await rig.wait(until: "the GPS is on") { level(rig) == "1" }
    let paused = try godwit(rig, "pause", "--for", "2h")
    #expect(paused.code == 0 && paused.output.hasPrefix("paused"), "\(paused)")
    #expect(paused.output.hasSuffix(", 2 h 00 min left\n"))
    #expect(level(rig) == "0")
    #expect(rig.status()?["no_track_because"] as? String == "paused")

    try await rig.end("agent", with: SIGKILL)
    for suffix in ["", "-wal"] {
      try? FileManager.default.removeItem(at: rig.file("queue.db\(suffix)"))
    }
    try await rig.startAgent(SurvivalTests.settings)
    #expect(intent(rig)?["kind"] as? String == "pause")
    let left_s = intent(rig)?["left_s"] as? Int ?? 0
    #expect(left_s > 7100 && left_s <= 7200)
    #expect(level(rig) == "0")

    let resumed = try godwit(rig, "resume")
    #expect(resumed.code == 0 && resumed.output == "resumed: the schedule says open\n")
    #expect(level(rig) == "1" && intent(rig) == nil)
    try await rig.wait(until: "the server has been informed") {
      let reported = try rig.records().filter { $0.event == "status" }.compactMap {
        $0.details["intent"] as? String
      }
      return reported.contains("none")
    }
  }

  @Test("without an agent it is saved for the next start; track opens a closed schedule")
  func withoutAgent() async throws {
    let rules = "schedule = [\"2001-01-01 00:00-00:01\"]\n"
    let rig = try Rig()
    try await rig.startCollector()
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    try rig.writeSettings("[clock]\nwhen_clock_unknown = \"closed\"\n")
    try (rules + rig.text("godwit.toml")).write(
      to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)

    let tracked = try godwit(rig, "track", "--for", "1h30m")
    #expect(tracked.code == 0, "\(tracked)")
    #expect(tracked.output.contains("1 h 30 min left"))
    #expect(tracked.errors == "godwit: no agent runs; this is saved for its next start\n")
    try await rig.startAgentAsWritten()
    try await rig.wait(until: "the GPS is on") { level(rig) == "1" }
    #expect(intent(rig)?["kind"] as? String == "track")
    let resumed = try godwit(rig, "resume")
    // Some machines' clocks are synchronised.
    let isKnown = rig.status()?["clock"] as? String == "synchronised"
    let closed = isKnown ? "the schedule says closed" : "closed as long as the time is unknown"
    #expect(resumed.output == "resumed: \(closed)\n", "\(resumed)")
    #expect(level(rig) == "0")
    try await rig.end("agent")
    #expect(rig.text("queue.db.state").contains(#""running":true"#) == false)
    let paused = try godwit(rig, "pause")
    #expect(paused.output == "paused until godwit resume\n")
    try await rig.startAgentAsWritten()
    #expect(rig.status()?["no_track_because"] as? String == "paused")
    #expect(rig.isRunning("agent"))
  }

  @Test("mistakes and an agent that hangs have their exit codes")
  func mistakes() async throws {
    let rig = try await startedRig()
    for words in ["2", "0s", "2d", "1m2h", "-1h"] {
      let outcome = try godwit(rig, "pause", "--for=\(words)")
      #expect(outcome.code == 64, "\(words)")
      #expect(
        outcome.errors
          == "godwit: --for \"\(words)\" is not a length such as 2h, 45m or 1h30m, of at most 8784h\n")
    }
    #expect(try godwit(rig, "track").code == 64)
    #expect(intent(rig) == nil)
    // A lock that somebody holds, and nobody answers: not a moment to write behind its back.
    try await rig.end("agent")
    try await rig.startAgentAsWritten()
    let socket = rig.file("run/control")
    try FileManager.default.removeItem(at: socket)
    let outcome = try godwit(rig, "pause")
    #expect(outcome.code == 75, "\(outcome)")
    #expect(outcome.errors.contains("process \(rig.processID("agent") ?? -1) holds "))
    #expect(outcome.errors.contains("no agent answers in run.directory, \(rig.file("run").path): is it only"))
  }

  @Test("stopped in the middle of thirty starts: none of them looks like a crash")
  func stoppedWhileStarting() throws {
    let rig = try Rig()
    rig.url = "http://127.0.0.1:9/v1/locations"
    rig.gpsdPort = 9
    try rig.writeSettings("")
    // A test's thread blocks signals, and what it starts would inherit that.
    var term = sigset_t()
    var before = sigset_t()
    sigemptyset(&term)
    sigaddset(&term, SIGTERM)
    pthread_sigmask(SIG_UNBLOCK, &term, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    for _ in 0..<30 {
      let agent = Process()
      agent.executableURL = Rig.product("godwit")
      agent.arguments = ["run", "--config", rig.file("godwit.toml").path]
      agent.environment = Rig.environment
      agent.standardError = FileHandle.nullDevice
      try agent.run()
      while agent.isRunning, !rig.text("queue.db.state").contains(#""running":true"#) {}
      kill(agent.processIdentifier, SIGTERM)
      agent.waitUntilExit()
      #expect(agent.terminationReason == .exit && agent.terminationStatus == 0)
      #expect(!rig.text("queue.db.state").contains(#""running":true"#))
    }
  }

  @Test("killed at each of twenty starts: the fifth crash makes safe mode, the GPS stays off, sync goes on")
  func crashing() async throws {
    let rig = try await startedRig()
    var refused = 0
    for crash in 1...20 {
      if crash == 3 {
        // A second instance is refused, and is no run.
        let second = try godwit(rig, "run")
        #expect(second.code == 75)
        refused += 1
      }
      let isSafe = crash > 5
      #expect((rig.status()?["no_track_because"] as? String == "safe_mode") == isSafe, "start \(crash)")
      #expect((rig.status()?["safe_mode"] != nil) == isSafe)
      if isSafe { #expect(level(rig) == "0") }
      try await rig.end("agent", with: SIGKILL)
      _ = try godwit(rig, "power", "off")
      try await rig.startAgentAsWritten()
    }
    #expect(refused == 1)
    let status = try #require(rig.status())
    let safeMode = status["safe_mode"] as? [String: Any]
    #expect(safeMode?["crashes"] as? Int == 20)
    #expect(level(rig) == "0")
    try await rig.wait(until: "the server is informed") {
      let devices = (try? String(contentsOf: URL(string: "\(rig.server)/v1/devices")!, encoding: .utf8)) ?? ""
      return devices.contains("\"safe_mode\"")
    }
    try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }

    // An operator has mended it: a restart in order tries again at once.
    #expect(try await rig.end("agent") == 0)
    try await rig.startAgentAsWritten()
    #expect(rig.status()?["safe_mode"] == nil)
    try await rig.wait(until: "the GPS is on") { level(rig) == "1" }
  }
}
