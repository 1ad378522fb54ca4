/// Fixes outside the place where the vehicle stands: has it left, or does the receiver wander?
///
/// Under roofs receivers wander at walking pace, and up to some hundred metres. So near the place only driving
/// counts, and anything once it is too far away. Nothing is lost by waiting: the fixes are kept meanwhile, and
/// the trip begins where the vehicle began to move.
struct Departure: Equatable, Sendable {
  /// Fixes in a row outside the place.
  private(set) var outside = 0
  private var gone = 0
  private var drivingSince_ms: Int64?
  private var previous: Fix?

  /// So far no receiver that was recorded under a roof has wandered (the farthest: 197 m), beside its accuracy.
  static let gone_m = 250.0
  static let fixesToBelieve = 2
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
    gone = goneDistance_m > Departure.gone_m + fix.accuracy_m ? gone + 1 : 0
    if gone >= Departure.fixesToBelieve { return true }
    guard distance_m > departure_m + fix.accuracy_m, let drivingSince_ms else { return false }
    return fix.time_ms - drivingSince_ms >= Departure.driving_ms
  }

  mutating func inside(_ fix: Fix) {
    outside = 0
    gone = 0
    noteSpeed(of: fix)
  }

  private mutating func noteSpeed(of fix: Fix) {
    let isDriving = (speed_mps(of: fix) ?? 0) >= Stay.driving_mps
    drivingSince_ms = isDriving ? drivingSince_ms ?? fix.time_ms : nil
    previous = fix
  }

  private func speed_mps(of fix: Fix) -> Double? {
    if let speed_mps = fix.speed_mps { return speed_mps }
    guard let previous, fix.time_ms > previous.time_ms else { return nil }
    return previous.position.distance_m(to: fix.position) * 1000 / Double(fix.time_ms - previous.time_ms)
  }
}
