import Foundation
import Testing

/// `godwit power off` beside a real agent.
@Suite(
  "GPS power off", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct PowerTests {
  private func level(_ rig: Rig) -> String { String(rig.text("gpio/gps-power").prefix(1)) }

  private func off(_ rig: Rig) throws -> CommandTests.Outcome {
    try CommandTests.godwit([
      "power", "off", "--config", rig.file("godwit.toml").path, "--directory", rig.file("run").path,
    ])
  }

  private func poweredRig() async throws -> Rig {
    let rig = try Rig()
    try await rig.startCollector()
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    try await rig.startAgent("")
    try await rig.wait(until: "the GPS is on") { level(rig) == "1" }
    return rig
  }

  @Test("a running agent keeps its line; after kill -9 the line goes off, and once more does no harm")
  func killed() async throws {
    let rig = try await poweredRig()
    let refused = try off(rig)
    #expect(refused.code == 75)
    #expect(refused.errors.contains("an agent runs as process \(rig.processID("agent") ?? -1)"))
    #expect(level(rig) == "1")

    try await rig.end("agent", with: SIGKILL)
    #expect(level(rig) == "1")
    for _ in 0..<2 {
      let outcome = try off(rig)
      #expect(outcome.code == 0, "\(outcome.errors)")
      #expect(outcome.output.hasPrefix("GPS power is off: line gps-power of simulated:"))
      #expect(level(rig) == "0")
    }
  }

  @Test("an agent that hangs and has no lock is still recognised by its socket")
  func hanging() async throws {
    let rig = try await poweredRig()
    rig.signal("agent", SIGSTOP)
    try FileManager.default.removeItem(at: rig.file("queue.db.lock"))
    let refused = try off(rig)
    #expect(refused.code == 75)
    #expect(refused.errors.contains("an agent answers in \(rig.file("run").path)"))
    #expect(level(rig) == "1")
    rig.signal("agent", SIGCONT)
  }

  @Test("an agent that hangs is killed by --force and its line goes off; one that answers is never touched")
  func force() async throws {
    let rig = try await poweredRig()
    let arguments = ["power", "off", "--force", "--config", rig.file("godwit.toml").path]
    let refused = try CommandTests.godwit(arguments)
    #expect(refused.code == 75 && level(rig) == "1", "\(refused)")
    rig.signal("agent", SIGSTOP)
    let outcome = try CommandTests.godwit(arguments)
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.errors.contains("has not answered for 15 s: killed"))
    #expect(level(rig) == "0")
  }

  @Test("an agent without its run directory has the same 15 s: it is not killed at once")
  func forceWithoutSocket() async throws {
    let rig = try await poweredRig()
    let (run, away) = (rig.file("run").path, rig.file("run-away").path)
    // Nothing of it can be put back.
    #expect(rename(run, away) == 0)
    try "".write(toFile: run, atomically: true, encoding: .utf8)
    Thread.detachNewThread {
      usleep(3_000_000)
      unlink(run)
      rename(away, run)
    }
    let outcome = try CommandTests.godwit([
      "power", "off", "--force", "--config", rig.file("godwit.toml").path,
    ])
    #expect(outcome.code == 75 && level(rig) == "1", "\(outcome)")
  }

  @Test(
    "at a start the GPS goes off before the queue is looked at: one that cannot be opened changes nothing")
  func offBeforeTheQueue() throws {
    let rig = try Rig()
    (rig.gpsdPort, rig.url) = (1, "http://127.0.0.1:1/")
    try rig.writeSettings("")
    // As a killed agent has left it.
    try "1".write(to: rig.file("gpio/gps-power"), atomically: true, encoding: .utf8)
    let tables = "PRAGMA application_id = 7; CREATE TABLE somebody_elses(x)"
    #expect(
      Rig.status(of: URL(fileURLWithPath: "/usr/bin/sqlite3"), [rig.file("queue.db").path, tables]) == 0)
    let outcome = try CommandTests.godwit(["run", "--config", rig.file("godwit.toml").path])
    #expect(outcome.code == 73, "\(outcome)")
    #expect(level(rig) == "0")
    // Nothing else was begun either.
    #expect(!FileManager.default.fileExists(atPath: rig.file("run/power.toml").path))
  }

  @Test("a second agent with another queue, and the GPS of the first, switches nothing")
  func secondAgent() async throws {
    let rig = try await poweredRig()
    rig.queuePath = rig.file("other.db").path
    try rig.writeSettings("")
    let outcome = try CommandTests.godwit(["run", "--config", rig.file("godwit.toml").path])
    #expect(outcome.code == 75, "\(outcome)")
    #expect(level(rig) == "1")
    #expect(!FileManager.default.fileExists(atPath: rig.file("other.db").path))
  }

  @Test("mistakes elsewhere in the file do not keep the GPS on")
  func brokenElsewhere() async throws {
    let rig = try await poweredRig()
    try await rig.end("agent", with: SIGKILL)
    try rig.writeSettings("schedule = 7\n[motion]\nstop_timeout_s = \"soon\"\n")
    #expect(try off(rig).code == 0)
    #expect(level(rig) == "0")
  }

  @Test("a file that cannot be read at all: the line that the agent used goes off")
  func brokenFile() async throws {
    let rig = try await poweredRig()
    try await rig.end("agent", with: SIGKILL)
    try "[gps.power\n".write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    let outcome = try CommandTests.godwit([
      "power", "off", "--config", rig.file("godwit.toml").path, "--directory", rig.file("run").path,
    ])
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(
      outcome.errors.contains("godwit: what the last agent used counts, \(rig.file("run").path)/power.toml"))
    #expect(level(rig) == "0")
  }

  @Test(
    "a file that was emptied or cut before its line, after kill -9: the line that the agent used goes off",
    arguments: ["", "\n", "\0\0\0\0", "device_id = \"rig\"\n", "# all comments\n"])
  func emptiedFile(text: String) async throws {
    let rig = try await poweredRig()
    try await rig.end("agent", with: SIGKILL)
    try text.write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    let outcome = try CommandTests.godwit([
      "power", "off", "--config", rig.file("godwit.toml").path, "--directory", rig.file("run").path,
    ])
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(level(rig) == "0")
  }

  @Test("mistakes of the line itself are reported with their place, and the GPS stays as it is")
  func brokenLine() throws {
    let rig = try Rig()
    try "[gps.power]\nmode = \"levl\"\n".write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    let outcome = try off(rig)
    #expect(outcome.code == 78)
    #expect(outcome.errors.contains("godwit.toml:2: gps.power.mode:"))
    #expect(outcome.errors.contains("GPS power stays as it is"))
  }

  @Test("a line that is not there is reported: the GPS may still be on")
  func noLine() throws {
    let rig = try Rig()
    let text = "[gps.power]\nmode = \"level\"\nchip = \"simulated:/nowhere\"\nline = \"gps\"\n"
    try text.write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    let outcome = try off(rig)
    #expect(outcome.code == 71)
    #expect(outcome.errors.contains("GPS power may still be on: simulated GPIO line /nowhere/gps"))
  }

  @Test("without a line there is nothing to do, and without a file nothing can be done")
  func nothingToDo() throws {
    let rig = try Rig()
    #expect(try off(rig).code == 66)
    try "# the defaults\n".write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    let outcome = try off(rig)
    #expect(outcome.code == 0)
    #expect(outcome.output.contains("nothing to switch"))
  }
}
