import Foundation
import Testing

/// `geofences_file` as an operator meets it.
@Suite("The file of geofences")
struct GeofenceFileTests {
  private func check(_ geojson: String?, command: [String] = ["check"]) throws -> CommandTests.Outcome {
    let rig = try Rig()
    let fences = rig.file("fences.geojson").path
    let settings = rig.file("godwit.toml").path
    try
      "device_id = \"x\"\ngeofences_file = \"\(fences)\"\n[queue]\npath = \"\(rig.file("queue.db").path)\"\n"
      .write(toFile: settings, atomically: true, encoding: .utf8)
    if let geojson { try geojson.write(toFile: fences, atomically: true, encoding: .utf8) }
    var outcome = try CommandTests.godwit(command + [settings])
    outcome.errors = outcome.errors.replacing(fences, with: "FENCES")
    return outcome
  }

  private static let point = #"{"type":"Point","coordinates":[8,47]}"#

  private func collection(_ properties: String...) -> String {
    let features = properties.map { #"{"type":"Feature","geometry":\#(Self.point),"properties":\#($0)}"# }
    return #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
  }

  @Test("check says how many fences there are")
  func count() throws {
    let outcome = try check(collection(#"{"id":"a","radius_m":50}"#, #"{"id":"b","radius_m":50}"#))
    #expect(outcome.code == 0 && outcome.output.contains("geofences 2\n"), "\(outcome)")
  }

  @Test(
    "mistakes end check and simulate with exit 78, all at once",
    arguments: [["check"], ["simulate", "--track", "none.csv", "--config"]])
  func mistakes(_ command: [String]) throws {
    let outcome = try check(collection(#"{"id":"a","radius_m":5}"#, #"{"radius_m":50}"#), command: command)
    #expect(outcome.code == 78)
    let said = outcome.errors.split(separator: "\n").filter { !$0.contains("settings") }
    #expect(
      said == [
        "FENCES: feature 1 \"a\": radius_m must be 10 to 100000",
        "FENCES: feature 2: has no id: give it one, as a property or beside its type",
      ])
  }

  @Test("a file that is not there is a mistake in the settings")
  func missing() throws {
    let outcome = try check(nil)
    #expect(outcome.code == 78 && outcome.errors == "geofences_file: FENCES: there is no such file\n")
  }
}
