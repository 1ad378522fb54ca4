import TrackerBase

/// What is asked of the parts together, at each event. The journey is asked by a method that could change it: otherwise the
/// compiler copies all of it, 5 kB.
extension Tracker {
  mutating func nextDeadline_ms() -> Int64? {
    let parts_ms = earliest(receiver.deadline_ms, journey.nextDeadline_ms(), dispatch.deadline_ms)
    return earliest(
      earliest(parts_ms, overlay.deadline_ms, supply.external.deadline_ms), commands.deadline_ms,
      runState.deadline_ms, earliest(saveDeadline_ms, acceleration.deadline_ms, sleepDeadline_ms))
  }

  private var sleepDeadline_ms: Int64? { settings.host.sleep.isOn ? sleep.deadline_ms : nil }

  var wantsGPS: Bool { receiver.wantsGPS(journey.wantsGPS) || commands.isLocating }

  func time(_ now: Moment) -> RecordTime { receiver.time(at: now) }
}
