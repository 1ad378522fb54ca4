import ArgumentParser
import TrackerCore
import TrackerIO
import TrackerWire

/// The file that `geofences_file` names.
enum GeofencesFile {
  /// - Returns: no fences where no file is named.
  /// - Throws: the exit code; all that is wrong has been said on standard error.
  static func read(_ path: String) throws -> [Geofence] {
    if path.isEmpty { return [] }
    do {
      // One byte more than is allowed shows that there are more.
      let bytes = try RecordingFile.head(of: path, count: GeofenceDocument.mostBytes + 1)
      return try GeofenceDocument.parse(bytes, file: path)
    } catch let error as RecordingError {
      throw refusal("geofences_file: \(path): \(error)")
    } catch {
      throw refusal("\(error)")
    }
  }

  private static func refusal(_ words: String) -> ExitCode {
    Terminal.error(words + "\n")
    return ExitCode(ExitReason.settings.rawValue)
  }
}
