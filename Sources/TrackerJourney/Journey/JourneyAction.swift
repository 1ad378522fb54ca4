import TrackerBase

/// What a step of the journey wants. What is large and rare lies apart (`indirect`).
package enum JourneyAction: Equatable, Sendable {
  /// But for its number.
  indirect case record(Record)
  /// A fix belongs to the track, by its GPS time: what is saved has changed.
  case followed(Int64)
  /// What is saved has changed.
  case stateChanged
  /// A pause after failures must not miss what begins.
  case lookAtOnce
  case warn(WarningName, String)
  case log(RunSettings.LogLevel, String)
}
