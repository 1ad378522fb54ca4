import Foundation
import Testing

/// What installers type wrongly in their first hour, and what they are answered.
@Suite("The installer's first hour")
struct FirstHourTests {
  private let rig: Rig
  private var settings: String { rig.file("godwit.toml").path }

  init() throws { rig = try Rig() }

  /// Below what each file has: queue and run directory of its own, and a gpsd that is nowhere.
  private func check(_ text: String) throws -> CommandTests.Outcome {
    let places =
      "\n[queue]\npath = \"\(rig.file("queue.db").path)\"\n[run]\ndirectory = \"\(rig.file("run").path)\"\n"
    try (text + places).write(toFile: settings, atomically: true, encoding: .utf8)
    return try CommandTests.godwit(["check", settings])
  }

  static let refused: [(String, String)] = [
    (
      "[sync]\nurl = \"http://10.0.0.5:8080/v1/locations\"",
      ":2: sync.url: must be https://: over http:// anyone on the way reads the token and every position; in a network of your own set sync.allow_plaintext = true"
    ),
    (
      "[gps.power]\nchip = \"header\"\nline = \"GPIO17\"",
      ":3: gps.power.mode: must be set, since gps.power.line is: \"level\" for a line that is on while the GPS is, \"pulse\" for a button, \"command\" for a program, \"none\" for a GPS that is always on"
    ),
    (
      "[gps.power]\ncommand = [\"/usr/bin/gps\"]",
      ":2: gps.power.mode: must be set, since gps.power.command is: \"level\" for a line that is on while the GPS is, \"pulse\" for a button, \"command\" for a program, \"none\" for a GPS that is always on"
    ),
    (
      "[motion]\nstop_timeout_s = \"5m\"",
      ":2: motion.stop_timeout_s: must be a number (10 to 7200 s), not text; did you mean 300?"
    ),
    (
      "[motion]\nstop_timeout_s = 5m",
      ":2: cannot be read as TOML: a number has a point and no unit: write stop_timeout_s = 300 (column 19)"
    ),
    (
      "[battery]\nvoltage_file = \"/v\"\nlow_v = 11,8",
      ":3: cannot be read as TOML: a number has a point and no unit: write low_v = 11.8 (column 11)"
    ),
    (
      "[battery]\nvoltage_file = \"/v\"\nlow_v = \"11,8 V\"",
      ":3: battery.low_v: must be a number (0.1 to 1000 V), not text; did you mean 11.8?"
    ),
    (
      "[sync]\nformat = \"json\"",
      ":2: sync.format: \"json\" is not one of \"geomony\", \"compact\", \"traccar\", \"owntracks\"; did you mean \"geomony\"?"
    ),
    (
      "[sync]\nformat = \"osmand\"",
      ":2: sync.format: \"osmand\" is not one of \"geomony\", \"compact\", \"traccar\", \"owntracks\"; did you mean \"traccar\"?"
    ),
  ]

  @Test("a mistake in the settings is refused, with what to write", arguments: refused)
  func refusal(text: String, words: String) throws {
    let outcome = try check(text)
    #expect(outcome.code == 78, "\(outcome)")
    #expect(outcome.errors == "\(settings)\(words)\n")
  }

  static let noted: [(String, String)] = [
    (
      "[gps.power]\nmode = \"level\"\nchip = \"header\"\nline = \"11\"",
      "  note: gps.power.line = \"11\" is GPIO11, which is pin 23: write \"GPIO11\", or \"GPIO17\" if pin 11 is meant\n"
    ),
    (
      "[ignition]\nchip = \"header\"\nline = \"37\"",
      "  note: ignition.line = \"37\" is GPIO37: write \"GPIO37\", or \"GPIO26\" if pin 37 is meant\n"
    ),
    (
      "[sync]\nurl = \"https://fleet.example.com\"",
      "  note: sync.url ends with the host, so records go to its front page: the collector takes them at /v1/locations; add your server's path\n"
    ),
  ]

  @Test("what can hardly be meant is noted, with what to write", arguments: noted)
  func note(text: String, words: String) throws {
    // Without this machine's chips, which are none of a Pi's.
    try text.write(toFile: settings, atomically: true, encoding: .utf8)
    let outcome = try CommandTests.godwit(["check", "--elsewhere", settings])
    #expect(outcome.code == 0 && outcome.output.contains(words), "\(outcome)")
  }

