import Foundation
import GRDB

/// A file of tiles (MBTiles 1.3), which is SQLite.
final class TileFile: Sendable {
  let type: String
  let attribution: String?
  let minZoom: Int?
  let maxZoom: Int?
  private let connection: DatabaseQueue

  init(path: String) throws {
    var configuration = Configuration()
    configuration.label = "tiles"
    configuration.readonly = true
    do {
      connection = try DatabaseQueue(path: path, configuration: configuration)
      let values = try connection.read { db in
        try GRDB.Row.fetchAll(db, sql: "SELECT name, value FROM metadata")
          .reduce(into: [String: String]()) { $0[$1["name"]] = $1["value"] }
      }
      let types = ["png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp"]
      guard let type = types[values["format"] ?? "png"] else {
        throw MapError.notPictures(path, format: String((values["format"] ?? "").prefix(20)))
      }
      self.type = type
      attribution = values["attribution"]
      (minZoom, maxZoom) = (values["minzoom"].flatMap { Int($0) }, values["maxzoom"].flatMap { Int($0) })
    } catch let error as DatabaseError {
      throw MapError.cannotOpen(path, words: error.words)
    }
  }

  /// Its rows count from the south, those of a page from the north.
  func tile(z: Int, x: Int, y: Int) async throws -> Data? {
    try await connection.read { db in
      try Data.fetchOne(
        db, sql: "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?",
        arguments: [z, x, (1 << z) - 1 - y])
    }
  }
}
