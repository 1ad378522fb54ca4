/// What is asked of the three values together.
extension Tracker {
  /// Boot time at which a `.timer` event is due; nil if nothing waits for time.
  public var deadline_ms: Int64? {
    let parts_ms = earliest(receiver.deadline_ms, journeyDeadline_ms, dispatchDeadline_ms)
    return earliest(
      earliest(parts_ms, overlay.deadline_ms), commands.deadline_ms, runState.deadline_ms, saveDeadline_ms)
  }

  // Each in a function of its own: side by side the compiler copies the whole of them, with each event.
  @inline(never)
  private var journeyDeadline_ms: Int64? { journey.deadline_ms }

  @inline(never)
  private var dispatchDeadline_ms: Int64? { dispatch.deadline_ms }

  var wantsGPS: Bool { receiver.wantsGPS(journey.wantsGPS) || commands.isLocating }

  func time(_ now: Moment) -> RecordTime { receiver.time(at: now) }
}
