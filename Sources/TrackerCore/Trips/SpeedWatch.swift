/// Tells when the vehicle drives faster than a limit, and when it does no more.
///
/// Two fixes in a row tell, so that one garbled speed is no offence; the first of them dates the event. The way
/// back has a margin, or a vehicle at the limit would tell each second.
struct SpeedWatch: Equatable, Sendable {
  enum Action: Equatable, Sendable {
    case over(Fix)
    case under(Fix, top_mps: Double, duration_s: Double)
  }

  private let limit_mps: Double
  private struct Offence: Equatable, Sendable {
    var since: Fix
    var top_mps: Double
  }

  private var over: Offence?
  /// The fix that says otherwise than the state.
  private var rival: Fix?

  static let margin = 0.95

  init(limit_mps: Double) { self.limit_mps = limit_mps }

  /// Each fix of a trip.
  mutating func add(_ fix: Fix) -> Action? {
    guard limit_mps > 0, let speed_mps = fix.speed_mps else { return nil }
    if let past = over { over?.top_mps = max(past.top_mps, speed_mps) }
    let isChange = over == nil ? speed_mps > limit_mps : speed_mps <= limit_mps * SpeedWatch.margin
    guard isChange else {
      rival = nil
      return nil
    }
    guard let first = rival else {
      rival = fix
      return nil
    }
    return change(at: first, seen: max(first.speed_mps ?? 0, speed_mps))
  }

  /// The trip ends.
  mutating func end(at fix: Fix) -> Action? {
    rival = nil
    return over == nil ? nil : change(at: fix, seen: 0)
  }

  private mutating func change(at fix: Fix, seen top_mps: Double) -> Action {
    rival = nil
    guard let past = over else {
      over = Offence(since: fix, top_mps: top_mps)
      return .over(fix)
    }
    over = nil
    let duration_s = Double(max(0, fix.time_ms - past.since.time_ms)) / 1000
    return .under(fix, top_mps: past.top_mps, duration_s: duration_s)
  }
}
