import Foundation
import Testing

/// `godwit doctor` with a module that obeys its power line, a real gpsd and the collector.
@Suite("godwit doctor", .enabled(if: Rig.missing() == nil))
struct DoctorTests {
  private typealias Findings = [String: (outcome: String, words: String)]

  /// Nothing runs but the module, gpsd and the collector.
  private func rig(_ settings: String = "", coldStart_s: Int = 4) async throws -> Rig {
    let rig = try Rig()
    try await rig.startCollector()
    try await rig.startFeeder(["--speed", "3", "--to-and-fro", "--cold-start-s", "\(coldStart_s)"])
    try await rig.startGPSD()
    try rig.writeSettings(settings)
    return rig
  }

  private func examine(_ rig: Rig, _ arguments: String...) throws -> (code: Int32, found: Findings) {
    let outcome = try CommandTests.godwit(
      ["doctor", "--json", "--gps-patience", "60s", "--config", rig.file("godwit.toml").path] + arguments,
      in: rig)
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any], "\(outcome)")
    var found: Findings = [:]
    for finding in json["findings"] as? [[String: String]] ?? [] {
      found[finding["subject"] ?? ""] = (finding["outcome"] ?? "", finding["words"] ?? "")
    }
    #expect((json["result"] as? String == "pass") == (outcome.code == 0), "\(outcome)")
    // Whoever photographs a screen must not photograph a place. Four decimals of a degree are eleven metres; seconds
    // and gigabytes have fewer.
    #expect(!outcome.output.contains("latitude") && !outcome.output.contains(/[0-9]\.[0-9]{4}/), "\(outcome)")
    return (outcome.code, found)
  }

  @Test("without an agent: the module is switched on, gives a fix, and falls silent; nothing is recorded")
  func alone() async throws {
    let rig = try await rig()
    let (code, found) = try examine(rig)
    for subject in ["settings", "clock", "gpsd", "power", "fix", "card"] {
      #expect(found[subject]?.outcome == "pass", "\(subject): \(found)")
    }
    #expect(found["power"]?.words.contains("falls silent when it is off") == true, "\(found)")
    for subject in ["ignition", "vibration", "identity"] {
      #expect(found[subject]?.outcome == "not_tried", "\(subject): \(found)")
    }
    #expect(code == 0, "\(found)")
    #expect(rig.text("gpio/gps-power").hasPrefix("0"))
    #expect(!FileManager.default.fileExists(atPath: rig.file("queue.db").path))
  }

  @Test("whoever ends it early, or loses the terminal, leaves the module off", arguments: [SIGINT, SIGHUP])
  func interrupted(signal: Int32) async throws {
    // It would look for a fix for an hour.
    let rig = try await rig(coldStart_s: 100_000)
    let doctor = Process()
    doctor.executableURL = Rig.product("godwit")
    doctor.arguments = ["doctor", "--gps-patience", "60m", "--config", rig.file("godwit.toml").path]
    doctor.environment = Rig.environment
    (doctor.standardOutput, doctor.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try doctor.run()
    try await rig.wait(until: "the power is on") { rig.text("gpio/gps-power").hasPrefix("1") }
    kill(doctor.processIdentifier, signal)
    doctor.waitUntilExit()
    #expect(doctor.terminationStatus == 130 && rig.text("gpio/gps-power").hasPrefix("0"))
  }

  @Test("as root it leaves no lock behind that the agent could not take", .enabled(if: geteuid() == 0))
  func lockOfAgent() throws {
    let rig = try Rig()
    (rig.gpsdPort, rig.url) = (freePort(), "http://127.0.0.1:9/v1/locations")
    try rig.writeSettings("")
    let folder = rig.file("queue.db").deletingLastPathComponent().path
    let nobody: uid_t = 65_534
    try #require(chown(folder, nobody, nobody) == 0)
    let outcome = try CommandTests.godwit(
      ["doctor", "--gps-patience", "0s", "--config", rig.file("godwit.toml").path], in: rig)
    var lock = stat()
    #expect(stat(rig.file("queue.db.lock").path, &lock) == 0 && lock.st_uid == nobody, "\(outcome)")
  }

  @Test("beside an agent: that switches and sends, the server confirms, and the ignition is seen to go on")
  func besideAgent() async throws {
    let rig = try await rig()
    try await rig.startAgent(
      """
      [ignition]
      chip = "simulated:\(rig.file("gpio").path)"
      line = "ignition"
      debounce_ms = 0
      """)
    try await rig.wait(until: "the collector has something") { ((try? rig.records().count) ?? 0) > 0 }
    let key = Process()
    key.executableURL = URL(filePath: "/bin/sh")
    let line = rig.file("gpio/ignition").path
    // Turned to and fro until the doctor has seen it.
    key.arguments = ["-c", "while :; do echo 1 > \(line); sleep 1; echo 0 > \(line); sleep 1; done"]
    try key.run()
    defer { key.terminate() }
    let (_, found) = try examine(rig, "--wait-ignition", "--line-patience", "60s")
    for subject in [
      "settings", "gpsd", "power", "fix", "ignition", "server", "record", "identity", "queue",
    ] {
      #expect(found[subject]?.outcome == "pass", "\(subject): \(found)")
    }
    #expect(rig.isRunning("agent"))
  }

  /// Records of the doctor's own at the server.
  private func tests(_ rig: Rig) throws -> [Collected] {
    try rig.records().filter { $0.event == "status" && $0.details["test"] as? String == "doctor" }
  }

  /// Nothing is left for the doctor to send.
  private func empty(_ rig: Rig) throws {
    let config = ["--config", rig.file("godwit.toml").path]
    let purge = try CommandTests.godwit(["queue", "purge", "--yes"] + config, in: rig)
    #expect(try purge.code == 0 && waiting(rig) == 0, "\(purge)")
  }

  /// In the queue file, without an agent.
  private func waiting(_ rig: Rig) throws -> Int {
    let outcome = try CommandTests.godwit(
      ["queue", "--json", "--config", rig.file("godwit.toml").path], in: rig)
    let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
    return try #require(json?["records"] as? Int, "\(outcome)")
  }

  @Test("a record without a place gets there and is confirmed: beside an agent with nothing to send, alone")
  func testRecord() async throws {
    let rig = try await rig()
    try await rig.startAgentAsWritten()
    // Whatever else the agent has just made would do as well. Before its first upload the collector knows no such box.
    for _ in 1...5 where ((try? tests(rig)) ?? []).isEmpty {
      try await rig.wait(until: "nothing waits any more") { rig.waiting() == 0 }
      let (_, found) = try examine(rig, "--gps-patience", "0s")
      for subject in ["server", "record", "identity"] {
        #expect(found[subject]?.outcome == "pass", "\(subject): \(found)")
      }
    }
    // The collector lists 0, 0 for a record without a place.
    #expect(try tests(rig).map(\.latitude) == [0])

    #expect(try await rig.end("agent") == 0)
    try empty(rig)
    let (_, found) = try examine(rig, "--gps-patience", "0s")
    for subject in ["server", "record", "identity"] {
      #expect(found[subject]?.outcome == "pass", "\(subject): \(found)")
    }
    #expect(found["record"]?.words == "a test record without a place is confirmed")
    #expect(try tests(rig).map(\.latitude) == [0, 0] && waiting(rig) == 0)
  }

  @Test("a test record that finds no server waits, and the next run sends that one and makes no other")
  func waits() async throws {
    let rig = try await rig()
    try await rig.startAgentAsWritten()
    try await rig.wait(until: "something is delivered") { ((try? rig.records().count) ?? 0) > 0 }
    #expect(try await rig.end("agent") == 0)
    try empty(rig)
    rig.url = "http://127.0.0.1:\(freePort())/v1/locations"
    try rig.writeSettings("")
    for _ in 1...2 {
      let (_, found) = try examine(rig, "--gps-patience", "0s")
      #expect(found["server"]?.outcome == "fail" && found["record"]?.outcome == "not_tried", "\(found)")
      #expect(try waiting(rig) == 1)
    }
    rig.url = nil
    try rig.writeSettings("")
    let (_, found) = try examine(rig, "--gps-patience", "0s")
    #expect(found["record"]?.words == "a test record without a place is confirmed", "\(found)")
    #expect(try tests(rig).count == 1 && waiting(rig) == 0)
  }

  /// A box that reaches no gpsd and no server.
  private func alone() throws -> Rig {
    let rig = try Rig()
    rig.gpsdPort = freePort()
    rig.url = "http://127.0.0.1:9/v1/locations"
    try rig.writeSettings("")
    return rig
  }

  @Test("the QR code is read by a program as a telephone reads it", .enabled(if: QRPicture.canBeRead))
  func code() throws {
    let rig = try alone()
    let outcome = try CommandTests.godwit(
      ["doctor", "--gps-patience", "0s", "--qr", "--config", rig.file("godwit.toml").path], in: rig)
    let picture = rig.file("code.pgm")
    try QRPicture.write(terminal: outcome.output, to: picture)
    let read = String(
      decoding: rig.output(URL(filePath: QRPicture.reader), ["-q", "--raw", picture.path]), as: UTF8.self)
    #expect(read.hasPrefix("godwit-doctor/1 rig 20"), "\(read)\n\(outcome)")
    #expect(read.contains(" FAIL gpsd OK ") && read.hasSuffix(",sleep\n"), "\(read)")
  }

  @Test("what is wrong is named, with an exit code: gpsd away, a module without power, a server that is away")
  func wrong() async throws {
    let rig = try Rig()
    rig.gpsdPort = freePort()
    rig.url = "http://127.0.0.1:\(freePort())/v1/locations"
    try rig.writeSettings("")
    let (code, found) = try examine(rig)
    #expect(code == 1)
    #expect(found["gpsd"]?.outcome == "fail" && found["power"]?.outcome == "not_tried", "\(found)")
    try "gps = 1\n".write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    let (broken, rest) = try examine(rig)
    #expect(
      broken == 1 && rest["settings"]?.outcome == "fail" && rest["fix"]?.outcome == "not_tried", "\(rest)")
    #expect(rest["settings"]?.words.contains("gps: is a group of settings") == true, "\(rest)")
  }

  @Test("the screen has 80 columns, and ends with the sum; lengths are checked")
  func screen() throws {
    let rig = try alone()
    let outcome = try CommandTests.godwit(
      ["doctor", "--gps-patience", "0s", "--config", rig.file("godwit.toml").path], in: rig)
    let lines = outcome.output.split(separator: "\n").map { String($0) }
    #expect(lines.first?.hasPrefix("godwit doctor, ") == true, "\(outcome)")
    #expect(
      lines.last?.hasSuffix(" not tried") == true && lines.last?.contains(" failed, ") == true, "\(outcome)")
    // A word that is longer than the room, such as a path, cannot be broken.
    #expect(lines.dropFirst().allSatisfy { $0.count <= 80 || !$0.dropFirst(17).contains(" ") }, "\(outcome)")
    let bad = try CommandTests.godwit(["doctor", "--gps-patience", "3"])
    #expect(bad.code == 64 && bad.errors.contains("--gps-patience \"3\" is not a length"), "\(bad)")
  }
}
