import ArgumentParser
import TrackerCore
import TrackerIO

/// Where the settings are, and how a command that needs them reads them.
enum SettingsLocation {
  static let standard = "/etc/godwit/godwit.toml"

  /// Reads and checks everything, says all that is wrong on standard error, and gives the exit code to throw.
  static func read(_ path: String) throws -> Settings {
    do throws(SettingsFileError) {
      let file = try SettingsFile.read(path, checkSchedule: Check.scheduleFlaw)
      let problems = file.checkFiles()
      guard problems.isEmpty else { throw .invalid(problems) }
      return file.settings
    } catch {
      Terminal.error(error.description + "\n")
      throw ExitCode(error.exitCode)
    }
  }
}
