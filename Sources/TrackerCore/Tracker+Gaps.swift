import TrackerBase
import TrackerJourney

/// Why there is no track, from what the three values say of themselves.
extension Tracker {
  /// Why no track is being made now; nil while one is. The first that holds, in this order.
  public var noTrackCause: NoTrackCause? {
    if sleep.isSuspended { return .boardOff }
    switch runState.override {
    case .paused: return .paused
    case .safeMode: return .safeMode
    case .tracking, nil: break
    }
    if let cause = receiver.noWindowCause { return cause }
    let cause = journey.noTrackCause
    // Then nothing is looked for.
    if cause == .ignitionOff { return .ignitionOff }
    if let cause = receiver.module.pauseCause { return isUndervoltage ? .undervoltage : cause }
    if let cause { return cause }
    if receiver.module.isResting { return .restarting }
    if receiver.module.hasSettled && journey.motion.isMoving { return nil }
    return receiver.module.refusal ?? .acquiring
  }

  /// After each event.
  mutating func watchGaps(at now: Moment) {
    recordGaps(gaps.note(noTrackCause, at: time(now)), at: now)
    if gaps.hasChanged { stateChanged(at: now) }
    gaps.wasSaved()
  }

  mutating func startGaps(_ found: Restored, at now: Moment) {
    startSleep(found, at: now)
    let (saved, bootID) = (SavedState(found.state), found.runState.bootID)
    let ended = gaps.start(saved, bootID: bootID, alive_ms: found.alive_ms, at: time(now))
    recordGaps(ended, at: now)
  }

  /// - Parameter tail: the newest fix that is saved with it.
  func saveGaps(to state: inout StateDraft, tail: Fix?, at now: Moment) {
    gaps.save(to: &state, bootID: restored.runState.bootID, tail: tail, at: time(now))
  }

  /// What is recorded of a trip is the track.
  mutating func noteTrack(_ record: Record, at now: Moment) -> [TrackGaps.Ended] {
    switch record.content {
    case .position(false, _):
      if let fix = record.fix, let trip = record.tripID {
        gaps.positionKept(fix.time_ms, trip: trip, at: time(now))
      }
      return []
    case .trip(let summary): return gaps.tripEnded(summary.id, at: time(now))
    case .position(true, _), .motion, .geofence, .status, .warning, .speed, .activity, .gap, .incident,
      .unknown:
      return []
    }
  }

  mutating func recordGaps(_ ended: [TrackGaps.Ended], at now: Moment) {
    for gap in ended { recordNews(.gap(withWake(gap.gap)), dated: gap.time, at: now) }
  }

  /// Storage works again: what memory could not hold until then.
  mutating func recordLostTrack(_ gap: TrackGap, at now: Moment) {
    let end = RecordTime(
      boot_ms: now.boot_ms, time_ms: gap.end_ms, source: .trustedWallClock, fixSource: .gps)
    recordNews(.gap(gap), dated: end, at: now)
  }
}
