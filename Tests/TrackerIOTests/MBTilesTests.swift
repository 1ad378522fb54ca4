import Glibc
import Testing
import TrackerCore

@testable import TrackerIO

@Suite("MBTiles files")
struct MBTilesTests {
  private func file(_ statements: [String], in folder: ScratchFolder) throws -> String {
    let path = folder.path + "/ground.mbtiles"
    let database = try SQLiteDatabase(path: path)
    try database.execute("CREATE TABLE metadata (name TEXT, value TEXT)")
    try database.execute(
      "CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
    for statement in statements { try database.execute(statement) }
    return path
  }

  private static let tiles = [
    // Rows from the south: of eight, row 5 is the third from the north.
    "INSERT INTO tiles VALUES (3, 4, 5, X'89504E47')", "INSERT INTO tiles VALUES (5, 1, 1, X'00')",
  ]

  @Test("hand out their pictures, with rows counted from the north, their kind and their makers")
  func pictures() throws {
    let folder = ScratchFolder()
    let tiles = try MBTiles(
      path: try file(
        Self.tiles + [
          "INSERT INTO metadata VALUES ('format', 'jpg')",
          "INSERT INTO metadata VALUES ('attribution', '<a href=\"https://map.example\">© Somebody</a>, 2026')",
        ], in: folder))
    #expect(tiles.zooms == 3...5 && tiles.mediaType == "image/jpeg")
    #expect(tiles.attribution == "© Somebody, 2026")
    #expect(tiles.picture(of: MercatorTile(zoom: 3, x: 4, y: 2)) == [0x89, 0x50, 0x4E, 0x47])
    #expect(tiles.picture(of: MercatorTile(zoom: 3, x: 4, y: 5)) == nil)
    #expect(tiles.picture(of: MercatorTile(zoom: 5, x: 1, y: 30)) == [0])
  }

  @Test("what is none, and what holds vectors, says so")
  func others() throws {
    let folder = ScratchFolder()
    func problem(_ path: String) -> String {
      do throws(MBTilesError) { return "none, \(try MBTiles(path: path).zooms)" } catch { return "\(error)" }
    }
    let empty = try file([], in: folder)
    #expect(problem(empty) == "\(empty) is no MBTiles file with tiles in it")
    #expect(problem("/nowhere/a.mbtiles") == "/nowhere/a.mbtiles: No such file or directory")
    #expect(problem(folder.path).contains("is a directory"), "\(problem(folder.path))")
    #expect(problem("/bin/sh") == "/bin/sh is no MBTiles file with tiles in it")
    unlink(empty)
    let vectors = try file(Self.tiles + ["INSERT INTO metadata VALUES ('format', 'pbf')"], in: folder)
    #expect(
      problem(vectors)
        == "\(vectors) holds tiles of the format \"pbf\", not pictures: png, jpg or webp are needed")
  }
}
