import Foundation
import Testing

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

  @Test(
    "on a terminal each status takes the place of the one before, and an agent that is not there may come")
  func terminal() async throws {
    let rig = try rig()
    let words = "status --watch --interval-s 0.5 --config \(rig.file("godwit.toml").path)"
    try rig.start(
      "watch", URL(filePath: "/usr/bin/script"),
      ["-qfc", "\(Rig.product("godwit").path) \(words)", "/dev/null"])
    try await rig.wait(until: "it says that nobody answers") {
      rig.text("watch.log").contains("\u{1B}[2J") && rig.text("watch.log").contains("no agent answers in")
    }
    try await rig.startAgentAsWritten()
    try await rig.wait(until: "the agent is there") { rig.text("watch.log").contains("device ") }
    rig.signal("watch", SIGTERM)
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