  @Test(
    "what is right is not doubted",
    arguments: [
      "[gps.power]\nmode = \"level\"\nchip = \"header\"\nline = \"GPIO17\"",
      "[gps.power]\nmode = \"level\"\nchip = \"header\"\nline = \"17\"",
      "[gps.power]\nmode = \"level\"\nchip = \"gpiochip9\"\nline = \"11\"", "[gps.power]\nmode = \"none\"",
      "[sync]\nurl = \"https://fleet.example.com/v1/locations\"",
      "[sync]\nurl = \"https://traccar.example.com\"\nformat = \"traccar\"",
    ])
  func right(text: String) throws {
    try text.write(toFile: settings, atomically: true, encoding: .utf8)
    let outcome = try CommandTests.godwit(["check", "--elsewhere", settings])
    #expect(outcome.code == 0 && !outcome.output.contains("note:"), "\(outcome)")
  }

  @Test("a device of gpsd's that does not exist is named, and only where gpsd is on this machine")
  func noDevice() throws {
    let outcome = try check("[gps]\nport = 1\ndevice = \"/dev/nowhere\"")
    #expect(
      outcome.output.contains(
        "  warning: \"/dev/nowhere\" is not there: is the receiver plugged in? ls /dev/serial/by-id shows what is; give gpsd that with sudo godwit-setup --gps-device\n"
      ), "\(outcome)")
    let other = try check("[gps]\nhost = \"192.0.2.1\"\nport = 1\ndevice = \"/dev/nowhere\"")
    #expect(!other.output.contains("is not there"), "\(other)")
  }

  @Test(
    "a command that there is not is answered with the one that was meant",
    arguments: [
      (["chek"], "there is no command \"godwit chek\": did you mean godwit check?"),
      (["statsu", "--json"], "there is no command \"godwit statsu\": did you mean godwit status?"),
      (["bananas"], "there is no command \"godwit bananas\": godwit --help lists all"),
      (
        ["queue", "exprot", "x"],
        "there is no command \"godwit queue exprot\": did you mean godwit queue export?"
      ),
      (["power", "of"], "there is no command \"godwit power of\": did you mean godwit power off?"),
    ])
  func command(arguments: [String], words: String) throws {
    let outcome = try CommandTests.godwit(arguments)
    #expect(outcome.code == 64 && outcome.errors == "godwit: \(words)\n", "\(outcome)")
  }

  @Test(
    "a credential of systemd's is a secret's file; before the service runs check warns that it is to come")
  func credential() throws {
    let text =
      "[sync]\nurl = \"https://fleet.example.com/v1/locations\"\ntoken_file = \"${CREDENTIALS_DIRECTORY}/token\""
    let awaited = try check(text)
    #expect(awaited.code == 0, "\(awaited)")
    #expect(
      awaited.output.contains(
        "warning: sync.token_file: ${CREDENTIALS_DIRECTORY}/token is not there: systemd puts credentials there while the service runs, if its unit has LoadCredential=\n"
      ), "\(awaited)")
    let folder = rig.file("credentials").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let missing = try CommandTests.godwit(
      ["check", settings], environment: ["CREDENTIALS_DIRECTORY": folder])
    #expect(missing.code == 78, "\(missing)")
    try "s3cret\n".write(toFile: folder + "/token", atomically: true, encoding: .utf8)
    for (mode, code) in [(0o440, 0), (0o400, 0), (0o444, 78), (0o640, 78)] as [(Int, Int32)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder + "/token")
      let outcome = try CommandTests.godwit(
        ["check", settings], environment: ["CREDENTIALS_DIRECTORY": folder])
      #expect(outcome.code == code, "\(mode): \(outcome)")
      #expect(code != 0 || !outcome.output.contains("sync.token_file"), "\(outcome)")
    }
    let enrolled = try CommandTests.godwit(["enrol", "--code", "x", "--config", settings])
    #expect(enrolled.code == 78 && enrolled.errors.contains("which only that writes"), "\(enrolled)")
  }
}

