import Glibc
import Testing
import TrackerBase
import TrackerIO

@Suite("Settings from the command line")
struct SettingsOverrideTests {
  private func settings(_ overrides: [String], file: String? = nil) throws -> Settings {
    guard let file else { return try read(nil, overrides) }
    let folder = QueueFolder()
    let path = folder.path + "/godwit.toml"
    let stream = try #require(fopen(path, "w"))
    fputs(file, stream)
    fclose(stream)
    return try read(path, overrides)
  }

  private func read(_ path: String?, _ overrides: [String]) throws -> Settings {
    try SettingsFile.read(
      path, overrides: SettingsOverride.entries(overrides))
  }

  /// What the errors say, one a line.
  private func complaint(_ overrides: [String], file: String? = nil) -> String {
    do {
      _ = try settings(overrides, file: file)
      return ""
    } catch { return "\(error)" }
  }

  @Test("numbers, flags, choices, texts and lists, without needless quotes")
  func kinds() throws {
    let settings = try settings([
      "motion.stop_timeout_s=600", "motion.gps_off_when_parked = false", "track.sampling=all",
      "device_id=van-7", "schedule=[\"mon-fri 09:00-17:00\"]", "sync.url=https://fleet.example/x?a=b",
    ])
    #expect(settings.motion.stopTimeout_s == 600 && !settings.motion.gpsOffWhenParked)
    #expect(settings.track.sampling == .all && settings.deviceID == "van-7")
    #expect(settings.schedule == ["mon-fri 09:00-17:00"])
    #expect(settings.sync.url == "https://fleet.example/x?a=b")
  }

  @Test("they win over the file, the last over the first, and leave the rest alone")
  func precedence() throws {
    let settings = try settings(
      ["motion.stop_timeout_s=600", "motion.stop_timeout_s=700"],
      file: "[motion]\nstop_timeout_s = 100\nstationary_radius_m = 40\n")
    #expect(settings.motion.stopTimeout_s == 700 && settings.motion.stationaryRadius_m == 40)
  }

  @Test("problems name --set, those of the file the file and its line")
  func blame() {
    #expect(
      complaint(["motion.stop_timeout_s=5"]) == "--set: motion.stop_timeout_s: 5 is outside 10 to 7200 s")
    #expect(
      complaint(["motion.stop_timout_s=50"])
        == "--set: motion.stop_timout_s: unknown setting; did you mean motion.stop_timeout_s?")
    let both = complaint(["track.sampling=some"], file: "[motion]\nstop_timeout_s = 5\n")
    #expect(both.contains("--set: track.sampling: \"some\" is not one of \"bounded\", \"distance\", \"all\""))
    #expect(both.contains("godwit.toml:2: motion.stop_timeout_s: 5 is outside 10 to 7200 s"))
  }

  @Test("what is no KEY=VALUE is reported with an example")
  func malformed() {
    #expect(
      complaint(["fast", "="])
        == """
        --set: "fast" is not KEY=VALUE, such as motion.stop_timeout_s=600
        --set: "=" is not KEY=VALUE, such as motion.stop_timeout_s=600
        """)
  }

  @Test("rules are checked together: a schedule on the command line too")
  func together() {
    #expect(complaint(["schedule=[\"someday\"]"]).hasPrefix("--set: schedule: \"someday\": "))
    #expect(complaint(["sync.url=http://fleet.example/"]).hasPrefix("--set: sync.url: must be https://"))
  }
}
