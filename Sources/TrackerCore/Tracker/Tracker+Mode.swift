/// `motion.mode`: what of the windows is watched.
extension Tracker {
  /// Fixes are followed, and the parked vehicle is probed. In `wire_only` with the ignition off only a trip that has
  /// not ended yet is; a line that has failed tells nothing, and is done without.
  var watchesMotion: Bool {
    guard window.isOpen else { return false }
    switch settings.motion.mode {
    case .full: return true
    case .probeOnly: return false
    case .wireOnly: return lines.ignition.level ?? lines.ignitionHasFailed || motion.isMoving
    }
  }

  /// Inside a window.
  var modeWantsGPS: Bool { watchesMotion ? motion.wantsGPS : positionProbe?.wantsGPS ?? false }

  var modeDeadline_ms: Int64? { watchesMotion ? motion.deadline_ms : positionProbe?.deadline_ms }

  mutating func tickMode(at now: Moment) {
    let expectedTTFF_ms = session.expectedTTFF_ms(at: now.boot_ms) ?? 0
    motion.expectedTTFF_ms = expectedTTFF_ms
    positionProbe?.expectedTTFF_ms = expectedTTFF_ms
    if watchesMotion { perform(motion.tick(at: now.boot_ms), at: now) }
    switch positionProbe?.tick(at: now.boot_ms) {
    case .began: counters.probes += 1
    case .unanswered: counters.probesUnanswered += 1
    case nil: break
    }
  }

  /// A fix that no motion is made of.
  mutating func takePosition(_ fix: Fix, at now: Moment) {
    guard positionProbe?.fixArrived(at: now.boot_ms) == true else { return }
    record(.position(), fix: fix, at: now)
    watchGeofences(fix, at: now)
  }

  /// The last process made trips.
  mutating func endTripOfOtherMode(at now: Moment) {
    guard positionProbe != nil, trip != nil else { return }
    endTrip(at: nil, cause: .modeChanged, now: now)
  }

  /// Why this mode makes no track now.
  var modeCause: TrackerStatus.NoTrackCause? {
    switch settings.motion.mode {
    case .full: nil
    case .probeOnly: .probeOnly
    case .wireOnly: watchesMotion ? nil : .ignitionOff
    }
  }
}
