import ArgumentParser
import TrackerBase
import TrackerIO
import TrackerLab

/// The settings and assumptions of one call, read and checked before the first replay.
struct SimulationPlan {
  private var candidates: [(name: String, settings: Settings, zone: SystemZone, geofences: [Geofence])] = []
  private var assumptions = Assumptions()
  private var cells: [CellRecording.Change] = []

  init(_ command: Simulate) throws {
    do throws(SettingsFileError) {
      let overrides = try SettingsOverride.entries(command.overrides)
      try SettingsOverride.read(command.assume, option: "--assume", into: &assumptions)
      if let sweep = command.sweep {
        for value in try SimulationPlan.values(of: sweep) {
          let all = overrides + (try SettingsOverride.entries([value], option: "--sweep"))
          let settings = try SimulationPlan.swept(command.config, all)
          candidates.append((value, settings, try SimulationPlan.zone(settings, file: command.config), []))
        }
      }
      for path in command.sweep != nil ? [] : [command.config] + command.compare.map(Optional.some) {
        let settings = try SettingsFile.read(path, overrides: overrides)
        candidates.append((path ?? "defaults", settings, try SimulationPlan.zone(settings, file: path), []))
      }
    } catch {
      Terminal.error(error.description + "\n")
      throw ExitCode(error.exitCode)
    }
    cells = try SimulationPlan.cells(assumptions.cells)
    for index in candidates.indices where !candidates[index].settings.geofencesFile.isEmpty {
      do throws(GeofencesFile.Refusal) {
        candidates[index].geofences = try GeofencesFile.read(candidates[index].settings.geofencesFile).fences
      } catch {
        Terminal.error(error.words + "\n")
        throw ExitCode(ExitReason.settings.rawValue)
      }
    }
  }

  /// `key=a,b` as `key=a` and `key=b`. A value with a comma of its own cannot be swept.
  private static func values(of sweep: String) throws(SettingsFileError) -> [String] {
    let parts = sweep.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let values = parts.count == 2 ? parts[1].split(separator: ",", omittingEmptySubsequences: false) : []
    guard values.count >= 2, values.allSatisfy({ !$0.allSatisfy { $0 == " " } }) else {
      let reason =
        "\(SettingText.quoted(sweep)) is not KEY=VALUE,VALUE, such as motion.probe_interval_s=30,60,90"
      throw .invalid([SettingsProblem(file: "--sweep", place: nil, key: "", reason: reason)])
    }
    return values.map { "\(parts[0])=\($0)" }
  }

  /// The one value that each has anew is named by its own option.
  private static func swept(_ path: String?, _ all: [SettingEntry]) throws(SettingsFileError) -> Settings {
    do throws(SettingsFileError) { return try SettingsFile.read(path, overrides: all) } catch {
      guard case .invalid(var problems) = error, let entry = all.last else { throw error }
      let key = SettingText.dotted(entry.path)
      for index in problems.indices where problems[index].key == key { problems[index].file = "--sweep" }
      throw .invalid(problems)
    }
  }

  private static func zone(_ settings: Settings, file: String?) throws(SettingsFileError) -> SystemZone {
    do { return try SystemZone(settings.timezone) } catch {
      throw .invalid([
        SettingsProblem(
          file: file ?? SettingsOverride.option, place: nil, key: "timezone", reason: "\(error)")
      ])
    }
  }

  private static func cells(_ path: String) throws -> [CellRecording.Change] {
    if path.isEmpty { return [] }
    do { return try TrackFile.cells(path: path) } catch { throw ExitReason.noInput.exit("\(error)") }
  }

  /// Tracks of one name are distinguished by their paths.
  static func tracks(_ paths: [String], skipsBad: Bool) throws -> [RecordedTrack] {
    var tracks = try paths.map { try track($0, skipsBad) }
    let names = tracks.map(\.name)
    for index in tracks.indices {
      let others = names.indices.filter { names[$0] == names[index] && paths[$0] != paths[index] }
      if !others.isEmpty { tracks[index].name = paths[index] }
    }
    return tracks
  }

  private static func track(_ path: String, _ skipsBad: Bool) throws -> RecordedTrack {
    do { return try TrackFile.read(path: path, skipsBad: skipsBad) } catch {
      let advice = error.isOfRow ? "\n--skip-bad leaves malformed rows out and counts them" : ""
      throw ExitReason.noInput.exit("\(error)\(advice)")
    }
  }

  /// One result for each set of settings.
  func replay(_ track: RecordedTrack) throws -> [ReplayResult] {
    try candidates.map { candidate in
      do {
        let replay = try Replay(
          track: track, settings: candidate.settings, settingsName: candidate.name, zone: candidate.zone,
          zoneName: candidate.zone.name, assumptions: assumptions, geofences: candidate.geofences,
          cells: cells)
        for hint in replay.hints { Terminal.error("godwit: \(hint)\n") }
        return replay.run()
      } catch { throw ExitReason.usage.exit("\(error)") }
    }
  }
}
