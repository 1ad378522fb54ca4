import TrackerBase

/// Signs of life: what says that a parked vehicle is in use, before it moves.
extension Motion {
  /// The last one of each kind.
  struct Sign: Equatable, Sendable {
    var cause: DepartureCause
    var at_ms: Int64
  }

  /// A parked vehicle is looked at at once. Of what goes on all day (a charger that comes and goes, a machine that works
  /// where it stands) only so much is a sign as the pauses without any would be.
  public mutating func signOfLife(_ cause: DepartureCause, at now_ms: Int64) -> [Action] {
    guard case .stationary = state else { return [] }
    let last_ms = parked.signs.first { $0.cause == cause }?.at_ms
    switch parked.probe {
    case .always: return []
    case .looking:
      guard last_ms.map({ now_ms - $0 >= DepartureCause.signLasts_ms }) ?? true else { return [] }
      note(Sign(cause: cause, at_ms: now_ms))
      return []
    case .waiting(_, let since_ms):
      let pause_ms = max(DepartureCause.signLasts_ms, supposedPause_ms(stoodFor_ms: now_ms - since_ms))
      guard last_ms.map({ now_ms - $0 >= pause_ms }) ?? true else { return [] }
      note(Sign(cause: cause, at_ms: now_ms))
      parked.lookedFor = cause
      parked.probe = .waiting(until_ms: now_ms, since_ms: since_ms)
      return tick(at: now_ms)
    }
  }

  private mutating func note(_ sign: Sign) {
    parked.signs.removeAll { $0.cause == sign.cause }
    parked.signs.append(sign)
  }

  /// A look has not found it gone. While a sign is fresh the next one follows after half the time since it, so that what
  /// is missed of a drive is a share of what it took to begin.
  mutating func nextAfterSign(at now_ms: Int64) {
    guard case .waiting(let until_ms, let since_ms) = parked.probe, let sign = parked.signs.last,
      now_ms - sign.at_ms < DepartureCause.signLasts_ms
    else { return }
    let pause_ms = max(milliseconds(Motion.leastPause_s), (now_ms - sign.at_ms) / 2)
    guard now_ms + pause_ms < until_ms else { return }
    parked.lookedFor = sign.cause
    parked.probe = .waiting(until_ms: now_ms + pause_ms, since_ms: since_ms)
  }
}
