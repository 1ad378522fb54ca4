import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Polygons where longitudes wrap or meet.
@Suite("Geofences at the antimeridian and around the poles")
struct GeofencePoleTests {
  private func ring(_ corners: [(Double, Double)]) -> [Position] {
    corners.map { Position(latitude_deg: $0.1, longitude_deg: $0.0) }
  }

  private func depth_m(_ polygon: GeofencePolygon, _ longitude_deg: Double, _ latitude_deg: Double) -> Double
  {
    polygon.depth_m(of: Position(latitude_deg: latitude_deg, longitude_deg: longitude_deg))
  }

  @Test("a polygon over the antimeridian in one ring or cut into two is the same area without a seam")
  func seam() throws {
    let whole = try GeofencePolygon(rings: [ring([(179, -1), (-179, -1), (-179, 1), (179, 1)])])
    let cut = try GeofencePolygon(rings: [
      ring([(179, -1), (180, -1), (180, 1), (179, 1)]), ring([(-180, -1), (-179, -1), (-179, 1), (-180, 1)]),
    ])
    for longitude_deg in [178.5, 179.5, 179.99999, 180, -180, -179.99999, -179.5, -178.5] {
      let expected = min(abs(longitude_deg) - 179, 1) * Position.metresPerDegree
      for polygon in [whole, cut] {
        #expect(abs(depth_m(polygon, longitude_deg, 0) - expected) < 1, "\(longitude_deg)")
      }
    }
    #expect(cut.box.width_deg < 2.01 && cut.corners == 6)
  }

  /// A cap down to `side` 80°, written as people and tools write it.
  static let caps: [[[(Double, Double)]]] = [
    [[(0, 80), (90, 80), (180, 80), (-90, 80)]],
    [[(0, 80), (-90, 80), (-180, 80), (90, 80)]],
    [[(-180, 80), (-90, 80), (0, 80), (90, 80), (180, 80), (180, 90), (-180, 90)]],
    [
      [
        (-180, 80), (-90, 80), (0, 80), (90, 80), (180, 80), (180, 90), (90, 90), (0, 90), (-90, 90),
        (-180, 90),
      ]
    ],
    [
      [(0, 80), (90, 80), (180, 80), (180, 90), (0, 90)],
      [(-180, 80), (-90, 80), (0, 80), (0, 90), (-180, 90)],
    ],
  ]

  @Test("a ring around a pole encloses it, however it is written", arguments: 0..<caps.count, [1.0, -1.0])
  func cap(_ index: Int, _ side: Double) throws {
    let rings = Self.caps[index].map { corners in ring(corners.map { ($0.0, $0.1 * side) }) }
    let polygon = try GeofencePolygon(rings: rings)
    for longitude_deg in [-180.0, -135, -0.001, 0, 45, 90, 179.9999] {
      for (latitude_deg, degreesInside) in [
        (79.0, -1.0), (79.999, -0.001), (80.001, 0.001), (81, 1), (89.99, 9.99),
      ] {
        let depth = depth_m(polygon, longitude_deg, latitude_deg * side)
        let expected = degreesInside * Position.metresPerDegree
        #expect(abs(depth - expected) < 0.02 * abs(expected) + 0.01, "\(longitude_deg) \(latitude_deg)")
      }
    }
    #expect(depth_m(polygon, 12, -80 * side) < 0)
    let pole = Position(latitude_deg: 90 * side, longitude_deg: 0)
    #expect(polygon.box.contains(pole) && polygon.box.width_deg == 360)
  }

  @Test("a slice up to the pole ends at the pole")
  func slice() throws {
    let polygon = try GeofencePolygon(rings: [ring([(0, 80), (60, 80), (30, 90)])])
    #expect(depth_m(polygon, 30, 85) > 0)
    #expect(depth_m(polygon, 59, 89.9) > 0)
    #expect(depth_m(polygon, -1, 85) < 0)
    #expect(depth_m(polygon, 61, 89.9) < 0)
    #expect(depth_m(polygon, -150, 89.999) < 0)
    // To the meridians that are its sides, not to the pole's parallel.
    let halfWidth_m = 30 * Position.metresPerDegree * cosine(degrees: 89)
    #expect(abs(depth_m(polygon, 30, 89) / halfWidth_m - 1) < 0.01)
  }
}
