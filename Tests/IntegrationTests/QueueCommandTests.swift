import CHost
import Foundation
import Testing
import TrackerBase
import TrackerIO

/// `godwit queue` on a real queue file, with an agent that has it and without.
@Suite("godwit queue", .serialized)
struct QueueCommandTests {
  /// A queue of six positions and three events of 2026-01-01, one in quarantine beside them.
  func filledRig() throws -> Rig {
    let rig = try Rig()
    let settings = """
      device_id = "x"
      schedule = ["2020-01-01 00:00-00:01"]
      [queue]
      path = "\(rig.file("queue.db").path)"
      commit_interval_s = 1
      [run]
      directory = "\(rig.file("run").path)"

      """
    try settings.write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    let queue = try QueueStore(path: rig.file("queue.db").path)
    try queue.commit(Commit(records: (1...10).map { Self.record($0) }))
    try queue[0].quarantine(10, reason: "422 no such \u{1B}[2Jdevice")
    return rig
  }

  private static func record(_ sequence: Int64) -> Record {
    let fix = Fix(
      time_ms: 1_767_225_600_000, position: Position(latitude_deg: 47.3769, longitude_deg: 8.5417),
      accuracy_m: 4)
    return Record(
      sequence: sequence,
      content: sequence == 9
        ? .geofence(GeofenceEvent(action: .exit, geofence: "home"))
        : sequence % 3 == 0 ? .unknown(.trip, text: "") : .position(),
      time_ms: 1_767_225_600_000 + sequence * 60_000, timeSource: .gps, boot_ms: 5, fix: fix, isMoving: true,
      tripID: nil, odometer_m: 1)
  }

  private func queue(_ rig: Rig, _ arguments: String...) throws -> CommandTests.Outcome {
    let config = ["--config", rig.file("godwit.toml").path]
    let outcome = try CommandTests.godwit(["queue"] + arguments + config)
    if !arguments.contains("export") {
      for place in ["47.3769", "8.5417"] {
        #expect(!outcome.output.contains(place) && !outcome.errors.contains(place))
      }
    }
    return outcome
  }

  private func summary(_ rig: Rig) throws -> [String: Any] {
    let outcome = try queue(rig, "--json")
    let read = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    return read as? [String: Any] ?? [:]
  }

