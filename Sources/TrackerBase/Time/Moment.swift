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
  if seconds.isNaN { return 0 }
  let most = 1e15
  let exact_ms = min(max(seconds * 1000, -most), most)
  // Not `rounded()` and `Int64(saturating:)`, which take ten times as long: deadlines are asked for with each event.
  return Int64(exact_ms + (exact_ms < 0 ? -0.5 : 0.5))
}

/// Of deadlines; nil where nothing waits for time.
public func earliest(
  _ a_ms: Int64?, _ b_ms: Int64?, _ c_ms: Int64? = nil, _ d_ms: Int64? = nil
) -> Int64? {
  let earliest_ms = min(min(a_ms ?? .max, b_ms ?? .max), min(c_ms ?? .max, d_ms ?? .max))
  return earliest_ms == .max ? nil : earliest_ms
}
