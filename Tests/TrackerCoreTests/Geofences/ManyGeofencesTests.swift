import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Many geofences")
struct ManyGeofencesTests {
  /// Circles and polygons of 10 m to 100 km anywhere, many near the poles and the antimeridian.
  static func randomFences(_ count: Int, _ random: inout SeededRandom) throws -> [Geofence] {
    try (0..<count).map { number in
      var centre = randomPosition(&random)
      let radius_m = Double.random(in: 3...100, using: &random)
      let size_m = min(100_000, radius_m * radius_m * radius_m / 9)
      guard number % 3 == 0, abs(centre.latitude_deg) < 85 else {
        return try Geofence(id: "\(number)", shape: .circle(centre: centre, radius_m: max(10, size_m)))
      }
      let half_deg = max(10, size_m) / Position.metresPerDegree
      centre.latitude_deg -= half_deg
      let ring = [(-1.0, 0.0), (1, 0.2), (1, 2), (0, 0.8), (-1, 2)].map { east, north in
        Position(
          latitude_deg: centre.latitude_deg + north * half_deg,
          longitude_deg: onEarth(
            centre.longitude_deg + east * half_deg / cosine(degrees: centre.latitude_deg)))
      }
      return try Geofence.polygon("\(number)", [ring])
    }
  }

  static func randomPosition(_ random: inout SeededRandom) -> Position {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      Position(
        latitude_deg: .random(in: -90...90, using: &random),
        longitude_deg: .random(in: -180...180, using: &random))
    case 1:
      Position(
        latitude_deg: .random(in: 88...90, using: &random) * (Bool.random(using: &random) ? 1 : -1),
        longitude_deg: .random(in: -180...180, using: &random))
    case 2:
      Position(
        latitude_deg: .random(in: -2...2, using: &random),
        longitude_deg: onEarth(.random(in: 178...182, using: &random)))
    default:
      Position(
        latitude_deg: .random(in: 46...48, using: &random), longitude_deg: .random(in: 6...10, using: &random)
      )
    }
  }

  @Test("finds what looking at every fence finds", arguments: 1...5)
  func bruteForce(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let fences = try Self.randomFences(600, &random)
    let machine = Geofences(fences)
    var found = 0
    for _ in 0..<400 {
      let fix = Fix(time_ms: epoch_ms, position: Self.randomPosition(&random), accuracy_m: 2)
      let expected = fences.filter { $0.depth_m(of: fix.position) > min(2, $0.size_m / 2) }.map(\.id)
      var copy = machine
      let entered = copy.fixArrived(fix, at: 0)
      #expect(entered.count == expected.count && copy.insideIDs == expected)
      found += expected.count
    }
    #expect(found > 400)
  }

  /// Ten thousand places of customers in one country.
  static func customers(_ count: Int) throws -> [Geofence] {
    var random = SeededRandom(7)
    return try (0..<count).map { number in
      let centre = Position(
        latitude_deg: .random(in: 46...47.7, using: &random),
        longitude_deg: .random(in: 6...10, using: &random))
      let radius_m = Double.random(in: 50...500, using: &random)
      return try Geofence(id: "customer \(number)", shape: .circle(centre: centre, radius_m: radius_m))
    }
  }

  @Test("of ten thousand fences, few are measured for a fix")
  func few() throws {
    let fences = try Self.customers(10_000)
    var machine = Geofences(fences)
    var random = SeededRandom(8)
    for second in 0..<1000 {
      let position = Position(
        latitude_deg: .random(in: 46...47.7, using: &random),
        longitude_deg: .random(in: 6...10, using: &random))
      _ = machine.fixArrived(
        Fix(time_ms: epoch_ms + Int64(second) * 1000, position: position, accuracy_m: 5), at: 0)
    }
    #expect(machine.measured < 2 * 1000, "\(machine.measured)")
  }

  @Test("no fences, no work")
  func none() {
    var machine = Geofences()
    #expect(machine.fixArrived(.at(0), at: 0) == [])
    #expect(machine.deadline_ms == nil && machine.saved.isEmpty)
  }
}
