import TrackerBase
import TrackerIO

/// What `godwit power off` needs of the settings, in the folder of the running agent: for when the settings file can
/// no longer be read.
enum PowerNote {
  private static let keys = ["gps.power.", "queue.path", "run.directory"]

  static func path(in directory: String) -> String { directory + "/power.toml" }

  static func write(_ settings: Settings) throws(HostError) {
    let lines = SettingsListing.lines(of: settings).filter { line in
      keys.contains { line.key.hasPrefix($0) }
    }
    let text = lines.map { $0.text + "\n" }.joined()
    try StatusFile.write(path(in: settings.run.directory), text)
  }
}
