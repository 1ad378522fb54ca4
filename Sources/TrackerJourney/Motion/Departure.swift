import TrackerBase

/// Fixes outside the place where the vehicle stands: has it left, or does the receiver wander?
///
/// Under roofs receivers wander at walking pace, and up to some hundred metres. So near the place only driving
/// counts, and anything once it is too far away. A receiver that is far away from one fix to the next may be wrong
/// altogether: then it must be seen to go on from there, or stay for longer than reflections and jammers last.
/// A machine that creeps counts as well: its speeds come to the way that its positions walk off, those of a receiver that
/// wanders do not.
/// Nothing is lost by waiting: the fixes are kept meanwhile, and the trip begins where the vehicle began to move.
struct Departure: Equatable, Sendable {
  /// Fixes far away, one after the other.
  private struct Away: Equatable, Sendable {
    var first: Fix
    var last: Fix
    /// Nobody saw the way there.
    var isLeap: Bool

    var lasted_ms: Int64 { last.time_ms - first.time_ms }
    /// It has come so far since that it moves, whatever the speeds say.
    var hasMoved: Bool {
      let noise_m = first.accuracy_m + last.accuracy_m
      return first.position.distance_m(to: last.position) > Departure.moved_m + noise_m
    }
  }

  /// The way since `from`: by positions and by reported speeds.
  private struct Walk: Equatable, Sendable {
    private let from: Fix
    private var reported_m = 0.0
    /// The share of the last half minute in which the speeds were none of a receiver at rest.
    private var moving = 0.0
    /// The way by positions, in steps of half a minute, until `last`.
    private var path_m = 0.0
    private var last: Fix

    init(from fix: Fix) { (from, last) = (fix, fix) }

    /// The positions walk off while the speeds say that the vehicle stands: the receiver drifts. Faster than at walking
    /// pace, a receiver that reports no speed at all would be as likely.
    func isDrift(to fix: Fix) -> Bool {
      let way_m = from.position.distance_m(to: fix.position)
      return way_m > least_m(to: fix) && reported_m < way_m / 4 && isSlow(way_m, to: fix)
    }

    /// What is no more may be noise.
    func least_m(to fix: Fix) -> Double { Departure.moved_m + from.accuracy_m + fix.accuracy_m }

    private func isSlow(_ way_m: Double, to fix: Fix) -> Bool {
      way_m * 1000 < Fix.driving_mps * Double(max(1, fix.time_ms - from.time_ms))
    }

    /// So many metres off in one direction, by the positions and by the speeds, and slowly.
    func hasCrept(_ least_m: Double, to fix: Fix) -> Bool {
      let way_m = from.position.distance_m(to: fix.position)
      let path_m = path_m + last.position.distance_m(to: fix.position)
      return way_m > least_m && isSlow(way_m, to: fix) && way_m >= path_m * Departure.straight
        && (path_m / 1.75...path_m * 2).contains(reported_m)
    }

    /// The speeds say that it goes on, if slowly. The positions must agree before long.
    func mayCreep(to fix: Fix) -> Bool {
      guard moving >= Departure.leastMoving else { return false }
      return fix.time_ms - from.time_ms < Departure.creeping_ms || hasCrept(Departure.crept_m, to: fix)
    }

    mutating func note(_ fix: Fix, speed_mps: Double, for length_ms: Int64) {
      let moves = speed_mps >= Departure.noise_mps
      if fix.time_ms - last.time_ms >= Departure.moving_ms {
        path_m += last.position.distance_m(to: fix.position)
        last = fix
      }
      if moves { reported_m += speed_mps * Double(length_ms) / 1000 }
      moving += ((moves ? 1 : 0) - moving) * min(1, Double(length_ms) / Double(Departure.moving_ms))
    }
  }

  /// The newest fix was outside the place.
  private(set) var isOutside = false
  private var away: Away?
  private var drivingSince_ms: Int64?
  private var previous: Fix?
  /// The way from where it was last seen at its place, or since a stretch without fixes.
  private var walk: Walk?
  private var earlier = EarlierFix()
  private var isAtRest = true

  /// So far no receiver that was recorded under a roof has wandered (the farthest: 197 m), beside its accuracy.
  static let gone_m = 250.0
  /// A vehicle that was seen on its way there, and is at rest so far away, has driven there.
  static let goneAtRest_ms: Int64 = 45_000
  /// At rest where nobody saw it go, only after longer than another place has lasted that was none.
  static let leapAtRest_ms = Fix.mostProof_ms
  static let moved_m = 100.0
  /// A machine that has crept so far has left: farther than receivers wander in one direction.
  static let creptAway_m = 150.0
  /// At 0.3 m/s, as a paver goes, the positions say it after so long, and so far.
  static let creeping_ms: Int64 = 180_000
  static let crept_m = 25.0
  /// A quarter of the seconds: a receiver at rest has a twentieth, one at 0.3 m/s half.
  static let leastMoving = 0.25
  static let moving_ms: Int64 = 30_000
  /// Under a roof receivers wander to and fro; a row is straight.
  static let straight = 0.6
  /// Driving for so long is no noise: the longest that was recorded under a roof lasted 10 s.
  static let driving_ms: Int64 = 12_000
  /// A way is seen if no two fixes of it are farther apart in time.
  static let seen_ms: Int64 = 30_000

