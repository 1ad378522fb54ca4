import Foundation
import Testing

/// What can be put right from afar, or by waiting, keeps no agent from running and answering.
@Suite(
  "A box that stays reachable", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them"))
struct ReachableTests {
  private func count(_ rig: Rig, _ warning: String) -> Int {
    let warnings = rig.status()?["warnings"] as? [String: Any]
    return (warnings?[warning] as? [String: Any])?["count"] as? Int ?? 0
  }

  private func problem(_ rig: Rig) -> String? {
    (rig.status()?["sync"] as? [String: Any])?["problem"] as? String
  }
  private func cause(_ rig: Rig) -> String? { rig.status()?["no_track_because"] as? String }
  private func level(_ rig: Rig) -> String { rig.text("gpio/gps-power") }
  private func statuses(_ rig: Rig) throws -> Int { try rig.records().filter { $0.event == "status" }.count }

  private func rig() async throws -> Rig {
    let rig = try Rig()
    rig.gpsdPort = freePort()
    try await rig.startCollector()
    return rig
  }

  private func put(_ text: String, at url: URL, mode: Int) throws {
    try text.write(to: url, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
  }

  @Test(
    "a token file that is missing, empty or readable by others is waited for, and read by itself once it is right",
    arguments: ["missing", "empty", "readable"])
  func token(how: String) async throws {
    let rig = try await rig()
    let token = rig.file("token")
    if how == "empty" { try put("\n", at: token, mode: 0o600) }
    if how == "readable" { try put("s3cret\n", at: token, mode: 0o644) }
    rig.syncSettings = "token_file = \"\(token.path)\"\nunauthorised_retry_s = 1\n"
    try await rig.startAgent("")
    try await rig.wait(until: "it is reported") {
      problem(rig) == "no_token" && count(rig, "sync_unauthorised") > 0
    }
    // An intent is a record that waits.
    #expect(
      try CommandTests.godwit(["pause", "--for", "1h", "--config", rig.file("godwit.toml").path]).code == 0)
    if how != "empty" {
      let words = how == "missing" ? "is not there" : "has mode 0644"
      #expect(rig.text("agent.log").contains(words))
      #expect(
        rig.text("agent.log").contains(
          "until then nothing is sent with it, and everything stays in the queue"))
    }
    #expect(!rig.text("agent.log").contains("s3cret"))
    // What is waited for is no reason to refuse another change.
    try (rig.text("godwit.toml") + "[motion]\nstop_timeout_s = 200\n")
      .write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    #expect(try CommandTests.godwit(["reload", "--config", rig.file("godwit.toml").path]).code == 0)
    try put("s3cret\n", at: token, mode: 0o600)
    try await rig.wait(until: "it is delivered") { (try? statuses(rig)) ?? 0 > 0 }
    #expect(try await rig.end("agent") == 0)
  }

  @Test(
    "a wrong GPIO line is reported and tried again, while status and sync go on; the GPS stays off until it is there"
  )
  func line() async throws {
    let rig = try await rig()
    try FileManager.default.removeItem(at: rig.file("gpio"))
    try await rig.startAgent("")
    try await rig.wait(until: "it is reported") { count(rig, "gps_power_line") > 0 }
    try await rig.wait(until: "the server has records") { try !rig.records().isEmpty }
    try FileManager.default.createDirectory(at: rig.file("gpio"), withIntermediateDirectories: true)
    try await rig.wait(until: "the GPS is switched on") { level(rig) == "1" }
    #expect(try await rig.end("agent") == 0)
    #expect(level(rig) == "0")
  }

  @Test(
    "a zone that is misspelt closes the windows, and the corrected file opens them with godwit reload",
    arguments: ["Europe/Atlantis", "../etc/passwd"])
  func zone(name: String) async throws {
    let rig = try await rig()
    let schedule = "schedule = [\"sun-sat 00:00-00:00\"]\n"
    rig.topSettings = schedule + "timezone = \"\(name)\"\n"
    try await rig.startAgent("")
    try await rig.wait(until: "it is reported") { count(rig, "zone_unreadable") == 1 }
    #expect(cause(rig) == "zone_unknown" && level(rig) == "0")
    let file = rig.file("godwit.toml")
    let check = try CommandTests.godwit(["check", file.path])
    #expect(check.code == 78 && check.errors.contains(name))
    try rig.text("godwit.toml").replacing(name, with: "Europe/Zurich")
      .write(to: file, atomically: true, encoding: .utf8)
    let reload = try CommandTests.godwit(["reload", "--config", file.path])
    #expect(reload.code == 0 && reload.output == "the settings file is in force\n", "\(reload)")
    try await rig.wait(until: "the GPS is switched on") { level(rig) == "1" }
    #expect(try await rig.end("agent") == 0)
  }

  @Test("a refused reload says why, and locks nobody out")
  func refused() async throws {
    let rig = try await rig()
    try await rig.startAgent("")
    let file = rig.file("godwit.toml")
    let good = rig.text("godwit.toml")
    for (text, words) in [
      (good + "[track]\nmax_eror_m = 3\n", "did you mean track.max_error_m?"),
      (good + "[gps.power\n", "cannot be read as TOML"), ("", "is empty"),
      (good + "[sync.header_files]\nX-Key = \"/nowhere/key\"\n", "/nowhere/key"),
      (good.replacing("queue.db", with: "other.db"), "queue.path cannot change while the agent runs"),
    ] {
      try text.write(to: file, atomically: true, encoding: .utf8)
      let reload = try CommandTests.godwit(["reload", "--config", file.path], in: rig)
      #expect(reload.code == 78 && reload.errors.contains(words), "\(words): \(reload.errors)")
    }
    #expect(rig.text("agent.log").contains("queue.path cannot change while the agent runs"))
    #expect(rig.text("agent.log").contains("<4>\(file.path):"))
    try (good + "max_eror_m = 3\n").write(to: file, atomically: true, encoding: .utf8)
    for command in [["status"], ["queue"], ["pause", "--for", "1h"], ["resume"]] {
      let outcome = try CommandTests.godwit(command + ["--config", file.path], in: rig)
      #expect(outcome.code == 0, "\(command): \(outcome)")
    }
    try good.write(to: file, atomically: true, encoding: .utf8)
    #expect(try CommandTests.godwit(["reload", "--config", file.path]).code == 0)
    #expect(try await rig.end("agent") == 0)
    let gone = try CommandTests.godwit(["reload", "--config", file.path])
    #expect(gone.code == 69 && gone.errors.contains("is it running?"))
  }

  @Test("a folder of settings of other machines is checked as a whole")
  func elsewhere() throws {
    let rig = try Rig()
    let files = [
      (
        "one",
        "timezone = \"Europe/Zurich\"\n[sync]\nurl = \"https://a.example/\"\ntoken_file = \"/there/token\"\n",
        ""
      ),
      ("two", "geofences_file = \"/there/fences.geojson\"\n[sync]\nalso = [\"/there/second.toml\"]\n", ""),
      ("three", "timezone = \"Europe/Atlantis\"\n", "timezone \"Europe/Atlantis\" is not in"),
      ("four", "[gps]\nprot = 2947\n", "did you mean"),
    ]
    for (name, text, _) in files {
      try text.write(to: rig.file("\(name).toml"), atomically: true, encoding: .utf8)
    }
    let paths = files.map { rig.file("\($0.0).toml").path }
    let outcome = try CommandTests.godwit(["check", "--elsewhere"] + paths)
    #expect(outcome.code == 78)
    for (path, file) in zip(paths, files) {
      #expect(outcome.output.contains("\(path): fine\n") == file.2.isEmpty, "\(outcome)")
      if !file.2.isEmpty { #expect(outcome.errors.contains(file.2), "\(outcome)") }
    }
    #expect(outcome.output.contains("geofences not looked at"))
    #expect(try CommandTests.godwit(["check", "--elsewhere"] + paths.prefix(2)).code == 0)
    #expect(try CommandTests.godwit(["check", paths[0]]).errors.contains("/there/token"))
  }
}
