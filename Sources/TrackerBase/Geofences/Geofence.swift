/// An area of the user's, and what of it is to be reported.
public struct Geofence: Equatable, Sendable {
  public enum Shape: Equatable, Sendable {
    case circle(centre: Position, radius_m: Double)
    case polygon(GeofencePolygon)
  }

  public static let radii_m = 10.0...100_000
  public static let longestID = 64

  /// The user's name for it: 1 to 64 characters, none of them a control character.
  public let id: String
  public let shape: Shape
  public var notifyOnEntry = true
  public var notifyOnExit = true
  public var notifyOnDwell = false
  /// DWELL comes when the vehicle has been inside for so long.
  public var loiteringDelay_s = 300.0
  /// A JSON object that rides with each event, or empty. Whoever makes the fence has checked it.
  public var extras = ""
  /// Unix milliseconds from which on the fence is no more.
  public var expires_ms: Int64?
  package let box: GeoBox
  /// How far inside one can get, at the most: the radius of a circle, else half of the box's shorter side.
  package let size_m: Double

  public init(id: String, shape: Shape) throws(GeofenceError) {
    guard Geofence.isName(id) else { throw .badID }
    self.id = id
    self.shape = shape
    switch shape {
    case .circle(let centre, let radius_m):
      guard centre.isOnEarth else { throw .notOnEarth }
      guard Geofence.radii_m.contains(radius_m) else { throw .radius }
      box = GeoBox(around: centre, radius_m: radius_m)
      size_m = radius_m
    case .polygon(let polygon):
      box = polygon.box
      size_m = polygon.box.halfSide_m
    }
  }

  public var area_m2: Double {
    switch shape {
    case .circle(_, let radius_m): Double.pi * radius_m * radius_m
    case .polygon(let polygon): polygon.area_m2
    }
  }

  /// Metres to the edge, positive inside.
  public func depth_m(of position: Position) -> Double {
    switch shape {
    case .circle(let centre, let radius_m): radius_m - centre.greatCircle_m(to: position)
    case .polygon(let polygon): polygon.depth_m(of: position)
    }
  }

  public func hasExpired(at time_ms: Int64) -> Bool { expires_ms.map { time_ms >= $0 } ?? false }

  private static func isName(_ id: String) -> Bool {
    (1...longestID).contains(id.unicodeScalars.count) && !SettingText.hasControl(id)
  }
}

/// Why something cannot be a geofence, and what to do.
public enum GeofenceError: Error, Equatable, Sendable {
  case badID, notOnEarth, radius
  case tooFewCorners, tooManyCorners, noArea, crossesItself, edgeTooLong, whichPole

  public var reason: String {
    switch self {
    case .badID: "the id must have 1 to \(Geofence.longestID) characters and no control character"
    case .notOnEarth:
      "a position is not on earth: longitude comes first, -180 to 180, then latitude, -90 to 90"
    case .radius: "radius_m must be 10 to 100000"
    case .tooFewCorners: "a ring needs three different corners at least"
    case .tooManyCorners:
      "has more than \(GeofencePolygon.mostCorners) corners: simplify it, 5 m are fine enough"
    case .noArea: "a ring encloses no area: its corners lie on one line"
    case .crossesItself:
      "a ring encloses no area: its edges cross, or go back over each other; put its corners in the order in which one "
        + "walks round"
    case .edgeTooLong: "an edge goes half round the earth, both ways: add a corner between"
    case .whichPole:
      "a ring goes round the earth on both sides of the equator, so either pole may be inside: cut it at the "
        + "equator into two geofences"
    }
  }
}
