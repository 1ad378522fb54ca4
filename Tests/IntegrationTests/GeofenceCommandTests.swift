import Foundation
import Testing

/// `godwit geofence` as an operator meets it.
@Suite("The command geofence")
struct GeofenceCommandTests {
  private let rig: Rig
  private var settings: String { rig.file("godwit.toml").path }
  private var fences: String { rig.file("fences.geojson").path }

  init() throws {
    rig = try Rig()
    try """
    device_id = "x"
    geofences_file = "\(fences)"
    [queue]
    path = "\(rig.file("queue.db").path)"
    [run]
    directory = "\(rig.file("run").path)"

    """.write(toFile: settings, atomically: true, encoding: .utf8)
  }

  private func geofence(_ arguments: String...) throws -> CommandTests.Outcome {
    var outcome = try CommandTests.godwit(["geofence"] + arguments + ["--config", settings])
    outcome.output = outcome.output.replacing(fences, with: "FENCES")
    outcome.errors = outcome.errors.replacing(fences, with: "FENCES")
    return outcome
  }

  private func mode(_ path: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
  }

  private static let foreign =
    "{\"name\":\"areas\", \"type\":\"FeatureCollection\",\n \"features\":[\n  {\"type\":\"Feature\",\"geometry\":"
    + "{\"type\":\"Point\",\"coordinates\":[8.0000,47]},\"properties\":{\"id\":\"home\",\"radius_m\":5e1,"
    + "\"stroke\":\"red\"}}\n ]}\r\n"

