import Foundation
import Testing

/// Debian's mosquitto holds far more for the topic of commands than a modem's data plan has.
@Suite(
  "A broker that holds too much", .serialized,
  .disabled(if: Broker.missing() != nil, "gpsd, mosquitto or a product is missing: Tests/run has them all"))
struct TopicFloodTests {
  struct Load: CustomTestStringConvertible, Sendable {
    var version: String
    var documents: Int
    var size: Int
    var options: [String] = []
    /// For the broker.
    var lines = ""
    /// Once its documents fit, a broker may go on until the day is used up.
    var mostKB: Int

    var testDescription: String { "\(documents) of \(size) bytes over \(version) \(options) \(lines)" }
  }

  /// 90 MB each. What a day may bring is 1 MB; beside it come what was under way at a cut, and PUBACKs.
  static let loads = [
    Load(version: "5", documents: 900, size: 100_000, mostKB: 1200),
    Load(version: "3.1.1", documents: 900, size: 100_000, mostKB: 500),
    // docs/remote.md recommends that.
    Load(
      version: "3.1.1", documents: 900, size: 100_000, lines: "max_inflight_messages 1\n", mostKB: 1200),
    Load(version: "3.1.1", documents: 45_000, size: 2000, mostKB: 1200),
    Load(version: "5", documents: 1, size: 90_000_000, mostKB: 100),
    Load(version: "3.1.1", documents: 1, size: 90_000_000, mostKB: 200),
    Load(version: "3.1.1", documents: 1, size: 90_000_000, options: ["-r"], mostKB: 200),
  ]

  private func commands(_ rig: Rig) -> [String: Any] { rig.status()?["commands"] as? [String: Any] ?? [:] }

  // A minute each.
  @Test(
    "is taken a little of, the records go, and what was taken is done once", arguments: oneIn(3, of: loads))
  func flood(load: Load) async throws {
    let rig = try Rig()
    rig.syncSettings =
      MQTTTests.quick + "command_topic = true\nstatus_interval_s = 10\nmqtt_version = \"\(load.version)\"\n"
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    let broker = try Broker(
      rig, lines: "allow_anonymous true\nmax_queued_messages 0\nmax_queued_bytes 0\n" + load.lines)
    try await broker.start()
    try broker.subscribe(["-T", "fleet/+/records/cmd"])
    let link = try BadLink(to: broker.address) { _ in .through }
    defer { link.end() }
    rig.url = "mqtt://127.0.0.1:\(link.port)/fleet/{device}/records"
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "the topic is subscribed to") {
      rig.text("mosquitto.log").contains("fleet/rig/records/cmd (QoS 1)") && !broker.sequences().isEmpty
    }
    #expect(try await rig.end("agent") == 0)

    try broker.publish(#"{"commands":[{"id":"m1","command":"report"}]}"#)
    let filler = #"{"filler":""# + String(repeating: "x", count: load.size - 13) + #""}"#
    try filler.write(to: rig.file("filler.json"), atomically: true, encoding: .utf8)
    try broker.publish(
      options: ["-f", rig.file("filler.json").path, "--repeat", "\(load.documents)"] + load.options)

    let before = link.bytesDown
    var sizes: [Int] = []
    // Each start connects anew.
    for _ in 0..<4 {
      let (arrived, delivered) = (link.bytesDown, Set(broker.sequences()).count)
      try await rig.startAgentAsWritten()
      let isLarge = load.size > 1_000_000 && load.version == "5"
      try await rig.wait(until: "records go, and the topic rests") {
        Set(broker.sequences()).count >= delivered + 5
          && (isLarge || commands(rig)["topic_rests"] as? Bool == true)
      }
      #expect(try await rig.end("agent") == 0)
      sizes.append(link.bytesDown - arrived)
    }
    let total = link.bytesDown - before
    print("topic flood: \(load.testDescription): \(sizes) bytes with each start, \(total) in all")
    #expect(total <= load.mostKB * 1000)
    let log = rig.text("agent.log")
    #expect(log.components(separatedBy: "the server wants: report of 50 lines (m1)").count == 2)
    if !(load.size > 1_000_000 && load.version == "5") {
      #expect(log.components(separatedBy: "the topic of commands rests until the next day").count == 2)
    }

    // N1 and N2: nothing was lost.
    try await rig.startAgentAsWritten()
    try await rig.end("feeder", with: SIGKILL)
    try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }
    try await rig.end("agent")
    let found = Set(broker.sequences())
    #expect(found == Set(1...(found.max() ?? 1)))
  }
}