/// What another user's files do; users can only be changed by root.
@Suite("The installer's first hour, as several users", .enabled(if: geteuid() == 0))
struct FirstHourUserTests {
  private let rig: Rig
  private var settings: String { rig.file("godwit.toml").path }
  private var state: String { rig.file("state").path }
  /// nobody: a user that each system has, and here whom the agent runs as.
  private static let agent: uid_t = 65534

  init() throws {
    rig = try Rig()
    for folder in [state, rig.file("run").path] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      #expect(chown(folder, Self.agent, Self.agent) == 0)
    }
    #expect(chmod(rig.file("").path, 0o755) == 0)
    try """
    [gps]
    port = 1
    [queue]
    path = "\(state)/queue.db"
    [run]
    directory = "\(rig.file("run").path)"
    """.write(toFile: settings, atomically: true, encoding: .utf8)
  }

  private var foreign: [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: state)) ?? []
    return files.filter { name in
      var info = stat()
      return lstat(state + "/" + name, &info) == 0 && info.st_uid != Self.agent
    }
  }

  @Test("root's run on the agent's store becomes the agent's user: nothing of root's is left there")
  func run() async throws {
    try rig.start("agent", Rig.product("godwit"), ["run", "--config", settings])
    try await rig.wait(until: "the queue") { FileManager.default.fileExists(atPath: state + "/queue.db") }
    try await rig.wait(until: "a status") {
      FileManager.default.fileExists(atPath: rig.file("run/status.json").path)
    }
    try await rig.end("agent")
    #expect(foreign == [])
    #expect(rig.text("agent.log").contains("godwit: runs as the user nobody, to whom \(state) belongs\n"))
  }

  @Test("a file of root's in the store is named by check and doctor, with the remedy")
  func foreignFile() throws {
    let file = state + "/queue.db"
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    let checked = try CommandTests.godwit(["check", settings])
    let words = "\(file) belongs to root and its folder to nobody, so the agent cannot use it"
    #expect(checked.code == 78, "\(checked)")
    #expect(checked.errors.contains("\(words): sudo chown -R nobody: \(state)\n"), "\(checked)")
    let doctor = try CommandTests.godwit(["doctor", "--json", "--gps-patience", "0s", "--config", settings])
    #expect(doctor.code == 1 && doctor.output.contains("so the agent cannot use it"), "\(doctor)")
    #expect(chown(file, Self.agent, Self.agent) == 0)
    let fine = try CommandTests.godwit(["check", settings])
    #expect(fine.code == 0, "\(fine)")
  }

  @Test("settings that only root can read are refused by root's check, as the agent would find them")
  func unreadableSettings() throws {
    for mode in [0o600, 0o640] as [mode_t] {
      #expect(chmod(settings, mode) == 0)
      let outcome = try CommandTests.godwit(["check", settings])
      #expect(outcome.code == 78, "\(outcome)")
      #expect(
        outcome.errors
          == "\(settings) cannot be read by the user nobody: sudo chmod a+r \(settings), and a+x for its folders\n"
      )
    }
    #expect(chmod(settings, 0o644) == 0)
    let fine = try CommandTests.godwit(["check", settings])
    #expect(fine.code == 0, "\(fine)")
  }

  @Test("without sudo check says to use it, and nothing of whom secrets must belong to")
  func withoutSudo() throws {
    #expect(chown(state, 1, 1) == 0)
    let open = try String(contentsOfFile: settings, encoding: .utf8)
    try
      (open
      + "\n[sync]\nurl = \"https://fleet.example.com/v1/locations\"\ntoken_file = \"/etc/godwit/token\"\n")
      .write(toFile: settings, atomically: true, encoding: .utf8)
    let outcome = try CommandTests.asNobody(["check", settings], copiedTo: rig.folder)
    #expect(outcome.code == 78, "\(outcome)")
    #expect(
      outcome.errors
        == "\(settings): whether the agent can use its secrets is not known to the user nobody: use sudo\n",
      "\(outcome)")
    #expect(chmod(settings, 0o600) == 0)
    try FileManager.default.removeItem(at: rig.folder.appending(path: "godwit"))
    let closed = try CommandTests.asNobody(["check", settings], copiedTo: rig.folder)
    #expect(
      closed.code == 66 && closed.errors.contains("cannot be read by the user nobody: use sudo; if"),
      "\(closed)")
  }
}
