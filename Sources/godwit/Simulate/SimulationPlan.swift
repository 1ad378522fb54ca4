import ArgumentParser
import Glibc
import TrackerCore
import TrackerIO
import TrackerReplay

/// The settings and assumptions of one call, read and checked before the first replay.
struct SimulationPlan {
  private var candidates: [(name: String, settings: Settings, zone: SystemZone, geofences: [Geofence])] = []
  private var assumptions = Assumptions()
  private var cells: [CellRecording.Change] = []

  init(_ command: Simulate) throws {
    do throws(SettingsFileError) {
      let overrides = try SettingsOverride.entries(command.overrides)
      try SettingsOverride.read(command.assume, option: "--assume", into: &assumptions)
      for path in [command.config] + command.compare.map(Optional.some) {
        let settings = try SettingsFile.read(path, overrides: overrides)
        candidates.append((path ?? "defaults", settings, try SimulationPlan.zone(settings, file: path), []))
      }
    } catch {
      Terminal.error(error.description + "\n")
      throw ExitCode(error.exitCode)
    }
    cells = try SimulationPlan.cells(assumptions.cells)
    for index in candidates.indices {
      candidates[index].geofences = try GeofencesFile.readOrExit(candidates[index].settings.geofencesFile)
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
  static func tracks(_ paths: [String]) throws -> [RecordedTrack] {
    var tracks = try paths.map(track)
    let names = tracks.map(\.name)
    for index in tracks.indices {
      let others = names.indices.filter { names[$0] == names[index] && paths[$0] != paths[index] }
      if !others.isEmpty { tracks[index].name = paths[index] }
    }
    return tracks
  }

  private static func track(_ path: String) throws -> RecordedTrack {
    do { return try TrackFile.read(path: path) } catch { throw ExitReason.noInput.exit("\(error)") }
  }

  /// One result for each set of settings.
  func replay(_ track: RecordedTrack) throws -> [ReplayResult] {
    try candidates.map { candidate in
      do {
        let replay = try Replay(
          track: track, settings: candidate.settings, settingsName: candidate.name, zone: candidate.zone,
          assumptions: assumptions, geofences: candidate.geofences, cells: cells)
        if let hint = replay.hint { Terminal.error("godwit: \(hint)\n") }
        var progress = ProgressBar(title: track.name)
        defer { progress.end() }
        return replay.run { progress.show($0) }
      } catch { throw ExitReason.usage.exit("\(error)") }
    }
  }
}

/// How far a long replay is, on a terminal only.
struct ProgressBar {
  private static let width = 30
  private let title: String
  private let isShown = isatty(STDERR_FILENO) == 1
  private var began_ms = HostClock.now().boot_ms
  private var isOnScreen = false

  /// What takes less needs no bar.
  private static let patience_ms: Int64 = 500

  init(title: String) { self.title = title }

  mutating func show(_ share: Double) {
    guard isShown, HostClock.now().boot_ms - began_ms >= ProgressBar.patience_ms else { return }
    let filled = Int(share * Double(ProgressBar.width))
    let bar =
      String(repeating: "#", count: filled) + String(repeating: "·", count: ProgressBar.width - filled)
    Terminal.error("\r\(title) \(bar) \(Int(share * 100)) %")
    isOnScreen = true
  }

  mutating func end() {
    if isOnScreen { Terminal.error("\r\u{1B}[K") }
    isOnScreen = false
  }
}
