import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("The nearest known name")
struct SettingsNamesTests {
  @Test(
    "of a setting",
    arguments: [
      ("gps.fix_timout_s", "gps.fix_timeout_s"),
      ("gps.prot", "gps.port"),
      ("gps.fix_timeout", "gps.fix_timeout_s"),
      ("gps.Fix-Timeout-S", "gps.fix_timeout_s"),
      // In the wrong group, or in none.
      ("gps.max_error_m", "track.max_error_m"),
      ("port", "gps.port"),
      ("gps.schedule", "schedule"),
      ("motion.max_acuracy_m", "gps.max_accuracy_m"),
      // With or without the group's name in the key.
      ("sync.interval_s", "sync.sync_interval_s"),
      ("sync.sync_splay_s", "sync.splay_s"),
      ("queue.max_mb", "queue.queue_max_mb"),
      ("queue.pth", "queue.path"),
      ("gps.power.chp", "gps.power.chip"),
      ("bananas", nil),
      ("x", nil),
    ])
  func setting(written: String, meant: String?) {
    #expect(suggestion(for: written, value: .flag(true)) == meant)
  }

  @Test(
    "of a group",
    arguments: [
      ("gsp", "gps"), ("tracks", "track"), ("motoin", "motion"), ("power", "gps.power"),
      ("headers", "sync.headers"),
      ("bananas", nil),
    ])
  func group(written: String, meant: String?) {
    #expect(suggestion(for: written, value: .table) == meant)
  }

  @Test("of a value")
  func value() {
    #expect(SettingNames.nearest(to: "Boundd", among: ["bounded", "distance", "all"]) == "bounded")
    #expect(SettingNames.nearest(to: "sometimes", among: ["bounded", "distance", "all"]) == nil)
    #expect(SettingNames.nearest(to: "", among: ["all"]) == nil)
    #expect(SettingNames.nearest(to: "", among: ["5"]) == nil)
    // The beginning of one, and not what has no letter of it.
    #expect(SettingNames.nearest(to: "3", among: ["auto", "5", "3.1.1"]) == "3.1.1")
    #expect(SettingNames.nearest(to: "4", among: ["auto", "5", "3.1.1"]) == nil)
    #expect(SettingNames.nearest(to: "air", among: ["air_1", "air_2"]) == nil)
  }

  private func suggestion(for written: String, value: SettingEntry.Value) -> String? {
    let entry = SettingEntry(
      path: written.split(separator: ".").map(String.init), value: value,
      place: SettingPlace(line: 1, column: 1))
    let problems = SettingsReader([entry], file: "f", checkSchedule: { _ in nil }).problems
    #expect(problems.count == 1)
    return problems.first?.suggestion
  }
}
