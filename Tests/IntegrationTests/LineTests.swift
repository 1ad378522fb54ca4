import Foundation
import Testing

/// The ignition's line is a file here, watched with real inotify by the real agent.
@Suite(
  "Input lines", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct LineTests {
  /// Parked for 5 minutes, driven 3 km north in 5, parked again.
  static let track: String = {
    let points = stride(from: 0, through: 3600, by: 10).map { s in
      let driven_s = min(max(s - 300, 0), 300)
      let time = "2026-03-02T\(two(7 + s / 3600)):\(two(s / 60 % 60)):\(two(s % 60))Z"
      let speed = driven_s == 0 || driven_s == 300 ? 0 : 10
      return """
        <trkpt lat="\(47 + Double(driven_s) * 10 / 111_195)" lon="8"><ele>400</ele><time>\(time)</time>\
        <speed>\(speed)</speed></trkpt>
        """
    }
    return """
      <gpx version="1.0" creator="test"><trk><trkseg>
      \(points.joined(separator: "\n"))
      </trkseg></trk></gpx>
      """
  }()

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private func settings(_ rig: Rig) -> String {
    """
    [ignition]
    chip = "simulated:\(rig.file("gpio").path)"
    line = "ignition"
    debounce_ms = 200
    [motion]
    stop_timeout_s = 7200
    ignition_off_timeout_s = 3
    """
  }

  private func write(_ level: String, _ rig: Rig) throws {
    try level.write(to: rig.file("gpio/ignition"), atomically: false, encoding: .utf8)
  }

  private func value(_ rig: Rig, _ group: String, _ key: String) -> Any? {
    (rig.status()?[group] as? [String: Any])?[key]
  }

  private func motion(_ rig: Rig) -> String? { rig.status()?["motion"] as? String }

  @Test("the ignition begins the trip and switches the GPS on; off, it parks the vehicle when it stands")
  func ignition() async throws {
    let rig = try Rig()
    try LineTests.track.write(to: rig.file("track.gpx"), atomically: true, encoding: .utf8)
    try await rig.startCollector()
    try await rig.startFeeder([
      "--track", rig.file("track.gpx").path, "--speed", "30", "--start", "now", "--hold-after-end",
      "--up-to", rig.file("up-to").path,
    ])
    try await rig.startGPSD()
    // It drives off when the ignition is on.
    try rig.play(upTo: 200)
    try await rig.startAgent(settings(rig))
    try await rig.wait(until: "parked, with the ignition off and the GPS too") {
      motion(rig) == "stationary" && value(rig, "lines", "ignition") as? Bool == false
        && value(rig, "gps", "powered") as? Bool == false
    }

    try write("1", rig)
    try await rig.wait(until: "the trip has begun") { motion(rig) == "moving" }
    #expect(value(rig, "gps", "powered") as? Bool == true)
    #expect(rig.text("gpio/gps-power").hasPrefix("1"))
    #expect(value(rig, "lines", "ignition") as? Bool == true)
    try rig.play(upTo: .max)

    try await rig.wait(until: "the vehicle has driven and stands") {
      value(rig, "trip", "distance_m") as? Double ?? 0 > 2900 && stands(rig)
    }
    let off = Date()
    try write("0", rig)
    try await rig.wait(until: "the vehicle is parked") { motion(rig) == "stationary" }
    let parkedAfter_s = Date().timeIntervalSince(off)
    #expect(parkedAfter_s > 3, "\(parkedAfter_s) s")
    #expect(value(rig, "gps", "powered") as? Bool == false)

    try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }
    let trips = try rig.records().filter { $0.event == "trip" }
    #expect(trips.map { $0.details["end_cause"] as? String } == ["ignition"])
    #expect(trips.first?.details["towed"] == nil)
  }

  @Test("the line of external power: lost and back are in journal and status, at once, and over a restart")
  func externalPower() async throws {
    let rig = try Rig()
    (rig.gpsdPort, rig.url) = (1, "")
    func isThere() -> Bool? { rig.status()?["external_power"] as? Bool }
    func write(_ level: String) throws {
      try level.write(to: rig.file("gpio/supply"), atomically: false, encoding: .utf8)
    }
    try write("1")
    try await rig.startAgent(
      "[external_power]\nchip = \"simulated:\(rig.file("gpio").path)\"\nline = \"supply\"\ndebounce_ms = 50\n"
    )
    try await rig.wait(until: "it is there") { isThere() == true }
    try write("0")
    try await rig.wait(until: "it is lost") { isThere() == false }
    let warnings = rig.status()?["warnings"] as? [String: Any]
    #expect((warnings?["power_lost"] as? [String: Any])?["count"] as? Int == 1)
    #expect(
      rig.text("agent.log").contains(
        "the vehicle's supply is lost, by its line: is the cable cut, or the battery disconnected?"))
    try await rig.end("agent")
    try write("1")
    try await rig.startAgentAsWritten()
    try await rig.wait(until: "it is back") {
      isThere() == true && rig.text("agent.log").contains("the vehicle's supply is back, by its line")
    }
    try await rig.end("agent")
  }

  /// The module's last fixes lie in one place.
  private func stands(_ rig: Rig) -> Bool {
    let last = rig.sentFixes().suffix(60)
    return last.count == 60 && last.allSatisfy { $0.lat == last.last?.lat }
  }
}
