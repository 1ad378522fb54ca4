import Foundation
import Testing

/// What the surroundings of the process do to it: nobody reads its log, its files are something else, descriptors run
/// out, its folder is gone. The real agent, without gpsd and server.
@Suite(
  "Surroundings", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct HostProblemTests {
  private func level(_ rig: Rig) -> String { String(rig.text("gpio/gps-power").prefix(1)) }

  private func off(_ rig: Rig) throws -> CommandTests.Outcome {
    try CommandTests.godwit([
      "power", "off", "--config", rig.file("godwit.toml").path, "--directory", rig.file("run").path,
    ])
  }

  private func warnings(_ rig: Rig, _ name: String) -> Int {
    let all = rig.status()?["warnings"] as? [String: [String: Any]]
    return all?[name]?["count"] as? Int ?? 0
  }

  /// An agent that a shell starts, with its redirections and limits. Its log is `agent.log` where `shell` says nothing.
  private func start(_ rig: Rig, _ shell: String, _ settings: String = "") async throws {
    if rig.gpsdPort == 0 { rig.gpsdPort = freePort() }
    rig.url = "http://127.0.0.1:9/"
    try rig.writeSettings(settings)
    try restart(rig, shell)
    try await rig.wait(until: "the agent answers") { rig.status() != nil }
  }

  private func restart(_ rig: Rig, _ shell: String) throws {
    let command = "\(Rig.product("godwit").path) run --config \(rig.file("godwit.toml").path)"
    try rig.start(
      "agent", URL(fileURLWithPath: "/bin/bash"),
      ["-c", shell.replacingOccurrences(of: "AGENT", with: command)])
  }

  private func cpu_s(_ rig: Rig) -> Double {
    let stat =
      (try? String(contentsOfFile: "/proc/\(rig.processID("agent") ?? 0)/stat", encoding: .utf8)) ?? ""
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12 else { return .infinity }
    return ((Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  // MARK: the log

  @Test("a log that nobody reads holds up nothing: the agent answers, stops, and starts again")
  func unreadLog() async throws {
    let rig = try Rig()
    let pipe = rig.file("log").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    defer { close(reader) }
    // Whoever wrote before has filled it.
    let filler = [UInt8](repeating: 0x2E, count: 4096)
    while write(reader, filler, filler.count) > 0 {}
    try await start(rig, "exec AGENT 2>\(pipe)", "log_level = \"debug\"\n")
    try await rig.wait(until: "the GPS is on") { level(rig) == "1" }
    // Some refused reloads, a line for each mistake, write more than the ring holds.
    let fine = rig.text("godwit.toml")
    try fine.write(to: rig.file("fine.toml"), atomically: true, encoding: .utf8)
    let mistakes = (0..<100).map { "no_such_key_\($0) = 1\n" }.joined()
    try (fine + mistakes).write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    var last = 0
    try await rig.wait(until: "lines are lost") {
      for _ in 0..<20 { rig.signal("agent", SIGHUP) }
      let answer = rig.output(
        Rig.product("godwit"), ["status", "--json", "--config", rig.file("fine.toml").path])
      let status = (try? JSONSerialization.jsonObject(with: answer)) as? [String: Any]
      let all = status?["warnings"] as? [String: [String: Any]]
      last = all?["log_lost"]?["count"] as? Int ?? 0
      return last > 0
    }
    try await rig.end("agent")
    #expect(level(rig) == "0")
    try fine.write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    try restart(rig, "exec AGENT 2>\(pipe)")
    try await rig.wait(until: "the GPS is on again") { level(rig) == "1" }
    rig.signal("agent", SIGKILL)
    try await rig.wait(until: "it is dead") { !rig.isRunning("agent") }
    let offCommand = "\(Rig.product("godwit").path) power off --config \(rig.file("godwit.toml").path)"
    try rig.start("off", URL(fileURLWithPath: "/bin/bash"), ["-c", "exec \(offCommand) >\(pipe) 2>&1"])
    try await rig.wait(until: "it is switched off") { !rig.isRunning("off") }
    #expect(level(rig) == "0")
  }

  @Test("without standard input, output and error no file of the agent takes their place")
  func closedDescriptors() async throws {
    let rig = try Rig()
    try await start(rig, "exec AGENT 0<&- 1>&- 2>&-", "log_level = \"debug\"\n")
    try await rig.wait(until: "gpsd is missed") { warnings(rig, "gpsd_lost") > 0 }
    for descriptor in 0...2 {
      let path = "/proc/\(rig.processID("agent") ?? 0)/fd/\(descriptor)"
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "/dev/null")
    }
    #expect(rig.text("queue.db.lock") == "\(rig.processID("agent") ?? 0)\n")
    try await rig.end("agent")
  }

  // MARK: files

  @Test(
    "a settings file that is something else holds up neither a reload nor power off",
    arguments: ["pipe", "directory", "device", "loop", "huge"])
  func strangeSettings(_ kind: String) async throws {
    let rig = try Rig()
    try await start(rig, "exec AGENT")
    try await rig.wait(until: "the GPS is on") { level(rig) == "1" }
    let (path, good) = (rig.file("godwit.toml").path, rig.file("good.toml").path)
    rename(path, good)
    switch kind {
    case "pipe": mkfifo(path, 0o600)
    case "directory": mkdir(path, 0o700)
    case "device": symlink("/dev/zero", path)
    case "loop": symlink(path, path)
    default:
      close(open(path, O_WRONLY | O_CREAT, 0o600))
      truncate(path, 200 << 20)
    }
    rig.signal("agent", SIGHUP)
    try await rig.wait(until: "it is refused") {
      rig.text("agent.log").contains("; the settings stay as they were")
    }
    #expect(rig.isRunning("agent"))
    try await rig.end("agent", with: SIGKILL)
    #expect(level(rig) == "1")
    let outcome = try off(rig)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("what the last agent used counts"), "\(outcome.errors)")
    #expect(level(rig) == "0")
    // A start says why, and goes on as the last run was.
    try restart(rig, "exec AGENT")
    try await rig.wait(until: "the GPS is on again") { level(rig) == "1" }
    #expect(rig.text("agent.log").components(separatedBy: "settings of the last run").count > 1)
    try await rig.end("agent")
  }

  @Test(
    "a queue file that is something else: the agent runs, says so, and stores again once it is gone",
    arguments: ["", "-wal", ".lock", ".state"])
  func strangeQueue(_ suffix: String) async throws {
    let rig = try Rig()
    try await start(rig, "exec AGENT")
    try await rig.end("agent")
    let path = rig.file("queue.db").path + suffix
    rename(path, path + ".kept")
    mkfifo(path, 0o600)
    try await start(rig, "exec AGENT")
    #expect(rig.text("agent.log").contains("\(path) is a pipe (FIFO) and not a file"))
    let isUnread = ["", "-wal"].contains(suffix)
    if isUnread {
      try await rig.wait(until: "the status says so") { warnings(rig, "storage_failed") > 0 }
    }
    unlink(path)
    rename(path + ".kept", path)
    if isUnread {
      // It does not know what the queue holds. systemd starts it anew.
      try await rig.wait(until: "it has stored what it made, and ends") { !rig.isRunning("agent") }
      #expect(rig.text("agent.log").contains("the queue can be read now: the agent starts again from it"))
      try await start(rig, "exec AGENT")
    }
    try await rig.wait(until: "it is stored again") {
      (rig.status()?["queue"] as? [String: Any])?["storage"] as? String == "ok"
    }
    try await rig.end("agent")
  }

  @Test("pipes in the place of token and certificates hold nobody up", arguments: ["token_file", "ca_file"])
  func strangeSecrets(_ key: String) async throws {
    let rig = try Rig()
    let path = rig.file("secret").path
    try Data("tok-1\n".utf8).write(to: rig.file("secret"))
    chmod(path, 0o600)
    rig.syncSettings = "\(key) = \"\(path)\"\nsync_retry_max_s = 1\nunauthorised_retry_s = 1\n"
    try await start(rig, "exec AGENT")
    unlink(path)
    mkfifo(path, 0o600)
    try await rig.wait(until: "it is reported") {
      rig.text("agent.log").contains("\(path) is a pipe (FIFO) and not a file")
    }
    // Nobody can ask for the status with those settings.
    try await rig.end("agent")
    #expect(level(rig) == "0")
  }

  // MARK: the folder

  @Test("a folder that is removed while the agent runs is put back, with all that was in it")
  func removedFolder() async throws {
    let rig = try Rig()
    try await start(rig, "exec AGENT")
    try FileManager.default.removeItem(at: rig.file("run"))
    try await rig.wait(until: "it is back") { rig.status() != nil && rig.text("run/status.json").count > 10 }
    #expect(rig.text("run/power.toml").contains("gps.power.line"))
    try await rig.end("agent")
    #expect(!FileManager.default.fileExists(atPath: rig.file("run/control").path))
  }

  @Test(
    "a full folder is no reason not to begin, and is used once there is room", .enabled(if: getuid() == 0))
  func fullFolder() async throws {
    let rig = try Rig()
    let folder = rig.file("run").path
    let mounted = rig.output(
      URL(fileURLWithPath: "/bin/bash"),
      [
        "-c",
        "mount -t tmpfs -o size=64k,nr_inodes=2 none \(folder) && echo x > \(folder)/filler && echo done",
      ])
    try #require(String(decoding: mounted, as: UTF8.self) == "done\n")
    defer { _ = rig.output(URL(fileURLWithPath: "/bin/umount"), ["-l", folder]) }
    rig.gpsdPort = freePort()
    rig.url = "http://127.0.0.1:9/"
    try rig.writeSettings("")
    try restart(rig, "exec AGENT")
    try await rig.wait(until: "the GPS is on") { level(rig) == "1" }
    try await rig.wait(until: "it says so") {
      rig.text("agent.log").contains("the agent goes on without it, and tries again")
    }
    _ = rig.output(URL(fileURLWithPath: "/bin/mount"), ["-o", "remount,size=1m,nr_inodes=100", folder])
    try await rig.wait(until: "there is a status") {
      rig.status() != nil && !rig.text("run/status.json").isEmpty
    }
    #expect(warnings(rig, "run_directory_failed") >= 1)
    #expect(rig.text("run/power.toml").contains("gps.power.line"))
    try await rig.end("agent")
  }

  // MARK: limits

  @Test("with few descriptors the agent neither spins nor dies, and says so", arguments: [17, 20, 24])
  func fewDescriptors(_ limit: Int) async throws {
    let rig = try Rig()
    if rig.gpsdPort == 0 { rig.gpsdPort = freePort() }
    rig.url = "http://127.0.0.1:9/"
    try rig.writeSettings("")
    try restart(rig, "ulimit -n \(limit); exec AGENT")
    // With the fewest neither gpsd nor the GPS power may be had.
    if limit > 17 { try await rig.wait(until: "the GPS is on") { level(rig) == "1" } }
    try await rig.wait(until: "it says so") {
      rig.text("agent.log").contains("only \(limit) descriptors may be open, and 64 are wanted")
    }
    for _ in 0..<3 { _ = rig.status() }
    let begun_s = cpu_s(rig)
    let until = Date(timeIntervalSinceNow: 4)
    try await rig.wait(until: "four seconds have passed") { Date() > until }
    #expect(cpu_s(rig) - begun_s < 1, "it spins")
    #expect(rig.isRunning("agent"))
    try await rig.end("agent")
    #expect(level(rig) == "0")
  }

  @Test("a limit on the size of files is a failure of the storage, not a signal", arguments: [8, 16])
  func fileSize(_ blocks: Int) async throws {
    let rig = try Rig()
    if rig.gpsdPort == 0 { rig.gpsdPort = freePort() }
    rig.url = "http://127.0.0.1:9/"
    try rig.writeSettings("")
    // The log is a file, and counts: cat writes it without a limit.
    try restart(rig, "exec 3> >(exec cat); ulimit -f \(blocks); exec AGENT 2>&3 3>&-")
    try await rig.wait(until: "the agent answers") { rig.status() != nil }
    try await rig.wait(until: "the status says so") { warnings(rig, "storage_failed") > 0 }
    try await rig.end("agent")
  }

  @Test("two dozen silent clients lock nobody out")
  func silentClients() async throws {
    let rig = try Rig()
    try await start(rig, "exec AGENT")
    let path = rig.file("run/control").path
    let clients = (0..<24).map { _ in connected(to: path) }
    defer { clients.forEach { close($0) } }
    try await rig.wait(until: "the agent answers") { rig.status() != nil }
    try await rig.end("agent")
  }

  private func connected(to path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return descriptor
  }
}
