import DriveGenerator
import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// The same drive, seen by the same receiver, which gives its fixes more or less often.
@Suite("Receivers of 1 to 25 Hz")
struct FixRateTests {
  /// What a receiver would say at any instant: one continuous error, of which each rate takes its samples.
  final class Instants {
    static let step_ms: Int64 = 20
    private(set) var reports: [GPSReport] = []
    let trips: [DriveTrip]

    /// - Parameter noise: 1 for that of the drives' receiver, 0 for one that is always right.
    init(_ plan: DrivePlan, seed: UInt64, noise: Double = 1) {
      let drive = DriveGenerator.Drive(plan: plan, seed: seed, start_ms: epoch_ms)
      trips = drive.trips
      var random = SeededRandom(seed)
      let perSecond = Int(1000 / Instants.step_ms)
      // As the drives' receiver: 4 m for 45 s, 0.3 m and 0.15 m/s of white noise.
      let tau = 45 * Double(perSecond)
      var north = WanderingError(sigma_m: 4, tau_s: tau, random: &random)
      var east = WanderingError(sigma_m: 4, tau_s: tau, random: &random)
      for (now, next) in zip(drive.epochs, drive.epochs.dropFirst() + drive.epochs.suffix(1)) {
        for n in 0..<perSecond {
          let share = Double(n) / Double(perSecond)
          let mid = { (a: Double, b: Double) in a + (b - a) * share }
          let north_m = noise * (north.next(&random) + 0.3 * random.gaussian())
          let east_m = noise * (east.next(&random) + 0.3 * random.gaussian())
          let noise_mps = noise * 0.15 * random.gaussian()
          let latitude_deg = mid(now.trueLatitude_deg, next.trueLatitude_deg)
          guard now.hasFix, next.hasFix else {
            reports.append(GPSReport(mode: 1))
            continue
          }
          reports.append(
            GPSReport(
              mode: 3, time_ms: now.time_ms + Int64(n) * Instants.step_ms,
              latitude_deg: latitude_deg + north_m / 111_195,
              longitude_deg: mid(now.trueLongitude_deg, next.trueLongitude_deg) + east_m
                / (111_195 * cosine(degrees: latitude_deg)),
              speed_mps: abs(mid(now.trueSpeed_mps, next.trueSpeed_mps) + noise_mps), accuracy_m: 10,
              satellites: 9))
        }
      }
    }

    func report(at ms: Int64) -> GPSReport {
      reports[min(Int(ms / Instants.step_ms), reports.count - 1)]
    }

    var length_s: Double { Double(reports.count) * Double(Instants.step_ms) / 1000 }
  }

  static func day(
    _ instants: Instants, perSecond: Int64, alwaysOn: Bool = true, from start_s: Double = 0,
    _ change: @escaping (inout Settings) -> Void = { _ in }
  ) throws -> TrackerTimeline {
    let day = try TrackerTimeline(.parked) {
      $0.motion.gpsOffWhenParked = !alwaysOn
      change(&$0)
    }
    day.interval_ms = 1000 / perSecond
    day.coldStart_s = 2
    day.source = { ms in instants.report(at: ms) }
    let start_ms = milliseconds(start_s)
    day.onTheWay = { report, s in milliseconds(s) >= start_ms ? [report] : [] }
    day.run(to: instants.length_s)
    return day
  }

  static let plans: [(name: String, seed: UInt64)] = [("demo", 1), ("demo", 2), ("random", 3), ("random", 4)]

  static func plan(_ name: String, _ seed: UInt64) -> DrivePlan {
    name == "demo" ? .demo : .random(trips: 2, seed: seed)
  }

