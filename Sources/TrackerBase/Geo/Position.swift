import CMath

/// A point on the earth, in degrees (WGS 84).
public struct Position: Equatable, Sendable {
  public var latitude_deg: Double
  public var longitude_deg: Double

  public init(latitude_deg: Double, longitude_deg: Double) {
    self.latitude_deg = latitude_deg
    self.longitude_deg = longitude_deg
  }

  /// Mean earth radius (IUGG), metres.
  static let earthRadius_m = 6_371_008.8

  /// Metres to `other`, on the plane that touches the sphere half-way between the two. Within 0.01 % of the
  /// great circle up to 100 km away from the poles, which is farther than two fixes ever lie apart.
  public func distance_m(to other: Position) -> Double {
    let offset = offset_m(to: other)
    return (offset.east * offset.east + offset.north * offset.north).squareRoot()
  }

  /// Degrees of longitude to `other`, -180 up to 180: right across the antimeridian too.
  public func eastward_deg(to other: Position) -> Double { wrapped(other.longitude_deg - longitude_deg) }

  /// Metres east and north to `other`; right across the antimeridian too.
  package func offset_m(to other: Position) -> (east: Double, north: Double) {
    let middle_deg = (latitude_deg + other.latitude_deg) / 2
    return (
      eastward_deg(to: other) * Position.metresPerDegree * cosine(degrees: middle_deg),
      (other.latitude_deg - latitude_deg) * Position.metresPerDegree
    )
  }
}

extension Position {
  /// Along a meridian.
  static let metresPerDegree = earthRadius_m * Double.pi / 180

  public var isOnEarth: Bool { abs(latitude_deg) <= 90 && abs(longitude_deg) <= 180 }
}

/// The same longitude within -180 up to 180, for what is off by one turn at most.
package func wrapped(_ longitude_deg: Double) -> Double {
  if longitude_deg >= 180 { return longitude_deg - 360 }
  return longitude_deg < -180 ? longitude_deg + 360 : longitude_deg
}

func cosine(degrees: Double) -> Double { cmath_cos(degrees * Double.pi / 180) }
func sine(degrees: Double) -> Double { cmath_sin(degrees * Double.pi / 180) }
