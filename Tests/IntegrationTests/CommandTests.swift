import Foundation
import Testing

/// The command as a person or a script meets it: what it prints and how it exits.
@Suite("The command")
struct CommandTests {
  struct Outcome {
    var code: Int32
    var output: String
    var errors: String
  }

  private func godwit(_ arguments: String...) throws -> Outcome { try Self.godwit(arguments) }

  /// - Parameter rig: whose settings were kept.
  static func godwit(
    _ arguments: [String], input: FileHandle = .nullDevice, in rig: Rig? = nil,
    environment: [String: String] = [:]
  ) throws -> Outcome {
    try run(Rig.product("godwit"), arguments, input: input, in: rig, environment: environment)
  }

  /// As a user without any right. The command itself is copied to where everybody may read.
  static func asNobody(_ arguments: [String], copiedTo folder: URL) throws -> Outcome {
    let copy = folder.appending(path: "godwit")
    try FileManager.default.copyItem(at: Rig.product("godwit"), to: copy)
    let user = ["--reuid=65534", "--regid=65534", "--clear-groups", copy.path]
    return try run(URL(filePath: "/usr/bin/setpriv"), user + arguments)
  }

  static func run(
    _ program: URL, _ arguments: [String], input: FileHandle = .nullDevice, in rig: Rig? = nil,
    environment: [String: String] = [:]
  ) throws -> Outcome {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = program
    process.arguments = arguments
    let kept = rig.map { ["STATE_DIRECTORY": $0.folder.path] } ?? [:]
    process.environment = Rig.environment.merging(kept) { $1 }.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    let complained = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(
      code: process.terminationStatus, output: String(decoding: said, as: UTF8.self),
      errors: String(decoding: complained, as: UTF8.self))
  }

  private func settings(_ text: String, in rig: Rig) throws -> String {
    let path = rig.file("godwit.toml").path
    let places =
      "[queue]\npath = \"\(rig.file("queue.db").path)\"\n[run]\ndirectory = \"\(rig.file("run").path)\"\n"
    try (text + places).write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test("check warns of a voltage_file that leads through the whole disk, and is done soon")
  func widePattern() throws {
    let rig = try Rig()
    let path = try settings("[battery]\nvoltage_file = \"/*/*/*/*/*/*/in1_input\"\n", in: rig)
    let outcome = try godwit("check", path)
    #expect(outcome.code == 0)
    #expect(
      outcome.output.contains(
        "warning: battery.voltage_file: its pattern leads through more than 4096 names: write out"))
  }

  @Test("help names every subcommand, and each has help of its own")
  func help() throws {
    let help = try godwit("--help")
    #expect(help.code == 0)
    for name in [
      "run", "check", "doctor", "status", "sync", "locate", "pause", "resume", "track", "schedule",
      "geofence",
      "record", "simulate", "queue", "export",
      "power", "settings",
    ] {
      #expect(help.output.contains("  \(name) "), "\(name)")
      let own = try godwit(name, "--help")
      let program = name == "simulate" ? "godwit-lab" : "godwit"
      #expect(own.code == 0 && own.output.contains("USAGE: \(program) \(name)"), "\(name)")
    }
  }

  @Test(
    "check says of settings that could never deliver that they will not, and accepts them",
    arguments: [
      ("http://127.0.0.1:5055", "traccar", "auto", true), ("http://127.0.0.1/pub", "owntracks", "auto", true),
      ("https://traccar.example", "traccar", "auto", false), ("http://127.0.0.1", "traccar", "any", false),
      ("http://127.0.0.1/v1", "geomony", "auto", false), ("mqtt://127.0.0.1/a", "owntracks", "auto", false),
    ])
  func checkNotes(url: String, format: String, ack: String, isReported: Bool) throws {
    let rig = try Rig()
    let path = try settings(
      "[sync]\nurl = \"\(url)\"\nformat = \"\(format)\"\nack = \"\(ack)\"\n", in: rig)
    let outcome = try godwit("check", path)
    #expect(outcome.code == 0, "\(outcome.errors)")
    let note = "  note: sync.format \"\(format)\" over plain http:// delivers nothing, since"
    #expect(outcome.output.contains(note) == isReported, "\(outcome.output)")
    #expect(outcome.output.contains("note:") == isReported)
  }

