import Foundation
import Testing

/// What `godwit check` judges, and what the commands beside it need not.
@Suite("godwit check and the commands beside it")
struct CheckCommandTests {
  private let rig: Rig
  private var settings: String { rig.file("godwit.toml").path }

  init() throws { rig = try Rig() }

  private func godwit(_ arguments: String...) throws -> CommandTests.Outcome {
    try CommandTests.godwit(arguments)
  }

  private func write(_ text: String) throws {
    let places =
      "\n[queue]\npath = \"\(rig.file("queue.db").path)\"\n[run]\ndirectory = \"\(rig.file("run").path)\"\n"
    try (text + places).write(toFile: settings, atomically: true, encoding: .utf8)
  }

  private func secret(_ text: String, mode: Int = 0o600) throws -> String {
    let path = rig.file("secret").path
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  static let naming = [
    "token_file = \"SECRET\"", "user = \"van\"\npassword_file = \"SECRET\"",
    "[sync.header_files]\nX-Api-Key = \"SECRET\"",
  ]

  @Test(
    "a secret that others may read keeps nobody from asking the agent: check judges it",
    arguments: naming)
  func openSecret(_ naming: String) throws {
    let path = try secret("s3cret\n", mode: 0o644)
    try write("[sync]\nurl = \"https://tracking.example/\"\n" + naming.replacing("SECRET", with: path))
    for (command, code) in [
      ("status", 69), ("sync", 69), ("queue", 73), ("pause", 0), ("resume", 0), ("schedule", 0),
    ] {
      let outcome = try godwit(command, "--config", settings)
      #expect(outcome.code == code, "\(command): \(outcome)")
      #expect(!outcome.errors.contains("mode 0644"), "\(command): \(outcome)")
    }
    let outcome = try godwit("check", settings)
    #expect(outcome.code == 78)
    #expect(outcome.errors.contains("\(path) has mode 0644, but only its owner may read it: chmod 0600"))
  }

  @Test(
    "a secret that is missing or empty is a mistake, whichever it is",
    arguments: naming)
  func badSecret(_ naming: String) throws {
    let text = "[sync]\nurl = \"https://tracking.example/\"\n"
    try write(text + naming.replacing("SECRET", with: rig.file("nowhere").path))
    let missing = try godwit("check", settings)
    #expect(missing.code == 78, "\(missing)")
    try write(text + naming.replacing("SECRET", with: try secret("\n\n")))
    let empty = try godwit("check", settings)
    #expect(empty.code == 78, "\(empty)")
    #expect(empty.errors.contains("is empty: write the secret into it"), "\(empty)")
  }

  @Test(
    "root's check looks at secrets as the owner of the queue's folder, whom the agent runs as",
    .enabled(if: geteuid() == 0), arguments: naming)
  func secretOfRoot(_ naming: String) throws {
    let (path, folder) = (try secret("s3cret\n"), rig.file("state").path)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // nobody: a user that each system has.
    #expect(chown(folder, 65534, 65534) == 0 && chmod(rig.file("").path, 0o755) == 0)
    try """
    [sync]
    url = "https://tracking.example/"
    \(naming.replacing("SECRET", with: path))
    [queue]
    path = "\(folder)/queue.db"
    """.write(toFile: settings, atomically: true, encoding: .utf8)
    let refused = try godwit("check", settings)
    #expect(refused.code == 78, "\(refused)")
    let words = "\(path) cannot be read by the user nobody: sudo chown nobody \(path)\n"
    #expect(refused.errors.contains(words), "\(refused)")
    #expect(chown(path, 65534, 65534) == 0)
    let fine = try godwit("check", settings)
    #expect(fine.code == 0 && !fine.output.contains("warning"), "\(fine)")
  }

  @Test("check says in words which days numbers mean, and accepts them")
  func numericDays() throws {
    try write("schedule = [\"1-5 09:00-17:00\"]\n")
    let outcome = try godwit("check", settings)
    #expect(outcome.code == 0)
    #expect(
      outcome.output.contains(
        "  note: schedule rule \"1-5 09:00-17:00\" means Sunday to Thursday, since day 1 is Sunday: write sun-thu, or "
          + "mon-fri if day 1 is to be Monday\n"), "\(outcome)")
    let windows = try godwit("schedule", "--rule", "1-5 09:00-17:00", "--timezone", "UTC")
    #expect(windows.code == 0 && windows.errors.contains("means Sunday to Thursday"), "\(windows)")
  }

