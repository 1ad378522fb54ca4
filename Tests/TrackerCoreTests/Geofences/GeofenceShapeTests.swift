import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Shapes of geofences")
struct GeofenceShapeTests {
  @Test(
    "a circle's depth is its radius less the distance, at the antimeridian and at the poles too",
    arguments: [(0.0, 0.0), (47.0, 180.0), (-33.0, -180.0), (89.99, 10.0), (90.0, 0.0), (-89.95, -100.0)])
  func circle(latitude_deg: Double, longitude_deg: Double) throws {
    let centre = Position(latitude_deg: latitude_deg, longitude_deg: longitude_deg)
    let fence = try Geofence(id: "c", shape: .circle(centre: centre, radius_m: 5000))
    #expect(abs(fence.depth_m(of: centre) - 5000) < 1e-6)
    // Towards the equator along the meridian.
    let southward = latitude_deg > 0 ? -1.0 : 1.0
    for metres in [10.0, 4999, 5001, 60_000] {
      var there = centre
      there.latitude_deg += southward * metres / Position.metresPerDegree
      #expect(abs(fence.depth_m(of: there) - (5000 - metres)) < 0.05, "\(metres)")
      #expect(fence.box.contains(there) || metres > 5000)
    }
  }

  @Test("a circle around a pole is measured across the pole")
  func acrossThePole() throws {
    let centre = Position(latitude_deg: 89.98, longitude_deg: 0)
    let fence = try Geofence(id: "c", shape: .circle(centre: centre, radius_m: 5000))
    let beyond = Position(latitude_deg: 89.98, longitude_deg: 180)
    let across_m = 0.04 * Position.metresPerDegree
    #expect(abs(fence.depth_m(of: beyond) - (5000 - across_m)) < 0.01)
    #expect(fence.box.contains(beyond) && fence.box.width_deg == 360)
  }

  @Test("great circles agree with the touching plane up to 100 km")
  func plane() {
    var random = SeededRandom(3)
    for _ in 0..<500 {
      let a = Position.at(
        east_m: .random(in: -50_000...50_000, using: &random),
        north_m: .random(in: -50_000...50_000, using: &random))
      let distance_m = Position.origin.distance_m(to: a)
      #expect(abs(Position.origin.greatCircle_m(to: a) - distance_m) < 2e-4 * distance_m + 0.001)
    }
  }

  @Test(
    "a polygon with a hole: positive inside, negative outside and in the hole, metres to the nearest edge")
  func hole() throws {
    let outer = square(half_m: 1000)
    let fence = try Geofence.polygon("p", [outer, square(half_m: 200).reversed()])
    let depths = [(0.0, -200.0), (150, -50), (250, 50), (600, 400), (950, 50), (1001, -1), (1400, -400)]
    for (east_m, expected) in depths {
      #expect(abs(fence.depth_m(of: .at(east_m: east_m, north_m: 0)) - expected) < 0.1, "\(east_m)")
    }
    #expect(abs(fence.size_m - 1000) < 0.1)
  }

  @Test("a ring may be closed or not, and go either way round")
  func closing() throws {
    let ring = square(half_m: 100)
    let variants = [ring, ring + [ring[0]], ring.reversed(), ring + [ring[3], ring[0], ring[0]]]
    for variant in variants {
      let fence = try Geofence.polygon("p", [variant])
      #expect(abs(fence.depth_m(of: .origin) - 100) < 0.01)
    }
  }

