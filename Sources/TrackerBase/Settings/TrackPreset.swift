/// How exact the track is to be, for how much power and how many bytes: `track.preset`.
///
/// A preset takes the place of some defaults. What the file sets itself goes before it.
public enum TrackPreset: String, SettingChoice {
  /// The defaults.
  case highAccuracy = "high_accuracy"
  case balanced
  case lowPower = "low_power"

  func apply(to settings: inout Settings) {
    settings.track.preset = self
    switch self {
    case .highAccuracy: break
    case .balanced:
      settings.track.maxError_m = 50
      settings.track.maxInterval_s = 300
      settings.track.distanceFilter_m = 50
      settings.motion.stopTimeout_s = 240
      settings.motion.probeInterval_s = 180
      // Pauses go by its square root.
      settings.motion.probeWorth = 4.5
      settings.motion.probeWorthWithCells = 11
    case .lowPower:
      settings.track.maxError_m = 200
      settings.track.maxInterval_s = 900
      settings.track.distanceFilter_m = 200
      settings.motion.stopTimeout_s = 180
      settings.motion.probeInterval_s = 300
      settings.motion.probeShare = 0.05
      settings.motion.probeIntervalMax_s = 3600
      settings.motion.probeWorth = 1.6
      settings.motion.probeWorthWithCells = 4
    }
  }

  /// The one that a file's entries name; the default where they name none that there is.
  init(in entries: [SettingEntry]) {
    let entry = entries.first { $0.path == ["track", "preset"] }
    let name = if case .text(let name)? = entry?.value { name } else { "" }
    self = TrackPreset(rawValue: name) ?? .highAccuracy
  }
}

extension Settings {
  /// The defaults with a preset.
  public init(preset: TrackPreset) { preset.apply(to: &self) }

  /// Where a value comes from.
  public enum Origin: String, Sendable {
    case defaults = "default"
    case preset
    case file
  }

  /// Every setting in force, and where it comes from. A file that sets what holds anyway counts as silent.
  public var inForce: [(line: SettingsListing.Line, origin: Origin)] {
    let ofPreset = SettingsListing.lines(of: Settings(preset: track.preset))
    let plain = SettingsListing.lines(of: Settings())
    // Tables of free keys are one line each, so the lists have the same keys.
    return zip(SettingsListing.lines(of: self), zip(ofPreset, plain)).map { line, other in
      guard line == other.0 else { return (line, .file) }
      if line == other.1 { return (line, .defaults) }
      return (line, line.key == TrackPreset.key ? .file : .preset)
    }
  }
}

extension TrackPreset {
  static let key = "track.preset"

  /// What it sets.
  public var lines: [SettingsListing.Line] {
    SettingsListing.changes(in: Settings(preset: self), from: Settings()).filter { $0.key != TrackPreset.key }
  }
}
