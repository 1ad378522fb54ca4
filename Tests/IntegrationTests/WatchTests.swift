import CHost
import Foundation
import Testing

/// `godwit status --watch` with a pseudo-terminal of a size as its screen.
private final class Screen {
  private let terminal: Int32
  private let process = Process()
  private(set) var output = ""

  init(_ rig: Rig, columns: UInt16, rows: UInt16, environment: [String: String] = [:]) throws {
    var path = [CChar](repeating: 0, count: 64)
    terminal = chost_open_pty(&path, 64)
    _ = fcntl(terminal, F_SETFL, O_NONBLOCK)
    let other = open(path, O_RDWR | O_NOCTTY)
    let end = FileHandle(fileDescriptor: other, closeOnDealloc: true)
    process.executableURL = Rig.product("godwit")
    process.arguments = [
      "status", "--watch", "--interval-s", "0.5", "--config", rig.file("godwit.toml").path,
    ]
    let own = ["TERM": "xterm", "STATE_DIRECTORY": rig.folder.path].merging(environment) { $1 }
    process.environment = Rig.environment.filter { $0.key != "NO_COLOR" }.merging(own) { $1 }
    (process.standardInput, process.standardOutput, process.standardError) = (end, end, end)
    resize(columns: columns, rows: rows)
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    close(terminal)
  }

  /// The kernel tells those alone whose controlling terminal it is.
  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    if process.isRunning { kill(process.processIdentifier, SIGWINCH) }
  }

  /// All that there is: the kernel gives it in pieces.
  func read() {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Foundation.read(terminal, &bytes, bytes.count)
      if count <= 0 { return }
      output += String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  /// Each whole picture, as lines without commands.
  var pictures: [[String]] {
    output.components(separatedBy: "\u{1B}[H").dropFirst().filter { $0.contains("\u{1B}[J") }.map { picture in
      let text = picture.components(separatedBy: "\u{1B}[J")[0]
      return text.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "").components(separatedBy: "\r\n")
    }
  }

  /// - Returns: the signal that ended it.
  func end(by number: Int32) async throws -> Int32 {
    kill(process.processIdentifier, number)
    for _ in 0..<3000 where process.isRunning {
      read()
      try await Task.sleep(for: .milliseconds(10))
    }
    read()
    return process.isRunning ? 0 : process.terminationStatus
  }
}

@Suite(
  "The status on a terminal", .serialized,
  .disabled(
    if: Rig.missing(receiver: Rig.product("godwit")) != nil,
    "gpsd or a product is missing: Tests/run has them"))
struct WatchTests {
  private func rig() throws -> Rig {
    let rig = try Rig()
    (rig.gpsdPort, rig.url) = (freePort(), "http://127.0.0.1:9/")
    try rig.writeSettings("")
    return rig
  }

  private func see(_ what: String, _ screen: Screen, _ rig: Rig, _ isThere: ([String]) -> Bool) async throws {
    try await rig.wait(until: what) {
      screen.read()
      return screen.pictures.last.map(isThere) ?? false
    }
  }

  @Test(
    "it waits for an agent, shows it, follows the size, says that it has gone, and gives the terminal back")
  func wholeLife() async throws {
    let rig = try rig()
    let screen = try Screen(rig, columns: 80, rows: 24)
    try await see("it says that nobody answers", screen, rig) { $0[0].hasPrefix("no agent     answers in") }
    try await rig.startAgentAsWritten()
    try await see("the agent is there", screen, rig) { $0[0].hasPrefix("device ") }
    #expect(screen.pictures.allSatisfy { $0.count <= 24 && $0.allSatisfy { $0.count <= 80 } })
    #expect(screen.output.contains("\u{1B}[31m"), "gpsd is not there: that is red")

    let before = screen.pictures.count
    screen.resize(columns: 40, rows: 8)
    try await see("it is drawn for the other size", screen, rig) { $0.count <= 8 && $0[0].count <= 40 }
    let since = screen.pictures[before...].drop { $0.count > 8 }
    #expect(since.allSatisfy { $0.count <= 8 && $0.allSatisfy { $0.count <= 40 } })
    #expect(since.last?.contains { $0.contains("more lines: godwit status") } == true)

    rig.signal("agent", SIGKILL)
    try await see("it says that the agent has gone", screen, rig) { $0[0].hasPrefix("no agent") }
    #expect(try await screen.end(by: SIGTERM) == SIGTERM)
    #expect(screen.output.hasPrefix("\u{1B}[?1049h\u{1B}[?25l"))
    #expect(screen.output.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
  }

  @Test(
    "Ctrl-C and a terminal that goes away give the terminal back; NO_COLOR is obeyed",
    arguments: [SIGINT, SIGHUP])
  func ends(number: Int32) async throws {
    let rig = try rig()
    let screen = try Screen(rig, columns: 80, rows: 24, environment: ["NO_COLOR": "1"])
    try await see("it says that nobody answers", screen, rig) { $0[0].hasPrefix("no agent") }
    #expect(try await screen.end(by: number) == number)
    #expect(screen.output.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
    #expect(!screen.output.contains("\u{1B}[31m") && !screen.output.contains("\u{1B}[2m"))
  }

  @Test("a file gets one status after the other and no command; an interval that cannot be is refused")
  func noTerminal() async throws {
    let rig = try rig()
    try await rig.startAgentAsWritten()
    try rig.start(
      "watch", Rig.product("godwit"),
      ["status", "--watch", "--interval-s", "0.5", "--config", rig.file("godwit.toml").path])
    try await rig.wait(until: "it was shown twice") {
      rig.text("watch.log").components(separatedBy: "device       ").count > 2
    }
    #expect(!rig.text("watch.log").contains("\u{1B}"))
    rig.signal("watch", SIGKILL)
    let outcome = try CommandTests.godwit(["status", "--watch", "--interval-s", "0.1"], in: rig)
    #expect(outcome.code == 64 && outcome.errors.contains("--interval-s: 0.5 to 3600 seconds"))
  }

  @Test(
    "promtool has nothing to say of a real agent's figures",
    .enabled(if: promtool != nil, "promtool is missing: deploy/packages test installs it"))
  func promtoolReads() async throws {
    let rig = try rig()
    try await rig.startAgentAsWritten()
    let path = rig.file("godwit.toml").path
    let text = try CommandTests.godwit(["status", "--prometheus", "--config", path]).output
    #expect(text.contains("\ngodwit_uptime_seconds "))
    try text.write(to: rig.file("godwit.prom"), atomically: true, encoding: .utf8)
    let checker = Process()
    checker.executableURL = URL(fileURLWithPath: try #require(promtool))
    checker.arguments = ["check", "metrics"]
    let words = Pipe()
    checker.standardInput = try FileHandle(forReadingFrom: rig.file("godwit.prom"))
    (checker.standardOutput, checker.standardError) = (words, words)
    try checker.run()
    let said = String(decoding: words.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    checker.waitUntilExit()
    #expect(checker.terminationStatus == 0 && said.isEmpty, "\(said)")
  }
}

private let promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"].first {
  FileManager.default.isExecutableFile(atPath: $0)
}
