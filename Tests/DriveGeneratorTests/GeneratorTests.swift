import DriveGenerator
import Glibc
import Testing

@Suite("Drive generator")
struct GeneratorTests {
  static let demo = Drive(plan: .demo, seed: 1, start_ms: 1_772_434_800_000)

  @Test("the same seed gives the same drive, another seed other noise on the same road")
  func seeds() {
    let again = Drive(plan: .demo, seed: 1, start_ms: 1_772_434_800_000)
    #expect(again == Self.demo)
    let other = Drive(plan: .demo, seed: 2, start_ms: 1_772_434_800_000)
    #expect(other.epochs[30].latitude_deg != Self.demo.epochs[30].latitude_deg)
    #expect(abs(other.distance_m - Self.demo.distance_m) < 0.5)
  }

  @Test("another start moves the times and nothing else")
  func start() {
    let later = Drive(plan: .demo, seed: 1, start_ms: 1_772_434_800_000 + 5_000)
    #expect(later.epochs.map { $0.time_ms - 5_000 } == Self.demo.epochs.map(\.time_ms))
    #expect(later.epochs.map(\.latitude_deg) == Self.demo.epochs.map(\.latitude_deg))
  }

  @Test("to and fro it never arrives, and is never farther on than a second takes it")
  func toAndFro() {
    let trip = Self.demo.epochs.count { $0.isDriving }
    var last = Self.demo.toAndFro(0)
    #expect(last == Self.demo.epochs[0])
    for second in 1..<5 * trip {
      let epoch = Self.demo.toAndFro(second)
      #expect(epoch.time_ms == last.time_ms + 1000 && (0..<360).contains(epoch.course_deg))
      #expect(second < 60 || epoch.isDriving)
      let step_m = distance_m(
        last.trueLatitude_deg, last.trueLongitude_deg, epoch.trueLatitude_deg, epoch.trueLongitude_deg)
      #expect(step_m < 25, "second \(second)")
      last = epoch
    }
  }

  @Test("the demo drive has two trips of about 7 and 5 minutes and lasts 28 to 30 minutes")
  func demoShape() throws {
    let drive = Self.demo
    #expect((28 * 60...30 * 60).contains(drive.epochs.count))
    try #require(drive.trips.count == 2)
    let minutes = drive.trips.map { Double($0.end_ms - $0.start_ms) / 60_000 }
    #expect((6.0...8.0).contains(minutes[0]))
    #expect((4.0...6.0).contains(minutes[1]))
    #expect(drive.trips.map(\.halts) == [3, 2])
    #expect(drive.stops.map { Int($0.end_ms - $0.start_ms) / 1000 } == [60, 480, 480])
  }

  @Test("the distance is that of the plan, along the road and between the epochs")
  func distance() throws {
    var planned_m = 0.0
    for leg in DrivePlan.demo.legs {
      switch leg {
      case .straight(let length_m, _), .tunnel(let length_m, _): planned_m += length_m
      case .bend(let radius_m, let turn_deg, _): planned_m += radius_m * abs(turn_deg) * .pi / 180
      case .park, .parkUntil, .light: break
      }
    }
    #expect(abs(Self.demo.distance_m - planned_m) < 0.01)
    let epochs = Self.demo.epochs
    let chords_m = zip(epochs, epochs.dropFirst()).reduce(0.0) { $0 + trueWay_m($1.0, $1.1) }
    // Chords cut the corners a little.
    #expect(chords_m < planned_m && chords_m > 0.995 * planned_m)
  }

  @Test("speed and acceleration are those of a careful driver", arguments: [1, 2, 3] as [UInt64])
  func kinematics(seed: UInt64) {
    let plans = [DrivePlan.demo, .short, .random(trips: 3, seed: seed)]
    for plan in plans {
      let epochs = Drive(plan: plan, seed: seed, start_ms: 0).epochs
      #expect(epochs.map(\.trueSpeed_mps).max()! <= 22.2)
      for (before, after) in zip(epochs, epochs.dropFirst()) {
        let change_mps2 = after.trueSpeed_mps - before.trueSpeed_mps
        #expect(change_mps2 > -2.4 && change_mps2 < 1.7)
        #expect(trueWay_m(before, after) <= max(before.trueSpeed_mps, after.trueSpeed_mps) + 1.7)
      }
    }
  }

  @Test("halts last between 15 and 60 s and are part of the trip")
  func halts() throws {
    let trip = try #require(Self.demo.trips.first)
    let inside = Self.demo.epochs.filter { $0.time_ms > trip.start_ms && $0.time_ms < trip.end_ms }
    #expect(inside.allSatisfy { $0.isDriving })
    let runs = inside.split { $0.trueSpeed_mps > 0 }.map(\.count)
    #expect(runs.count == 3)
    #expect(runs.allSatisfy { (15...60).contains($0) })
  }

