import TrackerBase

/// Keeps a fix each time the vehicle has come a step farther from the last kept one, or after the longest time.
struct DistanceSampler: Equatable, Sendable {
  private let step_m: Double
  private let elasticity: Double
  private let maxInterval_ms: Int64
  private var last: Fix?
  /// The newest fix that is not kept yet.
  private(set) var open: Fix?

  /// The speed of one more step, with elasticity 1.
  static let elasticSpeed_mps = 5.0

  init(settings: TrackSettings) {
    step_m = settings.distanceFilter_m
    elasticity = settings.elasticity
    maxInterval_ms = milliseconds(settings.maxInterval_s)
  }

  /// - Returns: the fix if it is kept.
  mutating func add(_ fix: Fix) -> [Fix] {
    guard isDue(fix) else {
      open = fix
      return []
    }
    return [keep(fix)]
  }

  mutating func flush() -> Fix? { open.map { keep($0) } }

  private mutating func keep(_ fix: Fix) -> Fix {
    last = fix
    open = nil
    return fix
  }

  private func isDue(_ fix: Fix) -> Bool {
    guard let last else { return true }
    return last.position.distance_m(to: fix.position) >= step_m(at: fix.speed_mps ?? 0)
      || fix.time_ms - last.time_ms >= maxInterval_ms
  }

  private func step_m(at speed_mps: Double) -> Double {
    let units = (speed_mps / DistanceSampler.elasticSpeed_mps).rounded()
    return step_m * max(1, units * elasticity)
  }
}
