import Foundation
import Testing

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

  @Test(
    "two agents that go on from one copied queue under one name: every record of both arrives exactly once",
    arguments: [false, true])
  func both(isOtherMachine: Bool) async throws {
    let (original, copy) = (try Rig(), try Rig())
    if isOtherMachine, try !copy.hasOtherMachineID() { return }
    try await original.startCollector()
    copy.url = "\(original.server)/v1/locations"
    // All that is made before the copy waits.
    try await original.end("collector")
    try await startDriving(original, seed: 1)
    try await makeRecords(original)
    try await original.end("agent")
    for name in ["queue.db", "queue.db-wal", "queue.db-front"] {
      try FileManager.default.copyItem(at: original.file(name), to: copy.file(name))
    }
    // Each goes on by itself, from the same number on.
    try original.writeSettings(SurvivalTests.settings)
    try await original.startAgentAsWritten()
    try await startDriving(copy, seed: 2)
    for rig in [original, copy] {
      try await makeRecords(rig)
      try await rig.end("agent")
    }
    let made = try contents(original).union(contents(copy))
    #expect(try made.count > contents(original).count + 10)

    try await original.startCollector()
    var changes: [Int] = []
    // One after the other: of two that send at once each may be the first with some of the numbers.
    for rig in [original, copy] {
      try await rig.startAgentAsWritten()
      try await rig.end("feeder", with: SIGKILL)
      try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }
      #expect(try quarantined(rig) == 0)
      changes.append((rig.status()?["queue"] as? [String: Any])?["id_changes"] as? Int ?? -1)
      try await rig.end("agent")
    }
    let collected = try collected(original)
    #expect(made.filter { collected[$0] != 1 }.isEmpty, "made \(made.count), collected \(collected.count)")
    #expect(try queues(original) == 2)
    let contract = original.contract()
    #expect(contract.isKept, "\(contract.words)")
    // The copy has noticed by itself, or the server has told one of the two.
    let (texts, refusals) = ([original, copy].map { $0.text("agent.log") }, original.text("collector.log"))
    let isNoticed = texts[1].contains("the queue was last used under another machine id: ")
    let isTold = texts.contains { $0.contains("the server has other records under the identities of") }
    #expect(isNoticed == isOtherMachine && isTold != isOtherMachine)
    #expect(refusals.contains("records refused") != isOtherMachine)
    #expect(!texts[0].contains("the queue was last used"))
    #expect(changes == [0, 1])
  }

  private func startDriving(_ rig: Rig, seed: Int) async throws {
    try await rig.startFeeder(["--speed", "15", "--hold-after-end", "--seed", "\(seed)"])
    try await rig.startGPSD()
    try await rig.startAgent(SurvivalTests.settings)
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

  /// Of the device, as the collector lists them.
  private func queues(_ rig: Rig) throws -> Int {
    let answer = try Data(contentsOf: URL(string: "\(rig.server)/v1/devices")!)
    let devices = try JSONSerialization.jsonObject(with: answer) as? [[String: Any]]
    return (devices?.first?["queues"] as? [Any])?.count ?? 1
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

  fileprivate var isNoticed: Bool { wrappers["agent"] != nil }
}
