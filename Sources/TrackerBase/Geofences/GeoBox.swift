import CMath

/// The part of the earth between two parallels and two meridians.
package struct GeoBox: Equatable, Sendable {
  var south_deg: Double
  var north_deg: Double
  /// -180 up to 180.
  var west_deg: Double
  /// From the western meridian eastwards, 0...360.
  var width_deg: Double

  /// What rounding can take away at an edge.
  static let slack_deg = 1e-9

  /// The box of a circle, a little too wide rather than too narrow.
  init(around centre: Position, radius_m: Double) {
    let reach_deg = radius_m / Position.metresPerDegree + GeoBox.slack_deg
    south_deg = max(-90, centre.latitude_deg - reach_deg)
    north_deg = min(90, centre.latitude_deg + reach_deg)
    // A great circle of this length goes nowhere faster eastwards than at its latitude nearest to the pole.
    let narrowest = cosine(degrees: max(-south_deg, north_deg))
    let half_deg = narrowest > 0 ? reach_deg / narrowest : 180
    width_deg = half_deg < 180 ? 2 * half_deg : 360
    west_deg = width_deg < 360 ? wrapped(centre.longitude_deg - half_deg) : -180
  }

  /// - Parameter longitudes_deg: unrolled, so that the higher one may lie beyond 180.
  init(latitudes_deg: ClosedRange<Double>, longitudes_deg: ClosedRange<Double>) {
    south_deg = latitudes_deg.lowerBound - GeoBox.slack_deg
    north_deg = latitudes_deg.upperBound + GeoBox.slack_deg
    let width = longitudes_deg.upperBound - longitudes_deg.lowerBound + 2 * GeoBox.slack_deg
    width_deg = min(360, width)
    west_deg = width_deg < 360 ? wrapped(longitudes_deg.lowerBound - GeoBox.slack_deg) : -180
  }

  package func contains(_ position: Position) -> Bool {
    guard (south_deg...north_deg).contains(position.latitude_deg) else { return false }
    var eastward_deg = position.longitude_deg - west_deg
    if eastward_deg < 0 { eastward_deg += 360 }
    if eastward_deg >= 360 { eastward_deg -= 360 }
    return eastward_deg <= width_deg
  }

  /// Half of the shorter side: how far inside one can get, at the most.
  var halfSide_m: Double {
    let height_m = (north_deg - south_deg) * Position.metresPerDegree
    guard width_deg < 360 else { return height_m / 2 }
    let width_m = width_deg * Position.metresPerDegree * cosine(degrees: (south_deg + north_deg) / 2)
    return min(height_m, width_m) / 2
  }
}

extension Position {
  /// Metres to `other` on the sphere, at the poles too: the haversine formula.
  func greatCircle_m(to other: Position) -> Double {
    let northward = sine(degrees: (other.latitude_deg - latitude_deg) / 2)
    let eastward = sine(degrees: eastward_deg(to: other) / 2)
    let cosines = cosine(degrees: latitude_deg) * cosine(degrees: other.latitude_deg)
    let haversine = northward * northward + cosines * eastward * eastward
    return 2 * Position.earthRadius_m * cmath_asin(min(1, haversine.squareRoot()))
  }
}

/// Mean of the sine between two latitudes, by the first terms of sin(h) / h: exact to 1e-7 for 20° and less.
func meanSine(_ one_deg: Double, _ other_deg: Double) -> Double {
  let half = (one_deg - other_deg) / 2 * Double.pi / 180
  let shrinking = 1 - half * half / 6 + half * half * half * half / 120
  return sine(degrees: (one_deg + other_deg) / 2) * shrinking
}
