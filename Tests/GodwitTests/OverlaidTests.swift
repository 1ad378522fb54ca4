import Testing
import TrackerBase
import TrackerIO

@testable import godwit

/// The server's settings over those of a file.
@Suite("Settings of the server over a file")
struct OverlaidTests {
  private let folder = QueueFolder()

  private func overlaid(id: String) throws -> Overlaid {
    folder.write(Array("device_id = \"van-7\"\n".utf8), to: "godwit.toml")
    let file = try SettingsFile.read(folder.path + "/godwit.toml")
    let geofences =
      #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[8,47]},"properties":{"id":"\#(id)","radius_m":50}}]}"#
    return Overlaid(file, under: Overlay(version: 7, geofences: geofences))
  }

  @Test(
    "ids of geofences with characters that nobody sees are refused",
    arguments: ["202E", "200B", "FEFF", "200D", "2066"])
  func hiddenInID(code: String) throws {
    let overlaid = try overlaid(id: "depot\\u\(code)x")
    #expect(
      overlaid.use.problem
        == "geofences: feature 1: its id has a character that nobody sees, U+\(code)")
    #expect(overlaid.geofences == nil)
  }

  @Test("mistakes in settings and in geofences are named together")
  func both() throws {
    folder.write(Array("device_id = \"van-7\"\n".utf8), to: "godwit.toml")
    let file = try SettingsFile.read(folder.path + "/godwit.toml")
    let setting = SettingEntry(
      path: ["motion", "stop_timeout_s"], value: .integer(5), place: SettingPlace(line: 0, column: 0))
    let overlaid = Overlaid(file, under: Overlay(version: 7, settings: [setting], geofences: "{"))
    #expect(
      overlaid.use.problem
        == "motion.stop_timeout_s: is outside 10 to 7200 s; "
        + "geofences: is not JSON; `python3 -m json.tool FILE` says where")
    #expect(overlaid.geofences == nil && overlaid.settings == file.settings)
  }

  @Test("ids in any script are taken", arguments: ["Dépôt 7", "車庫", "مستودع", "🚗"])
  func anyScript(id: String) throws {
    let overlaid = try overlaid(id: id)
    #expect(overlaid.use == OverlayUse(version: 7) && overlaid.geofences?.first?.id == id)
  }
}
