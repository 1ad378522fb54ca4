import TrackerBase
import TrackerWire

/// The file that `geofences_file` names.
public enum GeofencesFile {
  /// Why it cannot be used.
  public struct Refusal: Error {
    public let words: String
  }

  public static func read(_ path: String) throws(Refusal) -> (fences: [Geofence], bytes: [UInt8]) {
    let bytes = try bytes(of: path)
    do throws(GeofenceDocumentError) { return (try GeofenceDocument.parse(bytes, file: path), bytes) } catch {
      throw Refusal(words: "\(error)")
    }
  }

  public static func bytes(of path: String) throws(Refusal) -> [UInt8] {
    do throws(RecordingError) {
      // One byte more than is allowed shows that there are more.
      return try RecordingFile.head(of: path, count: GeofenceDocument.mostBytes + 1)
    } catch { throw Refusal(words: "geofences_file: \(path): \(error)") }
  }
}
