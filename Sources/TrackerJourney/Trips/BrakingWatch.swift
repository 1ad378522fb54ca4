import TrackerBase

/// Reports when the vehicle brakes harder than a limit, by the speeds of its fixes.
///
/// Speeds are off by a few tenths of a metre a second: two seconds apart they say an acceleration to a fifth of a metre
/// per second squared, from one second to the next one garbled speed would be an emergency.
struct BrakingWatch: Equatable, Sendable {
  struct Braking: Equatable, Sendable {
    /// Where it began, and how fast.
    var begin: Fix
    var peak_mps2: Double
  }

  private let limit_mps2: Double
  /// Of the last seconds, with a speed.
  private var recent: [Fix] = []
  private var braking: Braking?

  /// Two fixes that are compared lie so far apart.
  static let span_ms = 1500...3000 as ClosedRange<Int64>

  init(limit_mps2: Double) { self.limit_mps2 = limit_mps2 }

  /// Each fix of a trip. - Returns: what has just ended, and where it began.
  mutating func add(_ fix: Fix) -> (incident: Incident, fix: Fix)? {
    guard limit_mps2 > 0, let speed_mps = fix.speed_mps else { return nil }
    let oldest_ms = fix.time_ms - BrakingWatch.span_ms.upperBound
    // A clock that went back begins anew.
    recent.removeAll { $0.time_ms < oldest_ms || $0.time_ms >= fix.time_ms }
    recent.append(fix)
    guard let before = recent.last(where: { BrakingWatch.span_ms.contains(fix.time_ms - $0.time_ms) }),
      let before_mps = before.speed_mps
    else { return ended(by: fix) }
    let rate_mps2 = (before_mps - speed_mps) / Double(fix.time_ms - before.time_ms) * 1000
    guard rate_mps2 >= limit_mps2 else { return ended(by: fix) }
    let begin = braking?.begin ?? before
    braking = Braking(begin: begin, peak_mps2: max(rate_mps2, braking?.peak_mps2 ?? 0))
    return nil
  }

  /// The trip ends.
  mutating func end() { (recent, braking) = ([], nil) }

  private mutating func ended(by fix: Fix) -> (incident: Incident, fix: Fix)? {
    guard let past = braking else { return nil }
    braking = nil
    // It is as fast as before: the slow speeds between were wrong.
    guard let from_mps = past.begin.speed_mps, let to_mps = fix.speed_mps, from_mps - to_mps >= limit_mps2
    else { return nil }
    let incident = Incident.harshBraking(
      from_mps: Resolution.tenths(from_mps), to_mps: Resolution.tenths(to_mps),
      peak_mps2: Resolution.tenths(past.peak_mps2))
    return (incident, past.begin)
  }
}
