/// Fixes outside the place where the vehicle stands: has it left, or does the receiver wander?
///
/// Under roofs receivers wander at walking pace, and up to some hundred metres. So near the place only driving
/// counts, and anything once it is too far away. A receiver that is far away from one fix to the next may be wrong
/// altogether: then it must be seen to go on from there, or stay for longer than reflections and jammers last.
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

  /// The newest fix was outside the place.
  private(set) var isOutside = false
  private var away: Away?
  private var drivingSince_ms: Int64?
  private var previous: Fix?
  private var earlier = EarlierFix()
  private var isAtRest = true

  /// So far no receiver that was recorded under a roof has wandered (the farthest: 197 m), beside its accuracy.
  static let gone_m = 250.0
  /// A vehicle that was seen on its way there, and is at rest so far away, has driven there.
  static let goneAtRest_ms: Int64 = 45_000
  /// At rest where nobody saw it go, only after longer than another place has lasted that was none.
  static let leapAtRest_ms = PlaceFilter.mostProof_ms
  static let moved_m = 100.0
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
    noteSpeed(of: fix)
    if isGone(fix, distance_m: goneDistance_m, isLeap: isLeap) { return true }
    guard distance_m > departure_m + fix.accuracy_m, let drivingSince_ms else { return false }
    return fix.time_ms - drivingSince_ms >= Departure.driving_ms
  }

  /// The newest fix is too far away for a receiver that wanders.
  var isFarAway: Bool { away != nil }

  /// Far away, and nothing says otherwise: what is believed if no more fixes come.
  var hasProbablyLeft: Bool {
    guard let away else { return false }
    return away.lasted_ms >= (away.isLeap ? PlaceFilter.leastProof_ms : Fix.believed_ms)
  }

  private mutating func isGone(_ fix: Fix, distance_m: Double, isLeap: Bool) -> Bool {
    guard distance_m > Departure.gone_m + fix.accuracy_m else {
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

  mutating func inside(_ fix: Fix) {
    isOutside = false
    away = nil
    noteSpeed(of: fix)
  }

  private mutating func noteSpeed(of fix: Fix) {
    let speed_mps = speed_mps(of: fix) ?? 0
    isAtRest = speed_mps < Stay.standing_mps
    let isDriving = speed_mps >= Stay.driving_mps
    drivingSince_ms = isDriving ? drivingSince_ms ?? fix.time_ms : nil
    previous = fix
    earlier.note(fix)
  }

  /// Inlined: a call would be handed a copy of all this, with each fix.
  @inline(__always) private func speed_mps(of fix: Fix) -> Double? {
    if let speed_mps = fix.speed_mps { return speed_mps }
    guard let before = earlier.before(fix) else { return nil }
    return before.position.distance_m(to: fix.position) * 1000 / Double(fix.time_ms - before.time_ms)
  }
}
