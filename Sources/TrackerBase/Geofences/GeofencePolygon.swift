/// Rings of corners in degrees, as GeoJSON has them: a point is inside if it lies in an odd number of rings, so
/// that a ring within another is a hole and rings apart are islands.
///
/// An edge is straight in latitude and longitude (RFC 7946, 3.1.1) and goes the short way round the earth, across
/// the antimeridian if that is shorter. A ring that goes round a pole encloses it.
public struct GeofencePolygon: Equatable, Sendable {
  struct Edge: Hashable {
    var from: Corner
    var to: Corner
  }

  struct Corner: Hashable {
    var latitude_deg: Double
    /// -180 up to 180.
    var longitude_deg: Double
    var isPole: Bool { abs(latitude_deg) == 90 }
    var position: Position { Position(latitude_deg: latitude_deg, longitude_deg: longitude_deg) }
  }

  public static let mostCorners = 10_000

  private let edges: [Edge]
  private let holdsNorthPole: Bool
  let box: GeoBox
  /// On the sphere; 0 if more is cut out than there is.
  public let area_m2: Double

  /// - Parameters:
  ///   - rings: closed (the last corner repeats the first) or not, in either direction.
  ///   - holes: which of them are cut out of the area. What is inside is decided by the edges alone.
  public init(rings: [[Position]], holes: Set<Int> = []) throws(GeofenceError) {
    var shape = RingReader()
    var area_m2 = 0.0
    for (number, ring) in rings.enumerated() {
      let ring_m2 = try shape.add(ring)
      area_m2 += holes.contains(number) ? -ring_m2 : ring_m2
    }
    guard !shape.edges.isEmpty else { throw .noArea }
    self.area_m2 = max(0, area_m2)
    edges = shape.edges
    holdsNorthPole = shape.holdsNorthPole
    box = shape.box
  }

  public var corners: Int { edges.count }

  /// The edges as lines for a drawing: each ring closed, but where a seam was left out.
  public var lines: [[Position]] {
    var lines: [[Position]] = []
    var end: Corner?
    for edge in edges {
      if edge.from != end { lines.append([edge.from.position]) }
      lines[lines.count - 1].append(edge.to.position)
      end = edge.to
    }
    return lines
  }

  /// Metres to the nearest edge, positive inside. Measured on the plane that touches the earth at `position`, so
  /// exact near an edge and good to some percent far from all.
  func depth_m(of position: Position) -> Double {
    let eastScale = cosine(degrees: position.latitude_deg) * Position.metresPerDegree
    var isInside = holdsNorthPole
    var nearest = Double.infinity
    for edge in edges {
      let x1 = wrapped(edge.from.longitude_deg - position.longitude_deg)
      var x2 = wrapped(edge.to.longitude_deg - position.longitude_deg)
      let y1 = edge.from.latitude_deg - position.latitude_deg
      let y2 = edge.to.latitude_deg - position.latitude_deg
      if x2 - x1 > 180 {
        x2 -= 360
      } else if x1 - x2 > 180 {
        x2 += 360
      } else if (x1 <= 0) != (x2 <= 0), y1 + (y2 - y1) * x1 / (x1 - x2) > 0 {
        // The meridian to the north pole crosses this edge.
        isInside.toggle()
      }
      // An edge along the pole is only a point that the meridians share.
      if edge.from.isPole, edge.to.isPole { continue }
      let start = (east: x1 * eastScale, north: y1 * Position.metresPerDegree)
      let end = (east: x2 * eastScale, north: y2 * Position.metresPerDegree)
      nearest = min(nearest, squareFromOrigin(start, end))
    }
    return isInside ? nearest.squareRoot() : -nearest.squareRoot()
  }
}

/// The square of the distance from (0, 0) to the segment.
private func squareFromOrigin(_ a: (east: Double, north: Double), _ b: (east: Double, north: Double))
  -> Double
{
  let (east, north) = (b.east - a.east, b.north - a.north)
  let length = east * east + north * north
  let along = length > 0 ? -(a.east * east + a.north * north) / length : 0
  let share = min(1, max(0, along))
  let (x, y) = (a.east + share * east, a.north + share * north)
  return x * x + y * y
}

/// Turns rings into edges.
private struct RingReader {
  private var times: [GeofencePolygon.Edge: Int] = [:]
  private var inOrder: [GeofencePolygon.Edge] = []
  private(set) var holdsNorthPole = false
  private var latitudes_deg: ClosedRange<Double>?
  private var longitudes_deg: ClosedRange<Double>?
  private var corners = 0

  /// An edge that comes twice is no border: the seam of two parts that touch, where tools cut at the antimeridian,
  /// or the way to a pole and back.
  var edges: [GeofencePolygon.Edge] { inOrder.filter { times[undirected($0), default: 0] % 2 == 1 } }

  var box: GeoBox {
    GeoBox(latitudes_deg: latitudes_deg ?? 0...0, longitudes_deg: longitudes_deg ?? 0...0)
  }

