import Foundation
import Testing

/// SIGHUP in mid-trip, to the real agent.
@Suite(
  "Reload", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct ReloadTests {
  private func value(_ rig: Rig, _ group: String, _ key: String) -> Any? {
    (rig.status()?[group] as? [String: Any])?[key]
  }

  private func hash(_ rig: Rig) -> String? { rig.status()?["settings"] as? String }
  private func distance_m(_ rig: Rig) -> Double { value(rig, "trip", "distance_m") as? Double ?? 0 }

  private func refusals(_ rig: Rig) -> Int {
    ((value(rig, "warnings", "settings_refused") as? [String: Any])?["count"] as? Int) ?? 0
  }

  @Test(
    "a bad file is refused, a good one is applied: trip, GPS power and process go on, each record arrives once"
  )
  func reload() async throws {
    let rig = try Rig()
    try await rig.startCollector()
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    try await rig.startAgent(SurvivalTests.settings)
    try await rig.wait(until: "the vehicle drives") { distance_m(rig) > 300 }
    let (process, before) = (rig.processID("agent"), hash(rig))

    try rig.writeSettings(SurvivalTests.settings + "stop_timout_s = 3\n")
    rig.signal("agent", SIGHUP)
    try await rig.wait(until: "the file is refused") {
      rig.text("agent.log").contains("; the settings stay as they were")
    }
    #expect(rig.text("agent.log").contains("did you mean motion.stop_timeout_s?"))

    try rig.writeSettings(SurvivalTests.settings)
    #expect(hash(rig) == before)
    #expect(refusals(rig) == 1)
    let text = rig.text("godwit.toml")
    let other = text.replacingOccurrences(of: "queue.db", with: "other.db")
    try other.write(to: rig.file("godwit.toml"), atomically: true, encoding: .utf8)
    rig.signal("agent", SIGHUP)
    try await rig.wait(until: "another queue is refused") { refusals(rig) == 2 }
    #expect(rig.text("agent.log").contains("queue.path cannot change while the agent runs"))

    let id = value(rig, "trip", "id") as? Int
    let driven_m = distance_m(rig)
    let sessions = value(rig, "gps", "sessions") as? Int
    try rig.writeSettings(SurvivalTests.settings + "[track]\nmax_error_m = 25\n")
    rig.signal("agent", SIGHUP)
    try await rig.wait(until: "the new settings are in force") { hash(rig) != before }
    #expect(value(rig, "trip", "id") as? Int == id)
    #expect(distance_m(rig) >= driven_m)
    #expect(value(rig, "gps", "powered") as? Bool == true)
    try await rig.wait(until: "the trip goes on") { distance_m(rig) > driven_m + 200 }
    #expect(value(rig, "gps", "sessions") as? Int == sessions)
    #expect(rig.processID("agent") == process && rig.isRunning("agent"))

    try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }
    let sequences = try rig.records().map(\.sequence)
    #expect(sequences == Array(1...Int64(sequences.count)))
    #expect(try await rig.end("agent") == 0)
    #expect(rig.text("gpio/gps-power").hasPrefix("0"))
  }
}
