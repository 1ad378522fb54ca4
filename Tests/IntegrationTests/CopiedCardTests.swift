import Foundation
import Testing
import TrackerIO

/// Two boxes from one copied card, with one name: FAULTS 67.
@Suite(
  "Copied cards", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct CopiedCardTests {
  /// A record without its identity: the same from whichever box it comes.
  private struct Content: Hashable, Decodable {
    var timestamp: String
    var event: String
    var latitude: Double?
    var longitude: Double?

    /// As the collector lists it: without a place it says (0, 0).
    var listed: Content {
      Content(timestamp: timestamp, event: event, latitude: latitude ?? 0, longitude: longitude ?? 0)
    }
  }

  private static let settings = SurvivalTests.settings + Rig.everyFix

  @Test(
    "two agents that go on from one copied queue under one name: every record of both arrives exactly once",
    arguments: [false, true])
  func oneAfterTheOther(isOtherMachine: Bool) async throws {
    guard let (original, copy, made, _) = try await copiedCard(isOtherMachine: isOtherMachine) else { return }
    try await original.startCollector()
    var changes: [Int] = []
    for rig in [original, copy] {
      try await rig.startAgentAsWritten()
      try await rig.end("feeder", with: SIGKILL)
      try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }
      changes.append((rig.status()?["queue"] as? [String: Any])?["id_changes"] as? Int ?? -1)
      try await rig.end("agent")
    }
    try checkStored(made, of: [original, copy], isOtherMachine: isOtherMachine)
    #expect(try queues(original).count == 2)
    #expect(changes == [0, 1])
  }

  @Test(
    "two that send at the same time: whoever is the first with a number, every record of both arrives exactly once, and each box changes its id at most once",
    arguments: [false, true])
  func atOnce(isOtherMachine: Bool) async throws {
    guard let (original, copy, made, id) = try await copiedCard(isOtherMachine: isOtherMachine) else {
      return
    }
    let boxes = [original, copy]
    try await original.startCollector()
    // The first request of each goes on once that of the other is there. What follows takes its course, in many requests.
    let arrivals = boxes.map { _ in DispatchSemaphore(value: 0) }
    let links = try boxes.indices.map { box in
      try BadLink(to: original.server) { connection in
        guard connection == 0 else { return .through }
        arrivals[box].signal()
        _ = arrivals[1 - box].wait(timeout: .now() + 300)
        return .through
      }
    }
    defer { for link in links { link.end() } }
    for (rig, link) in zip(boxes, links) {
      try await rig.end("feeder", with: SIGKILL)
      (rig.url, rig.syncSettings) = (link.url, "max_batch_size = 4\n")
      try rig.writeSettings(Self.settings)
      try await rig.startAgentAsWritten()
    }
    for rig in boxes {
      try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }
    }
    for rig in boxes { try await rig.end("agent") }
    try checkStored(made, of: boxes, isOtherMachine: isOtherMachine)
    let queues = try boxes.map { try QueueStore(path: $0.file("queue.db").path) }
    let changes = queues.map(\.idChanges.count)
    // The copy has changed its id at its start; otherwise whoever met the other's number, one of them or both.
    let right = isOtherMachine ? [[0, 1]] : [[0, 1], [1, 0], [1, 1]]
    #expect(right.contains(changes), "\(changes)")
    #expect(queues[0].queueID != queues[1].queueID)
    let used = Set([id] + queues.map(\.queueID))
    #expect(try self.queues(original) == Set(used.map { String($0, radix: 16) }))
  }

  /// A vehicle's box, and another one with a copy of its queue: each has gone on by itself, from the same number on. No
  /// agent runs, and nothing was delivered.
  ///
  /// - Returns: `id` is that of the queue that was copied; nil where the copy cannot have a machine id of its own.
  private func copiedCard(
    isOtherMachine: Bool
  ) async throws -> (original: Rig, copy: Rig, made: Set<Content>, id: UInt64)? {
    let (original, copy) = (try Rig(), try Rig())
    if isOtherMachine, try !copy.hasOtherMachineID() { return nil }
    try await original.startCollector()
    copy.url = "\(original.server)/v1/locations"
    // All that is made before the copy waits.
    try await original.end("collector")
    try await startDriving(original, seed: 1)
    try await makeRecords(original)
    try await original.end("agent")
    let id = try QueueStore(path: original.file("queue.db").path).queueID
    for name in ["queue.db", "queue.db-wal"] {
      try FileManager.default.copyItem(at: original.file(name), to: copy.file(name))
    }
    try original.writeSettings(Self.settings)
    try await original.startAgentAsWritten()
    try await startDriving(copy, seed: 2)
    for rig in [original, copy] {
      try await makeRecords(rig)
      try await rig.end("agent")
    }
    let made = try contents(original).union(contents(copy))
    #expect(try made.count > contents(original).count + 10)
    return (original, copy, made, id)
  }

  /// Each record once, by the server that the first of the boxes has started, and all of it because the copy has noticed by
  /// itself, or the server has told.
  private func checkStored(_ made: Set<Content>, of boxes: [Rig], isOtherMachine: Bool) throws {
    let collected = try collected(boxes[0])
    #expect(made.filter { collected[$0] == nil }.isEmpty, "made \(made.count), collected \(collected.count)")
    #expect(collected.filter { $0.value > 1 }.isEmpty)
    for rig in boxes { #expect(try quarantined(rig) == 0) }
    let contract = boxes[0].contract()
    #expect(contract.isKept, "\(contract.words)")
    let (texts, refusals) = (boxes.map { $0.text("agent.log") }, boxes[0].text("collector.log"))
    let isTold = texts.contains { $0.contains("the server has other records under the identities of") }
    #expect(isTold != isOtherMachine && refusals.contains("records refused") != isOtherMachine)
    let isNoticed = texts.map { $0.contains("the queue was last used under another machine id: ") }
    #expect(isNoticed == [false, isOtherMachine])
  }

  private func startDriving(_ rig: Rig, seed: Int) async throws {
    try await rig.startFeeder(["--speed", "15", "--to-and-fro", "--seed", "\(seed)"])
    try await rig.startGPSD()
    try await rig.startAgent(Self.settings)
  }

  private func makeRecords(_ rig: Rig) async throws {
    let before = rig.waiting()
    try await rig.wait(until: "it records") { rig.waiting() > before + 15 }
  }

  /// What waits, in the file: no agent runs.
  private func contents(_ rig: Rig) throws -> Set<Content> {
    let outcome = try CommandTests.godwit(
      ["queue", "export", "-", "--config", rig.file("godwit.toml").path], in: rig)
    #expect(outcome.code == 0, "\(outcome)")
    return Set(
      try outcome.output.split(separator: "\n").map {
        try JSONDecoder().decode(Content.self, from: Data($0.utf8)).listed
      })
  }

  private func collected(_ rig: Rig) throws -> [Content: Int] {
    var counts: [Content: Int] = [:]
    for record in try rig.records() {
      let content = Content(
        timestamp: record.timestamp, event: record.event, latitude: record.latitude,
        longitude: record.longitude)
      counts[content.listed, default: 0] += 1
    }
    return counts
  }

  /// Ids of the device's queues, as the collector lists them.
  private func queues(_ rig: Rig) throws -> Set<String> {
    let answer = try Data(contentsOf: URL(string: "\(rig.server)/v1/devices")!)
    let devices = try JSONSerialization.jsonObject(with: answer) as? [[String: Any]]
    let queues = devices?.first?["queues"] as? [[String: Any]] ?? []
    return Set(queues.compactMap { $0["queue"] as? String })
  }

  private func quarantined(_ rig: Rig) throws -> Int {
    let outcome = try CommandTests.godwit(
      ["queue", "--json", "--config", rig.file("godwit.toml").path], in: rig)
    let summary = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
    return summary?["quarantined"] as? Int ?? -1
  }
}

extension Rig {
  /// The agent sees another machine id than the test. - Returns: false where the machine allows no name spaces.
  fileprivate func hasOtherMachineID() throws -> Bool {
    let id = file("machine-id")
    try "0123456789abcdef0123456789abcdef\n".write(to: id, atomically: true, encoding: .utf8)
    let command = [
      "/usr/bin/unshare", "-m", "/bin/sh", "-c",
      "mount --bind \(id.path) /etc/machine-id && exec \"$@\"", "sh",
    ]
    wrappers["agent"] = command
    return geteuid() == 0 && system("unshare -m mount --bind \(id.path) /etc/machine-id 2>/dev/null") == 0
  }
}
