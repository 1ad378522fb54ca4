import Foundation
import Testing

/// The battery's voltage as a real file that changes under the running agent.
@Suite(
  "The vehicle's battery", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct BatteryTests {
  private let receiver = PlayedReceiver(longitude_deg: 8.5)

  /// As a whole: never a file without a number.
  private func write(_ millivolts: Int, _ rig: Rig) throws {
    try "\(millivolts)\n".write(to: rig.file("in1_input"), atomically: true, encoding: .utf8)
  }

  private func play(_ rig: Rig, until what: String, _ isThere: () -> Bool) async throws {
    try await rig.wait(until: what) {
      receiver.play()
      return isThere()
    }
  }

  private func battery(_ rig: Rig) -> (volts: Double?, isLow: Bool?, factor: Double?) {
    let battery = rig.status()?["battery"] as? [String: Any]
    return (battery?["volts"] as? Double, battery?["low"] as? Bool, battery?["factor"] as? Double)
  }

  @Test("while it is low requests are as far apart as low_factor says, and as set again when it is good")
  func lowAndGood() async throws {
    let rig = try Rig()
    try write(12_600, rig)
    try await rig.startCollector()
    try await rig.startGPSD(devices: [receiver.path])
    try await rig.startAgent(
      """
      [track]
      sampling = "all"
      [battery]
      voltage_file = "\(rig.folder.path)/in*_input"
      read_interval_s = 5
      settle_s = 0
      low_factor = 1000
      """)
    try await play(rig, until: "the voltage is read, and a track arrives") {
      battery(rig) == (12.6, false, 1) && delivered(rig) > 5
    }

    try write(11_500, rig)
    try await play(rig, until: "it is low") { battery(rig) == (11.5, true, 1000) }
    // Of one record a second, with sync_interval_s = 2 and sync_threshold = 5.
    try await play(rig, until: "records wait") { (40..<1_000_000).contains(rig.waiting()) }

    try write(12_300, rig)
    try await play(rig, until: "that is read, and not enough") { battery(rig) == (12.3, true, 1000) }
    try write(12_500, rig)
    try await play(rig, until: "it is good") { battery(rig) == (12.5, false, 1) }
    try await play(rig, until: "the records are sent") { rig.waiting() < 10 }

    let reported = try rig.records().map(\.details)
    let low = reported.filter { $0["warning"] as? String == "battery_low" }
    #expect(low.map { $0["volts"] as? Double } == [11.5])
    let good = reported.filter { $0["battery"] as? String == "good" }
    #expect(good.map { $0["volts"] as? Double } == [12.5])
    let log = rig.text("agent.log")
    #expect(log.contains("the battery is low, 11.5 V: probes and sync 1000 times as far apart"))
    #expect(log.contains("the battery is good again, 12.5 V: probes and sync as set again"))
    try await rig.end("agent")
  }

  private func delivered(_ rig: Rig) -> Int {
    (rig.status()?["sync"] as? [String: Any])?["delivered"] as? Int ?? 0
  }
}
