import Foundation
import Testing

/// One gpsd with two receivers of one vehicle, 37 m apart so that the records report which one they are of.
@Suite(
  "Several receivers", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct SeveralReceiversTests {
  private let own = PlayedReceiver(longitude_deg: 8.5)
  private let modem = PlayedReceiver(longitude_deg: 8.5005)

  private func gps(_ rig: Rig) -> [String: Any] { rig.status()?["gps"] as? [String: Any] ?? [:] }

  private func startedRig(_ gpsSettings: String = "") async throws -> Rig {
    let rig = try Rig()
    rig.gpsSettings = gpsSettings
    try await rig.startCollector()
    try await rig.startGPSD(devices: [own.path, modem.path])
    try await rig.startAgent("[track]\nsampling = \"all\"\n[motion]\nstop_timeout_s = 7200\n")
    return rig
  }

  private func play(_ rig: Rig, until what: String, _ isThere: () throws -> Bool) async throws {
    try await rig.wait(until: what) {
      own.play()
      modem.play()
      return try isThere()
    }
  }

  /// Of the records of fixes, in their order. The collector does not know the device before its first record.
  private func longitudes(_ rig: Rig) -> [Double] {
    ((try? rig.records()) ?? []).filter { $0.event.isEmpty }.compactMap(\.longitude)
  }

  @Test("without a preference the track follows one of them alone")
  func oneAlone() async throws {
    let rig = try await startedRig()
    try await play(rig, until: "a track has arrived") { longitudes(rig).count > 15 }
    #expect(Set(longitudes(rig).map { isModem($0) }).count == 1)
    try await rig.end("agent")
  }

  @Test("the preferred one is followed; another takes over after a silence, and gives way when it is back")
  func preferred() async throws {
    let rig = try await startedRig("device = \"\(own.path)\"\ndevice_timeout_s = 5\n")
    try await play(rig, until: "a track of the preferred one") { longitudes(rig).count > 5 }
    #expect(gps(rig)["device"] as? String == own.path)

    own.isSilent = true
    try await play(rig, until: "the other has taken over, and its fixes arrive") {
      gps(rig)["device"] as? String == modem.path && isModem(longitudes(rig).last)
    }
    own.isSilent = false
    try await play(rig, until: "the preferred one is used again, and its fixes arrive") {
      gps(rig)["device"] as? String == own.path && !isModem(longitudes(rig).last)
    }

    let track = longitudes(rig).map { isModem($0) }
    #expect(zip(track, track.dropFirst()).filter { $0 != $1 }.count == 2)
    #expect(gps(rig)["device_changes"] as? Int == 2)
    #expect(gps(rig)["sessions"] as? Int == 1)
    let log = rig.text("agent.log")
    #expect(log.contains("no usable fix from the receiver \(own.path): \(modem.path) is used"))
    #expect(log.contains("the receiver \(own.path) has fixes, and is used again"))
    try await rig.end("agent")
  }

  private func isModem(_ longitude: Double?) -> Bool { (longitude ?? 0) > 8.50025 }
}
