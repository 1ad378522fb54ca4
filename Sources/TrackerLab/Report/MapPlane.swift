import TrackerCore

/// A point of the picture, in units of which its width has 10000.
struct PlanePoint: Hashable {
  var x: Int
  var y: Int
}

/// The piece of the earth that the map shows: local equirectangular projection, north up.
struct MapPlane {
  static let width = 10_000
  let height: Int
  let unitsPerMetre: Double
  /// Longitudes count from here, so that a track may cross the antimeridian.
  private let origin: Position
  private let west_m: Double
  private let north_m: Double
  private let metresPerLongitude: Double
  private let metresPerLatitude: Double
  private let middle_deg: Double

  /// The picture's height for a width of 1, so that it fits a screen.
  private static let shape = 0.56...0.72
  /// Left free on each side, of the width.
  private static let margin = 0.07

  /// - Parameters:
  ///   - positions: what is shown; all on one side of the earth.
  ///   - least_m: no side is shorter, also where nothing moved.
  init(showing positions: [Position], least_m: Double) {
    origin = positions.first ?? Position(latitude_deg: 0, longitude_deg: 0)
    var east = (least: 0.0, most: 0.0)
    var north = (least: origin.latitude_deg, most: origin.latitude_deg)
    for position in positions {
      let east_deg = origin.eastward_deg(to: position)
      east = (min(east.least, east_deg), max(east.most, east_deg))
      north = (min(north.least, position.latitude_deg), max(north.most, position.latitude_deg))
    }
    middle_deg = (north.least + north.most) / 2
    let middle = Position(latitude_deg: middle_deg, longitude_deg: 0)
    let beside = Position(latitude_deg: middle_deg, longitude_deg: 0.01)
    let above = Position(latitude_deg: middle_deg + 0.01, longitude_deg: 0)
    metresPerLongitude = middle.distance_m(to: beside) * 100
    metresPerLatitude = middle.distance_m(to: above) * 100

    let across_m = (east.most - east.least) * metresPerLongitude
    let along_m = (north.most - north.least) * metresPerLatitude
    let free = 1 - 2 * MapPlane.margin
    let width_m = max(across_m / free, along_m / free / MapPlane.shape.upperBound, least_m)
    let height_m = min(max(along_m / free, width_m * MapPlane.shape.lowerBound), width_m)
    west_m = (east.least + east.most) / 2 * metresPerLongitude - width_m / 2
    north_m = (north.most - middle_deg) * metresPerLatitude + (height_m - along_m) / 2
    unitsPerMetre = Double(MapPlane.width) / width_m
    height = Int((height_m * unitsPerMetre).rounded())
  }

  func point(_ position: Position) -> PlanePoint {
    let (x, y) = exact(east_deg: originEastward_deg(to: position), latitude_deg: position.latitude_deg)
    return PlanePoint(x: MapPlane.whole(x), y: MapPlane.whole(y))
  }

  func originEastward_deg(to position: Position) -> Double { origin.eastward_deg(to: position) }

  /// - Parameter east_deg: counted from the origin, more than half a turn too.
  func exact(east_deg: Double, latitude_deg: Double) -> (x: Double, y: Double) {
    let x = (east_deg * metresPerLongitude - west_m) * unitsPerMetre
    return (x, (north_m - (latitude_deg - middle_deg) * metresPerLatitude) * unitsPerMetre)
  }

  /// - Parameter longitude_deg: near the origin, beyond 180 if that lies across the antimeridian.
  func exact(longitude_deg: Double, latitude_deg: Double) -> (x: Double, y: Double) {
    exact(east_deg: longitude_deg - origin.longitude_deg, latitude_deg: latitude_deg)
  }

  /// What the picture shows, in degrees; the longitudes are beyond 180 where it crosses the antimeridian.
  var bounds: (west: Double, east: Double, south: Double, north: Double) {
    let width_m = Double(MapPlane.width) / unitsPerMetre
    let height_m = Double(height) / unitsPerMetre
    return (
      origin.longitude_deg + west_m / metresPerLongitude,
      origin.longitude_deg + (west_m + width_m) / metresPerLongitude,
      middle_deg + (north_m - height_m) / metresPerLatitude, middle_deg + north_m / metresPerLatitude
    )
  }

  /// Far outside the picture is as good as any other place there.
  private static func whole(_ value: Double) -> Int { Int(min(max(value, -100_000), 100_000).rounded()) }

  /// Where the point lies, for SVG attributes.
  func left(_ point: PlanePoint) -> String { ReportText.percent(Double(point.x) / Double(MapPlane.width)) }
  func top(_ point: PlanePoint) -> String { ReportText.percent(Double(point.y) / Double(height)) }

  func shows(_ point: PlanePoint) -> Bool {
    (0...MapPlane.width).contains(point.x) && (0...height).contains(point.y)
  }
}
