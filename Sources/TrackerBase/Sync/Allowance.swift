/// What may be sent while bytes are counted.
public struct Allowance: Equatable, Sendable {
  public enum Level: String, FigureChoice {
    case all
    /// The rest is kept for events and the status.
    case events
    case none
  }

  public var level: Level
  /// Boot time at which the next day or month begins.
  public var renewsAt_ms: Int64

  public init(level: Level = .all, renewsAt_ms: Int64 = 0) {
    self.level = level
    self.renewsAt_ms = renewsAt_ms
  }

  /// What both leave, until both leave more.
  package func tighter(_ other: Allowance) -> Allowance {
    if level == other.level {
      return Allowance(level: level, renewsAt_ms: max(renewsAt_ms, other.renewsAt_ms))
    }
    return level == .none || other.level == .all ? self : other
  }
}
