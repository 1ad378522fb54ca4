import CHost
import Foundation
import FoundationNetworking

/// One vehicle's parts as processes: simulated module, gpsd, agent, collector. Ends them all when it goes.
final class Rig {
  let folder: URL
  private var running: [String: Process] = [:]
  private(set) var server = ""
  /// 0: the rig's own gpsd, once it runs.
  var gpsdPort = 0
  /// Where the agent posts, if that is not the collector itself.
  var url: String?
  /// More lines of the group `sync`.
  var syncSettings = ""
  /// More lines of the group `gps`.
  var gpsSettings = ""
  /// The device's name.
  var device = "rig"
  /// Lines that belong to no group.
  var topSettings = ""
  /// Of processes that shall not have the test's own, by name.
  var environments: [String: [String: String]] = [:]
  /// Programs with arguments that start processes, by the processes' names.
  var wrappers: [String: [String]] = [:]

  static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The folder of the test's own executable: the products lie beside it.
  static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()
  static let collector = repository.appendingPathComponent("collector/.build/debug/godwit-collector")

  /// - Parameter receiver: what the agent sends to.
  static func missing(receiver: URL = collector) -> String? {
    for part in ["/usr/sbin/gpsd", receiver.path, product("godwit").path, product("drive-feeder").path]
    where !FileManager.default.isExecutableFile(atPath: part) {
      return "\(part) is missing: Tests/run installs and builds it"
    }
    return nil
  }

  /// Tests of zones set TZ in this very process, beside others that start programs.
  static var environment: [String: String] {
    ProcessInfo.processInfo.environment.filter { $0.key != "TZ" }
  }