  @Test(
    "who may not reach the agent gets 77 from each command that asks it", .enabled(if: geteuid() == 0),
    arguments: ["status", "sync", "locate", "reload", "pause", "queue"])
  func notAllowed(command: String) throws {
    try write("[sync]\nurl = \"https://tracking.example/\"\n")
    let run = rig.file("run").path
    #expect(chmod(run, 0o700) == 0)
    #expect(chmod(rig.file("").path, 0o755) == 0)
    let outcome = try CommandTests.asNobody([command, "--config", settings], copiedTo: rig.folder)
    #expect(outcome.code == 77, "\(outcome)")
    #expect(outcome.errors.contains("join the group godwit, or use sudo"), "\(outcome)")
  }

  @Test("check of a folder says to name the files in it, and goes on with the others")
  func folder() throws {
    let folder = rig.file("fleet").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try write("")
    for (named, shown) in [(folder, folder + "/*.toml"), (folder + "/", folder + "/*.toml")] {
      let outcome = try godwit("check", "--elsewhere", named, settings)
      #expect(outcome.code == 66, "\(outcome)")
      #expect(outcome.errors == "\(named) is a folder: name the files in it, such as \(shown)\n")
      #expect(outcome.output.hasPrefix("\(settings): fine\n  device "), "\(outcome)")
    }
  }

  @Test(
    "check says that records will go in the clear where that is allowed, and where they leave the machine",
    arguments: [
      ("http://10.1.2.3/v1", "http"), ("mqtt://broker.example/{device}", "mqtt"),
      ("http://127.0.0.1/v1", nil),
      ("https://tracking.example/v1", nil),
    ] as [(String, String?)])
  func plaintext(url: String, scheme: String?) throws {
    try write("[sync]\nurl = \"\(url)\"\nallow_plaintext = true\n")
    let outcome = try godwit("check", settings)
    #expect(outcome.code == 0, "\(outcome)")
    let notes = outcome.output.split(separator: "\n").filter { $0.contains("note:") }
    let wanted = scheme.map {
      "  note: sync.allow_plaintext is true: over \($0):// anyone on the way reads the token and every position, "
        + "and can steer this device"
    }
    #expect(notes.map { String($0) } == [wanted].compactMap { $0 })
  }

  @Test(
    "check reads the battery's voltage once, and doubts what no battery has",
    arguments: [
      ("12612", "0.001", "  battery   12.61 V\n", ""),
      (
        "12612", "0.000001", "  battery   0.01 V\n",
        "  warning: battery.volts_per_unit: 12612 times 1e-06 is 0.01 V, which no vehicle's battery has: with 0.001 it would be 12.61 V\n"
      ),
      (
        "12612", "1", "  battery   12612 V\n",
        "  warning: battery.volts_per_unit: 12612 times 1 is 12612 V, which no vehicle's battery has: with 0.001 it would be 12.61 V\n"
      ),
      (
        "0", "0.001", "  battery   0 V\n",
        "  warning: battery.voltage_file: it reads 0 V, which no vehicle's battery has: is the battery connected, and is this the right file?\n"
      ),
    ])
  func voltage(number: String, factor: String, line: String, warning: String) throws {
    let path = rig.file("in1_input").path
    try "\(number)\n".write(toFile: path, atomically: true, encoding: .utf8)
    try write("[battery]\nvoltage_file = \"\(path)\"\nvolts_per_unit = \(factor)\n")
    let outcome = try godwit("check", settings)
    #expect(outcome.code == 0)
    #expect(outcome.output.contains(line), "\(outcome.output)")
    let warnings = outcome.output.split(separator: "\n").filter { $0.hasPrefix("  warning: ") }
    #expect(warnings.map { $0 + "\n" } == [warning].filter { !$0.isEmpty }, "\(outcome.output)")
  }
}
