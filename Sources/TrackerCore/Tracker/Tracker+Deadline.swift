/// What is asked of the three values together, at each event: what is called here is inlined, for the compiler would copy
/// the whole value (7 kB of a journey) for each call.
extension Tracker {
  var nextDeadline_ms: Int64? {
    let parts_ms = earliest(receiver.deadline_ms, journey.deadline_ms, dispatch.deadline_ms)
    return earliest(
      earliest(parts_ms, overlay.deadline_ms, supply.external.deadline_ms), commands.deadline_ms,
      runState.deadline_ms, earliest(saveDeadline_ms, acceleration.deadline_ms, sleepDeadline_ms))
  }

  private var sleepDeadline_ms: Int64? { settings.host.sleep.isOn ? sleep.deadline_ms : nil }

  var wantsGPS: Bool { receiver.wantsGPS(journey.wantsGPS) || commands.isLocating }

  func time(_ now: Moment) -> RecordTime { receiver.time(at: now) }
}
