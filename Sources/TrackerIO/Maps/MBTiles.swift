import Glibc
import TrackerCore

/// A file of map tiles: an SQLite database as the MBTiles specification 1.3 has it. Pictures only, no vectors.
public final class MBTiles {
  public let zooms: ClosedRange<Int>
  /// `image/png`, …
  public let mediaType: String
  /// Plain words: markup is left out.
  public let attribution: String
  private let statement: SQLiteStatement

  public init(path: String) throws(MBTilesError) {
    do throws(OutsideFileError) { try OutsideFile.check(path) } catch { throw .notAFile(error) }
    guard access(path, R_OK) == 0 else { throw .cannotRead(path: path, code: errno) }
    let metadata: [String: String]
    let zooms: ClosedRange<Int>?
    do throws(QueueError) {
      let database = try SQLiteDatabase(path: path, create: false, readOnly: true, withoutLog: true)
      metadata = try MBTiles.metadata(database)
      zooms = try MBTiles.zooms(database)
      statement = try database.prepare(
        "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?")
    } catch { throw .noTiles(path: path) }
    guard let zooms else { throw .noTiles(path: path) }
    let format = metadata["format"] ?? "png"
    guard let mediaType = MBTiles.mediaTypes[format] else { throw .noPictures(path: path, format: format) }
    (self.zooms, self.mediaType) = (zooms, mediaType)
    attribution = MBTiles.plain(metadata["attribution"] ?? "")
  }

  private static let mediaTypes = [
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
  ]

  private static func metadata(_ database: SQLiteDatabase) throws(QueueError) -> [String: String] {
    let rows = try database.prepare("SELECT name, value FROM metadata")
    var found: [String: String] = [:]
    while try rows.step() { found[rows.text(0)] = rows.text(1) }
    return found
  }

  /// nil without any tile.
  private static func zooms(_ database: SQLiteDatabase) throws(QueueError) -> ClosedRange<Int>? {
    let row = try database.prepare("SELECT min(zoom_level), max(zoom_level) FROM tiles")
    guard try row.step(), let low = row.integer(0), let high = row.integer(1) else { return nil }
    let known = MercatorTile.zooms
    guard let first = Int(exactly: low), let last = Int(exactly: high), known.contains(first) else {
      return nil
    }
    return first...max(first, min(last, known.upperBound))
  }

  /// Without what stands between `<` and `>`: attributions mostly are links.
  private static func plain(_ markup: String) -> String {
    var (text, isTag) = ("", false)
    for character in markup {
      switch character {
      case "<": isTag = true
      case ">": isTag = false
      case _ where !isTag: text.append(character)
      default: break
      }
    }
    return text
  }

  /// nil where there is none, or it cannot be read.
  public func picture(of tile: MercatorTile) -> [UInt8]? {
    // Rows count from the south there.
    let row = (1 << tile.zoom) - 1 - tile.y
    statement.bind([.integer(Int64(tile.zoom)), .integer(Int64(tile.x)), .integer(Int64(row))])
    guard (try? statement.step()) == true else { return nil }
    defer { statement.reset() }
    return statement.bytes(0)
  }
}

/// Why a file has no pictures for a map.
public enum MBTilesError: Error, Equatable, CustomStringConvertible {
  case notAFile(OutsideFileError)
  case cannotRead(path: String, code: Int32)
  case noTiles(path: String)
  case noPictures(path: String, format: String)

  public var description: String {
    switch self {
    case .notAFile(let error): "\(error)"
    case .cannotRead(let path, let code): "\(path): \(String(cString: strerror(code)))"
    case .noTiles(let path): "\(path) is no MBTiles file with tiles in it"
    case .noPictures(let path, let format):
      "\(path) holds tiles of the format \(SettingText.quoted(format)), not pictures: png, jpg or webp are needed"
    }
  }
}