  /// - Returns: the ring's area, in square metres.
  mutating func add(_ ring: [Position]) throws(GeofenceError) -> Double {
    corners += ring.count
    guard corners <= GeofencePolygon.mostCorners else { throw .tooManyCorners }
    let corners = withMeridiansToPoles(try checked(ring)).map { corner in
      GeofencePolygon.Corner(
        latitude_deg: corner.latitude_deg, longitude_deg: wrapped(corner.longitude_deg))
    }
    var (unrolled, twiceArea, belt) = (0.0, 0.0, 0.0)
    // Of the triangles with the first corner, one by one: those of a ring that crosses itself cancel each other out.
    var twiceTriangles = 0.0
    var reach = 0.0...0.0
    for (from, to) in zip(corners, corners.dropFirst() + corners.prefix(1)) {
      let eastward_deg = wrapped(to.longitude_deg - from.longitude_deg)
      // `wrapped` leaves -180 as it is, and that is both ways round.
      guard abs(eastward_deg) < 180 else { throw .edgeTooLong }
      let twiceTriangle =
        unrolled * (to.latitude_deg - from.latitude_deg)
        - eastward_deg * (from.latitude_deg - corners[0].latitude_deg)
      twiceArea += twiceTriangle
      twiceTriangles += abs(twiceTriangle)
      unrolled += eastward_deg
      belt += eastward_deg * meanSine(from.latitude_deg, to.latitude_deg)
      reach = min(reach.lowerBound, unrolled)...max(reach.upperBound, unrolled)
      if from != to { add(.init(from: from, to: to)) }
    }
    let goesRound = abs(unrolled) > 180
    guard goesRound || abs(twiceArea) > 2 * RingReader.leastArea else {
      throw twiceTriangles > 2 * RingReader.leastArea ? .crossesItself : .noArea
    }
    try widen(corners, reach, goesRound: goesRound)
    // Between the ring and the equator, or what is left of the hemisphere.
    let share_deg = goesRound ? 360 - abs(belt) : abs(belt)
    return share_deg * Position.metresPerDegree * Position.earthRadius_m
  }

  /// Square degrees: a hand's breadth on the ground.
  private static let leastArea = 1e-12

  private mutating func add(_ edge: GeofencePolygon.Edge) {
    let before = times[undirected(edge), default: 0]
    if before == 0 { inOrder.append(edge) }
    times[undirected(edge)] = before + 1
  }

  private func undirected(_ edge: GeofencePolygon.Edge) -> GeofencePolygon.Edge {
    let (a, b) = (edge.from, edge.to)
    let isForward = (a.latitude_deg, a.longitude_deg) < (b.latitude_deg, b.longitude_deg)
    return isForward ? edge : .init(from: b, to: a)
  }

  private func checked(_ ring: [Position]) throws(GeofenceError) -> [GeofencePolygon.Corner] {
    var corners: [GeofencePolygon.Corner] = []
    for position in ring {
      guard position.isOnEarth else { throw .notOnEarth }
      let corner = GeofencePolygon.Corner(
        latitude_deg: position.latitude_deg, longitude_deg: position.longitude_deg)
      if corner != corners.last { corners.append(corner) }
    }
    if corners.count > 1, corners.first == corners.last { corners.removeLast() }
    guard Set(corners).count >= 3 else { throw .tooFewCorners }
    return corners
  }

  /// The longitude of a pole means nothing: the way there follows the meridian of the corner before, the way back
  /// that of the corner after.
  private func withMeridiansToPoles(_ corners: [GeofencePolygon.Corner]) -> [GeofencePolygon.Corner] {
    guard corners.contains(where: \.isPole) else { return corners }
    var all: [GeofencePolygon.Corner] = []
    for (from, to) in zip(corners, corners.dropFirst() + corners.prefix(1)) {
      all.append(from)
      if from.isPole != to.isPole {
        let (pole, other) = from.isPole ? (from, to) : (to, from)
        all.append(.init(latitude_deg: pole.latitude_deg, longitude_deg: other.longitude_deg))
      } else if from.isPole, abs(to.longitude_deg - from.longitude_deg) == 180 {
        // Half round along a pole is no distance: the way that the numbers go.
        let middle_deg = (from.longitude_deg + to.longitude_deg) / 2
        all.append(.init(latitude_deg: from.latitude_deg, longitude_deg: middle_deg))
      }
    }
    return all
  }

  private mutating func widen(
    _ corners: [GeofencePolygon.Corner], _ reach: ClosedRange<Double>, goesRound: Bool
  ) throws(GeofenceError) {
    let latitudes = corners.map(\.latitude_deg)
    guard var south = latitudes.min(), var north = latitudes.max(), let first = corners.first else { return }
    if goesRound {
      guard south >= 0 || north <= 0 else { throw .whichPole }
      if south >= 0 { holdsNorthPole.toggle() }
      (south, north) = south >= 0 ? (south, 90) : (-90, north)
    }
    latitudes_deg = latitudes_deg?.joined(with: south...north) ?? south...north
    let whole = -180.0...180.0
    guard let before = longitudes_deg, !goesRound else {
      let own = first.longitude_deg + reach.lowerBound...first.longitude_deg + reach.upperBound
      longitudes_deg = goesRound ? whole : own
      return
    }
    // Unrolled beside what is there already.
    let middle = (before.lowerBound + before.upperBound) / 2
    let start = middle + wrapped(first.longitude_deg - wrapped(middle))
    longitudes_deg = before.joined(with: start + reach.lowerBound...start + reach.upperBound)
  }
}

extension ClosedRange<Double> {
  fileprivate func joined(with other: ClosedRange<Double>) -> ClosedRange<Double> {
    Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
  }
}