  static func product(_ name: String) -> URL { products.appendingPathComponent(name) }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-rig-\(UUID().uuidString)")
    for name in ["", "run", "gpio"] {
      // gpsd gives up root and must still reach its device.
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(name), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o755])
    }
  }

  deinit {
    // Each leads a group of its own: a shell's pipeline ends with it.
    for process in running.values where process.isRunning { kill(-process.processIdentifier, SIGKILL) }
    if ProcessInfo.processInfo.environment["GODWIT_KEEP_RIG"] == nil {
      try? FileManager.default.removeItem(at: folder)
    }
  }

  /// Where the queue lies, if not in the rig's own folder.
  var queuePath: String?

  func file(_ name: String) -> URL { folder.appendingPathComponent(name) }
  func text(_ name: String) -> String { (try? String(contentsOf: file(name), encoding: .utf8)) ?? "" }

  // MARK: parts

  /// Started again, it listens where it did before: the kernel gives that port to nobody else meanwhile.
  func startCollector() async throws {
    let port = server.split(separator: ":").last.map { String($0) } ?? "\(freePort())"
    try start("collector", Rig.collector, ["--database", file("collected.db").path, "--port", port])
    let started = announced("collector.log").count
    try await wait(until: "the collector listens") {
      announced("collector.log").count > started || (started > 0 && answers())
    }
    server = announced("collector.log").last ?? ""
  }

  /// Where a program says that it listens. What it logs beside that, and a line that is not whole yet, does not count.
  private func announced(_ log: String) -> [String] {
    let lines = text(log).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return lines.filter { $0.hasPrefix("listening on ") }.compactMap {
      $0.split(separator: " ").last.map(String.init)
    }
  }

  private func answers() -> Bool {
    server.isEmpty ? false : (try? Data(contentsOf: URL(string: "\(server)/v1/health")!)) != nil
  }

  /// TLS before the collector, by a certificate of yesterday to tomorrow: the agent posts there from now on.
  func startTLS() async throws {
    let port = server.split(separator: ":").last ?? ""
    try start(
      "tls", Rig.repository.appendingPathComponent("Tests/Rig/tls-front"), [folder.path, String(port)])
    try await wait(until: "the TLS server listens") { !announced("tls.log").isEmpty }
    url = "https://127.0.0.1:\(announced("tls.log").last ?? "")/v1/locations"
    syncSettings += "ca_file = \"\(file("server.pem").path)\"\n"
  }

  /// - Parameter link: the file that stands for the module's serial port.
  func startFeeder(_ options: [String], as name: String = "feeder", link: String = "gps") async throws {
    let always = ["--link", file(link).path, "--power-file", file("gpio/gps-power").path, "--wait-power"]
    try start(name, Rig.product("drive-feeder"), options + always + ["--sent", file("sent.jsonl").path])
    try await wait(until: "the module is there") { FileManager.default.fileExists(atPath: file(link).path) }
  }

  /// - Parameters:
  ///   - devices: in place of the feeder's.
  ///   - options: `-b`: gpsd sends its devices nothing.
  func startGPSD(devices: [String]? = nil, options: [String] = ["-b"]) async throws {
    if gpsdPort == 0 { gpsdPort = freePort() }
    let options =
      ["-N"] + options + ["-S", "\(gpsdPort)", "-F", file("gpsd.ctl").path] + (devices ?? [file("gps").path])
    let command = ownIPC + ["/usr/sbin/gpsd"] + options
    try start("gpsd", URL(fileURLWithPath: command[0]), Array(command.dropFirst()))
    try await wait(until: "gpsd listens") { canConnect(to: gpsdPort) }
  }

  func startAgent(_ settings: String, format: String = "geomony") async throws {
    try writeSettings(settings, format: format)
    try await startAgentAsWritten()
  }

  /// With the `godwit.toml` that is there.
  func startAgentAsWritten() async throws {
    try start("agent", Rig.product("godwit"), ["run", "--config", file("godwit.toml").path])
    try await wait(until: "the agent answers") { status() != nil }
  }

  func writeSettings(_ settings: String, format: String = "geomony") throws {
    // Recordings are played faster than time passes, and have dates of their own.
    let clock = settings.contains("[clock]") ? "" : "[clock]\nconfirm_s = 0\nclock_hold_s = 0"
    let common = """
      device_id = "\(device)"
      [gps]
      port = \(gpsdPort)
      min_off_s = 0
      settle_timeout_s = 1
      max_accuracy_m = 1000
      \(gpsSettings)
      [gps.power]
      mode = "level"
      chip = "simulated:\(file("gpio").path)"
      line = "gps-power"
      settle_ms = 0
      [queue]
      path = "\(queuePath ?? file("queue.db").path)"
      commit_interval_s = 1
      [sync]
      url = "\(url ?? "\(server)/v1/locations")"
      format = "\(format)"
      sync_interval_s = 2
      sync_retry_base_s = 1
      splay_s = 0
      \(syncSettings)
      \(clock)
      [run]
      directory = "\(file("run").path)"

      """
    try (topSettings + common + settings).write(to: file("godwit.toml"), atomically: true, encoding: .utf8)
  }

  func isRunning(_ name: String) -> Bool { running[name]?.isRunning ?? false }

  func signal(_ name: String, _ number: Int32) {
    guard let process = running[name], process.isRunning else { return }
    kill(process.processIdentifier, number)
  }

  /// - Returns: the exit code.
  @discardableResult
  func end(_ name: String, with number: Int32 = SIGTERM) async throws -> Int32 {
    signal(name, number)
    try await wait(until: "\(name) has ended") { !isRunning(name) }
    return running.removeValue(forKey: name)?.terminationStatus ?? -1
  }

  func processID(_ name: String) -> Int32? { running[name]?.processIdentifier }

  // MARK: looking

  /// The agent's status document; nil while it does not answer.
  func status() -> [String: Any]? {
    let answer = output(Rig.product("godwit"), ["status", "--json", "--config", file("godwit.toml").path])
    return (try? JSONSerialization.jsonObject(with: answer)) as? [String: Any]
  }

  func waiting() -> Int {
    let queue = status()?["queue"] as? [String: Any]
    return (queue?["records"] as? Int ?? .max / 4) + (queue?["in_memory"] as? Int ?? .max / 4)
  }

  func records() throws -> [Collected] {
    var all: [Collected] = []
    while true {
      let after = all.last.map { "&after=\($0.sequence)" } ?? ""
      // Not even a % or a / of the name is one of the path.
      let name = device.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      let url = URL(string: "\(server)/v1/devices/\(name)/records?limit=10000\(after)")!
      let page = try JSONDecoder().decode([Collected].self, from: Data(contentsOf: url))
      all += page
      if page.count < 10000 { return all }
    }
  }

  func sentFixes() -> [SentFix] {
    text("sent.jsonl").split(separator: "\n").compactMap {
      try? JSONDecoder().decode(SentFix.self, from: Data($0.utf8))
    }
  }

  /// GPS time of the last fix that the agent used, within one round of the week counter.
  func lastFix_ms() -> Int64? {
    let gps = status()?["gps"] as? [String: Any]
    guard let time = gps?["last_fix"] as? String else { return nil }
    let format = Date.ISO8601FormatStyle(includingFractionalSeconds: time.contains("."))
    return (try? format.parse(time)).map {
      withinRollover(Int64(($0.timeIntervalSince1970 * 1000).rounded()))
    }
  }

  /// With the feeder's option `--up-to`. - Parameter epoch: the first that is not played yet.
  func play(upTo epoch: Int) throws {
    try "\(epoch)".write(to: file("up-to"), atomically: true, encoding: .utf8)
  }

  /// As far as it may.
  func hasPlayed() -> Bool { !FileManager.default.fileExists(atPath: file("up-to").path) }

  func output(_ program: URL, _ arguments: [String]) -> Data {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.environment = Rig.environment.merging(["STATE_DIRECTORY": folder.path]) { $1 }
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return Data() }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return data
  }

  /// A program's exit status; what it says is not heard.
  static func status(of program: URL, _ arguments: [String]) -> Int32 {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    guard (try? process.run()) != nil else { return -1 }
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Whether what the agent sent, and what the collector reports, is what docs/openapi.yaml says.
  func contract(_ options: [String] = []) -> (isKept: Bool, words: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = Rig.repository.appendingPathComponent("Tests/Contract/collected")
    process.arguments = [file("collected.db").path, server] + options
    (process.standardOutput, process.standardError) = (pipe, pipe)
    do { try process.run() } catch { return (false, "\(error)") }
    let words = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus == 0, words)
  }

  /// Waits for the thing, not for a time: the limit only ends a test that has failed.
  func wait(until what: String, limit_s: Double = 900, _ isThere: () throws -> Bool) async throws {
    let end = Date(timeIntervalSinceNow: limit_s)
    while try !isThere() {
      guard Date() < end else { throw RigError.gaveUp("\(what): not within \(limit_s) s\n\(logs())") }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private func logs() -> String {
    ["agent", "feeder", "gpsd", "collector", "mosquitto"].map {
      "--- \($0)\n\(text("\($0).log").suffix(1500))"
    }
    .joined(separator: "\n")
  }

  func start(_ name: String, _ program: URL, _ arguments: [String]) throws {
    let log = file("\(name).log")
    if !FileManager.default.fileExists(atPath: log.path) {
      _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    }
    let handle = try FileHandle(forWritingTo: log)
    try handle.seekToEnd()
    let process = Process()
    let command = (wrappers[name] ?? []) + [program.path] + arguments
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = (environments[name] ?? Rig.environment).merging(["STATE_DIRECTORY": folder.path]) {
      $1
    }
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    running[name] = process
  }
}

enum RigError: Error, CustomStringConvertible {
  case gaveUp(String)
  case socket(Int32)

  var description: String {
    switch self {
    case .gaveUp(let what): what
    case .socket(let code): "socket: \(String(cString: strerror(code)))"
    }
  }
}

/// One record as the collector lists it.
struct Collected: Decodable {
  var uuid: String
  var sequence: Int64
  var timestamp: String
  var latitude: Double?
  var longitude: Double?
  var event: String
  var extras: String?

  /// Within one round of the GPS week counter: gpsd and the agent may each have moved a date by whole rounds.
  var time_ms: Int64 {
    withinRollover(Int64((Collected.parser.date(from: timestamp)!.timeIntervalSince1970 * 1000).rounded()))
  }

  var timeOfDay_ms: Int64 { time_ms % 86_400_000 }

  var details: [String: Any] {
    ((try? JSONSerialization.jsonObject(with: Data((extras ?? "").utf8))) as? [String: Any]) ?? [:]
  }

  // Formatters are safe to use from several threads once they are set up (Foundation's documentation).
  nonisolated(unsafe) private static let parser: ISO8601DateFormatter = {
    let parser = ISO8601DateFormatter()
    parser.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    return parser
  }()
}

/// One fix as the simulated module sent it.
struct SentFix: Decodable {
  private var sent_ms: Int64
  var lat: Double
  var lon: Double

  /// Within one round of the GPS week counter.
  var time_ms: Int64 { withinRollover(sent_ms) }

  enum CodingKeys: String, CodingKey {
    case sent_ms = "time_ms"
    case lat, lon
  }
}

/// 1024 weeks.
func withinRollover(_ time_ms: Int64) -> Int64 { time_ms % (1024 * 7 * 86_400_000) }

private func address(port: Int) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(port).bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

func canConnect(to port: Int) -> Bool {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  var name = address(port: port)
  return withUnsafePointer(to: &name) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
