/// One stretch of a plan, in the order in which it is driven.
public enum DriveLeg: Equatable, Sendable {
  /// Stands with the engine off. Everything between two of these is one trip.
  case park(duration_s: Int)
  /// The same, until so many seconds after the drive's start, and a minute at least.
  case parkUntil(second: Int)
  /// Halts at a red light at the end of the stretch before.
  case light(halt_s: Int)
  /// A straight road.
  case straight(length_m: Double, limit_mps: Double)
  /// A bend or a corner; `turn_deg` is positive to the right. A narrow one is taken slower than `limit_mps`.
  case bend(radius_m: Double, turn_deg: Double, limit_mps: Double)
  /// A straight road without sky: no satellites, no fix.
  case tunnel(length_m: Double, limit_mps: Double)
}

/// How far the simulated receiver is off.
public struct NoiseModel: Equatable, Sendable {
  /// Standard deviation of the correlated error on each axis.
  public var sigma_m = 4.0
  /// Correlation time of that error.
  public var tau_s = 45.0
  /// Standard deviation of the error that is new each second.
  public var white_m = 0.3
  public var speedSigma_mps = 0.15

  public init() {}

  /// A receiver without error, for tests that want to compare exactly.
  public static var none: NoiseModel {
    var model = NoiseModel()
    model.sigma_m = 0
    model.white_m = 0
    model.speedSigma_mps = 0
    return model
  }
}

/// A route with its halts, and the receiver that records it. Begins and ends parked.
public struct DrivePlan: Equatable, Sendable {
  public var legs: [DriveLeg]
  public var noise = NoiseModel()
  /// Where the vehicle stands at first, and the direction in which it leaves.
  public var startLatitude_deg = 47.0
  public var startLongitude_deg = 8.0
  public var startCourse_deg = 40.0
  public var startAltitude_m = 450.0

  public init(legs: [DriveLeg]) { self.legs = legs }

  /// Half an hour of a van's day: parked a minute, a trip of about 7 minutes with three lights and a tunnel,
  /// parked 8 minutes, a trip of about 5 minutes with two lights, parked 8 minutes.
  public static var demo: DrivePlan {
    DrivePlan(
      legs: [.park(duration_s: 60)] + outward + [.park(duration_s: 480)] + onward + [.park(duration_s: 480)])
  }

  /// Under three minutes, for tests: parked, a trip with one light and one tunnel, parked.
  public static var short: DrivePlan {
    DrivePlan(legs: [
      .park(duration_s: 20),
      .straight(length_m: 250, limit_mps: 13.9),
      .light(halt_s: 15),
      .bend(radius_m: 12, turn_deg: 90, limit_mps: 13.9),
      .tunnel(length_m: 640, limit_mps: 13.9),
      .straight(length_m: 150, limit_mps: 13.9),
      .park(duration_s: 20),
    ])
  }

  // Town, a tunnel under a hill, and a road along its foot.
  private static let outward: [DriveLeg] = [
    .straight(length_m: 220, limit_mps: 8.3),
    .bend(radius_m: 10, turn_deg: 90, limit_mps: 13.9),
    .straight(length_m: 480, limit_mps: 13.9),
    .light(halt_s: 42),
    .straight(length_m: 350, limit_mps: 13.9),
    .bend(radius_m: 180, turn_deg: -55, limit_mps: 13.9),
    .straight(length_m: 260, limit_mps: 13.9),
    .light(halt_s: 18),
    .bend(radius_m: 12, turn_deg: -90, limit_mps: 13.9),
    .straight(length_m: 300, limit_mps: 16.7),
    .tunnel(length_m: 920, limit_mps: 16.7),
    .straight(length_m: 420, limit_mps: 22.2),
    .bend(radius_m: 320, turn_deg: 70, limit_mps: 22.2),
    .straight(length_m: 650, limit_mps: 22.2),
    .light(halt_s: 30),
    .straight(length_m: 180, limit_mps: 13.9),
    .bend(radius_m: 9, turn_deg: 90, limit_mps: 8.3),
    .straight(length_m: 120, limit_mps: 8.3),
  ]