  /// The agent may have made records of its own: those of the test are of one day.
  private func isOurs(_ line: Substring) -> Bool { line.contains(#""timestamp":"2026-01-01T"#) }

  private func exported(_ rig: Rig) throws -> [Substring] {
    try queue(rig, "export", "-").output.split(separator: "\n").filter { isOurs($0) }
  }

  private func start(_ rig: Rig, _ withAgent: Bool) async throws {
    if withAgent { try await rig.startAgentAsWritten() }
  }

  @Test("the summary says when it comes from the file", arguments: [false, true])
  func show(_ withAgent: Bool) async throws {
    let rig = try filledRig()
    try await start(rig, withAgent)
    let outcome = try queue(rig)
    #expect(outcome.code == 0 && outcome.output.contains("1 in quarantine"), "\(outcome)")
    #expect(outcome.errors.contains("no agent runs") == !withAgent)
    #expect(try summary(rig)["records"] as? Int ?? 0 >= 9)
  }

  @Test(
    "a queue file that this user may not read is not taken for a damaged one", .enabled(if: geteuid() == 0))
  func unreadable() throws {
    let rig = try filledRig()
    // The folder is the user's, the database is not: as after a restore by root.
    for name in try FileManager.default.contentsOfDirectory(atPath: rig.folder.path) + ["."] {
      chown(rig.file(name).path, 65534, 65534)
    }
    let database = rig.file("queue.db").path
    #expect(chown(database, 0, 0) == 0 && chmod(database, 0o600) == 0)
    let user = Process()
    user.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    user.arguments = [
      "--reuid", "65534", "--regid", "65534", "--clear-groups", Rig.product("godwit").path, "queue",
    ]
    user.arguments?.append(contentsOf: ["--config", rig.file("godwit.toml").path])
    let errors = Pipe()
    (user.standardOutput, user.standardError) = (FileHandle.nullDevice, errors)
    try user.run()
    let words = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    user.waitUntilExit()
    #expect(user.terminationStatus != 0, "\(words)")
    let names = try FileManager.default.contentsOfDirectory(atPath: rig.folder.path)
    #expect(!names.contains { $0.contains("corrupt") }, "\(names) \(words)")
    #expect(chown(database, 65534, 65534) == 0)
    #expect(try exported(rig).count == 9)
  }

  private func files(_ rig: Rig) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: rig.folder.path)
      .filter { $0.hasPrefix("queue.db") && $0 != "queue.db.lock" }
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: rig.file($0))) })
  }

  @Test(
    "a file that is no queue stays as it is: exit 73, and what to do",
    arguments: ["", "notes\n", String(repeating: "U", count: 10_000)])
  func noQueue(_ text: String) throws {
    let rig = try filledRig()
    for name in try files(rig).keys { try FileManager.default.removeItem(at: rig.file(name)) }
    try text.write(to: rig.file("queue.db"), atomically: false, encoding: .utf8)
    try refuses(rig)
  }

  @Test("a damaged queue is the agent's to mend", arguments: [0, 1, 3])
  func damagedQueue(page: UInt64) throws {
    let rig = try filledRig()
    let file = try FileHandle(forWritingTo: rig.file("queue.db"))
    try file.seek(toOffset: page * 1024)
    file.write(Data(repeating: 0x55, count: 1024))
    try file.close()
    try refuses(rig)
  }

  private func refuses(_ rig: Rig) throws {
    let before = try files(rig)
    for arguments in [[], ["export", "-"], ["quarantine"], ["purge", "--yes"]] {
      let outcome = try CommandTests.godwit(
        ["queue"] + arguments + ["--config", rig.file("godwit.toml").path])
      #expect(outcome.code == 73 && outcome.output.isEmpty, "\(outcome)")
      #expect(
        outcome.errors.contains(
          "\(rig.file("queue.db").path) is no queue, or a damaged one, and stays as it is: if it is another "
            + "file, set queue.path to one of its own; if not, start the agent, which saves what is readable"),
        "\(outcome)")
      #expect(try files(rig) == before)
    }
  }

  @Test("export writes every record as a line, into a new file of one's own", arguments: [false, true])
  func export(_ withAgent: Bool) async throws {
    let rig = try filledRig()
    try await start(rig, withAgent)
    let file = rig.file("out.jsonl")
    let outcome = try queue(rig, "export", file.path)
    #expect(outcome.code == 0 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors.contains(" waiting records exported\n"))
    let lines = rig.text("out.jsonl").split(separator: "\n").filter { isOurs($0) }
    #expect(lines.count == 9)
    for line in lines {
      let read = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(read?["latitude"] as? Double == 47.3769)
    }
    #expect(try exported(rig) == lines)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)

    let again = try queue(rig, "export", file.path)
    #expect(again.code == 73)
    #expect(again.errors.contains("is there already: name another file"))
    let nowhere = try queue(rig, "export", rig.file("no/such/out").path)
    #expect(nowhere.code == 73 && nowhere.errors.contains("No such file"))
  }

  /// Never with a device node: a fault here removes it from the machine.
  @Test(
    "export leaves what is there already as it is: a file, a link, a FIFO, a folder",
    arguments: [["queue", "export"], ["queue", "quarantine", "export"]])
  func exportOntoSomething(_ command: [String]) throws {
    let rig = try filledRig()
    let places = ["file", "link", "dangling", "fifo", "folder"]
    try "mine".write(to: rig.file("file"), atomically: true, encoding: .utf8)
    symlink(rig.file("file").path, rig.file("link").path)
    symlink(rig.file("nowhere").path, rig.file("dangling").path)
    mkfifo(rig.file("fifo").path, 0o600)
    mkdir(rig.file("folder").path, 0o700)
    for place in places {
      var (before, after) = (stat(), stat())
      #expect(lstat(rig.file(place).path, &before) == 0)
      let outcome = try CommandTests.godwit(
        command + [rig.file(place).path, "--config", rig.file("godwit.toml").path])
      #expect(outcome.code == 73 && outcome.errors.contains("is there already"), "\(place): \(outcome)")
      #expect(lstat(rig.file(place).path, &after) == 0, "\(place) is gone")
      #expect(before.st_ino == after.st_ino && before.st_mode == after.st_mode)
    }
    #expect(rig.text("file") == "mine" && access(rig.file("nowhere").path, F_OK) != 0)
  }

  @Test("export as one body of the server's format")
  func geomony() throws {
    let rig = try filledRig()
    let outcome = try queue(rig, "export", "-", "--format", "geomony")
    let body = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
    #expect((body?["location"] as? [Any])?.count == 8)
    let events = body?["geofence"] as? [[String: Any]]
    #expect(events?.map { $0["identifier"] as? String } == ["home"])
  }

  @Test("a purge takes what is named, and the ledger and the agent know", arguments: [false, true])
  func purge(_ withAgent: Bool) async throws {
    let rig = try filledRig()
    try await start(rig, withAgent)
    let before = try summary(rig)["records"] as? Int ?? 0
    let outcome = try queue(
      rig, "purge", "--yes", "--positions-only", "--before", "2026-01-01T00:06+00:00")
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.output == "4 records purged; the ledger counts them under purged\n")
    let after = try summary(rig)
    #expect((after["ledger"] as? [String: Int])?["purged"] == 4)
    #expect(try exported(rig).count == 5)
    if withAgent {
      let known = rig.status()?["queue"] as? [String: Any]
      #expect(known?["records"] as? Int ?? .max <= before - 4 + 2)
      #expect(rig.text("agent.log").contains("an operator purges the queue"))
      try await rig.end("agent")
      #expect(try exported(rig).count == 5)
    }
    let none = try queue(rig, "purge", "--yes", "--before", "2026-01-01T00:01Z")
    #expect(none.output == "no record to purge\n" && none.code == 0, "\(none)")
  }

  @Test("a purge without a terminal wants --yes, and a malformed time is named")
  func notAsked() throws {
    let rig = try filledRig()
    let outcome = try queue(rig, "purge")
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains("--yes purges without asking"))
    let time = try queue(rig, "purge", "--yes", "--before", "yesterday")
    #expect(time.code == 64 && time.errors.contains("\"yesterday\" is not a time"))
    #expect(try exported(rig).count == 9)
  }

  @Test(
    "on a terminal the number of records must be typed",
    arguments: [("8", 65, 9), ("y", 65, 9), ("9", 0, 0)])
  func typed(_ answer: String, _ code: Int32, _ left: Int) throws {
    let rig = try filledRig()
    var name = [CChar](repeating: 0, count: 64)
    let terminal = chost_open_pty(&name, UInt(name.count))
    let other = open(name, O_RDWR | O_NOCTTY)
    #expect(terminal >= 0 && other >= 0)
    defer { for descriptor in [terminal, other] { close(descriptor) } }
    let line = Array("\(answer)\n".utf8)
    #expect(write(terminal, line, line.count) == line.count)
    let outcome = try CommandTests.godwit(
      ["queue", "purge", "--config", rig.file("godwit.toml").path],
      input: FileHandle(fileDescriptor: other))
    #expect(outcome.code == code, "\(outcome)")
    #expect(outcome.errors.contains("deletes 9 records that the server does not have"))
    #expect(outcome.errors.contains("nothing was purged") == (code != 0))
    #expect(try exported(rig).count == left)
  }

  @Test("what is in quarantine is listed, exported, and put back as it was", arguments: [false, true])
  func quarantine(_ withAgent: Bool) async throws {
    let rig = try filledRig()
    try await start(rig, withAgent)
    let list = try queue(rig, "quarantine")
    #expect(list.output.hasPrefix("10  position  2026-01-01T00:10:00.000Z  refused "), "\(list)")
    #expect(list.output.hasSuffix(": 422 no such  [2Jdevice\n"))
    let lines = try queue(rig, "quarantine", "list", "--json").output.split(separator: "\n")
    #expect(lines.count == 1 && lines[0].hasPrefix(#"{"sequence":10,"kind":"position","#))

    let refused = try queue(rig, "quarantine", "export", "-")
    #expect(refused.errors.contains("1 quarantined record exported"))
    let missing = try queue(rig, "quarantine", "retry", "4")
    #expect(missing.code == 66 && missing.errors.contains("1 of these are not in quarantine"))
    let retry = try queue(rig, "quarantine", "retry", "10")
    #expect(retry.code == 0 && retry.output == "1 record waits for the server again\n", "\(retry)")
    #expect(try exported(rig).last.map { $0 + "\n" } == refused.output[...])
    let empty = try queue(rig, "quarantine")
    #expect(empty.output == "nothing is in quarantine\n")
    let all = try queue(rig, "quarantine", "retry", "--all")
    #expect(all.code == 0 && all.output == "0 records wait for the server again\n")
    #expect(try queue(rig, "quarantine", "retry").code == 64)
  }

  @Test("thousands of records are exported and purged in parts while the agent runs")
  func many() async throws {
    let rig = try filledRig()
    do {
      let queue = try QueueStore(path: rig.file("queue.db").path)
      try queue.commit(Commit(records: (11...5000).map { Self.record($0) }))
    }
    try await rig.startAgentAsWritten()
    let lines = try queue(rig, "export", "-").output.split(separator: "\n")
    let uuids = lines.compactMap { $0.split(separator: #""uuid":""#).last }
    #expect(Set(uuids).count == lines.count && lines.count >= 4999)
    let outcome = try queue(rig, "purge", "--yes", "--before", "2026-02-01")
    #expect(outcome.output == "4999 records purged; the ledger counts them under purged\n")
    #expect(try exported(rig).isEmpty)
  }

  @Test("a file that another program has open is left alone: exit 75, and what to do")
  func openElsewhere() throws {
    let rig = try filledRig()
    let holder = try QueueStore(path: rig.file("queue.db").path)
    let outcome = try withExtendedLifetime(holder) { try queue(rig, "purge", "--yes") }
    #expect(outcome.code == 75)
    #expect(outcome.errors.contains("close the other program that has the queue file open"), "\(outcome)")
  }

  @Test("what root's look at the file makes belongs to the file's owner", .enabled(if: getuid() == 0))
  func owner() throws {
    let rig = try filledRig()
    for name in ["", "queue.db", "queue.db-wal"] { #expect(chown(rig.file(name).path, 65534, 65534) == 0) }
    // After an orderly end there is nothing in it that the file has not.
    try FileManager.default.removeItem(at: rig.file("queue.db-wal"))
    let outcome = try queue(rig)
    #expect(outcome.code == 0 && !outcome.errors.contains("removed"), "\(outcome)")
    for name in ["queue.db", "queue.db-wal", "queue.db.lock"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: rig.file(name).path)
      #expect(attributes[.ownerAccountID] as? Int == 65534, "\(name)")
    }
    #expect(try queue(rig, "export", rig.file("run/out").path).code == 0)
  }

  @Test("a queue that someone else holds is left alone: exit 75, and who it is")
  func held() async throws {
    let rig = try filledRig()
    try await rig.startAgentAsWritten()
    let elsewhere = rig.text("godwit.toml").replacing(rig.file("run").path, with: rig.file("gpio").path)
    try elsewhere.write(to: rig.file("other.toml"), atomically: true, encoding: .utf8)
    let outcome = try CommandTests.godwit(["queue", "--config", rig.file("other.toml").path])
    #expect(outcome.code == 75)
    #expect(outcome.errors.contains("another godwit (process "))
    #expect(outcome.errors.contains("No agent answers in run.directory"))
  }

  @Test(
    "export writes what waits as GPX, GeoJSON and CSV, of a time or all, and takes nothing away",
    arguments: [false, true])
  func tracks(_ withAgent: Bool) async throws {
    let rig = try filledRig()
    try await start(rig, withAgent)
    let config = ["--config", rig.file("godwit.toml").path]
    func export(_ arguments: String...) throws -> CommandTests.Outcome {
      try CommandTests.godwit(["export"] + arguments + config)
    }
    let day = ["--from", "2026-01-01T00:00Z", "--to", "2026-01-02T00:00Z"]
    let gpx = try CommandTests.godwit(["export"] + day + config)
    #expect(gpx.code == 0 && gpx.errors.hasSuffix("9 records exported\n"), "\(gpx)")
    #expect(gpx.output.split(separator: "<trkpt ").count - 1 == 6)
    #expect(gpx.output.split(separator: "<wpt ").count - 1 == 3)
    let json = try CommandTests.godwit(["export", "--format", "geojson"] + day + config)
    let features =
      (try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])?["features"]
      as? [Any]
    #expect(features?.count ?? 0 >= 4, "\(json)")
    let part = try export("--format", "csv", "--from", "2026-01-01T00:03Z", "--to", "2026-01-01T00:05Z")
    #expect(part.output.split(separator: "\n").count == 1 + 2, "\(part)")
    let file = rig.file("day.csv").path
    let whole = try CommandTests.godwit(["export", file, "--format", "csv"] + day + config)
    #expect(whole.code == 0 && whole.output.isEmpty)
    let replayed = try CommandTests.godwit(["simulate", "--track", file])
    #expect(replayed.code == 0, "\(replayed)")
    #expect(try export(file).code == 73)
    let refused = try export("--quarantined", "--format", "csv")
    #expect(refused.output.split(separator: "\n").count == 1 + 1, "\(refused)")
    #expect(try summary(rig)["records"] as? Int ?? 0 >= 9)
  }

  @Test("export says what is wrong with a time")
  func exportTimes() throws {
    let rig = try filledRig()
    let config = ["--config", rig.file("godwit.toml").path]
    let bad = try CommandTests.godwit(["export", "--from", "monday"] + config)
    #expect(bad.code == 64)
    #expect(
      bad.errors == "godwit: --from \"monday\" is not a time such as 2026-03-28 or 2026-03-28T12:00+01:00\n")
    let empty = try CommandTests.godwit(["export", "--from", "2026-03-28", "--to", "2026-03-28"] + config)
    #expect(empty.code == 64 && empty.errors.contains("--to is not after --from"), "\(empty)")
  }
}
