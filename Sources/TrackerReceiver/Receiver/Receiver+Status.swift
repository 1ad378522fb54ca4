import TrackerBase

/// What others ask of it, keep of it, and see of it.
extension Receiver {
  package var deadline_ms: Int64? {
    earliest(window.deadline_ms, clock.judgingUntil_ms, module.deadline_ms)
  }

  /// Unix milliseconds if somebody vouches for the time.
  package func trusted_ms(at now: Moment) -> Int64? { clock.trusted_ms(at: now) }

  package func save(to state: inout StateDraft) {
    reception.save(to: &state)
    state.set("clock", clock.saved)
  }

  package static var kinds: SavedKinds {
    [
      "clock": SavedClock.self, "gps_day": SavedGPSDay.self, "gps_health": GPSHealth.self,
    ]
  }

  /// What motion is told of the module and the time.
  package func view(at now: Moment) -> ReceiverView {
    var view = ReceiverView(settings)
    view.expectedTTFF_ms = module.expectedTTFF_ms(at: now.boot_ms) ?? 0
    view.hearsSky = reception.hearsSky
    view.localOffset_s = clock.trusted_ms(at: now).map { time_ms in
      reception.local_s(at: time_ms) - now.boot_ms / 1000
    }
    return view
  }

  /// GPS time where there is one, else the best that the clock has.
  package func time(at now: Moment) -> RecordTime {
    if usesClaimedTime, let claimed_ms = clock.claimed_ms(at: now) {
      return RecordTime(
        boot_ms: now.boot_ms, time_ms: claimed_ms, source: .untrustedWallClock, fixSource: .untrustedWallClock
      )
    }
    let known_ms = clock.gps_ms(at: now) ?? clock.trusted_ms(at: now)
    return RecordTime(
      boot_ms: now.boot_ms, time_ms: known_ms ?? now.wall_ms,
      source: known_ms == nil ? .untrustedWallClock : .trustedWallClock,
      fixSource: quality.timeless.isProven ? .trustedWallClock : .gps)
  }

  /// - Parameter isWanted: inside a window.
  package func wantsGPS(_ isWanted: Bool) -> Bool {
    switch window.state {
    case .open: isWanted || clock.isJudging
    case .learningTime: true
    case .closed: false
    }
  }

  package var isLearningTime: Bool { if case .learningTime = window.state { true } else { false } }

  /// Another receiver is used than the settings name.
  package var usesOther: Bool { !settings.device.isEmpty && choice.used != settings.device }

  /// Why no window is open.
  package var noWindowCause: NoTrackCause? {
    switch window.state {
    case .closed: window.lacksZone ? .zoneUnknown : .windowClosed
    case .learningTime: .learningTime
    case .open: nil
    }
  }

  package func describe(_ status: inout TrackerStatus, at now: Moment) {
    status.clock = clock.trust(at: now)
    status.clockOffset_s = clock.gps_ms(at: now).map { Double(now.wall_ms - $0) / 1000 }
    status.window.isOpen = window.isOpen
    status.window.nextChange_ms = window.nextChange_ms
    status.gps = figures
    status.gps.receiver = choice.used
    status.gps.fixDelay_s = quality.delay.last_ms.map { $0 / 1000 }
    if !module.isPowered { status.gps.satellites = nil }
    module.describe(&status.gps, at: now.boot_ms)
    reception.describe(
      &status.gps, isOn: module.isPowered, trusted_ms: clock.trusted_ms(at: now), at: now.boot_ms)
  }
}
