/// Fixes outside the place where the vehicle stands: has it left, or does the receiver wander?
///
/// Under roofs receivers wander at walking pace, and up to some hundred metres. So near the place only driving
/// counts, and anything once it is too far away. Nothing is lost by waiting: the fixes are kept meanwhile, and
/// the trip begins where the vehicle began to move.
struct Departure: Equatable, Sendable {
  /// Fixes in a row outside the place.
  private(set) var outside = 0
  private var gone = 0
  private var goneSince_ms: Int64?
  private var drivingSince_ms: Int64?
  private var previous: Fix?
  private var isAtRest = true

  /// So far no receiver that was recorded under a roof has wandered (the farthest: 197 m), beside its accuracy.
  static let gone_m = 250.0
  static let fixesToBelieve = 2
  /// A vehicle that is seen at rest so far away has driven there, or the receiver has jumped …
  static let goneAtRest_ms: Int64 = 45_000
  /// … but no receiver jumps farther, and agrees with itself.
  static let farthestJump_m = 1000.0
  /// Driving for so long is no noise: the longest that was recorded under a roof lasted 10 s.
  static let driving_ms: Int64 = 12_000

  /// - Parameters:
  ///   - distance_m: from the place.
  ///   - goneDistance_m: from where it stood at first, if that place has moved since.
  /// - Returns: whether the vehicle has left.
  mutating func outside(
    _ fix: Fix, distance_m: Double, goneDistance_m: Double, departure_m: Double
  ) -> Bool {
    outside += 1
    noteSpeed(of: fix)
    if isGone(fix, distance_m: goneDistance_m) { return true }
    guard distance_m > departure_m + fix.accuracy_m, let drivingSince_ms else { return false }
    return fix.time_ms - drivingSince_ms >= Departure.driving_ms
  }

  /// The newest fix is too far away for a receiver that wanders.
  var isFarAway: Bool { gone > 0 }
  /// Far away, and nothing says otherwise: what is believed if no more fixes come.
  var hasProbablyLeft: Bool { gone >= Departure.fixesToBelieve }

  private mutating func isGone(_ fix: Fix, distance_m: Double) -> Bool {
    guard distance_m > Departure.gone_m + fix.accuracy_m else {
      gone = 0
      return false
    }
    if gone == 0 { goneSince_ms = fix.time_ms }
    gone += 1
    guard gone >= Departure.fixesToBelieve, let goneSince_ms else { return false }
    return !isAtRest || distance_m > Departure.farthestJump_m
      || fix.time_ms - goneSince_ms >= Departure.goneAtRest_ms
  }

  mutating func inside(_ fix: Fix) {
    outside = 0
    gone = 0
    noteSpeed(of: fix)
  }

  private mutating func noteSpeed(of fix: Fix) {
    let speed_mps = speed_mps(of: fix) ?? 0
    isAtRest = speed_mps < Stay.standing_mps
    let isDriving = speed_mps >= Stay.driving_mps
    drivingSince_ms = isDriving ? drivingSince_ms ?? fix.time_ms : nil
    previous = fix
  }

  private func speed_mps(of fix: Fix) -> Double? {
    if let speed_mps = fix.speed_mps { return speed_mps }
    guard let previous, fix.time_ms > previous.time_ms else { return nil }
    return previous.position.distance_m(to: fix.position) * 1000 / Double(fix.time_ms - previous.time_ms)
  }
}