  private static let onward: [DriveLeg] = [
    .straight(length_m: 120, limit_mps: 8.3),
    .bend(radius_m: 9, turn_deg: -90, limit_mps: 8.3),
    .straight(length_m: 400, limit_mps: 13.9),
    .bend(radius_m: 90, turn_deg: 60, limit_mps: 13.9),
    .light(halt_s: 25),
    .straight(length_m: 1100, limit_mps: 22.2),
    .bend(radius_m: 400, turn_deg: -40, limit_mps: 22.2),
    .straight(length_m: 700, limit_mps: 22.2),
    .light(halt_s: 35),
    .bend(radius_m: 12, turn_deg: 90, limit_mps: 13.9),
    .straight(length_m: 380, limit_mps: 13.9),
    .bend(radius_m: 10, turn_deg: 90, limit_mps: 8.3),
    .straight(length_m: 130, limit_mps: 8.3),
  ]

  /// Another plan for every seed: `trips` trips of 2 to 8 km through streets with lights, 5 to 30 minutes
  /// parked between them, a tunnel in some.
  public static func random(trips: Int, seed: UInt64) -> DrivePlan {
    var random = RandomSource(seed: seed)
    var legs: [DriveLeg] = [.park(duration_s: 60)]
    for _ in 0..<max(trips, 0) {
      legs += randomTrip(length_m: random.uniform(in: 2_000...8_000), random: &random)
      legs.append(.park(duration_s: Int(random.uniform(in: 300...1_800))))
    }
    return DrivePlan(legs: legs)
  }

  /// Weeks of a delivery van, from Monday at midnight: on working days it leaves at about half past seven and makes 4 to
  /// 6 trips of 2 to 9 km with stops of 10 to 75 minutes between them; every other Saturday it makes two. It spends the
  /// night where the last trip has ended.
  public static func weeks(_ count: Int, seed: UInt64) -> DrivePlan {
    var random = RandomSource(seed: seed)
    var legs: [DriveLeg] = []
    for day in 0..<max(count, 0) * 7 {
      let isSaturday = day % 7 == 5
      if day % 7 == 6 || (isSaturday && day % 14 != 5) { continue }
      let leaves_s = isSaturday ? random.uniform(in: 34_000...40_000) : random.uniform(in: 26_100...27_900)
      legs.append(.parkUntil(second: day * 86_400 + Int(leaves_s)))
      for trip in 0..<(isSaturday ? 2 : 4 + Int(random.uniform() * 3)) {
        if trip > 0 { legs.append(.park(duration_s: Int(random.uniform(in: 600...4_500)))) }
        legs += randomTrip(length_m: random.uniform(in: 2_000...9_000), random: &random)
      }
    }
    return DrivePlan(legs: legs + [.parkUntil(second: count * 7 * 86_400)])
  }

  private static func randomTrip(length_m: Double, random: inout RandomSource) -> [DriveLeg] {
    let limits_mps = [8.3, 13.9, 13.9, 22.2]
    var legs: [DriveLeg] = []
    var remaining_m = length_m
    while remaining_m > 0 {
      let limit_mps = limits_mps[Int(random.uniform() * 4)]
      let straight_m = random.uniform(in: 120...800)
      let side = random.uniform() < 0.5 ? -1.0 : 1.0
      if random.uniform() < 0.08 {
        legs.append(.tunnel(length_m: random.uniform(in: 800...1_500), limit_mps: 16.7))
      }
      legs.append(.straight(length_m: straight_m, limit_mps: limit_mps))
      if random.uniform() < 0.4 { legs.append(.light(halt_s: Int(random.uniform(in: 15...60)))) }
      if random.uniform() < 0.5 {
        legs.append(.bend(radius_m: random.uniform(in: 8...14), turn_deg: side * 90, limit_mps: limit_mps))
      } else {
        let radius_m = random.uniform(in: 60...400)
        legs.append(.bend(radius_m: radius_m, turn_deg: side * 45, limit_mps: limit_mps))
      }
      remaining_m -= straight_m
    }
    return legs + [.straight(length_m: 120, limit_mps: 8.3)]
  }
}
