import TrackerBase

/// What a step of the dispatch wants, in order.
package enum DispatchAction: Equatable, Sendable {
  case perform(Action)
  case warn(WarningName, String, times: Int = 1)
  case log(RunSettings.LogLevel, String)
  /// Positions of it were dropped from memory.
  case lostTrack(TrackGap)
}
