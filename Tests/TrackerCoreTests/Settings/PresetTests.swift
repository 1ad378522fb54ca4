import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Presets and modes in the settings")
struct PresetTests {
  private func entry(_ path: [String], _ value: SettingEntry.Value, line: Int = 1) -> SettingEntry {
    SettingEntry(path: path, value: value, place: SettingPlace(line: line, column: 1))
  }

  private func read(_ entries: [SettingEntry]) -> SettingsReader {
    SettingsReader(entries, file: "f", checkSchedule: { _ in nil })
  }

  @Test("a preset sets its values, and what the file sets itself goes before it, wherever it stands")
  func beats() {
    let reader = read([
      entry(["track", "max_error_m"], .integer(20)),
      entry(["track", "preset"], .text("low_power"), line: 2),
      entry(["motion", "stop_timeout_s"], .integer(300), line: 3),
    ])
    #expect(reader.problems.isEmpty)
    let settings = reader.settings
    #expect(settings.track.maxError_m == 20 && settings.motion.stopTimeout_s == 300)
    #expect(settings.track.maxInterval_s == 900 && settings.motion.probeInterval_s == 300)
    let origins = Dictionary(uniqueKeysWithValues: settings.inForce.map { ($0.line.key, $0.origin) })
    #expect(origins["track.max_error_m"] == .file && origins["motion.stop_timeout_s"] == .file)
    #expect(origins["track.max_interval_s"] == .preset && origins["track.preset"] == .file)
    #expect(origins["gps.port"] == .defaults)
  }

  @Test(
    "high_accuracy is the defaults; each preset is within the settings' ranges",
    arguments: TrackPreset.allCases)
  func values(preset: TrackPreset) {
    let reader = read([entry(["track", "preset"], .text(preset.rawValue))])
    #expect(reader.problems.isEmpty)
    #expect(reader.settings == Settings(preset: preset))
    #expect((reader.settings == Settings()) == (preset == .highAccuracy))
  }

  @Test("an unknown preset is reported with the nearest, and a clash names the preset as its cause")
  func problems() {
    let unknown = read([entry(["track", "preset"], .text("low-power"))]).problems
    #expect(
      unknown.map(\.description) == [
        #"f:1: track.preset: "low-power" is not one of "high_accuracy", "balanced", "low_power"; did you mean "low_power"?"#
      ])
    let clash = read([
      entry(["track", "preset"], .text("low_power")),
      entry(["motion", "probe_interval_max_s"], .integer(200), line: 2),
    ]).problems
    #expect(
      clash.map(\.reason) == [
        "motion.probe_interval_max_s (200 s) must be at least motion.probe_interval_s (300 s, by track.preset)"
      ])
  }

  @Test("wire_only without an ignition line is refused, with what to do")
  func wireOnly() {
    let mode = entry(["motion", "mode"], .text("wire_only"))
    let problems = read([mode]).problems
    #expect(problems.map(\.key) == ["motion.mode"] && problems.first?.line == 1)
    #expect(
      problems.first?.reason
        == "\"wire_only\" needs an ignition line, or the GPS would never be on: set ignition.chip and ignition.line (docs/lines.md)"
    )
    let line = [entry(["ignition", "chip"], .text("c")), entry(["ignition", "line"], .text("4"))]
    #expect(read([mode] + line).problems.isEmpty)
  }
}
