import TrackerCore

/// Pictures of the ground under the report's maps.
public protocol Basemap {
  /// Those that there are pictures for.
  var zooms: ClosedRange<Int> { get }
  /// Of the pictures, such as `image/png`.
  var mediaType: String { get }
  /// Who made it; its licence mostly wants that said. May be empty.
  var attribution: String { get }
  /// nil where there is none.
  func picture(of tile: MercatorTile) -> [UInt8]?
}

/// The tiles under one map, within the page itself: it needs no other file and no network.
struct BasemapLayer {
  let html: HTML
  let attribution: String

  /// More would make the page heavy, and none would be seen as sharp as it is.
  static let mostTiles = 48

  /// Nothing without a basemap, and where that has no picture.
  init(_ basemap: (any Basemap)?, on plane: MapPlane) {
    guard let basemap, let tiles = BasemapLayer.tiles(basemap.zooms, plane) else {
      (html, attribution) = ("", "")
      return
    }
    let images = tiles.compactMap { tile -> HTML? in
      guard let picture = basemap.picture(of: tile.onEarth) else { return nil }
      return BasemapLayer.image(picture, basemap.mediaType, of: tile, on: plane)
    }
    html = images.isEmpty ? "" : "<g class=\"basemap\">\(HTML(images))</g>\n"
    attribution = images.isEmpty ? "" : basemap.attribution
  }

  /// Of the largest zoom that does with few enough.
  private static func tiles(_ zooms: ClosedRange<Int>, _ plane: MapPlane) -> [MercatorTile]? {
    let (west, east, south, north) = plane.bounds
    for zoom in zooms.reversed() {
      let (first, last) = (
        MercatorTile(holding: west, north, zoom: zoom), MercatorTile(holding: east, south, zoom: zoom)
      )
      guard first.x <= last.x, first.y <= last.y else { continue }
      let count = (last.x - first.x + 1).multipliedReportingOverflow(by: last.y - first.y + 1)
      guard !count.overflow, count.partialValue <= mostTiles else { continue }
      return (first.y...last.y).flatMap { y in
        (first.x...last.x).map { MercatorTile(zoom: zoom, x: $0, y: y) }
      }
    }
    return nil
  }

  /// Stretched onto the map's own projection, which within one tile differs by less than a pixel.
  private static func image(
    _ bytes: [UInt8], _ mediaType: String, of tile: MercatorTile, on plane: MapPlane
  ) -> HTML {
    let (x1, y1) = plane.exact(longitude_deg: tile.west_deg, latitude_deg: tile.north_deg)
    let (x2, y2) = plane.exact(longitude_deg: tile.east_deg, latitude_deg: tile.south_deg)
    let (left, top) = (Int(x1.rounded(.down)), Int(y1.rounded(.down)))
    return """
      <image x="\(left)" y="\(top)" width="\(Int(x2.rounded(.up)) - left)" height="\(Int(y2.rounded(.up)) - top)" \
      preserveAspectRatio="none" href="data:\(mediaType);base64,\(Base64.text(bytes))"/>

      """
  }
}

/// RFC 4648, 4.
enum Base64 {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let three = bytes[start..<min(start + 3, bytes.count)]
      let number = three.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - three.count))
      for place in 0..<4 {
        text.append(place > three.count ? UInt8(ascii: "=") : letters[number >> (18 - 6 * place) & 63])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
