import TrackerBase

/// What others ask of it, keep of it, and see of it.
extension Receiver {
  package var deadline_ms: Int64? {
    earliest(window.deadline_ms, clock.judgingUntil_ms, module.deadline_ms)
  }

  package var publishesTime: Bool { true }

  package func publish(to facts: inout Facts, at now: Moment) {
    facts.time = time(at: now)
    facts.trusted_ms = clock.trusted_ms(at: now)
    facts.isWindowOpen = window.isOpen
    facts.isLearningTime = isLearningTime
    facts.noWindowCause = noWindowCause
    facts.nextOpening_ms = window.nextOpening_ms
    facts.view = view(at: now)
    facts.isGPSOn = module.isOn
    facts.gpsRests = module.isResting
    facts.gpsHasSettled = module.hasSettled
    facts.gpsFailure = module.pauseCause
    facts.gpsRefusal = module.refusal
    facts.gpsLacks = facts.isLocating ? module.lacks : nil
    facts.lastTTFF_ms = module.lastTTFF_ms
  }

  package func save(to commit: inout Commit, _ facts: Facts, at now: Moment) {
    reception.save(to: &commit)
    commit.set("clock", clock.saved)
  }

  package static var kinds: SavedKinds {
    [
      "clock": SavedClock.self, "gps_day": SavedGPSDay.self, "gps_health": GPSHealth.self,
    ]
  }

  package func lasts(_ warning: WarningName, at now: Moment) -> Bool {
    switch warning {
    case .gpsdLost: module.pauseCause == .gpsdLost
    case .gpsSilent: module.pauseCause == .gpsSilent
    case .noSky: module.pauseCause == .noSky
    case .noFix: module.pauseCause == .noFix
    case .accuracy: module.pauseCause == .accuracy
    case .fixesRefused: module.pauseCause == .fixesRefused
    case .late: quality.delay.isLate
    case .gpsdDevice: module.lack != nil
    case .otherReceiver: usesOther
    case .dynamicModel: module.lacksModel
    case .powerLine: module.isPowerRefused
    case .flatFixes: quality.flat.isReported
    case .noTime: quality.timeless.isUndated || module.pauseCause == .noTime
    case .jamming: reception.isJammed
    case .antenna: reception.isAntennaGone
    case .weak: reception.isFailing
    case .clockUnknown: isLearningTime
    case .clockDiffers: clock.differs_ms(at: now) != nil
    default: false
    }
  }

  /// What motion is told of the module.
  private func view(at now: Moment) -> ReceiverView {
    var view = ReceiverView(settleTimeout_s: settings.settleTimeout_s)
    view.expectedTTFF_ms = module.expectedTTFF_ms(at: now.boot_ms) ?? 0
    view.hearsSky = reception.hearsSky
    return view
  }

  /// GPS time where there is one, else the best that the clock has.
  private func time(at now: Moment) -> RecordTime {
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

  package var isLearningTime: Bool { if case .learningTime = window.state { true } else { false } }

  /// Another receiver is used than the settings name.
  package var usesOther: Bool { !settings.device.isEmpty && choice.used != settings.device }

  /// Why no window is open.
  private var noWindowCause: NoTrackCause? {
    switch window.state {
    case .closed: window.lacksZone ? .zoneUnknown : .windowClosed
    case .learningTime: .learningTime
    case .open: nil
    }
  }

  package func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment) {
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
