/// What a step of the dispatch wants, in order.
enum DispatchAction: Equatable, Sendable {
  case perform(Action)
  case warn(Warnings.Name, String, times: Int = 1)
  case log(RunSettings.LogLevel, String)
  /// Positions of it were dropped from memory.
  case lostTrack(TrackGap)
}
