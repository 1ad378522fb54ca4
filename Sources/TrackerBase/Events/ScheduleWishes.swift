/// What goes before the schedule.
package protocol ScheduleWishes {
  var override: Override? { get }
  /// Why no window is open, if none is.
  var closingCause: TripSummary.EndCause { get }
  var deadline_ms: Int64? { get }
  /// With each look at the window. What has changed is to be saved.
  mutating func tick(trusted_ms: Int64?, at now_ms: Int64) -> [WishChange]
}

/// What has come to its end by now.
package enum WishChange: Equatable, Sendable {
  case ended(IntentKind)
  case crashesForgotten
  case tryingAgain
  case saveDue
}
