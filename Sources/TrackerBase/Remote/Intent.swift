public enum IntentKind: String, CaseIterable, Sendable {
  case pause, track
}

public enum IntentWish: Equatable, Sendable {
  /// - Parameter length_ms: nil until `resume`.
  case pause(length_ms: Int64?)
  case track(length_ms: Int64)
  /// Both end, and the schedule rules.
  case resume

  /// As `lengthInSeconds`: a leap year.
  public static let longest_ms: Int64 = 8784 * 3_600_000
}

/// What overrides the schedule.
public enum Override: Equatable, Sendable {
  case paused
  case safeMode
  case tracking
}
