/// One reading of both clocks, taken once for each event.
public struct Moment: Equatable, Sendable {
  /// The boot clock (`CLOCK_BOOTTIME`) in milliseconds: runs through suspend, never jumps, starts anew at
  /// each boot. Every deadline is on this clock.
  public var boot_ms: Int64
  /// The wall clock in Unix milliseconds. It may be wrong and may jump.
  public var wall_ms: Int64

  public init(boot_ms: Int64, wall_ms: Int64) {
    self.boot_ms = boot_ms
    self.wall_ms = wall_ms
  }
}

/// Whole milliseconds in a number of seconds, rounded to the nearest; at most what lasts 30,000 years, so that sums of
/// them and any date fit.
public func milliseconds(_ seconds: Double) -> Int64 {
  let most_ms: Int64 = 1_000_000_000_000_000
  return min(max(Int64(saturating: (seconds * 1000).rounded()), -most_ms), most_ms)
}

/// Of deadlines; nil where nothing waits for time.
public func earliest(
  _ a_ms: Int64?, _ b_ms: Int64?, _ c_ms: Int64? = nil, _ d_ms: Int64? = nil
) -> Int64? {
  let earliest_ms = min(min(a_ms ?? .max, b_ms ?? .max), min(c_ms ?? .max, d_ms ?? .max))
  return earliest_ms == .max ? nil : earliest_ms
}