  /// A departure that a probe finds over is estimated from the first fix of that probe, which comes the earlier the more
  /// often there is one.
  @Test(
    "give the same trips within a second and a metre, three where probes find the departure over",
    arguments: oneIn(2, of: plans), [true, false])
  func sameTrips(plan: (name: String, seed: UInt64), alwaysOn: Bool) throws {
    let instants = Instants(FixRateTests.plan(plan.name, plan.seed), seed: plan.seed)
    let slow = try FixRateTests.day(instants, perSecond: 1, alwaysOn: alwaysOn)
    #expect(slow.trips.count == instants.trips.count)
    for perSecond in oneIn(4, of: [25, 2, 5, 10] as [Int64]) {
      let fast = try FixRateTests.day(instants, perSecond: perSecond, alwaysOn: alwaysOn)
      try #require(fast.trips.count == slow.trips.count, "\(perSecond) Hz: \(fast.trips) \(slow.trips)")
      for (found, trip) in zip(fast.trips, slow.trips) {
        let name = Comment("\(perSecond) Hz: \(found) \(trip)")
        let slack = alwaysOn ? 1.0 : 3
        #expect(abs(found.start_s - trip.start_s) <= slack && abs(found.end_s - trip.end_s) <= 1, name)
        #expect(abs(found.distance_m - trip.distance_m) <= slack, name)
      }
    }
  }

  private static let preciselyTheSame: [(name: String, seed: UInt64)] =
    plans + (13...15).map { ("random", UInt64($0)) }

  @Test(
    "that are always right give the same trips within a second and a metre",
    arguments: oneIn(2, of: preciselyTheSame))
  func withoutNoise(plan: (name: String, seed: UInt64)) throws {
    let instants = Instants(FixRateTests.plan(plan.name, plan.seed), seed: plan.seed, noise: 0)
    let slow = try FixRateTests.day(instants, perSecond: 1)
    #expect(slow.trips.count == instants.trips.count)
    for perSecond in oneIn(4, of: [25, 2, 5, 10] as [Int64]) {
      let fast = try FixRateTests.day(instants, perSecond: perSecond)
      try #require(fast.trips.count == slow.trips.count, "\(perSecond) Hz: \(fast.trips) \(slow.trips)")
      for (found, trip) in zip(fast.trips, slow.trips) {
        let name = Comment("\(perSecond) Hz: \(found) \(trip)")
        #expect(abs(found.start_s - trip.start_s) <= 1 && abs(found.end_s - trip.end_s) <= 1, name)
        #expect(abs(found.distance_m - trip.distance_m) <= 1, name)
      }
    }
  }

  @Test(
    "a trip is found that is under way when the watch begins, at town speeds too",
    arguments: [1, 2, 5, 10, 25],
    [4.0, 8, 15])
  func inMotion(perSecond: Int64, speed_mps: Double) throws {
    var drive = Drive()
    drive.go(600, speed_mps: speed_mps)
    drive.park(600)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.interval_ms = 1000 / perSecond
    day.source = { ms in
      let s = Double(ms) / 1000
      let (now, next) = (drive.sample(at: s), drive.sample(at: s + 1))
      return .at(
        s, east_m: now.east_m + (next.east_m - now.east_m) * (s - s.rounded(.down)), speed_mps: now.speed_mps)
    }
    day.run(to: 1200)
    try #require(day.trips.count == 1, "\(day.log)")
    #expect(abs(day.trips[0].start_s - 30) <= 1 && abs(day.trips[0].end_s - 600) <= 2, "\(day.trips)")
    #expect(abs(day.trips[0].distance_m - (drive.trips[0].distance_m - speed_mps * 30)) < speed_mps * 10)
  }

  @Test("every fix of a trip is kept with sampling `all`, and the minutes before it cost no more memory")
  func all() throws {
    let instants = Instants(.demo, seed: 1)
    let day = try FixRateTests.day(instants, perSecond: 25) { $0.track.sampling = .all }
    let trip = try #require(day.trips.first)
    let times_ms = day.records(.position).filter { $0.tripID == 1 }.compactMap { $0.fix?.time_ms }
    let expected = Int((trip.end_s - trip.start_s) * 25)
    // The tunnel has none; after the arrival those up to it are reported.
    let unseen = instants.reports.count { $0.mode < 2 } / 2
    #expect(
      times_ms.count >= expected - unseen - 2 && times_ms.count <= expected + 2,
      "\(times_ms.count) of \(expected)")
  }
}