  @Test("the tunnel has no fix for at least 45 s, and satellites come back one by one")
  func tunnel() throws {
    let gap = try #require(Self.demo.gapsWithoutFix.first)
    #expect(Self.demo.gapsWithoutFix.count == 1)
    #expect(gap.upperBound - gap.lowerBound >= 45_000)
    let inside = Self.demo.epochs.filter { gap.contains($0.time_ms) }
    #expect(inside.allSatisfy { $0.satellites == 0 && $0.hdop > 99 })
    let after = try #require(Self.demo.epochs.firstIndex { $0.time_ms == gap.upperBound })
    #expect(Self.demo.epochs[after...].prefix(3).map(\.satellites) == [4, 5, 6])
    #expect(Self.demo.epochs[after].hdop > Self.demo.epochs[after + 10].hdop)
  }

  @Test("while parked the vehicle stands still and is not driving")
  func parked() {
    for stop in Self.demo.stops {
      let epochs = Self.demo.epochs.filter { $0.time_ms >= stop.start_ms && $0.time_ms < stop.end_ms }
      #expect(epochs.allSatisfy { !$0.isDriving && $0.trueSpeed_mps == 0 })
      #expect(Set(epochs.map(\.trueLatitude_deg)).count == 1)
    }
  }

  @Test("weeks of a van: whole weeks from Monday on, trips on working days, and one place each night")
  func weeks() {
    let week = Drive(plan: .weeks(1, seed: 3), seed: 3, start_ms: 1_772_409_600_000)
    #expect(week.epochs.count == 7 * 86_400)
    let days = week.trips.map { ($0.start_ms - 1_772_409_600_000) / 86_400_000 }
    #expect(Set(days).isSuperset(of: 0...4) && !days.contains(6))
    #expect((20...32).contains(week.trips.count) && week.trips.allSatisfy { $0.distance_m > 1_500 })
    #expect(Drive(plan: .weeks(1, seed: 4), seed: 3, start_ms: 0).trips != week.trips)
  }

  @Test("the position noise has the sigma and the correlation time that were asked for")
  func noise() {
    // Long enough that the estimates settle: 40,000 s are some 900 correlation times.
    var plan = DrivePlan(legs: [.park(duration_s: 40_000)])
    plan.noise.sigma_m = 4
    plan.noise.tau_s = 45
    let epochs = Drive(plan: plan, seed: 7, start_ms: 0).epochs
    let north_m = epochs.map { ($0.latitude_deg - $0.trueLatitude_deg) * metresPerDegree }
    let east_m = epochs.map {
      ($0.longitude_deg - $0.trueLongitude_deg) * metresPerDegree * cos($0.trueLatitude_deg * .pi / 180)
    }
    for axis_m in [north_m, east_m] {
      #expect((3.2...4.8).contains(deviation(axis_m)))
      let products = zip(axis_m, axis_m.dropFirst(45)).map { $0 * $1 }
      let correlation =
        products.reduce(0, +) / Double(products.count) / (deviation(axis_m) * deviation(axis_m))
      #expect((0.25...0.49).contains(correlation), "1/e = 0.37 was asked for after one correlation time")
    }
  }

  @Test("the speed noise has the sigma that was asked for")
  func speedNoise() {
    let driving = Self.demo.epochs.filter { $0.trueSpeed_mps > 3 }
    #expect((0.12...0.18).contains(deviation(driving.map { $0.speed_mps - $0.trueSpeed_mps })))
    #expect(Self.demo.epochs.allSatisfy { $0.speed_mps >= 0 && $0.course_deg >= 0 && $0.course_deg < 360 })
  }

  @Test("without noise the receiver gives the truth")
  func noNoise() {
    var plan = DrivePlan.short
    plan.noise = .none
    let drive = Drive(plan: plan, seed: 1, start_ms: 0)
    #expect(
      drive.epochs.allSatisfy { $0.latitude_deg == $0.trueLatitude_deg && $0.speed_mps == $0.trueSpeed_mps })
  }

  @Test("limits and radii of nothing do not stop the vehicle for ever")
  func absurdPlan() {
    let plan = DrivePlan(legs: [
      .straight(length_m: 5, limit_mps: 0), .bend(radius_m: 0, turn_deg: 90, limit_mps: -1),
      .light(halt_s: 15),
      .straight(length_m: 0, limit_mps: 10),
    ])
    let drive = Drive(plan: plan, seed: 1, start_ms: 0)
    #expect(drive.trips.count == 1)
    #expect(Drive(plan: DrivePlan(legs: []), seed: 1, start_ms: 0).epochs.isEmpty)
  }

  @Test("the truth is one JSON object with trips, stops and the tunnel")
  func truth() {
    let trip = Self.demo.trips[0]
    let json = Self.demo.truthJSON
    #expect(json.contains("{\"start_ms\": \(trip.start_ms), \"end_ms\": \(trip.end_ms), \"distance_m\": 45"))
    #expect(json.contains("\"epochs\": \(Self.demo.epochs.count),"))
    #expect(json.contains("\"without_fix\": [\n    {\"start_ms\": \(Self.demo.gapsWithoutFix[0].lowerBound)"))
  }
}

private func deviation(_ values: [Double]) -> Double {
  let mean = values.reduce(0, +) / Double(values.count)
  return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
}

private func trueWay_m(_ from: DriveEpoch, _ to: DriveEpoch) -> Double {
  distance_m(from.trueLatitude_deg, from.trueLongitude_deg, to.trueLatitude_deg, to.trueLongitude_deg)
}
