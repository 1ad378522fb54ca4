import Foundation
import Testing

/// One drive, two collectors.
@Suite(
  "Two servers",
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct SecondServerTests {
  private func waiting(_ rig: Rig) -> Int {
    let servers = rig.status()?["also"] as? [[String: Any]] ?? []
    return servers.first?["records"] as? Int ?? .max / 4
  }

  /// Records at the rig's collector; it knows the device only after the first.
  private func count(_ rig: Rig) -> Int { (try? rig.records().count) ?? 0 }

  @Test("one of two servers is away, the agent is killed: each gets every record once, and does not wait")
  func both() async throws {
    let (rig, second) = (try Rig(), try Rig())
    try await rig.startCollector()
    try await second.startCollector()
    let file = rig.file("second.toml")
    try """
    [sync]
    url = "\(second.server)/v1/locations"
    format = "compact"
    sync_interval_s = 2
    sync_retry_base_s = 1
    sync_retry_max_s = 2
    splay_s = 0

    """.write(to: file, atomically: true, encoding: .utf8)
    rig.syncSettings = "also = [\"\(file.path)\"]"
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    try await rig.startAgent(SurvivalTests.settings)
    try await rig.wait(until: "both have some") {
      count(rig) > 3 && count(second) > 3
    }
    try await second.end("collector")
    let before = count(rig)
    try await rig.wait(until: "the first goes on, the second's wait") {
      count(rig) > before + 10 && waiting(rig) > 10
    }
    try await rig.end("agent", with: SIGKILL)
    try await rig.startAgent(SurvivalTests.settings)
    #expect(waiting(rig) > 10)
    try await second.startCollector()
    try await rig.wait(until: "both have all") { rig.waiting() == 0 && waiting(rig) == 0 }
    try await rig.end("agent")
    for receiver in [rig, second] {
      let sequences = try receiver.records().map(\.sequence)
      #expect(sequences == Array(1...Int64(sequences.count)))
    }
    // What the agent has written at its end may be on its way to one of them.
    #expect(abs(count(rig) - count(second)) <= 5)
  }
}
