import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO

extension GeofencesFile {
  /// For a command that shows them. - Returns: no fences before the first was added.
  static func readIfThere(_ path: String) throws -> [Geofence] {
    access(path, F_OK) != 0 && errno == ENOENT ? [] : try readOrExit(path)
  }

  /// For a command. - Returns: no fences where no file is named.
  static func readOrExit(_ path: String) throws -> [Geofence] {
    if path.isEmpty { return [] }
    do throws(Refusal) { return try read(path).fences } catch { throw error.exit }
  }
}

extension GeofencesFile.Refusal {
  /// Says so on standard error and gives the exit code to throw.
  var exit: ExitCode {
    Terminal.error(words + "\n")
    return ExitCode(ExitReason.settings.rawValue)
  }
}
