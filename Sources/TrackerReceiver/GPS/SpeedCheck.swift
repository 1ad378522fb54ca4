import TrackerBase

/// Takes away a reported speed that the vehicle cannot have.
///
/// A speed is refused above the highest one that is set, and where it would have taken more acceleration than a road
/// vehicle has: to reach it on the way from the fix before, or from the speed before.
struct SpeedCheck: Equatable, Sendable {
  var maxSpeed_mps: Double
  private var earlier = EarlierFix()
  private var believed: ReportedSpeed?
  /// Speeds that were taken away.
  private(set) var refused = 0

  init(maxSpeed_mps: Double) { self.maxSpeed_mps = maxSpeed_mps }

  /// - Parameter fix: one of the believed place, which loses its speed if that is impossible.
  mutating func check(_ fix: inout Fix) {
    if let speed_mps = fix.speed_mps {
      if isPossible(speed_mps, at: fix) {
        believed = ReportedSpeed(of: fix)
      } else {
        refused += 1
        (fix.speed_mps, fix.speedAccuracy_mps) = (nil, nil)
      }
    }
    earlier.note(fix)
  }

  /// What follows has nothing to do with the positions before it.
  mutating func forget() { (earlier, believed) = (EarlierFix(), nil) }

  private func isPossible(_ speed_mps: Double, at fix: Fix) -> Bool {
    guard speed_mps >= 0, speed_mps <= maxSpeed_mps else { return false }
    if let believed, believed.time_ms < fix.time_ms {
      let change_mps = PlaceFilter.acceleration_mps2 * Double(fix.time_ms - believed.time_ms) / 1000
      if abs(speed_mps - believed.speed_mps) > change_mps + Fix.speedNoise_mps { return false }
    }
    guard let last = earlier.before(fix), fix.time_ms - last.time_ms <= Fix.longestStep_ms else {
      return true
    }
    let gap_s = Double(fix.time_ms - last.time_ms) / 1000
    let way_m = last.position.distance_m(to: fix.position) + last.accuracy_m + fix.accuracy_m
    return speed_mps <= way_m / gap_s + PlaceFilter.acceleration_mps2 * gap_s
  }
}
