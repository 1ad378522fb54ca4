import ArgumentParser
import Glibc
import TrackerCore
import TrackerIO
import TrackerWire

/// The file that `geofences_file` names.
enum GeofencesFile {
  /// Why it cannot be used.
  struct Refusal: Error {
    let words: String

    /// Says so on standard error and gives the exit code to throw.
    var exit: ExitCode {
      Terminal.error(words + "\n")
      return ExitCode(ExitReason.settings.rawValue)
    }
  }

  static func read(_ path: String) throws(Refusal) -> (fences: [Geofence], bytes: [UInt8]) {
    let bytes = try bytes(of: path)
    do throws(GeofenceDocumentError) { return (try GeofenceDocument.parse(bytes, file: path), bytes) } catch {
      throw Refusal(words: "\(error)")
    }
  }

  static func bytes(of path: String) throws(Refusal) -> [UInt8] {
    do throws(RecordingError) {
      // One byte more than is allowed shows that there are more.
      return try RecordingFile.head(of: path, count: GeofenceDocument.mostBytes + 1)
    } catch { throw Refusal(words: "geofences_file: \(path): \(error)") }
  }

  /// For a command that shows them. - Returns: no fences before the first was added.
  static func readIfThere(_ path: String) throws -> [Geofence] {
    access(path, F_OK) != 0 && errno == ENOENT ? [] : try readOrExit(path)
  }

  /// For a command. - Returns: no fences where no file is named.
  static func readOrExit(_ path: String) throws -> [Geofence] {
    if path.isEmpty { return [] }
    do { return try read(path).fences } catch { throw error.exit }
  }
}