  @Test("a first fence makes the file, readable by whom the settings are; list, test and remove go by it")
  func firstFence() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: settings)
    let added = try geofence("add", "depot", "--center", "-33.86,151.21", "--radius_m", "150")
    #expect(added.code == 0, "\(added)")
    #expect(
      added.output == "added \"depot\": 1 in FENCES\nno agent runs: its next start reads the file\n")
    #expect(mode(fences) == 0o640)
    #expect(try CommandTests.godwit(["check", settings]).output.contains("geofences 1\n"))
    let list = try geofence("list")
    #expect(list.output.contains("depot  circle of 150 m  70686 m²  ENTER, EXIT\n"), "\(list)")
    // Spaces, as a map's clipboard has them, and a minus are no options.
    for place in [["-33.86,151.21"], ["-33.86,", "151.21"], ["--", "-33.86,151.21"]] {
      let found = try CommandTests.godwit(["geofence", "test", "--config", settings] + place)
      #expect(found.output == "inside  depot  150 m from the edge\n", "\(found)")
    }
    #expect(try geofence("remove", "depot").output.hasPrefix("removed \"depot\": 0 in FENCES\n"))
    #expect(try geofence("list").output == "no geofence in FENCES\n")
  }

  @Test("before the first add there is no file, and that is no mistake")
  func noFileYet() throws {
    for arguments in [["list"], ["test", "47.37,8.54"]] {
      let outcome = try CommandTests.godwit(["geofence"] + arguments + ["--config", settings])
      #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome)")
      #expect(outcome.output == "no geofence in \(fences)\n")
    }
  }

  @Test("what else is in the file stays as it is, with mode and link")
  func leavesTheRest() throws {
    let place = rig.file("real.geojson").path
    try Self.foreign.write(toFile: place, atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(atPath: fences, withDestinationPath: place)
    try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: place)
    let corners = ["47.40,8.70", "47.40,8.71", "47.41,8.71"].flatMap { ["--corner", $0] }
    let added = try CommandTests.godwit(
      ["geofence", "add", "yard"] + corners + ["--events", "dwell", "--config", settings])
    #expect(added.code == 0, "\(added)")
    let feature =
      #"{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[8.7,47.4],[8.71,47.4],[8.71,47.41],[8.7,47.4]]]},"#
      + #""properties":{"id":"yard","notify_on_entry":false,"notify_on_exit":false,"notify_on_dwell":true}}"#
    #expect(rig.text("real.geojson") == Self.foreign.replacing("}\n ]", with: "},\n  \(feature)\n ]"))
    #expect(mode(place) == 0o604)
    #expect(try geofence("remove", "yard").code == 0)
    #expect(rig.text("real.geojson") == Self.foreign)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: fences) == place)
  }

  @Test("what check refuses is refused in its words, and the file stays as it was")
  func refusals() throws {
    try Self.foreign.write(toFile: fences, atomically: true, encoding: .utf8)
    let twice = try geofence("add", "home", "--center", "47,8", "--radius_m", "50")
    #expect(twice.code == 78)
    #expect(
      twice.errors
        == "FENCES: feature 2 \"home\": feature 1 has the same id: each needs its own\ngodwit: the file stays as it was\n"
    )
    let absent = try geofence("remove", "hom")
    #expect(absent.code == 64 && absent.errors.contains("there is no geofence \"hom\""), "\(absent)")
    #expect(rig.text("fences.geojson") == Self.foreign)
    try "{".write(toFile: fences, atomically: true, encoding: .utf8)
    #expect(try geofence("remove", "home").errors.hasPrefix("FENCES: is not JSON; "))
    try "{}".write(toFile: fences, atomically: true, encoding: .utf8)
    let other = try geofence("add", "x", "--center", "47,8", "--radius_m", "50")
    #expect(
      other.code == 78 && other.errors.hasPrefix("FENCES: is not a GeoJSON FeatureCollection with features"))
  }

  @Test("mistakes on the command line exit with 64, say what to do, and repeat no position")
  func usage() throws {
    for (arguments, words) in [
      (["--center", "147.5,8", "--radius_m", "50"], "--center is not LAT,LON, such as 47.3769,8.5417"),
      (["--center", "47.5,8"], "give --center and --radius_m for a circle, or three --corner"),
      (
        ["--center", "47.5,8", "--radius_m", "nan"],
        "The value 'nan' is invalid for '--radius_m <radius_m>': metres, 10 to 100000, such as 150"
      ),
      (
        ["--center", "47.5,8", "--radius_m", "5"],
        "The value '5' is invalid for '--radius_m <radius_m>': metres, 10 to 100000, such as 150"
      ),
      (
        ["--center", "47.5,8", "--radius_m", "150m"],
        "The value '150m' is invalid for '--radius_m <radius_m>': metres, 10 to 100000, such as 150"
      ),
      (
        ["--center", "47.5,8", "--radius_m", "50", "--loitering_delay_s", "5min"],
        "The value '5min' is invalid for '--loitering_delay_s <loitering_delay_s>': seconds, 0 to 604800, such as 300"
      ),
      (
        ["--center", "47.5,8", "--radius_m", "50", "--events", "in"], "--events must be ENTER, EXIT and DWELL"
      ),
      (["--center", "47.5,8", "--radius_m", "50", "--extras", "x"], "--extras is not JSON"),
    ] {
      let outcome = try CommandTests.godwit(["geofence", "add", "x"] + arguments + ["--config", settings])
      #expect(outcome.code == 64 && outcome.errors.contains(words), "\(outcome)")
      #expect(!outcome.errors.contains("47.5"))
    }
  }

  @Test("two commands at once: neither undoes what the other did")
  func atOnce() async throws {
    let (rig, settings) = (rig, settings)
    await withTaskGroup(of: Int32?.self) { group in
      for number in 0..<8 {
        group.addTask {
          try? CommandTests.godwit([
            "geofence", "add", "f\(number)", "--center", "47,8", "--radius_m", "50", "--config", settings,
          ]).code
        }
      }
      for await code in group { #expect(code == 0) }
    }
    let ids = rig.text("fences.geojson").components(separatedBy: "\"id\":\"f").count - 1
    #expect(ids == 8)
  }

  @Test("the running agent takes it at once, and says so")
  func runningAgent() async throws {
    try await rig.startAgentAsWritten()
    let added = try geofence("add", "depot", "--center", "47,8", "--radius_m", "150")
    #expect(
      added.code == 0 && added.output.hasSuffix("the running agent has taken it, and watches 1\n"), "\(added)"
    )
    try await rig.wait(until: "the agent watches it") {
      (rig.status()?["geofences"] as? [String: Any])?["count"] as? Int == 1
    }
    let text = rig.text("godwit.toml").replacing("fences.geojson", with: "others.geojson")
    try text.write(toFile: settings, atomically: true, encoding: .utf8)
    let other = try geofence("add", "depot", "--center", "47,8", "--radius_m", "150")
    #expect(other.code == 69, "\(other)")
    #expect(
      other.errors.contains(
        "has not taken it: its settings name another file, FENCES; then sudo systemctl reload"))
  }
}
