import Foundation
import Testing

/// The whole agent behind links and servers that do their worst.
@Suite(
  "Transport", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct TransportTests {
  static let quick = """
    sync_retry_max_s = 1
    connect_timeout_s = 1
    request_timeout_s = 1
    max_reply_kb = 128
    """
  static let ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

  private func fixes(_ rig: Rig) -> Int { (rig.status()?["gps"] as? [String: Any])?["fixes"] as? Int ?? 0 }

  private func memory_kb(_ rig: Rig) -> Int {
    let id = rig.processID("agent") ?? 0
    let text = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
  }

  @Test("a server that does its worst costs no record, no memory and no fix; then everything arrives once")
  func hostile() async throws {
    let html = "<html>Please log in</html>"
    let fates: [BadLink.Fate] = [
      .refused, .stalled, .replyLost, .cut(bytes: 300), .says(""), .says("SSH-2.0-OpenSSH_9.2\r\n"),
      .says("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(html.count)\r\n\r\n\(html)"),
      .says("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"),
      .says("\(Self.ok)Content-Length: 4000\r\n\r\n{"), .replyLost,
      .floods("\(Self.ok)\r\n", with: "xxxxxxxxxxxxxxxx"), .floods(Self.ok, with: "X-Filler: xxxxxxxxx\r\n"),
      .floods("", with: "HTTP/1.1 100 Continue\r\n\r\n"), .drips(Self.ok, with: "X-Slow: loris\r\n"),
      .drips("\(Self.ok)Content-Length: 4000\r\n\r\n", with: "x"),
    ]
    let rig = try await Rig.driving()
    let relents = rig.file("relents")
    // The first connection is kept as long as it works, so it is cut after some time. Then nothing works until the
    // test has seen what it looks for, however late it looks.
    let link = try BadLink(to: rig.server) {
      if $0 == 0 { return .cut(bytes: 20_000) }
      return FileManager.default.fileExists(atPath: relents.path) ? .through : fates[$0 % fates.count]
    }
    defer { link.end() }
    rig.url = link.url
    rig.syncSettings = Self.quick
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "the first connection is cut") { link.connections > 1 }
    let (before_kb, fixesBefore) = (memory_kb(rig), fixes(rig))
    let begin = link.connections
    try await rig.wait(until: "every fate has come") { link.connections > begin + fates.count }
    try await rig.wait(until: "fixes came meanwhile") { fixes(rig) > fixesBefore + 50 }
    #expect(before_kb > 1000)
    #expect(memory_kb(rig) - before_kb < 10_000)
    try Data().write(to: relents)
    #expect(rig.warnings["sync_failed"] != nil)
    #expect(rig.warnings["captive_portal"] != nil)
    try await rig.expectAllOnce()
  }

  @Test("a backlog over a slow link with delay, loss and flaps arrives complete, each record once")
  func lossy() async throws {
    let rig = try await Rig.driving()
    // A third of the connections break after some hundred bytes or some thousand.
    let link = try BadLink(to: rig.server, delay_ms: 60, bytesPerSecond: 40_000) {
      $0 % 3 == 0 ? .cut(bytes: 150 + ($0 * 2_654_435) % 9000) : .through
    }
    defer { link.end() }
    link.setUp(false)
    rig.url = link.url
    rig.syncSettings = "sync_retry_max_s = 1\nrequest_timeout_s = 5\nmax_batch_size = 20"
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "a backlog is there") { rig.waiting() > 300 }
    for _ in 1...3 {
      let before = rig.sync["delivered"] as? Int ?? 0
      link.setUp(true)
      try await rig.wait(until: "something has arrived") { rig.sync["delivered"] as? Int ?? 0 > before }
      link.setUp(false)
      let failures = rig.sync["failures"] as? Int ?? 0
      try await rig.wait(until: "the agent has felt it") { rig.sync["failures"] as? Int ?? 0 > failures }
    }
    link.setUp(true)
    try await rig.expectAllOnce()
  }

  @Test("bodies are compressed once the collector has said that it takes them, and arrive as they were")
  func gzip() async throws {
    let rig = try await Rig.driving()
    let link = try BadLink(to: rig.server) { _ in .through }
    defer { link.end() }
    link.setUp(false)
    rig.url = link.url
    rig.syncSettings = "sync_retry_max_s = 1"
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "a backlog is there") { rig.waiting() > 250 }
    link.setUp(true)
    let coded = "Content-Encoding: gzip"
    // After the outage the first requests may be small: the agent asks whether a record is at fault.
    let isFull = { (head: String) in self.records(head) >= 50 && head.contains(coded) }
    try await rig.wait(until: "a large body has gone compressed") { link.heads.contains(where: isFull) }
    let plain = try #require(link.heads.first)
    let compressed = try #require(link.heads.first(where: isFull))
    #expect(!plain.contains(coded))
    let before = length(plain) / max(1, records(plain))
    let after = length(compressed) / records(compressed)
    #expect(after * 4 < before, "\(before) and \(after) bytes a record")
    try await rig.expectAllOnce()
  }

  private func length(_ head: String) -> Int { Int(field("Content-Length", of: head)) ?? 0 }

  /// `Godwit-Batch: 41-45` are five.
  private func records(_ head: String) -> Int {
    let ends = field("Godwit-Batch", of: head).split(separator: "-").compactMap { Int($0) }
    return ends.count == 2 ? ends[1] - ends[0] + 1 : 0
  }

  private func field(_ name: String, of head: String) -> String {
    let line = head.components(separatedBy: "\r\n").first { $0.hasPrefix("\(name): ") }
    return line.map { String($0.dropFirst(name.count + 2)) } ?? ""
  }

  @Test("a server that refuses gzip gets the same records plain at once, and no compressed ones again")
  func gzipRefused() async throws {
    let rig = try await Rig.driving()
    let refusal = "HTTP/1.1 415 Unsupported Media Type\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    let link = try BadLink(to: rig.server) { $0 == 0 ? .says(refusal) : .through }
    defer { link.end() }
    rig.url = link.url
    rig.syncSettings = "gzip = \"always\""
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "several batches have gone") { link.heads.count > 3 }
    let coded = link.heads.map { $0.contains("Content-Encoding: gzip") }
    #expect(coded == [true] + [Bool](repeating: false, count: coded.count - 1))
    let batches = link.heads.map { $0.components(separatedBy: "\r\n").first { $0.hasPrefix("Godwit-Batch") } }
    #expect(batches[0] == batches[1])
    #expect(rig.warnings["sync_failed"] == nil)
    try await rig.expectAllOnce()
  }

  @Test("the status names why nothing is sent")
  func causes() async throws {
    let rig = try await Rig.driving()
    let link = try BadLink(to: rig.server) { _ in .says("220 mail ESMTP\r\n") }
    defer { link.end() }
    let causes: [(url: String, settings: String, cause: String)] = [
      ("https://nowhere.invalid/", "", "resolve"), ("http://127.0.0.1:1/", "", "connect"),
      (link.url, "interface = \"wwan77\"", "interface"), (link.url, "", "not_http"),
      ("https://127.0.0.1:\(link.port)/", "request_timeout_s = 1", "timeout"),
    ]
    for (url, settings, cause) in causes {
      (rig.url, rig.syncSettings) = (url, settings)
      try await rig.startAgent(Rig.everyFix)
      try await rig.wait(until: cause) { rig.sync["last_reply"] as? String == cause }
      try await rig.end("agent")
    }
    (rig.url, rig.syncSettings) = (nil, "")
    try await rig.startAgent(Rig.everyFix)
    try await rig.expectAllOnce()
  }

  @Test("the agent listens on no network, while it talks to gpsd and to the server")
  func noListener() async throws {
    let rig = try await Rig.driving()
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "something has arrived") { rig.sync["delivered"] as? Int ?? 0 > 0 }
    let id = try #require(rig.processID("agent"))
    var sockets: Set<String> = []
    var streams: [(state: String, inode: String)] = []
    try await rig.wait(until: "it has a connection at this moment") {
      sockets = try socketInodes(id)
      streams = ["tcp", "tcp6"].flatMap { inetSockets(id, $0) }.filter { sockets.contains($0.inode) }
      return !streams.isEmpty
    }
    let datagrams = ["udp", "udp6", "raw", "raw6"].flatMap { inetSockets(id, $0) }
    let listening = "0A"
    #expect(streams.filter { $0.state == listening }.isEmpty)
    #expect(datagrams.filter { sockets.contains($0.inode) }.isEmpty)
  }

  @Test(
    "a network that is back is noticed without polling",
    .enabled(if: getuid() == 0, "needs root for a network interface of its own"))
  func linkRestored() async throws {
    let rig = try await Rig.driving()
    let name = "gw\(getpid() % 100_000)"
    func ip(_ words: String...) -> Bool {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["ip"] + words
      guard (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }
    guard ip("link", "add", "\(name)a", "type", "veth", "peer", "name", "\(name)b") else {
      print("skipped: this kernel gives no veth interface")
      return
    }
    defer { _ = ip("link", "delete", "\(name)a") }
    rig.syncSettings = "interface = \"\(name)a\""
    try await rig.startAgent(Rig.everyFix)
    #expect(!rig.text("agent.log").contains("the network is back"))
    #expect(ip("link", "set", "\(name)a", "up") && ip("link", "set", "\(name)b", "up"))
    // Of those that are kept for documentation (RFC 5737).
    #expect(ip("address", "add", "192.0.2.77/32", "dev", "\(name)a"))
    try await rig.wait(until: "it is noticed") { rig.text("agent.log").contains("the network is back") }
  }

  private func socketInodes(_ id: Int32) throws -> Set<String> {
    let folder = "/proc/\(id)/fd"
    let targets = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
    return Set(targets.filter { $0.hasPrefix("socket:[") }.map { String($0.dropFirst(8).dropLast()) })
  }

  /// /proc/net's tables: the state is the fourth column, the inode the tenth (proc(5)).
  private func inetSockets(_ id: Int32, _ table: String) -> [(state: String, inode: String)] {
    // `contentsOfFile` takes the first page of such a file for all of it, once there are more sockets.
    let file = FileHandle(forReadingAtPath: "/proc/\(id)/net/\(table)")
    let text = String(decoding: file?.readDataToEndOfFile() ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").dropFirst().compactMap { line in
      let columns = line.split(separator: " ")
      return columns.count > 9 ? (String(columns[3]), String(columns[9])) : nil
    }
  }
}
