import Testing
import TrackerBase
import TrackerIO

@testable import godwit

/// Files that the settings name, while the server has set something in their place.
@Suite("What settings determine, under settings of the server")
struct PlanTests {
  private let folder = QueueFolder()

  private func settings() -> Settings {
    var settings = Settings()
    settings.deviceID = "van-7"
    settings.queue.path = folder.queue
    settings.geofencesFile = folder.path + "/fences.geojson"
    return settings
  }

  private func words(_ plan: Plan) -> [String] {
    plan.problems.compactMap { if case .fileUnusable(.geofences, let words) = $0 { words } else { nil } }
  }

  @Test(
    "a broken file of geofences is reported while the server's are in force, and after they are taken back")
  func brokenGeofences() throws {
    folder.write(Array("{".utf8), to: "fences.geojson")
    let settings = settings()
    let reason = "\(settings.geofencesFile): is not JSON; `python3 -m json.tool FILE` says where"
    let overlaid = try Plan(Overlaid(settings: settings, geofences: [], use: OverlayUse(version: 7)))
    #expect(
      words(overlaid) == ["\(reason); the server's geofences are in force, and it is tried again"])
    let after = try Plan(Overlaid(settings: settings), insteadOf: overlaid)
    #expect(words(after) == ["\(reason); no geofence is watched, and it is tried again"])
    #expect(after.geofences == [])
  }

  @Test(
    "a zone that there is not closes a schedule's windows, and is not said to where no schedule is set",
    arguments: [
      (["mon-fri 08:00-18:00"], "the schedule's windows stay closed"),
      ([], "no schedule is set, so tracking continues"),
    ])
  func noZone(rules: [String], instead: String) throws {
    var settings = settings()
    (settings.geofencesFile, settings.timezone, settings.schedule) = ("", "Nowhere/City", rules)
    let problems = try Plan(Overlaid(settings: settings)).problems
    #expect(problems.count == 1)
    guard case .fileUnusable(.zone, let words) = problems.first else {
      Issue.record("\(problems)")
      return
    }
    #expect(words.hasSuffix("; \(instead), and it is tried again"), "\(words)")
  }

  @Test("a reload under a file that never was fine says that no geofence is watched")
  func neverGood() throws {
    folder.write(Array("{".utf8), to: "fences.geojson")
    let settings = settings()
    let reason = "\(settings.geofencesFile): is not JSON; `python3 -m json.tool FILE` says where"
    let started = try Plan(Overlaid(settings: settings))
    let reloaded = try Plan(Overlaid(settings: settings), insteadOf: started)
    for plan in [started, reloaded] {
      #expect(words(plan) == ["\(reason); no geofence is watched, and it is tried again"])
    }
    folder.write(Array(#"{"type":"FeatureCollection","features":[]}"#.utf8), to: "fences.geojson")
    let empty = try Plan(Overlaid(settings: settings), insteadOf: reloaded)
    #expect(words(empty) == [])
    folder.write(Array("{".utf8), to: "fences.geojson")
    let after = try Plan(Overlaid(settings: settings), insteadOf: empty)
    #expect(words(after) == ["\(reason); no geofence is watched, and it is tried again"])
  }

  @Test("a file that is fine is kept for later while the server's geofences are in force")
  func keptMeanwhile() throws {
    let fence =
      #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[8,47]},"properties":{"id":"yard","radius_m":50}}]}"#
    folder.write(Array(fence.utf8), to: "fences.geojson")
    let settings = settings()
    let overlaid = try Plan(Overlaid(settings: settings, geofences: [], use: OverlayUse(version: 7)))
    #expect(overlaid.geofences == [] && words(overlaid) == [])
    folder.write(Array("{".utf8), to: "fences.geojson")
    let after = try Plan(Overlaid(settings: settings), insteadOf: overlaid)
    #expect(after.geofences.count == 1 && words(after).first?.contains("the last good ones go on") == true)
  }
}
