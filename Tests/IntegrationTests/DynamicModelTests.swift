import Foundation
import Testing

/// The receiver's dynamic model through the real gpsd, which finds out by itself what the receiver is.
@Suite(
  "The receiver's dynamic model", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct DynamicModelProcessTests {
  private func gps(_ rig: Rig) -> [String: Any] { rig.status()?["gps"] as? [String: Any] ?? [:] }
  private func progress(_ rig: Rig) -> String? { gps(rig)["dynamic_model"] as? String }

  private func startedRig(_ device: String, gpsdOptions: [String] = []) async throws -> Rig {
    let rig = try Rig()
    rig.gpsSettings = "dynamic_model = \"automotive\"\n"
    try await rig.startCollector()
    try await rig.startGPSD(devices: [device], options: gpsdOptions)
    // The receiver stands still: on a slow machine it would be off before ten fixes have come.
    try await rig.startAgent("[motion]\ngps_off_when_parked = false\n")
    return rig
  }

  private func godwit(_ rig: Rig, _ word: String) throws {
    #expect(try CommandTests.godwit([word, "--config", rig.file("godwit.toml").path]).code == 0)
  }

  @Test("set once per power-on, by the receiver's own word; fixes come as before", arguments: [8, 10])
  func set(generation: Int) async throws {
    let module = PlayedUBlox(generation: generation)
    let rig = try await startedRig(module.path)
    func play(until what: String, _ isThere: () -> Bool) async throws {
      try await rig.wait(until: what) {
        module.play()
        return isThere()
      }
    }
    try await play(until: "the model is set") { progress(rig) == "set" }
    func tenMoreFixes() async throws {
      let before = gps(rig)["fixes"] as? Int ?? 0
      try await play(until: "ten more fixes") { gps(rig)["fixes"] as? Int ?? 0 >= before + 10 }
    }
    // On a busy machine the answer comes late, and it is asked once more, up to five times.
    try await tenMoreFixes()
    let timesSet = module.timesSet
    #expect(module.model == 4 && (1...5).contains(timesSet))
    try await tenMoreFixes()
    #expect(module.timesSet == timesSet)

    try godwit(rig, "pause")
    module.forget()
    try godwit(rig, "resume")
    try await play(until: "it is set again after the power was off") { module.timesSet > timesSet }
    try await play(until: "the agent knows") { progress(rig) == "set" }
    #expect(module.model == 4)
    try await rig.end("agent")
  }

  @Test("a gpsd that may not send (-b): a warning that says so, and fixes come all the same")
  func readOnly() async throws {
    let module = PlayedUBlox(generation: 10)
    let rig = try await startedRig(module.path, gpsdOptions: ["-b"])
    try await rig.wait(until: "it is given up") {
      module.play()
      return progress(rig) == "failed"
    }
    #expect(module.timesSet == 0)
    #expect(
      rig.text("agent.log").contains(
        "gps.dynamic_model: \(module.path) answers nothing: gpsd sends nothing to it where it runs with its option -b or may not write to the device; else look at the wire to the receiver's RX"
      ))
    let before = gps(rig)["fixes"] as? Int ?? 0
    try await rig.wait(until: "fixes come") {
      module.play()
      return gps(rig)["fixes"] as? Int ?? 0 > before
    }
    try await rig.end("agent")
  }

  @Test("a receiver of another kind is left alone")
  func otherDriver() async throws {
    let receiver = PlayedReceiver(longitude_deg: 8.5)
    let rig = try await startedRig(receiver.path)
    try await rig.wait(until: "gpsd has found out what it is, and fixes come") {
      receiver.play()
      return progress(rig) == "other_driver" && gps(rig)["fixes"] as? Int ?? 0 > 3
    }
    #expect(!receiver.heard.contains("\u{06}\u{8A}") && !receiver.heard.contains("\u{06}\u{24}"))
    try await rig.end("agent")
  }
}
