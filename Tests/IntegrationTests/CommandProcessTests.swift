import Foundation
import Testing

/// Commands with all parts real: agent, gpsd, collector, and a broker.
@Suite(
  "Commands: processes", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct CommandProcessTests {
  private struct Listed: Decodable {
    struct Command: Decodable { var id: String }
    var command: Command
    var result: String
    var why: String?
    var report: [String]?
  }

  /// Over TLS, where a reply to a status alone may bring commands.
  private func startedRig() async throws -> Rig {
    let rig = try await Rig.driving()
    try await rig.startTLS()
    // A box that stands still asks no sooner.
    rig.syncSettings += "status_interval_s = 10\n"
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "the collector knows the device") { (try? rig.records())?.isEmpty == false }
    return rig
  }

  private func url(_ rig: Rig) -> String { "\(rig.server)/v1/devices/rig/commands" }

  private func send(_ command: String, to rig: Rig) {
    let answer = rig.output(URL(fileURLWithPath: "/usr/bin/curl"), ["-sS", "-d", command, url(rig)])
    #expect(String(decoding: answer, as: UTF8.self).contains("\"created\""))
  }

  private func listed(_ rig: Rig) throws -> [Listed] {
    try JSONDecoder().decode([Listed].self, from: Data(contentsOf: URL(string: url(rig))!))
  }

  private func result(_ id: String, of rig: Rig) throws -> Listed {
    try #require(try listed(rig).first { $0.command.id == id })
  }

  private func ended(_ ids: String..., at rig: Rig) async throws {
    try await rig.wait(until: "the results of \(ids) are at the collector") {
      let open = try listed(rig).filter { ["waiting", "running"].contains($0.result) }.map(\.command.id)
      return Set(open).isDisjoint(with: ids)
    }
  }

  /// How often the agents of this rig have begun it.
  private func begun(_ id: String, in rig: Rig) -> Int {
    rig.text("agent.log").split(separator: "\n").count {
      $0.contains("the server wants: ") && $0.hasSuffix("(\(id))")
    }
  }

  private func level(_ rig: Rig) -> String { String(rig.text("gpio/gps-power").prefix(1)) }

  @Test("every command over the reply, its result at the collector, each once")
  func all() async throws {
    let rig = try await startedRig()
    send(#"{"id":"l","command":"locate"}"#, to: rig)
    try await ended("l", at: rig)
    #expect(try result("l", of: rig).result == "done")
    try await rig.wait(until: "the place is there") {
      try rig.records().contains { $0.event == "status" && $0.details["located"] as? String == "l" }
    }
    for (id, command) in [
      ("s", #""sync""#), ("st", #""status""#), ("t", #""track_for","seconds":600"#),
      ("r", #""report","lines":20"#),
      ("q", #""quarantine_retry""#), ("f", #""fly""#), ("b", #""pause","second":60"#),
      ("x", #""pause","expires":"2019-01-01T00:00:00Z""#), ("p", #""pause","seconds":900"#),
    ] {
      send("{\"id\":\"\(id)\",\"command\":\(command)}", to: rig)
    }
    try await ended("s", "st", "t", "r", "q", "f", "b", "x", "p", at: rig)
    for id in ["s", "st", "t", "r", "q", "p"] { #expect(try result(id, of: rig).result == "done", "\(id)") }
    #expect(try result("q", of: rig).why == "0 records")
    #expect(
      try result("f", of: rig).why?.hasPrefix("this version knows no such command, but locate, ") == true)
    #expect(try result("b", of: rig).why == "it has an argument that pause does not know; it knows seconds")
    #expect(try result("x", of: rig).result == "expired")
    let report = try #require(try result("r", of: rig).report)
    #expect((1...20).contains(report.count) && report.contains { $0.contains(" notice: ") })
    let fix = try #require(rig.sentFixes().first)
    let place = String("\(fix.lat)".prefix(6))
    #expect(report.allSatisfy { !$0.contains(place) })
    #expect(!rig.text("agent.log").contains(place))
    #expect(level(rig) == "0")
    #expect(rig.status()?["no_track_because"] as? String == "paused")

    send(#"{"id":"e","command":"resume"}"#, to: rig)
    try await ended("e", at: rig)
    try await rig.wait(until: "the GPS is on") { level(rig) == "1" }
    for id in ["l", "s", "st", "t", "r", "q", "p", "e"] { #expect(begun(id, in: rig) == 1, "\(id)") }
    for id in ["f", "b", "x"] { #expect(begun(id, in: rig) == 0, "\(id)") }
    try await rig.expectAllOnce()
  }

  @Test("a restart is done once; a pause outlives kill -9, and neither is done again")
  func restart() async throws {
    let rig = try await startedRig()
    send(#"{"id":"r","command":"restart"}"#, to: rig)
    try await rig.wait(until: "the agent has ended by itself") { !rig.isRunning("agent") }
    // systemd does this.
    try await rig.startAgentAsWritten()
    try await ended("r", at: rig)
    #expect(try result("r", of: rig).result == "done" && rig.isRunning("agent"))
    #expect((rig.status()?["warnings"] as? [String: Any])?["crashed"] == nil)

    send(#"{"id":"p","command":"pause"}"#, to: rig)
    try await ended("p", at: rig)
    #expect(try CommandTests.godwit(["resume", "--config", rig.file("godwit.toml").path]).code == 0)
    try await rig.end("agent", with: SIGKILL)
    try await rig.startAgentAsWritten()
    try await rig.wait(until: "a request") { (rig.sync["requests"] as? Int ?? 0) > 2 }
    #expect(rig.status()?["intent"] == nil)
    #expect(begun("r", in: rig) == 1 && begun("p", in: rig) == 1)
    try await rig.expectAllOnce()
  }

  @Test("kill -9 between receipt and result: said so, and not done again")
  func killed() async throws {
    let rig = try await startedRig()
    // No fix comes any more.
    try await rig.end("gpsd", with: SIGKILL)
    send(#"{"id":"l","command":"locate","timeout_s":900}"#, to: rig)
    try await rig.wait(until: "it has begun") { begun("l", in: rig) == 1 }
    #expect(rig.text("queue.db.state").contains(#""id":"l","name":"locate","outcome":"running""#))
    try await rig.end("agent", with: SIGKILL)
    try await rig.startAgentAsWritten()
    try await ended("l", at: rig)
    let found = try result("l", of: rig)
    #expect(found.result == "failed")
    #expect(found.why == "the agent ended before it was done, or before it could say so")
    #expect(begun("l", in: rig) == 1)
  }

  @Test("at the box: locate waits for a fix and says where; sync says what it does")
  func atTheBox() async throws {
    let rig = try await startedRig()
    let config = ["--config", rig.file("godwit.toml").path]
    let found = try CommandTests.godwit(["locate", "--timeout", "2m"] + config)
    #expect(found.code == 0, "\(found)")
    let words = found.output.split(separator: " ")
    let fix = try #require(rig.sentFixes().first)
    #expect(abs((Double(words[0]) ?? 0) - fix.lat) < 0.2 && abs((Double(words[1]) ?? 0) - fix.lon) < 0.2)
    #expect(!rig.text("agent.log").contains(words[0]))
    let json = try CommandTests.godwit(["locate", "--json"] + config)
    #expect(json.output.hasPrefix("{\"time\":\"") && json.output.contains("\"accuracy_m\":"))
    let sync = try CommandTests.godwit(["sync"] + config)
    #expect(sync.code == 0, "\(sync)")
    #expect(sync.output == "a request follows; godwit status says what became of it\n")
    #expect(try CommandTests.godwit(["pause"] + config).code == 0)
    let refused = try CommandTests.godwit(["locate"] + config)
    #expect(refused.code == 75 && refused.errors == "godwit: an operator's pause is in force\n")
    #expect(try CommandTests.godwit(["locate", "--timeout", "1s"] + config).code == 64)
  }
}

@Suite(
  "Commands over MQTT", .serialized,
  .disabled(if: Broker.missing() != nil, "gpsd, mosquitto or a product is missing: Tests/run has them all"))
struct CommandTopicTests {
  @Test("what came while the agent was away is done once, and confirmed", arguments: ["5", "3.1.1"])
  func whileAway(version: String) async throws {
    let rig = try Rig()
    rig.syncSettings = MQTTTests.quick + "command_topic = true\nmqtt_version = \"\(version)\"\n"
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    let broker = try Broker(rig)
    try await broker.start()
    try broker.subscribe()
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "the topic is subscribed to") {
      rig.text("mosquitto.log").contains("fleet/rig/records/cmd (QoS 1)") && !broker.sequences().isEmpty
    }
    #expect(try await rig.end("agent") == 0)
    try broker.publish(
      #"{"commands":[{"id":"m1","command":"report"},{"id":"m2","command":"track_for","seconds":600}]}"#)
    try broker.publish("no JSON")
    try await rig.startAgentAsWritten()
    try await rig.wait(until: "the results are published") {
      broker.messages().contains { $0.payload.contains(#""id":"m2","command":"track_for","result":"done""#) }
    }
    let intent = rig.status()?["intent"] as? [String: Any]
    #expect(intent?["kind"] as? String == "track")
    try await rig.wait(until: "both are confirmed") {
      rig.text("mosquitto.log").components(separatedBy: "Received PUBACK from rig (").count - 1 >= 2
    }
    // Killed and back, with the same session: nothing comes again, or it is known.
    try await rig.end("agent", with: SIGKILL)
    try await rig.startAgentAsWritten()
    let before = broker.sequences().count
    try await rig.wait(until: "records go on") { broker.sequences().count > before }
    let log = rig.text("agent.log")
    #expect(log.components(separatedBy: "the server wants: report of 50 lines (m1)").count == 2)
    #expect(log.components(separatedBy: "the server wants: track for 600 s (m2)").count == 2)
  }

  @Test("a kept connection brings commands with the next request")
  func onKeptConnection() async throws {
    let rig = try Rig()
    rig.syncSettings = MQTTTests.quick + "command_topic = true\n"
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    let broker = try Broker(rig)
    try await broker.start()
    try broker.subscribe()
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "records arrive") { !broker.sequences().isEmpty }
    try broker.publish(#"{"commands":[{"id":"k","command":"quarantine_retry"}]}"#)
    try await rig.wait(until: "the result is published") {
      broker.messages().contains {
        $0.payload.contains(#""id":"k","command":"quarantine_retry","result":"done""#)
      }
    }
    #expect(broker.connections() == 1)
    try await rig.end("feeder", with: SIGKILL)
    try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }
    let sequences = broker.sequences()
    #expect(Set(sequences).count == sequences.count)
  }
}
