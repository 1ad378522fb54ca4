import TrackerBase

/// Why `statusAtOnce` and `flush` together send nothing.
public enum SyncHold: Equatable, Sendable {
  case noURL
  /// No record waits, and the format carries no status.
  case nothingToSend
  /// No record waits, and the server refused a status.
  case statusRefused(wait_s: Int64)
  /// With a format that carries no status: what it does not take along waits as before.
  case underWay
  case budget(wait_s: Int64)
  case backingOff(wait_s: Int64)

  /// nil: a request follows at once, or with the end of the one that is under way.
  public init?(of machine: SyncMachine, at now_ms: Int64) {
    if !machine.isEnabled {
      self = .noURL
      return
    }
    switch machine.state {
    case .sending:
      // With a status another one follows.
      if machine.status.hold(at: now_ms) == nil { return nil }
      self = .underWay
    case .backingOff(let until_ms, let cause, let isAsked) where isAsked || cause != .unauthorised:
      self = .backingOff(wait_s: max(0, until_ms - now_ms) / 1000)
    case .idle, .splaying, .pacing, .backingOff:
      if machine.allowance.level == .none {
        self = .budget(wait_s: max(0, machine.allowance.renewsAt_ms - now_ms) / 1000)
      } else if machine.queued == 0, let hold = machine.status.hold(at: now_ms) {
        self = hold
      } else {
        return nil
      }
    }
  }
}
