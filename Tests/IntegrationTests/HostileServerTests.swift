import Foundation
import Testing

/// What a server that is somebody else's cannot make a device do: docs/security.md.
@Suite(
  "A hostile server", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct HostileServerTests {
  private typealias JSON = [String: Any]

  private func group(_ rig: Rig, _ name: String) -> JSON { rig.status()?[name] as? JSON ?? [:] }
  private func count(_ rig: Rig, _ name: String, _ key: String) -> Int { group(rig, name)[key] as? Int ?? 0 }

  /// A vehicle that drives, since over plain http only a reply that names records counts; each request gets the next of the replies, and then always the last one.
  private func rig(_ replies: [String], _ settings: String = "") async throws -> (Rig, BadLink) {
    let rig = try Rig()
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    let link = try BadLink(to: ":1") { .takes(and: replies[min($0, replies.count - 1)]) }
    rig.url = link.url
    rig.syncSettings = "status_interval_s = 10\nconfig_trial_s = 10\nack = \"any\"\n"
    try await rig.startAgent(Rig.everyFix + settings)
    return (rig, link)
  }

  private func config(_ version: Int, _ settings: String) -> String {
    "\"config\":{\"version\":\(version),\"settings\":{\(settings)}}"
  }

  @Test("has no record sent elsewhere, no program run, no file read and no credential changed by settings")
  func settings() async throws {
    let other = try BadLink(to: ":1") { _ in .refused }
    defer { other.end() }
    let trap = FileManager.default.temporaryDirectory.appendingPathComponent("trap-\(UUID().uuidString)")
    let program = #"["/usr/bin/touch","\#(trap.path)"]"#
    let forbidden = [
      "\"sync.url\":\"\(other.url)\"", "\"sync.also\":[\"/tmp/second.toml\"]",
      "\"sync.auth_command\":\(program),\"sync.token_file\":\"/etc/hostname\"",
      "\"gps.power.mode\":\"command\",\"gps.power.command\":\(program)",
      "\"geofences_file\":\"/etc/passwd\",\"sync.headers\":{\"X\":\"y\"}",
      "\"run.directory\":\"/tmp\",\"queue.path\":\"/tmp/other.db\",\"sync.config_trial_s\":86400",
    ]
    let (rig, link) = try await rig(forbidden.enumerated().map { config($0.offset + 1, $0.element) })
    defer { link.end() }
    let (process, before) = (rig.processID("agent"), rig.status()?["settings"] as? String)
    try await rig.wait(until: "the last of them is refused") {
      count(rig, "config", "refused") == forbidden.count
    }
    #expect(group(rig, "config")["in_force"] == nil)
    #expect((group(rig, "config")["refused_because"] as? String ?? "").contains("cannot be set from afar"))
    #expect(rig.status()?["settings"] as? String == before)
    #expect(rig.processID("agent") == process && rig.isRunning("agent"))
    #expect(other.connections == 0)
    #expect(!FileManager.default.fileExists(atPath: trap.path))
    #expect(!rig.text("agent.log").contains(trap.path) && !rig.text("agent.log").contains(other.url))
    #expect(try await rig.end("agent") == 0)
  }

  @Test("has nothing done that is no command, and no log that has a place or a token")
  func commands() async throws {
    let unknown = ["exec", "shell", "read_file", "update", "set_url", "purge", "power_off", "Restart", ""]
    let list = unknown.enumerated().map { index, name in
      #"{"id":"x\#(index)","command":"\#(name)","argument":"/bin/sh","lines":1000000000}"#
    }
    let (rig, link) = try await rig(["\"commands\":[\(list.joined(separator: ","))]"])
    defer { link.end() }
    let process = rig.processID("agent")
    try await rig.wait(until: "all are refused") { count(rig, "commands", "refused") >= unknown.count }
    #expect(count(rig, "commands", "done") == 0)
    #expect(rig.processID("agent") == process && rig.isRunning("agent"))
    #expect(!rig.text("agent.log").contains("/bin/sh"))
    #expect(try await rig.end("agent") == 0)
  }

  @Test("is not obeyed twice, nor more than 64 times an hour, however often it asks")
  func often() async throws {
    let many = (0..<3).map { reply in
      let list = (0..<40).map { #"{"id":"r\#(reply)-\#($0)","command":"sync"}"# }
      return "\"commands\":[\(list.joined(separator: ","))]"
    }
    let again = #""commands":[{"id":"r0-0","command":"restart"},{"id":"r0-1","command":"pause"}]"#
    let replies =
      many
      + (0..<20).map { reply in
        let list = (0..<16).map { #"{"id":"s\#(reply)-\#($0)","command":"sync"}"# }
        return "\"commands\":[\(list.joined(separator: ","))]"
      }
    let (rig, link) = try await rig(replies + [again])
    defer { link.end() }
    let process = rig.processID("agent")
    try await rig.wait(until: "the rest is passed over, and what comes again is known") {
      count(rig, "commands", "passed_over") > 100 && count(rig, "commands", "repeated") > 1
    }
    #expect(count(rig, "commands", "done") <= 64)
    #expect(rig.processID("agent") == process && group(rig, "intent")["kind"] == nil)
    #expect(try await rig.end("agent") == 0)
  }

  @Test("stops nothing by replies that no server would make, and records go on")
  func garbled() async throws {
    let deep = String(repeating: "[", count: 50_000) + String(repeating: "]", count: 50_000)
    let replies = [
      #""config":7"#, #""config":{"version":-1,"settings":{}}"#, #""config":{"version":1e308,"settings":[]}"#,
      #""config":{"version":"1","settings":{"":null}}"#, "\"config\":\(deep)", "\"commands\":\(deep)",
      #""commands":{"id":"a"}"#, #""commands":[1,null,"x",{"id":7},{"id":"a b","command":"sync"}]"#,
      #""commands":[{"id":"\u0000","command":"sync","expires":"9999999999-13-45T99:99:99Z"}]"#,
      #""config":{"version":1,"settings":{"a.b.c.d.e":{"f":[[[]]]}},"more":1}"#,
      #""refused":[{"uuid":7},[],{"uuid":"x","code":"identity_conflict"}],"ack":[]"#,
    ]
    let (rig, link) = try await rig(replies + [#""fine":true"#])
    defer { link.end() }
    let process = rig.processID("agent")
    try await rig.wait(until: "all of them have come") { link.connections > replies.count }
    #expect(rig.processID("agent") == process && rig.isRunning("agent"))
    #expect(group(rig, "config")["in_force"] == nil && count(rig, "commands", "done") == 0)
    // An operator's pause is a record.
    #expect(
      try CommandTests.godwit(["pause", "--config", rig.file("godwit.toml").path], in: rig).code == 0)
    try await rig.wait(until: "records are delivered as before") {
      rig.waiting() == 0 && (rig.sync["delivered"] as? Int ?? 0) > 0
    }
    #expect(try await rig.end("agent") == 0)
  }

  @Test("does not move the clock")
  func clock() async throws {
    let (rig, link) = try await rig([#""time":"2009-01-01T00:00:00Z","clock":0"#])
    defer { link.end() }
    let before_s = Date().timeIntervalSince1970
    try await rig.wait(until: "it has answered") { link.connections > 1 }
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let time = (rig.status()?["time"] as? String).flatMap { formatter.date(from: $0) }
    #expect(try #require(time).timeIntervalSince1970 >= before_s - 1)
    #expect(try await rig.end("agent") == 0)
  }
}
