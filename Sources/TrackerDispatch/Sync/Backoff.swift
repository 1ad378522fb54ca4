import TrackerBase

/// Exponential backoff with full jitter: a random time up to base · 2ⁿ⁻¹, capped.
/// (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.)
public struct Backoff: Equatable, Sendable {
  public var base_s: Double
  public var max_s: Double

  /// For a box that asks for its token, be it for days: from a minute to an hour.
  public static let enrolment = Backoff(base_s: 60, max_s: 3600)

  public func wait_ms(failures: Int, chance: Double) -> Int64 {
    let doublings = min(max(failures - 1, 0), 40)
    let ceiling_s = min(max_s, base_s * Double(1 << doublings))
    return milliseconds(ceiling_s * chance)
  }
}
