import Foundation
import Hummingbird

/// Where the streets under the tracks come from: a server of tiles, a file of them, or nowhere. Then the map is a grid.
public struct MapSource: Sendable {
  /// For the page.
  struct Shown: Encodable, Equatable {
    /// With {z}, {x} and {y}; left out where there is none.
    var tiles: String?
    var attribution: String?
    var min_zoom: Int?
    var max_zoom: Int?
  }

  let shown: Shown
  private let tiles: TileFile?
  /// Of the server of tiles, for the pages' policy.
  private let origin: String?

  public init() { (shown, tiles, origin) = (Shown(), nil, nil) }

  /// - Parameter url: with {z}, {x}, {y} and, where there are several servers, {s}.
  public init(url: String, attribution: String?) throws {
    let plain = url.replacingOccurrences(of: "{s}", with: "a")
    let bare = ["{z}", "{x}", "{y}"].reduce(plain) { $0.replacingOccurrences(of: $1, with: "1") }
    guard url.contains("{z}"), url.contains("{x}"), url.contains("{y}"), let parsed = URL(string: bare),
      let scheme = parsed.scheme, ["http", "https"].contains(scheme), let host = parsed.host,
      !host.contains(";")
    else { throw MapError.notTiles }
    shown = Shown(tiles: url, attribution: attribution)
    tiles = nil
    let port = parsed.port.map { ":\($0)" } ?? ""
    let isMany = url.contains("{s}.")
    origin = "\(scheme)://\(isMany ? "*." + host.drop { $0 != "." }.dropFirst() : host[...])\(port)"
  }

  /// - Parameter file: MBTiles 1.3 with pictures.
  public init(file: String, attribution: String?) throws {
    let tiles = try TileFile(path: file)
    shown = Shown(
      tiles: "/v1/tiles/{z}/{x}/{y}", attribution: attribution ?? tiles.attribution, min_zoom: tiles.minZoom,
      max_zoom: tiles.maxZoom)
    (self.tiles, origin) = (tiles, nil)
  }

  /// Nothing but what the collector itself serves, and pictures of the map.
  var policy: String {
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; manifest-src 'self'; "
      + "img-src 'self' data:\(origin.map { " " + $0 } ?? ""); base-uri 'none'; form-action 'none'; "
      + "frame-ancestors 'none'"
  }

  func tile(z: Int, x: Int, y: Int) async throws -> Response {
    guard let tiles else { throw Refusal(.notFound, "this collector has no tiles: start it with --mbtiles") }
    guard (0...30).contains(z), (0..<1 << z).contains(x), (0..<1 << z).contains(y),
      let data = try await tiles.tile(z: z, x: x, y: y)
    else { throw Refusal(.notFound, "there is no such tile") }
    return Response(
      status: .ok, headers: [.contentType: tiles.type, .cacheControl: "private, max-age=86400"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
  }
}

/// Why the map has no streets.
public enum MapError: Error, Equatable, CustomStringConvertible {
  case notTiles
  case cannotOpen(String, words: String)
  case notPictures(String, format: String)

  public var description: String {
    switch self {
    case .notTiles:
      "--tiles is no address of tiles, such as https://tiles.example.com/{z}/{x}/{y}.png"
    case .cannotOpen(let path, let words): "cannot open the tiles \(path): \(words); is it an MBTiles file?"
    case .notPictures(let path, let format):
      "the tiles \(path) are \(format), and the map shows pictures: png, jpg or webp"
    }
  }
}
