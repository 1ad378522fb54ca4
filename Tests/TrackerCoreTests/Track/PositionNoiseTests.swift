import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// A street canyon: the positions are noise, the receiver's own speed is right.
@Suite("Position noise in a drive")
struct PositionNoiseTests {
  /// What the receiver reports of its speed.
  enum Speeds: String {
    case right, wholeKnots, absent, zero, half

    func reported(_ speed_mps: Double) -> Double? {
      switch self {
      case .right: speed_mps
      case .wholeKnots: (speed_mps / 0.5144).rounded(.down) * 0.5144
      case .absent: nil
      case .zero: 0
      case .half: speed_mps / 2
      }
    }
  }

  /// Deviation of each axis, and for how long the error lasts.
  static let noises: [(sigma_m: Double, tau_s: Double)] = [8, 12, 20, 30, 60].flatMap { sigma_m in
    [1, 3, 10, 60].map { (sigma_m, $0) }
  }

  static let drive: Drive = {
    var drive = Drive()
    drive.park(200)
    for leg in 0..<6 {
      drive.go(240, speed_mps: 14, turn: leg % 2 == 0 ? 0.01 : -0.004)
      if leg < 5 { drive.stand(20) }
    }
    drive.park(500)
    return drive
  }()
  static let way_m = drive.trips[0].distance_m

  /// What the odometer makes of a straight drive of 20 minutes, as a share of the way, less 1.
  static func excess(
    _ noise: (sigma_m: Double, tau_s: Double), seed: UInt64 = 1, speeds: Speeds = .right, every_s: Int = 1
  ) -> Double {
    var drive = Drive()
    for leg in 0..<12 { drive.go(100, speed_mps: 14, turn: leg % 3 == 0 ? 0.02 : 0) }
    var receiver = Receiver(seed: seed, sigma_m: noise.sigma_m, tau_s: noise.tau_s, accuracy_m: 5)
    var odometer = Odometer()
    odometer.begin(at: .at(-1))
    for s in stride(from: 0, to: drive.length_s, by: every_s) {
      let seen = receiver.see(drive.sample(at: Double(s)), at: Double(s))
      let fix = Fix(
        time_ms: seen.time_ms, position: seen.position, speed_mps: speeds.reported(seen.speed_mps ?? 0),
        accuracy_m: seen.accuracy_m)
      let before_m = odometer.total_m
      _ = odometer.add(fix, halted: false)
      #expect(odometer.total_m >= before_m)
    }
    _ = odometer.end(at: nil)
    let way_m = drive.samples[..<drive.length_s].reduce(0) { $0 + $1.speed_mps }
    return odometer.total_m / way_m - 1
  }

  @Test("the distance is right to 5 %, and no shorter than the way", arguments: noises)
  func distance(noise: (sigma_m: Double, tau_s: Double)) {
    for seed in 1...5 as ClosedRange<UInt64> {
      let excess = PositionNoiseTests.excess(noise, seed: seed)
      #expect((-0.02...0.05).contains(excess), "\(noise) seed \(seed): \(excess)")
    }
  }

  @Test("speeds in whole knots bound it as well, and shorten no way", arguments: [0.0, 8, 60])
  func wholeKnots(sigma_m: Double) {
    let excess = PositionNoiseTests.excess((sigma_m, 3), speeds: .wholeKnots)
    #expect((-0.02...0.05).contains(excess), "\(excess)")
  }

  @Test(
    "where speeds are absent, always 0, or too low by half, the positions alone count",
    arguments: [Speeds.absent, .zero, .half])
  func wrongSpeeds(speeds: Speeds) {
    let excess = PositionNoiseTests.excess((0, 1), speeds: speeds)
    #expect(abs(excess) < 0.01, "\(excess)")
  }

  @Test("zeros among the speeds shorten no way", arguments: [(1, 5), (3, 20), (10, 60)])
  func zeros(zeros_s: Int, period_s: Int) throws {
    let day = try TrackerTimeline(PositionNoiseTests.drive, sigma_m: 0.01) {
      $0.motion.gpsOffWhenParked = false
    }
    day.onTheWay = { report, s in
      let isZero = (500...1500).contains(s) && Int(s) % period_s < zeros_s
      return [isZero ? report.with { $0.speed_mps = 0 } : report]
    }
    day.run(to: Double(PositionNoiseTests.drive.length_s))
    let excess = day.trips.reduce(0) { $0 + $1.distance_m } / PositionNoiseTests.way_m - 1
    #expect((-0.02...0.02).contains(excess), "\(excess)")
  }

  @Test("sparse fixes lose no way to speeds of other instants", arguments: [2, 5, 10, 30, 60])
  func sparse(every_s: Int) {
    let bounded = PositionNoiseTests.excess((3, 60), every_s: every_s)
    let straight = PositionNoiseTests.excess((3, 60), speeds: .absent, every_s: every_s)
    #expect(abs(bounded - straight) < 0.01, "\(bounded) \(straight)")
  }

  /// Noise between two seconds of the drive, and none before and after.
  static func day(_ noise: (sigma_m: Double, tau_s: Double), seed: UInt64) throws -> TrackerTimeline {
    let day = try TrackerTimeline(drive, seed: seed, sigma_m: 3) { $0.motion.gpsOffWhenParked = false }
    var random = SeededRandom(seed)
    var east = WanderingError(sigma_m: noise.sigma_m, tau_s: noise.tau_s, random: &random)
    var north = WanderingError(sigma_m: noise.sigma_m, tau_s: noise.tau_s, random: &random)
    day.onTheWay = { report, s in
      guard (400...1600).contains(s), let latitude_deg = report.latitude_deg,
        let longitude_deg = report.longitude_deg
      else { return [report] }
      return [
        report.with {
          $0.latitude_deg = latitude_deg + north.next(&random) / 111_195
          $0.longitude_deg = longitude_deg + east.next(&random) / 75_800
        }
      ]
    }
    day.run(to: Double(drive.length_s))
    return day
  }

  @Test(
    "a trip through it is as long as the way, and its track has no zigzag",
    arguments: [(12.0, 3.0), (30, 10), (60, 1)])
  func trip(sigma_m: Double, tau_s: Double) throws {
    let day = try PositionNoiseTests.day((sigma_m, tau_s), seed: 4)
    try #require(day.trips.count == 1, "\(day.trips)")
    let excess = day.trips[0].distance_m / PositionNoiseTests.way_m - 1
    #expect((-0.02...0.05).contains(excess), "\(excess)")
    let track_m = OtherPlaceTests.line_m(day)
    #expect((-0.03...0.15).contains(track_m / PositionNoiseTests.way_m - 1), "\(track_m)")
    #expect(day.tracker.tripDistance_m == nil && day.records(.position).count < 450)
  }
}
