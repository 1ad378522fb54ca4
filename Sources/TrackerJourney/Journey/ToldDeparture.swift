import TrackerBase

/// The vehicle has left: what the trip, the record, the journal and the status say of it.
struct ToldDeparture: Equatable, Sendable {
  let cause: DepartureCause
  /// Unix milliseconds. It left after this; nil: the key told of it, or it was seen to leave.
  let leftAfter_ms: Int64?
  /// It was seen away from its place then.
  let leftBefore_ms: Int64?
  /// When a key was turned: the instant of the departure, however long before it the vehicle was last seen. By a clock
  /// alone, which may be wrong: never before that.
  let key_ms: Int64?

  /// - Parameter now_ms: Unix milliseconds, by the best clock.
  init(_ start: Motion.Start, at now_ms: Int64) {
    cause = start.cause
    let first = start.track.first
    key_ms = first == nil ? max(now_ms, start.leftAfter_ms ?? .min) : nil
    leftAfter_ms = first == nil ? nil : start.leftAfter_ms
    leftBefore_ms = leftAfter_ms == nil ? nil : first?.time_ms
  }

  var change: MotionChange {
    MotionChange(cause: MotionChange.Cause(cause), leftAfter_ms: leftAfter_ms, leftBefore_ms: leftBefore_ms)
  }

  /// It left at most so long before it was seen away.
  var late_s: Int {
    guard let leftAfter_ms, let leftBefore_ms else { return 0 }
    return Int(max(0, leftBefore_ms - leftAfter_ms) / 1000)
  }

  /// For the journal: `noticed by a probe, at most 48 s after it left`.
  var words: String {
    "noticed by \(cause.words)" + (late_s > 0 ? ", at most \(late_s) s after it left" : " as it left")
  }
}
