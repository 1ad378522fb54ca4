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

  /// Degrees of longitude to `other`, -180...180: right across the antimeridian too.
  public func eastward_deg(to other: Position) -> Double {
    let eastward_deg = other.longitude_deg - longitude_deg
    if eastward_deg > 180 { return eastward_deg - 360 }
    return eastward_deg < -180 ? eastward_deg + 360 : eastward_deg
  }

  /// Metres east and north to `other`; right across the antimeridian too.
  func offset_m(to other: Position) -> (east: Double, north: Double) {
    let metresPerDegree = Position.earthRadius_m * Double.pi / 180
    let middle_deg = (latitude_deg + other.latitude_deg) / 2
    return (
      eastward_deg(to: other) * metresPerDegree * cosine(degrees: middle_deg),
      (other.latitude_deg - latitude_deg) * metresPerDegree
    )
  }
}

/// Cosine of a latitude, -90...90 degrees: the core links no C mathematics.
/// Taylor's series on 0...45 degrees, where seven terms are exact to 1e-15.
func cosine(degrees: Double) -> Double {
  let angle = min(abs(degrees), 90) * Double.pi / 180
  if angle > Double.pi / 4 { return sineSeries(Double.pi / 2 - angle) }
  let square = angle * angle
  var term = 1.0
  var sum = 1.0
  for k in 1...8 {
    term *= -square / Double((2 * k - 1) * (2 * k))
    sum += term
  }
  return sum
}

private func sineSeries(_ angle: Double) -> Double {
  let square = angle * angle
  var term = angle
  var sum = angle
  for k in 1...8 {
    term *= -square / Double((2 * k) * (2 * k + 1))
    sum += term
  }
  return sum
}
