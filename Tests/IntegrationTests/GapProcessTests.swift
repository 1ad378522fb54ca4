import Foundation
import Testing

/// The real agent, killed, and what the collector says of it.
@Suite(
  "Gaps of a killed agent",
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct GapProcessTests {
  private struct Gap: Decodable {
    var cause: String
    var begin: String
    var end: String
  }

  private func gaps(_ rig: Rig) -> [Gap] {
    let url = URL(string: "\(rig.server)/v1/devices/\(rig.device)/gaps")!
    return (try? JSONDecoder().decode([Gap].self, from: Data(contentsOf: url))) ?? []
  }

  @Test("kill -9, and a start a minute later: the collector knows that no process ran, and from when")
  func killed() async throws {
    let rig = try Rig()
    rig.gpsdPort = freePort()
    rig.topSettings = "schedule = [\"2020-01-01 08:00-09:00\"]\n"
    try await rig.startCollector()
    let settings = "[clock]\nwhen_clock_unknown = \"closed\"\n"
    let began_s = Date().timeIntervalSince1970
    try await rig.startAgent(settings)
    try await rig.wait(until: "it gives a sign of life") { !rig.text("run/alive").isEmpty }
    try await rig.end("agent", with: SIGKILL)
    let killed_s = Date().timeIntervalSince1970
    try await rig.wait(until: "more than a minute has passed") {
      Date().timeIntervalSince1970 > killed_s + 62
    }
    try await rig.startAgent(settings)
    let started_s = Date().timeIntervalSince1970
    try await rig.wait(until: "the gap has arrived") {
      gaps(rig).contains { $0.cause == "process_not_running" }
    }
    let found = try #require(gaps(rig).first { $0.cause == "process_not_running" })
    let parser = ISO8601DateFormatter()
    parser.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let begin_s = try #require(parser.date(from: found.begin)).timeIntervalSince1970
    let end_s = try #require(parser.date(from: found.end)).timeIntervalSince1970
    #expect(begin_s >= began_s - 2 && begin_s <= killed_s + 2)
    #expect(end_s > killed_s + 55 && end_s <= started_s + 2)
    #expect(rig.status()?["no_track_because"] as? String == "window_closed")
  }
}
