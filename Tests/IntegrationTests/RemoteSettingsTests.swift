import Foundation
import Testing

/// Settings from the real collector in the real agent.
@Suite(
  "Settings from afar", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them"))
struct RemoteSettingsTests {
  private typealias JSON = [String: Any]

  /// A device that drives, and reports every ten seconds.
  private func rig(_ sync: String = "", through link: ((Rig) throws -> String)? = nil) async throws -> Rig {
    let rig = try Rig()
    try await rig.startCollector()
    rig.url = try link?(rig)
    rig.syncSettings = "status_interval_s = 10\nconfig_trial_s = 10\n" + sync
    // Over plain http only a reply that names records counts.
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "the collector knows the device") {
      (config(rig)["error"] as? String)?.hasPrefix("no such device") != true
    }
    return rig
  }

  private func ask(_ rig: Rig, _ arguments: [String]) -> JSON {
    let url = "\(rig.server)/v1/devices/rig/config"
    let answer = rig.output(URL(fileURLWithPath: "/usr/bin/curl"), ["-s", url] + arguments)
    return (try? JSONSerialization.jsonObject(with: answer)) as? JSON ?? [:]
  }

  private func put(_ rig: Rig, _ body: String) -> JSON { ask(rig, ["-X", "PUT", "-d", body]) }
  private func config(_ rig: Rig) -> JSON { ask(rig, []) }
  private func state(_ rig: Rig) -> String? { config(rig)["state"] as? String }
  private func reported(_ rig: Rig) -> JSON { config(rig)["reported"] as? JSON ?? [:] }
  /// As the state file has the server's.
  private func saved(_ rig: Rig) -> String? {
    // The spaces behind it are the file's room.
    rig.text("queue.db.state").split(separator: "\n").last?.trimmingCharacters(in: .whitespaces)
  }

  private func own(_ rig: Rig) -> JSON { rig.status()?["config"] as? JSON ?? [:] }

  private func effective(_ rig: Rig, _ key: String) throws -> String? {
    let path = rig.file("godwit.toml").path
    let answer = try CommandTests.godwit(["settings", "--effective", path], in: rig)
    return answer.output.split(separator: "\n").map { String($0) }.first { $0.hasPrefix("\(key) = ") }
  }

  @Test("are tried, kept and reported, outlive kill -9 and a reload, and are taken back by an empty version")
  func accepted() async throws {
    let rig = try await rig()
    #expect(try effective(rig, "track.max_error_m") == "track.max_error_m = 10  # default")
    let answer = put(
      rig,
      #"""
      {"settings":{"track.max_error_m":25,"schedule":["sun-sat 00:00-00:00"]},
       "geofences":{"type":"FeatureCollection","features":[
         {"type":"Feature","geometry":{"type":"Point","coordinates":[18.0686,59.3293]},
          "properties":{"id":"depot","radius_m":100}}]}}
      """#)
    #expect(answer["state"] as? String == "pending", "\(answer)")
    try await rig.wait(until: "it is in force") { state(rig) == "in_force" }
    #expect(reported(rig)["in_force"] as? Int == 1 && own(rig)["desired"] as? Int == 1)
    #expect(try effective(rig, "track.max_error_m") == "track.max_error_m = 25  # overlay 1")
    #expect((rig.status()?["geofences"] as? JSON)?["count"] as? Int == 1)
    let settings = rig.file("godwit.toml").path
    let all = try CommandTests.godwit(["settings", "--effective", settings], in: rig).output
    #expect(all.contains("\n# geofences: 1, of overlay 1\n"))
    for (words, line) in [
      (["list"], "depot  circle of 100 m"), (["test", "59.3293,18.0686"], "inside  depot"),
    ] {
      let shown = try CommandTests.godwit(["geofence"] + words + ["--config", settings], in: rig)
      #expect(shown.code == 0 && shown.output.contains(line), "\(shown)")
      #expect(
        shown.errors
          == "godwit: the geofences of version 1 of the server's settings are in force, 1; \(settings) names no file of geofences\n"
      )
    }
    #expect(
      rig.text("agent.log").contains("version 1 of the server's settings is kept: a sync has succeeded"))
    #expect(!rig.text("agent.log").contains("59.3293"))

    // What the device has reported goes with no further reply.
    let replies = saved(rig)
    let check = try CommandTests.godwit(["check", rig.file("godwit.toml").path], in: rig)
    #expect(check.code == 0)
    #expect(
      check.output.contains(
        "note: version 1 of the server's settings lies over this file: godwit settings --effective"))

    let windows = try CommandTests.godwit(["schedule", "--config", rig.file("godwit.toml").path], in: rig)
    #expect(windows.errors.contains("the server has set another schedule"))
    try await rig.end("agent", with: SIGKILL)
    try await rig.startAgentAsWritten()
    #expect(own(rig)["in_force"] as? Int == 1)
    #expect(saved(rig) == replies)
    let reload = try CommandTests.godwit(["reload", "--config", rig.file("godwit.toml").path], in: rig)
    #expect(reload.code == 0)
    #expect(own(rig)["in_force"] as? Int == 1)
    #expect((rig.status()?["geofences"] as? JSON)?["count"] as? Int == 1)

    let fences = rig.file("fences.geojson").path
    let text = "geofences_file = \"\(fences)\"\n" + rig.text("godwit.toml")
    try text.write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    #expect(try CommandTests.godwit(["reload", "--config", rig.file("godwit.toml").path], in: rig).code == 0)
    // It is not there yet, and would count again without the server's.
    try await rig.wait(until: "the file is missed") { rig.warnings["geofences_refused"] != nil }
    let before = try CommandTests.godwit(["geofence", "list", "--config", settings], in: rig)
    #expect(before.errors.hasSuffix("are in force, 1; there is none in \(fences)\n"), "\(before)")
    #expect(before.output.contains("depot"))
    let add = [
      "geofence", "add", "yard", "--center", "47.1,8.2", "--radius_m", "50", "--config",
      rig.file("godwit.toml").path,
    ]
    let added = try CommandTests.godwit(add, in: rig)
    #expect(added.output.contains("the server's geofences are in force in its place"), "\(added)")
    let listed = try CommandTests.godwit(
      ["geofence", "list", "--config", rig.file("godwit.toml").path], in: rig)
    #expect(listed.output.contains("\nyard  circle of 50 m"), "\(listed)")
    #expect(
      listed.errors
        == "godwit: version 1 of the server's settings has geofences of its own, 1, in force in place of \(fences)\n"
    )

    #expect(put(rig, #"{"version":1,"settings":{}}"#)["error"] as? String != nil)
    _ = put(rig, #"{"version":9,"settings":{}}"#)
    try await rig.wait(until: "it is taken back") { state(rig) == "in_force" }
    #expect(try effective(rig, "track.max_error_m") == "track.max_error_m = 10  # default")
    // The file's again.
    #expect((rig.status()?["geofences"] as? JSON)?["count"] as? Int == 1)
    #expect(try await rig.end("agent") == 0)
    let contract = rig.contract()
    #expect(contract.isKept, "\(contract.words)")
  }

  @Test(
    "are refused with the setting and the reason, and without the value",
    arguments: [
      (#"{"settings":{"sync.url":"https://s3cret.example"}}"#, "sync.url: cannot be set from afar"),
      (
        #"{"settings":{"motion.stop_timeout_s":600,"motion.stationary_radius_m":4.25}}"#,
        "motion.stationary_radius_m: is outside 5 to 500 m"
      ),
      (
        #"{"settings":{},"geofences":{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"s3cret"}}]}}"#,
        "geofences: feature 1: "
      ),
    ])
  func refused(body: String, words: String) async throws {
    let rig = try await rig()
    let before = rig.status()?["settings"] as? String
    _ = put(rig, body)
    try await rig.wait(until: "it is refused") { state(rig) == "refused" }
    let reason = reported(rig)["refused_because"] as? String ?? ""
    #expect(reason.hasPrefix(words), "\(reason)")
    #expect(reported(rig)["refused"] as? Int == 1 && reported(rig)["in_force"] == nil)
    #expect(rig.status()?["settings"] as? String == before)
    #expect(rig.text("agent.log").contains("version 1 of the server's settings is refused: \(words)"))
    #expect(!(rig.text("agent.log") + reason).contains("s3cret") && !reason.contains("4.25"))
    #expect(rig.warnings["config_refused"] != nil)
    #expect(try await rig.end("agent") == 0)
  }

  @Test("that cut the device off are rolled back by the device, which comes back and says so")
  func cutOff() async throws {
    var link: BadLink?
    let rig = try await rig { rig in
      let slow = try BadLink(to: rig.server, delay_ms: 1500) { _ in .through }
      link = slow
      return slow.url
    }
    defer { link?.end() }
    // Each reply takes longer than that.
    _ = put(rig, #"{"settings":{"sync.request_timeout_s":1}}"#)
    try await rig.wait(until: "it is on trial") { own(rig)["in_force"] as? Int == 1 }
    #expect(own(rig)["trial_until"] != nil)
    try await rig.wait(until: "the collector has heard of it") { state(rig) == "refused" }
    #expect(
      reported(rig)["refused_because"] as? String == "trial failed: no sync succeeded within 10 s")
    #expect(own(rig)["in_force"] == nil)
    #expect(
      rig.text("agent.log").contains(
        "version 1 of the server's settings is rolled back to the file's settings: trial failed: no sync succeeded within 10 s"
      ))
    #expect(try effective(rig, "sync.request_timeout_s") == "sync.request_timeout_s = 120  # default")
    #expect(try await rig.end("agent") == 0)
  }

  @Test("are not in force while sync.config is false, and none is taken")
  func switchedOff() async throws {
    let rig = try await rig()
    _ = put(rig, #"{"settings":{"track.max_error_m":25}}"#)
    try await rig.wait(until: "it is in force") { state(rig) == "in_force" }
    try rig.text("godwit.toml").replacingOccurrences(
      of: "config_trial_s", with: "config = false\nconfig_trial_s"
    )
    .write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    #expect(try CommandTests.godwit(["reload", "--config", rig.file("godwit.toml").path], in: rig).code == 0)
    try await rig.wait(until: "the collector has heard of it") { state(rig) == "off" }
    #expect(own(rig)["in_force"] == nil && own(rig)["off_because"] as? String == "sync.config is false")
    // Somebody at the box wants it so: a line, and no warning.
    let line = "<5>version 1 of the server's settings does not count: sync.config is false\n"
    #expect(rig.warnings["config_refused"] == nil && rig.text("agent.log").contains(line))
    #expect(try effective(rig, "track.max_error_m") == "track.max_error_m = 10  # default")
    _ = put(rig, #"{"settings":{"track.max_error_m":30}}"#)
    // A reply must name records to count, and on a busy machine the drive is over by now: this makes one.
    #expect(
      try CommandTests.godwit(["pause", "--config", rig.file("godwit.toml").path], in: rig).code == 0)
    try await rig.wait(until: "the next one is passed over") { own(rig)["ignored"] as? Int ?? 0 > 0 }
    #expect(own(rig)["desired"] as? Int == 1)
    #expect(try await rig.end("agent") == 0)
  }

  @Test("on trial when the process is killed three times are rolled back")
  func crashLoop() async throws {
    var link: BadLink?
    let rig = try await rig("") { rig in
      let slow = try BadLink(to: rig.server, delay_ms: 1500) { _ in .through }
      link = slow
      return slow.url
    }
    defer { link?.end() }
    let text = rig.text("godwit.toml")
    try text.replacingOccurrences(of: "config_trial_s = 10", with: "config_trial_s = 86400")
      .write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    #expect(try CommandTests.godwit(["reload", "--config", rig.file("godwit.toml").path], in: rig).code == 0)
    _ = put(rig, #"{"settings":{"sync.request_timeout_s":1}}"#)
    try await rig.wait(until: "it is on trial") { own(rig)["in_force"] as? Int == 1 }
    for start in 1...3 {
      try await rig.end("agent", with: SIGKILL)
      try await rig.startAgentAsWritten()
      #expect((own(rig)["in_force"] as? Int == 1) == (start < 3), "start \(start)")
    }
    try await rig.wait(until: "the collector has heard of it") { state(rig) == "refused" }
    #expect(
      reported(rig)["refused_because"] as? String
        == "trial failed: the agent crashed, or the power was cut, 3 times before a sync succeeded")
    #expect(try await rig.end("agent") == 0)
  }

  @Test("that are older than what is in force are passed over, whoever sends them again")
  func replayed() async throws {
    var link: BadLink?
    let old = #"{"ack":[],"config":{"version":4,"settings":{"track.max_error_m":99}}}"#
    let rig = try await rig { rig in
      let replaying = try BadLink(to: rig.server) { [file = rig.file("replay")] _ in
        guard FileManager.default.fileExists(atPath: file.path) else { return .through }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
        return .says("\(head)Content-Length: \(old.utf8.count)\r\n\r\n\(old)")
      }
      link = replaying
      return replaying.url
    }
    defer { link?.end() }
    _ = put(rig, #"{"version":5,"settings":{"track.max_error_m":25}}"#)
    try await rig.wait(until: "it is in force") { state(rig) == "in_force" }
    try Data().write(to: rig.file("replay"))
    link?.setUp(false)
    link?.setUp(true)
    try await rig.wait(until: "the old one is passed over") { own(rig)["ignored"] as? Int ?? 0 > 0 }
    #expect(own(rig)["in_force"] as? Int == 5)
    #expect(try effective(rig, "track.max_error_m") == "track.max_error_m = 25  # overlay 5")
    #expect(try await rig.end("agent") == 0)
  }

  @Test("that a new file no longer fits are off, and on again once it does")
  func misfit() async throws {
    let rig = try await rig()
    _ = put(rig, #"{"settings":{"motion.probe_interval_max_s":600}}"#)
    try await rig.wait(until: "it is in force") { state(rig) == "in_force" }
    let text = rig.text("godwit.toml")
    try (text + "[motion]\nprobe_interval_s = 900\n")
      .write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    let reload = ["reload", "--config", rig.file("godwit.toml").path]
    #expect(try CommandTests.godwit(reload, in: rig).code == 0)
    try await rig.wait(until: "it is off") { own(rig)["off_because"] != nil }
    #expect(own(rig)["in_force"] == nil)
    try await rig.wait(until: "the collector knows") { state(rig) == "off" }
    try (text + "# end\n").write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    #expect(try CommandTests.godwit(reload, in: rig).code == 0)
    try await rig.wait(until: "it is on") { own(rig)["in_force"] as? Int == 1 }
    try await rig.wait(until: "the collector knows that too") { state(rig) == "in_force" }
    #expect(try await rig.end("agent") == 0)
  }

  @Test("whose file is damaged set nothing: the agent says so and runs")
  func damaged() async throws {
    let rig = try await rig()
    _ = put(rig, #"{"settings":{"track.max_error_m":25}}"#)
    try await rig.wait(until: "it is in force") { state(rig) == "in_force" }
    #expect(try await rig.end("agent") == 0)
    try "rubbish".write(to: rig.file("queue.db.state"), atomically: true, encoding: .utf8)
    try await rig.startAgentAsWritten()
    #expect(rig.text("agent.log").contains("the server's settings cannot be read, and none is in force"))
    #expect(rig.warnings["config_refused"] != nil)
    // The collector is asked for them again.
    try await rig.wait(until: "it is in force again") { own(rig)["in_force"] as? Int == 1 }
    #expect(try await rig.end("agent") == 0)
  }
}