  /// - Parameters:
  ///   - distance_m: from the place.
  ///   - goneDistance_m: from where it stood at first, if that place has moved since.
  /// - Returns: whether the vehicle has left.
  mutating func outside(
    _ fix: Fix, distance_m: Double, goneDistance_m: Double, departure_m: Double
  ) -> Bool {
    isOutside = true
    let isLeap = isLeap(to: fix)
    if isLeap { walk = nil }
    noteSpeed(of: fix)
    if isGone(fix, distance_m: goneDistance_m, isLeap: isLeap) { return true }
    if let walk, goneDistance_m > Departure.creptAway_m + fix.accuracy_m,
      walk.hasCrept(walk.least_m(to: fix), to: fix)
    {
      return true
    }
    guard distance_m > departure_m + fix.accuracy_m, let drivingSince_ms else { return false }
    return fix.time_ms - drivingSince_ms >= Departure.driving_ms
  }

  /// The newest fix is too far away for a receiver that wanders, or it may creep away.
  var mayBeLeaving: Bool {
    if away != nil { return true }
    guard isOutside, let walk, let previous else { return false }
    return walk.mayCreep(to: previous)
  }

  /// Far away, and nothing says otherwise: what is believed if no more fixes come.
  var hasProbablyLeft: Bool {
    guard let away else { return false }
    return away.lasted_ms >= (away.isLeap ? Fix.leastProof_ms : Fix.believed_ms)
  }

  private mutating func isGone(_ fix: Fix, distance_m: Double, isLeap: Bool) -> Bool {
    guard distance_m > Departure.gone_m + fix.accuracy_m, walk?.isDrift(to: fix) != true else {
      away = nil
      return false
    }
    var away = self.away ?? Away(first: fix, last: fix, isLeap: isLeap)
    away.last = fix
    self.away = away
    guard away.lasted_ms >= Fix.believed_ms else { return false }
    if away.isLeap {
      return away.lasted_ms >= Departure.leapAtRest_ms
        || away.lasted_ms >= Departure.driving_ms && away.hasMoved
    }
    return !isAtRest || away.lasted_ms >= Departure.goneAtRest_ms
  }

  private func isLeap(to fix: Fix) -> Bool {
    guard let previous, fix.time_ms - previous.time_ms <= Departure.seen_ms else { return true }
    return previous.position.distance_m(to: fix.position)
      > Departure.gone_m + previous.accuracy_m + fix.accuracy_m
  }

  /// The way between the two was not seen: no fix came, or the receiver had frozen and leaps ahead.
  static func isUnseen(from previous: Fix, to fix: Fix) -> Bool {
    let gap_ms = fix.time_ms - previous.time_ms
    let away_m = previous.position.distance_m(to: fix.position)
    return gap_ms > seen_ms || away_m > gone_m && away_m * 1000 > leap_mps * Double(gap_ms)
  }

  /// Reported speeds of a receiver at rest are lower.
  static let noise_mps = 0.3
  /// No vehicle is faster (the default of `gps.max_speed_mps`).
  static let leap_mps = 120.0

  mutating func inside(_ fix: Fix) {
    isOutside = false
    away = nil
    walk = nil
    noteSpeed(of: fix)
  }

  private mutating func noteSpeed(of fix: Fix) {
    let speed_mps = speed_mps(of: fix) ?? 0
    if let previous, walk != nil {
      walk?.note(fix, speed_mps: speed_mps, for: max(0, fix.time_ms - previous.time_ms))
    } else {
      walk = Walk(from: fix)
    }
    isAtRest = speed_mps < Fix.standing_mps
    let isDriving = speed_mps >= Fix.driving_mps
    drivingSince_ms = isDriving ? drivingSince_ms ?? fix.time_ms : nil
    previous = fix
    earlier.note(fix)
  }

  private func speed_mps(of fix: Fix) -> Double? {
    if let speed_mps = fix.speed_mps { return speed_mps }
    guard let before = earlier.before(fix) else { return nil }
    return before.position.distance_m(to: fix.position) * 1000 / Double(fix.time_ms - before.time_ms)
  }
}
