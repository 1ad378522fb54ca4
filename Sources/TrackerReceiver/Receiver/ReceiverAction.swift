import TrackerBase

/// What a step of the receiver wants, or has found out. What is large and rare lies apart (`indirect`).
package enum ReceiverAction: Equatable, Sendable {
  indirect case perform(Action)
  case warn(WarningName, String)
  case log(RunSettings.LogLevel, String)
  /// For the record, with the last known place.
  indirect case news(Record.Content)
  /// Where the vehicle is, inside a window. - Parameter after: what came in place of fixes before it, if anything.
  case fix(Fix, after: NoTrackCause?)
  /// Where the vehicle is while no window is open: nobody follows it.
  case fixOutside(Fix)
  /// Too far away to be reached: the first of an episode.
  case jump(Fix)
  /// What came after this fix reported a place where the vehicle was not.
  case forget(after: Fix)
  /// The place that was believed so far was wrong.
  case placeWasWrong
  /// What was seen by the old time and what is seen now have no distance in time.
  case timeJumped
  case timeBecameKnown
  /// What came to its end of what operators want.
  case wishesChanged([WishChange])
  /// The window is closed, as it may have been before.
  case noWindow(TripSummary.EndCause)
  case windowOpened
  /// Nothing is to be followed from here on.
  case watchEnded(TripSummary.EndCause)
  /// After `watchEnded`.
  case windowClosed
}
