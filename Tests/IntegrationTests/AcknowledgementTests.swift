import Foundation
import Testing

/// What counts as delivered, with the whole agent: FAULTS 66 and 67.
@Suite(
  "Acknowledgement", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct AcknowledgementTests {
  private func delivered(_ rig: Rig) -> Int { rig.sync["delivered"] as? Int ?? 0 }
  private func warnings(_ rig: Rig, _ name: String) -> Int {
    let all = rig.status()?["warnings"] as? [String: [String: Any]] ?? [:]
    return all[name]?["count"] as? Int ?? 0
  }

  @Test(
    "over plain http nobody's 200 counts by itself, and the journal says what to do; then everything arrives once"
  )
  func nobodys() async throws {
    func ok(_ type: String, _ body: String) -> BadLink.Fate {
      .says(
        "HTTP/1.1 200 OK\r\n\(type)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
    }
    let fates = [
      ok("", ""), ok("Content-Type: application/json\r\n", "{}"),
      ok("Content-Type: text/plain\r\n", "Please log in"),
      ok("", "<?xml version=\"1.0\"?><!DOCTYPE html><html>"), ok("", "<TITLE>Success</TITLE>"),
      ok("Content-Type: text/xml\r\n", "<?xml version=\"1.0\"?><WISPAccessGatewayParam/>"),
      .says("HTTP/1.1 204 No Content\r\n\r\n"),
    ]
    let rig = try await Rig.driving()
    let link = try BadLink(to: rig.server) { $0 < fates.count ? fates[$0] : .through }
    defer { link.end() }
    rig.url = link.url
    rig.syncSettings = "sync_retry_max_s = 1"
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "every answer has come") { link.connections > fates.count }
    #expect(rig.text("agent.log").contains("or set sync.ack = \"any\" if this server never names them"))
    #expect(warnings(rig, "captive_portal") >= 3)
    try await rig.end("feeder", with: SIGKILL)
    try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }
    let sequences = try rig.records().map(\.sequence)
    #expect(sequences == Array(1...(sequences.last ?? 1)))
    #expect(delivered(rig) == sequences.count)
  }

  @Test("a name of any characters is the device's name at the collector")
  func deviceName() async throws {
    let rig = try await Rig.driving()
    rig.device = "Müller Bagger 7/+#%41 \u{1F69C}"
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "something has arrived") { delivered(rig) > 0 }
    #expect(try !rig.records().isEmpty)
  }

  @Test(
    "a card is put back from an old copy: what has another record's identity gets one of its own, and everybody is told"
  )
  func oldCopy() async throws {
    let rig = try await Rig.driving()
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "the card has a history") { delivered(rig) > 5 }
    try await rig.end("agent")
    try copyQueue(rig, to: "clone")
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "the first box has gone on") { delivered(rig) > 20 }
    try await rig.end("agent")
    let before = try rig.records()
    rig.queuePath = rig.file("clone.db").path
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "the second box delivers") {
      delivered(rig) > 20 && warnings(rig, "identity_conflict") > 0
    }
    #expect(rig.text("agent.log").contains("the server has other records under the identities of"))
    try await rig.end("feeder", with: SIGKILL)
    try await rig.wait(until: "nothing waits") { rig.waiting() == 0 }
    let after = try rig.records()
    let times = Dictionary(uniqueKeysWithValues: after.map { ($0.uuid, $0.timestamp) })
    #expect(before.allSatisfy { times[$0.uuid] == $0.timestamp })
    #expect(warnings(rig, "records_refused") == 0)
    // What waited when the card was copied has come from both, and is the same.
    #expect(after.count > before.count && after.count <= before.count + delivered(rig))
    let list = try String(contentsOf: URL(string: "\(rig.server)/v1/devices")!, encoding: .utf8)
    #expect(list.contains("\"conflicts\":"))
    let contract = rig.contract()
    #expect(contract.isKept, "\(contract.words)")
  }

  @Test(
    "a record that the server refuses has the server's words in quarantine and journal, without its numbers")
  func words() async throws {
    let rig = try await Rig.driving()
    let body = #"{"error":"no such place as 47.3769, 8.5417"}"#
    let refusal =
      "HTTP/1.1 422 No\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    let link = try BadLink(to: rig.server) { $0 < 5 ? .says(refusal) : .through }
    defer { link.end() }
    rig.url = link.url
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "it is reported") {
      rig.text("agent.log").contains("refused 422 no such place as")
    }
    #expect(!rig.text("agent.log").contains("47.3769"))
  }

  /// `queue.db` and what lies beside it.
  private func copyQueue(_ rig: Rig, to name: String) throws {
    for file in try FileManager.default.contentsOfDirectory(atPath: rig.folder.path)
    where file.hasPrefix("queue.db") && !file.hasSuffix(".lock") {
      let copy = name + file.dropFirst("queue".count)
      try FileManager.default.copyItem(at: rig.file(file), to: rig.file(copy))
    }
  }
}