  @Test("what is no area is refused with its reason")
  func flaws() throws {
    let here = Position.origin
    let there = Position(latitude_deg: 47.1, longitude_deg: 8.1)
    let farther = Position(latitude_deg: 47.2, longitude_deg: 8.2)
    func flaw(_ ring: [Position]) -> GeofenceError? {
      do throws(GeofenceError) { _ = try GeofencePolygon(rings: [ring]) } catch { return error }
      return nil
    }
    #expect(flaw([]) == .tooFewCorners)
    #expect(flaw([here, there, here]) == .tooFewCorners)
    #expect(flaw([here, there, farther]) == .noArea)
    #expect(flaw([here, there, farther, there]) == .noArea)
    let bowTie = [(47.0, 7.0), (47.01, 7.01), (47.0, 7.01), (47.01, 7.0)]
      .map { Position(latitude_deg: $0.0, longitude_deg: $0.1) }
    #expect(flaw(bowTie) == .crossesItself)
    let spur = [here, there, Position(latitude_deg: 47.1, longitude_deg: 8.3), there]
    #expect(flaw(spur) == .crossesItself)
    #expect(
      GeofenceError.crossesItself.reason.contains("put its corners in the order in which one walks round"))
    #expect(flaw([here, there, Position(latitude_deg: 91, longitude_deg: 0)]) == .notOnEarth)
    #expect(flaw([here, there, Position(latitude_deg: .nan, longitude_deg: 0)]) == .notOnEarth)
    let half = [(10.0, -90.0), (10, 90), (20, 0)].map { Position(latitude_deg: $0.0, longitude_deg: $0.1) }
    #expect(flaw(half) == .edgeTooLong)
    let belt = [(1.0, -120.0), (-1, 0), (1, 120)].map { Position(latitude_deg: $0.0, longitude_deg: $0.1) }
    #expect(flaw(belt) == .whichPole)
    #expect(flaw(Array(repeating: here, count: 10_001)) == .tooManyCorners)
    #expect(throws: GeofenceError.noArea) {
      try GeofencePolygon(rings: [self.square(half_m: 100), self.square(half_m: 100)])
    }
  }

  @Test(
    "radius limits",
    arguments: [(9.99, false), (10, true), (100_000, true), (100_001, false), (.nan, false)])
  func radius(radius_m: Double, isFine: Bool) {
    let fence = try? Geofence.circle(radius_m: radius_m)
    #expect((fence != nil) == isFine)
  }

  @Test(
    "ids are 1 to 64 characters without control characters",
    arguments: [
      ("a", true), ("Depot Zürich \"7\"", true), ("", false), ("a\nb", false),
      (String(repeating: "x", count: 64), true), (String(repeating: "x", count: 65), false),
    ])
  func ids(id: String, isFine: Bool) { #expect(((try? Geofence.circle(id)) != nil) == isFine) }

  @Test("containment equals the winding test over random polygons, across the antimeridian and the equator")
  func winding() throws {
    var random = SeededRandom(11)
    var (inside, points) = (0, 0)
    for _ in 0..<400 {
      let middle = (
        x: Double.random(in: -180...180, using: &random), y: Double.random(in: -60...60, using: &random)
      )
      let reach = Double.random(in: 0.001...20, using: &random)
      let rings = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        (0..<Int.random(in: 3...12, using: &random)).map { _ in
          (
            x: middle.x + .random(in: -reach...reach, using: &random),
            y: middle.y + .random(in: -reach...reach, using: &random)
          )
        }
      }
      let polygon = try GeofencePolygon(
        rings: rings.map { $0.map { Position(latitude_deg: $0.y, longitude_deg: onEarth($0.x)) } })
      for _ in 0..<50 {
        let (x, y) = (
          middle.x + .random(in: -1.3 * reach...1.3 * reach, using: &random),
          middle.y + .random(in: -1.3 * reach...1.3 * reach, using: &random)
        )
        let position = Position(latitude_deg: y, longitude_deg: onEarth(x))
        let expected = windsOddly(rings, x: x, y: y)
        #expect((polygon.depth_m(of: position) > 0) == expected)
        #expect(!expected || polygon.box.contains(position))
        points += 1
        if expected { inside += 1 }
      }
    }
    #expect(inside > points / 10 && inside < points * 9 / 10)
  }

  @Test("a corner's own meridian and parallel are counted once")
  func corners() throws {
    let polygon = try GeofencePolygon(rings: [square(half_m: 100), diamond(half_m: 50)])
    // Straight north and south of the diamond's corners, and on the level of its side corners.
    let expected = [(0.0, 75.0, true), (0, -75, true), (75, 0, true), (-75, 0, true), (0, 0, false)]
    for (east_m, north_m, isInside) in expected {
      let depth_m = polygon.depth_m(of: .at(east_m: east_m, north_m: north_m))
      #expect((depth_m > 0) == isInside, "\(east_m) \(north_m)")
    }
  }

  private func square(half_m half: Double) -> [Position] {
    [(-half, -half), (half, -half), (half, half), (-half, half)].map { .at(east_m: $0.0, north_m: $0.1) }
  }

  private func diamond(half_m half: Double) -> [Position] {
    [(0, -half), (half, 0), (0, half), (-half, 0)].map { .at(east_m: $0.0, north_m: $0.1) }
  }
}
