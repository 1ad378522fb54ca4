import TrackerBase

/// Reports when the vehicle drives faster than a limit, and when it does no more.
///
/// A second of fixes counts (two at 1 Hz), so that one garbled speed is no offence; the first of them dates the event.
/// The way back has a margin, or a vehicle at the limit would report each second.
package struct SpeedWatch: Equatable, Sendable {
  enum Action: Equatable, Sendable {
    case over(Fix)
    /// Without a fix where the process that saw the last one is gone.
    case under(Fix?, at_ms: Int64, top_mps: Double, duration_s: Double)
  }

  private let limit_mps: Double
  struct Offence: Equatable, Sendable {
    var since_ms: Int64
    var top_mps: Double
  }

  private(set) var over: Offence?
  /// The first of the fixes that say otherwise than the state, and the highest speed of them.
  private var rival: Fix?
  private var rivalTop_mps = 0.0

  static let margin = 0.95

  /// - Parameter over: what the last process left.
  init(limit_mps: Double, over: Offence? = nil) {
    self.limit_mps = limit_mps
    self.over = over
  }

  /// Each fix of a trip.
  mutating func add(_ fix: Fix) -> Action? {
    guard limit_mps > 0, let speed_mps = fix.speed_mps else { return nil }
    if let past = over { over?.top_mps = max(past.top_mps, speed_mps) }
    let isChange = over == nil ? speed_mps > limit_mps : speed_mps <= limit_mps * SpeedWatch.margin
    guard isChange else {
      rival = nil
      return nil
    }
    rivalTop_mps = rival == nil ? speed_mps : max(rivalTop_mps, speed_mps)
    let first = rival ?? fix
    rival = first
    guard fix.time_ms - first.time_ms >= Fix.believed_ms else { return nil }
    return change(at: first, seen: rivalTop_mps)
  }

  /// The trip ends.
  ///
  /// - Parameters:
  ///   - fix: its last one; nil if another process saw that.
  ///   - time_ms: the time of the last one.
  mutating func end(at fix: Fix?, _ time_ms: Int64) -> Action? {
    rival = nil
    return over.map { under(fix, time_ms, after: $0) }
  }

  private mutating func change(at fix: Fix, seen top_mps: Double) -> Action {
    rival = nil
    if let over { return under(fix, fix.time_ms, after: over) }
    over = Offence(since_ms: fix.time_ms, top_mps: top_mps)
    return .over(fix)
  }

  private mutating func under(_ fix: Fix?, _ time_ms: Int64, after past: Offence) -> Action {
    over = nil
    let duration_s = Double(max(0, time_ms - past.since_ms)) / 1000
    return .under(fix, at_ms: time_ms, top_mps: past.top_mps, duration_s: duration_s)
  }
}
