import CMath

/// A tile of the web's maps: at zoom z the world, from 85.05° south to 85.05° north, is 2^z tiles wide and high.
public struct MercatorTile: Hashable, Sendable {
  public static let zooms = 0...22

  public var zoom: Int
  /// From 180° west; may go on beyond 180° east, where the world begins anew.
  public var x: Int
  /// From the north.
  public var y: Int

  public init(zoom: Int, x: Int, y: Int) { (self.zoom, self.x, self.y) = (zoom, x, y) }

  /// - Parameter longitude_deg: beyond 180 for what lies east of the antimeridian, seen from the west.
  public init(holding longitude_deg: Double, _ latitude_deg: Double, zoom: Int) {
    let count = Double(1 << zoom)
    let sine = min(max(sine(degrees: latitude_deg), -0.9962), 0.9962)
    // The inverse of the Gudermannian function.
    let north = cmath_log((1 + sine) / (1 - sine)) / 2
    self.zoom = zoom
    x = Int(((longitude_deg + 180) / 360 * count).rounded(.down))
    y = min(max(Int(((1 - north / .pi) / 2 * count).rounded(.down)), 0), (1 << zoom) - 1)
  }

  public var west_deg: Double { Double(x) / Double(1 << zoom) * 360 - 180 }
  public var east_deg: Double { Double(x + 1) / Double(1 << zoom) * 360 - 180 }
  public var north_deg: Double { MercatorTile.latitude_deg(Double(y) / Double(1 << zoom)) }
  public var south_deg: Double { MercatorTile.latitude_deg(Double(y + 1) / Double(1 << zoom)) }

  /// The tile of the same picture within the world.
  public var onEarth: MercatorTile {
    let count = 1 << zoom
    return MercatorTile(zoom: zoom, x: (x % count + count) % count, y: y)
  }

  /// - Parameter share: of the world's height, from the north.
  private static func latitude_deg(_ share: Double) -> Double {
    let power = cmath_exp(2 * .pi * (1 - 2 * share))
    return cmath_asin((power - 1) / (power + 1)) * 180 / .pi
  }
}