  @Test("an unknown subcommand exits with 64")
  func unknown() throws {
    let outcome = try godwit("fly")
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains("fly"))
  }

  @Test(
    "without a settings file: exit 66, and the file is named",
    arguments: ["run", "status", "queue", "schedule", "pause", "resume"])
  func noFile(_ command: String) throws {
    let outcome = try godwit(command, "--config", "/nowhere/godwit.toml")
    #expect(outcome.code == 66)
    #expect(outcome.errors.contains("/nowhere/godwit.toml"))
  }

  @Test("sync without a server, and enrol over plain http or without the agent's folder, say what to set")
  func nothingToAsk() throws {
    let rig = try Rig()
    let path = try settings("[sync]\ntoken_file = \"\(rig.file("token").path)\"\n", in: rig)
    let sync = try godwit("sync", "--config", path)
    #expect(sync.code == 78 && sync.errors.hasPrefix("godwit: sync.url is not set in \(path): "), "\(sync)")
    let enrol = ["enrol", "--code", "x", "--config", path, "--url"]
    let plain = try CommandTests.godwit(enrol + ["http://fleet.example.com"])
    #expect(plain.code == 78 && plain.errors.hasPrefix("godwit: --url: over http:// anyone"), "\(plain)")
    let folder = rig.file("none").path
    let bare = try CommandTests.godwit(
      enrol + ["https://fleet.example.com"], environment: ["STATE_DIRECTORY": folder])
    #expect(bare.code == 73 && bare.errors.hasPrefix("godwit: there is no \(folder), which"), "\(bare)")
  }

  @Test("every mistake of a file is reported together, with line, key, reason and nearest name")
  func mistakes() throws {
    let rig = try Rig()
    let path = try settings(
      """
      schedule = ["mon-fri 9-17"]
      [gps]
      fix_timout_s = 60
      fix_timeout_s = "long"

      """, in: rig)
    let outcome = try godwit("run", "--config", path)
    #expect(outcome.code == 78)
    let lines = outcome.errors.split(separator: "\n").map { String($0) }
    #expect(lines.count == 3, "\(outcome.errors)")
    #expect(lines.contains { $0.contains(":1:") && $0.contains("schedule") })
    #expect(
      lines.contains { $0.contains(":3:") && $0.contains("gps.fix_timeout_s") && $0.contains("did you mean") }
    )
    #expect(lines.contains { $0.contains(":4:") && $0.contains("number") })
  }

  @Test("status and queue without an agent say so, and the queue file is read directly")
  func withoutAgent() throws {
    let rig = try Rig()
    let path = try settings("device_id = \"x\"\n", in: rig)
    let status = try godwit("status", "--config", path)
    #expect(status.code == 69)
    #expect(status.errors.contains("is it running?"))
    let queue = try godwit("queue", "--config", path)
    #expect(queue.code == 73)
    #expect(queue.errors.contains("when the agent first runs"))
  }

  @Test("metrics of an answer that is no status are refused, so that no monitor reads half a document")
  func halfAnswer() throws {
    let rig = try Rig()
    let path = try settings("device_id = \"x\"\n", in: rig)
    let run = rig.file("run").path
    try FileManager.default.createDirectory(atPath: run, withIntermediateDirectories: true)
    let agent = try Process.run(
      URL(fileURLWithPath: "/usr/bin/python3"),
      arguments: [
        "-c",
        """
        import socket, sys
        server = socket.socket(socket.AF_UNIX)
        server.bind(sys.argv[1])
        server.listen()
        while True:
            client = server.accept()[0]
            client.recv(100)
            client.sendall(b'{"schema":"godwit-status/1","uptime_s":')
            client.close()
        """, run + "/control",
      ])
    // The tests' own children begin with SIGTERM blocked.
    defer { kill(agent.processIdentifier, SIGKILL) }
    while try godwit("status", "--json", "--config", path).code != 0 { usleep(50_000) }
    let outcome = try godwit("status", "--metrics", "--config", path)
    #expect(outcome.code == 69 && outcome.output.isEmpty)
    #expect(
      outcome.errors
        == "godwit: the agent's answer is no status document of this version; --json shows it\n")
  }

  @Test("the first start makes the queue's folder; a place where none can be is no second agent")
  func queueFolder() async throws {
    let rig = try Rig()
    (rig.gpsdPort, rig.url) = (freePort(), "http://127.0.0.1:9/")
    func write(folder: String) throws {
      try rig.writeSettings("")
      try rig.text("godwit.toml").replacingOccurrences(
        of: rig.file("queue.db").path, with: "\(folder)/queue.db"
      ).write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    }
    try write(folder: rig.file("new/folder").path)
    try await rig.startAgentAsWritten()
    #expect(FileManager.default.fileExists(atPath: rig.file("new/folder/queue.db").path))
    #expect(try await rig.end("agent") == 0)
    try write(folder: rig.file("godwit.toml").path)
    let none = try godwit("run", "--config", rig.file("godwit.toml").path)
    #expect(none.code == 73, "\(none)")
    #expect(none.errors.contains("Not a directory"))
  }

  @Test("schedule prints windows of rules on the command line, or why a rule is wrong")
  func schedule() throws {
    let fine = try godwit(
      "schedule", "--rule", "mon-fri 09:00-17:00", "--timezone", "Europe/Zurich", "--from", "2026-03-27",
      "--days", "4")
    #expect(fine.code == 0)
    #expect(fine.output.contains("2026-03-27") && fine.output.contains("2026-03-30"))
    #expect(!fine.output.contains("2026-03-28 09:00"))
    // Without --days it is 14 days, with the nights when clocks change as long as they are, and the sum.
    let rules = ["--rule", "sun 01:00-05:00", "--timezone", "Europe/Zurich"]
    for (from, expected) in [
      (
        "2026-03-20",
        [
          "Sun 2026-03-29 01:00 to 05:00  Sun 00:00 to 03:00  3 h 00 min", "14 days",
          "\n  Sun 2026-03-29: the clock goes from 02:00 to 03:00, +01:00 to +02:00\n",
          "7 h 00 min of 335 h",
        ]
      ),
      (
        "2026-10-16",
        [
          "Sun 2026-10-25 01:00 to 05:00  Sat 23:00 to Sun 04:00  5 h 00 min", "14 days",
          "\n  Sun 2026-10-25: the clock goes from 03:00 to 02:00, +02:00 to +01:00\n",
          "9 h 00 min of 337 h",
        ]
      ),
    ] {
      let night = try CommandTests.godwit(["schedule"] + rules + ["--from", from])
      for words in expected { #expect(night.output.contains(words), "\(night.output)") }
    }
    let rig = try Rig()
    let file = rig.file("zone.toml").path
    try "timezone = \"Europe/Zurich\"\n".write(toFile: file, atomically: true, encoding: .utf8)
    let inZone = try godwit(
      "schedule", "--rule", "mon 09:00-10:00", "--config", file, "--from", "2026-03-30", "--days", "1")
    #expect(inZone.code == 0 && inZone.output.contains("Europe/Zurich"), "\(inZone)")
    let wrong = try godwit("schedule", "--rule", "mon-fri 09:00-25:00")
    #expect(wrong.code == 64)
    #expect(wrong.errors.contains("25"))
  }
}
