/// The window opens and closes; the GPS follows what is wanted of it.
extension Tracker {
  mutating func updateWindow(at now: Moment, chance: Double) {
    let before = window.state
    keepStanding(at: now)
    window.evaluate(clock, override: standing.override, at: now)
    if window.state == .closed, resumedTrip {
      // The window ended while no process ran.
      endTrip(at: nil, cause: closingCause, now: now)
      motion.watchEnded()
    }
    if case .learningTime = window.state, case .learningTime = before { return }
    guard window.state != before else {
      // At the start the state is closed, and stays so without having been announced.
      return
    }
    switch window.state {
    case .open: windowOpened(at: now, chance: chance)
    case .closed: windowClosed(from: before, at: now, chance: chance)
    case .learningTime:
      if before == .open { endWatch(at: now) }
      session.windowOpened()
      if clock.trust(at: now) == .untrusted {
        warn(.clockUnknown, at: now, "the time is unknown: GPS on to learn it")
      } else {
        log(.info, "the time rests on GPS alone, and it was off for long: a look whether it is still right")
      }
    }
  }

  private mutating func windowOpened(at now: Moment, chance: Double) {
    log(.notice, "window open")
    if !isContinuing { recordWindow(.windowOpened(until_ms: window.nextChange_ms), at: now) }
    session.windowOpened()
    motion.watchBegan(at: now.boot_ms)
    positionProbe?.watchBegan(at: now.boot_ms)
    if let on = lines.ignition.level { perform(motion.ignitionChanged(on: on, at: now.boot_ms), at: now) }
    eachSync(at: now) { $0.windowOpened(at: now.boot_ms, chance: chance) }
  }

  private mutating func windowClosed(from before: WindowKeeper.State, at now: Moment, chance: Double) {
    if before == .open {
      log(.notice, "window closed")
      endWatch(at: now)
      recordWindow(.windowClosed(cause: closingCause, until_ms: window.nextChange_ms), at: now)
      outbox.hurry()
      eachSync(at: now) { $0.windowEnded(at: now.boot_ms, chance: chance) }
    } else {
      log(.notice, "no window is open")
    }
  }

  /// Why nothing may be tracked now, as a trip's summary says it.
  private var closingCause: TripSummary.EndCause {
    switch standing.override {
    case .paused: .paused
    case .safeMode: .safeMode
    case .tracking, nil: .window
    }
  }

  private mutating func endWatch(at now: Moment) {
    endTrip(at: lastFix, cause: closingCause, now: now)
    motion.watchEnded()
    positionProbe?.watchEnded()
    geofences.watchEnded()
  }

  /// Power follows purpose: on inside a window while moving, probing or starting, or to learn the time.
  mutating func adjustGPS(at now: Moment) {
    if !wantsGPS { releaseHeld(at: now) }
    perform(session.wantChanged(to: wantsGPS, at: now.boot_ms), at: now)
  }

  var wantsGPS: Bool {
    switch window.state {
    case .open: modeWantsGPS || clock.isJudging
    case .learningTime: true
    case .closed: false
    }
  }

  mutating func perform(_ wanted: [GPSSession.Action], at now: Moment) {
    for action in wanted {
      switch action {
      case .setPower(let on): powerChanged(on, at: now)
      case .connect:
        gpsdDevices = []
        actions.append(.connectGPS)
      case .disconnect:
        dynamicModel.disconnected()
        actions.append(.disconnectGPS)
      case .reopening:
        warn(.gpsSilent, at: now, "no data from gpsd: the connection is opened anew")
      case .failed(.noSky, let pause_ms):
        counters.pauseCause = .noSky
        warn(.noSky, at: now, "no fix: GPS off, again in \(pause_ms / 1000) s")
      case .failed(.silent, let pause_ms):
        counters.pauseCause = .gpsLost
        warn(.gpsSilent, at: now, "the GPS is silent: power off, again in \(pause_ms / 1000) s")
      case .failed(.unreachable, let pause_ms):
        counters.pauseCause = .gpsLost
        warn(.gpsdLost, at: now, "gpsd does not answer: GPS off, again in \(pause_ms / 1000) s")
      case .firstFix(let afterPowerOn_ms):
        counters.lastTTFF_ms = afterPowerOn_ms
        log(.info, "first fix \(afterPowerOn_ms / 1000) s after power-on")
      }
    }
  }

  private mutating func powerChanged(_ on: Bool, at now: Moment) {
    actions.append(.setPower(on))
    powerRetryAt_ms = nil
    log(.info, on ? "GPS on" : "GPS off")
    if on {
      receiver.sessionStarted(at: now.boot_ms)
      dynamicModel.poweredOn()
      epochs = EpochMerger()
      filter.sessionStarted()
      clock.sessionStarted()
      counters.gpsSessions += 1
      counters.gpsOnSince_ms = now.boot_ms
    } else if let since_ms = counters.gpsOnSince_ms {
      counters.gpsOn_ms += now.boot_ms - since_ms
      counters.gpsOnSince_ms = nil
    }
  }
}
