import Glibc

/// One stretch of road as the vehicle meets it.
struct RoadPiece {
  var length_m: Double
  /// 1/radius, positive to the right, 0 on a straight.
  var curvature_per_m: Double
  var limit_mps: Double
  var hasSky: Bool
  /// RunState time at the end: a light; 0 at the end of the trip; nil to drive on.
  var halt_s: Double?

  /// Comfortable sideways acceleration in a bend.
  static let sideways_mps2 = 2.2
  /// Below these a plan's limits and radii do not count: the vehicle would never arrive.
  static let lowestLimit_mps = 1.0
  static let smallestRadius_m = 3.0

  init?(_ leg: DriveLeg) {
    hasSky = true
    curvature_per_m = 0
    switch leg {
    case .park, .parkUntil, .light: return nil
    case .straight(let length_m, let limit_mps):
      (self.length_m, self.limit_mps) = (length_m, limit_mps)
    case .tunnel(let length_m, let limit_mps):
      (self.length_m, self.limit_mps, hasSky) = (length_m, limit_mps, false)
    case .bend(let planned_m, let turn_deg, let limit_mps):
      let radius_m = max(planned_m, Self.smallestRadius_m)
      length_m = radius_m * abs(turn_deg) * Double.pi / 180
      curvature_per_m = (turn_deg < 0 ? -1 : 1) / radius_m
      self.limit_mps = min(limit_mps, (Self.sideways_mps2 * radius_m).squareRoot())
    }
    limit_mps = max(limit_mps, Self.lowestLimit_mps)
  }
}

/// A vehicle with a careful driver: accelerates and brakes within limits, slows for bends, halts where ordered.
struct Vehicle {
  private(set) var latitude_deg: Double
  private(set) var longitude_deg: Double
  private(set) var course_deg: Double
  private(set) var speed_mps = 0.0
  /// Along the road, over all trips.
  private(set) var distance_m = 0.0
  private(set) var halts = 0
  private var pieces: [RoadPiece] = []
  private var current = 0
  private var along_m = 0.0
  private var haltLeft_s: Double?

  static let step_s = 0.1
  static let braking_mps2 = 2.0
  static let acceleration_mps2 = 1.6
  /// Mean earth radius (IUGG) times a degree.
  static let metresPerDegree = 6_371_008.8 * Double.pi / 180

  init(plan: DrivePlan) {
    latitude_deg = plan.startLatitude_deg
    longitude_deg = plan.startLongitude_deg
    course_deg = plan.startCourse_deg
  }

  /// Whether the trip's road lies behind.
  var hasArrived: Bool { current >= pieces.count }
  var hasSky: Bool { hasArrived || pieces[current].hasSky }

  /// Begins a trip along `pieces`, standing.
  mutating func depart(along pieces: [RoadPiece]) {
    self.pieces = pieces
    (current, along_m, haltLeft_s, speed_mps) = (0, 0, nil, 0)
  }

  /// Drives on for `step_s`. `eagerness` is the share of the limit that the driver uses just now.
  mutating func step(eagerness: Double) {
    if hasArrived { return }
    if let left_s = haltLeft_s {
      haltLeft_s = left_s - Self.step_s
      if left_s > Self.step_s { return }
      haltLeft_s = nil
      enterNextPiece()
      return
    }
    chooseSpeed(eagerness: eagerness)
    move(by: speed_mps * Self.step_s)
    if haltIsReached { halt() }
  }

  private mutating func chooseSpeed(eagerness: Double) {
    let wish_mps = pieces[current].limit_mps * eagerness
    let pull_mps2 = Self.acceleration_mps2 * (1 - speed_mps / 50)
    // Lifting the foot slows gently; only the road ahead makes the driver brake.
    let eased_mps = max(wish_mps, speed_mps - 0.5 * Self.step_s)
    speed_mps = min(min(eased_mps, speed_mps + pull_mps2 * Self.step_s), highestSafeSpeed_mps)
  }

  /// The highest speed for the next step from which every limit and halt ahead can still be kept.
  private var highestSafeSpeed_mps: Double {
    var allowed_mps = pieces[current].limit_mps
    var ahead_m = pieces[current].length_m - along_m
    for index in current..<pieces.count {
      let stops = pieces[index].halt_s != nil
      let next_mps = stops || index + 1 == pieces.count ? 0 : pieces[index + 1].limit_mps
      let dip_mps = Self.braking_mps2 * Self.step_s
      let square = dip_mps * dip_mps + next_mps * next_mps + 2 * Self.braking_mps2 * max(ahead_m, 0)
      allowed_mps = min(allowed_mps, square.squareRoot() - dip_mps)
      if stops || ahead_m > 600 || index + 1 == pieces.count { break }
      ahead_m += pieces[index + 1].length_m
    }
    return max(allowed_mps, 0)
  }

  // The last centimetres before a halt would take for ever: braking to a point only approaches it.
  private var haltIsReached: Bool {
    !hasArrived && pieces[current].halt_s != nil && pieces[current].length_m - along_m < 0.05
  }

  private mutating func halt() {
    advance(by: pieces[current].length_m - along_m)
    speed_mps = 0
    if let halt_s = pieces[current].halt_s, halt_s > 0 {
      haltLeft_s = halt_s
      halts += 1
    } else {
      enterNextPiece()
    }
  }

  /// Moves along the road, through as many pieces as the way spans, but never past a halt.
  private mutating func move(by way_m: Double) {
    var left_m = way_m
    while !hasArrived {
      let rest_m = pieces[current].length_m - along_m
      if left_m < rest_m || pieces[current].halt_s != nil {
        advance(by: min(left_m, rest_m))
        return
      }
      advance(by: rest_m)
      left_m -= rest_m
      enterNextPiece()
    }
  }

  private mutating func enterNextPiece() {
    current += 1
    along_m = 0
  }

  private mutating func advance(by way_m: Double) {
    let turn_deg = way_m * pieces[current].curvature_per_m * 180 / Double.pi
    let heading = (course_deg + turn_deg / 2) * Double.pi / 180
    latitude_deg += way_m * cos(heading) / Self.metresPerDegree
    longitude_deg += way_m * sin(heading) / (Self.metresPerDegree * cos(latitude_deg * Double.pi / 180))
    course_deg = wrapped(course_deg + turn_deg)
    along_m += way_m
    distance_m += way_m
  }
}

/// A direction as 0 up to 360.
func wrapped(_ degrees: Double) -> Double {
  let rest = degrees.truncatingRemainder(dividingBy: 360)
  let turned = rest < 0 ? rest + 360 : rest
  // A tiny negative rest becomes 360 by rounding.
  return turned >= 360 ? 0 : turned
}
