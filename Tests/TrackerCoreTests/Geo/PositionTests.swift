import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Position")
struct PositionTests {
  // Haversine on a sphere of 6 371 008.8 m.
  @Test(
    "agrees with the great circle within 0.01 %",
    arguments: [
      (47.0, 8.0, 47.0, 8.001, 75.8349),
      (47.0, 8.0, 47.001, 8.0, 111.1951),
      (0.0, 0.0, 0.5, 0.5, 78_626.2963),
      (52.52, 13.405, 52.40, 13.06, 26_915.0966),
      (-33.8688, 151.2093, -33.9, 151.0, 19_629.5236),
      (69.65, 18.95, 69.60, 19.20, 11_161.7225),
      (0.0, 179.999, 0.0, -179.999, 222.3902),
      (-17.0, -179.9995, -17.0, 179.9995, 106.3364),
    ])
  func agrees(_ case: (Double, Double, Double, Double, Double)) {
    let (lat1, lon1, lat2, lon2, expected_m) = `case`
    let a = Position(latitude_deg: lat1, longitude_deg: lon1)
    let b = Position(latitude_deg: lat2, longitude_deg: lon2)
    #expect(abs(a.distance_m(to: b) - expected_m) < max(0.001, expected_m * 1e-4))
    #expect(a.distance_m(to: b) == b.distance_m(to: a))
  }

  @Test("is zero from a place to itself, whatever its name")
  func zero() {
    for latitude_deg in [-90.0, -45, 0, 45, 90] {
      let position = Position(latitude_deg: latitude_deg, longitude_deg: 180)
      #expect(position.distance_m(to: position) == 0)
      #expect(position.distance_m(to: Position(latitude_deg: latitude_deg, longitude_deg: -180)) == 0)
    }
  }

  @Test("every longitude is the same place at a pole")
  func pole() {
    let a = Position(latitude_deg: 90, longitude_deg: 0)
    let b = Position(latitude_deg: 90, longitude_deg: 180)
    #expect(a.distance_m(to: b) < 1e-6)
    #expect(abs(a.distance_m(to: Position(latitude_deg: 89.999, longitude_deg: 0)) - 111.195) < 0.001)
  }

  @Test("offsets have their signs, across the antimeridian too")
  func signs() {
    let a = Position(latitude_deg: 10, longitude_deg: 179.999)
    let b = Position(latitude_deg: 9.999, longitude_deg: -179.999)
    let offset = a.offset_m(to: b)
    #expect(offset.east > 0 && offset.north < 0)
    let back = b.offset_m(to: a)
    #expect(back.east < 0 && back.north > 0)
  }

  @Test(
    "the cosine is exact to 1e-14",
    arguments: [
      (0.0, 1.0), (10, 0.984807753012208), (30, 0.8660254037844386), (44.999, 0.7071191224203432),
      (45, 0.7071067811865476), (45.001, 0.7070944397373548), (47, 0.6819983600624985), (60, 0.5),
      (75, 0.2588190451025208), (89, 0.0174524064372836), (90, 0), (-60, 0.5),
    ])
  func cosineIsExact(_ degrees: Double, _ expected: Double) {
    #expect(abs(cosine(degrees: degrees) - expected) < 1e-14)
  }
}
