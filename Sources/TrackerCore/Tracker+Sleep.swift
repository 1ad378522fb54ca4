import TrackerBase
import TrackerBoard
import TrackerDispatch
import TrackerRemote

/// The board, which sleeps while nothing is to be done.
extension Tracker {
  mutating func startSleep(_ found: Restored, at now: Moment) {
    let time = time(now)
    let wanted = sleep.start(
      SavedState(found.state), bootID: found.runState.bootID, found.board,
      time_ms: time.time_ms, isTrusted: time.isDated, at: now.boot_ms)
    perform(wanted, at: now)
    route(at: now)
  }

  mutating func boardNews(_ news: BoardNews, at now: Moment) {
    // What the module needed before it is not what it needs after it.
    if case .resumed = news { receiver.forgetFirstFix() }
    perform(sleep.heard(news, sleepView(at: now), at: now.boot_ms), at: now)
    route(at: now)
  }

  /// What was to be on storage is.
  mutating func sleepCommitted(at now: Moment) {
    perform(sleep.committed(sleepView(at: now), at: now.boot_ms), at: now)
  }

  /// After each event.
  mutating func watchSleep(at now: Moment) {
    guard sleep.hasWork else { return }
    if let trusted_ms = receiver.trusted_ms(at: now), let wake = sleep.takeUncounted() {
      energy.slept(wake.slept_ms ?? 0, until_ms: wake.at_ms, trusted_ms: trusted_ms)
    }
    if sleep.awaitsFirstFix, let after_ms = receiver.module.lastTTFF_ms {
      perform(sleep.firstFix(after_ms: after_ms), at: now)
    }
    perform(sleep.look(sleepView(at: now), at: now.boot_ms), at: now)
    route(at: now)
  }

  /// While the clock with the alarm is still known: the next settings may have another one, or none.
  mutating func settingsGo(at now: Moment) { perform(sleep.settingsGo(at: now.boot_ms), at: now) }

  // MARK: What is seen

  private func sleepView(at now: Moment) -> BoardSleep.View {
    var view = BoardSleep.View(hold: sleepHold, trusted_ms: receiver.trusted_ms(at: now))
    view.ignitionIsOn = journey.lines.ignitionIsOn
    guard view.hold == nil else { return view }
    view.reason = sleepReason(at: now)
    if view.reason != nil { view.opens_ms = receiver.window.nextOpening_ms }
    if case .draining(_, let until_ms, _) = sleep.state {
      (view.mayDrain, view.isDrained) = (dispatch.mayDrain, dispatch.isDrained(by: until_ms))
    }
    return view
  }

  /// The first that holds.
  private var sleepHold: SleepHold? {
    switch runState.override {
    case .paused, .tracking: return .operatorsWish
    case .safeMode: return .safeMode
    case nil: break
    }
    if runState.intents.inForce != nil { return .operatorsWish }
    if isUndervoltage { return .undervoltage }
    if commands.isBusy { return .command }
    if overlay.state.trial != nil { return .trial }
    if dispatch.storageFailed { return .storage }
    return journey.lines.ignitionIsOn == true ? .ignition : nil
  }

  /// nil while there is something to do: a window is open, or the GPS is on to learn the time.
  private func sleepReason(at now: Moment) -> SleepReason? {
    guard !receiver.module.isOn else { return nil }
    switch receiver.window.state {
    case .closed: return .windowClosed
    case .learningTime: return nil
    case .open: return settings.host.sleep.wire && isParked(at: now) ? .parked : nil
    }
  }

  private func isParked(at now: Moment) -> Bool {
    guard journey.motion.name == .stationary else { return false }
    // A dwell that is due soon is told on time.
    return journey.geofenceDeadline_ms.map { $0 - now.boot_ms > 3_600_000 } ?? true
  }

  // MARK: What is done

  private mutating func perform(_ wanted: [BoardSleep.Action], at now: Moment) {
    for action in wanted {
      switch action {
      case .order(let order): actions.append(.board(order))
      case .announce(let plan): announce(plan, at: now)
      case .drain: dispatch.drain(at: now.boot_ms)
      case .save(atOnce: true): hurry(at: now)
      case .save(atOnce: false): stateChanged(at: now)
      case .calledOff: statusAtOnce(at: now)
      case .woke(let wake): woke(wake, at: now)
      case .log(let text): log(.notice, text)
      case .warn(let text): warn(.sleep, at: now, text)
      }
    }
  }

  private mutating func announce(_ plan: SleepPlan, at now: Moment) {
    let minutes = counted(Int((plan.until_ms - plan.begin_ms) / 60_000), "minute")
    log(.notice, "the board is going to sleep for \(minutes): \(plan.reason.rawValue)")
    recordNews(.status(.asleep(cause: plan.reason, until_ms: plan.until_ms)), at: now)
    hurry(at: now)
    dispatch.statusBeforeSleep(at: now.boot_ms)
  }

  private mutating func woke(_ wake: Wake, at now: Moment) {
    let length = wake.slept_ms.map { " after \(counted(Int($0 / 60_000), "minute"))" } ?? ""
    log(.notice, "the board is awake\(length): \(wake.cause.rawValue)")
    if wake.wasMissed, let late_ms = wake.late_ms {
      let minutes = counted(Int(late_ms / 60_000), "minute")
      warn(
        .wakeLate, at: now,
        "the board came back \(minutes) after its alarm: the alarm was lost, or the supply was cut")
    }
    statusWanted(at: now)
  }

  /// A gap in which the board slept tells what ended it.
  func withWake(_ gap: TrackGap) -> TrackGap {
    var gap = gap
    if gap.cause == .boardOff { gap.wake = sleep.lastWake?.cause }
    return gap
  }

  func describeSleep(_ status: inout TrackerStatus, at now: Moment) {
    guard settings.host.sleep.isOn || sleep.lastWake != nil else { return }
    var figures = SleepStatus()
    if let plan = sleep.plan, sleep.isAnnounced {
      (figures.state, figures.because, figures.until_ms) = (.asleep, plan.reason, plan.until_ms)
    } else {
      figures.heldBy = sleep.hold
    }
    if settings.host.sleep.isOn { figures.lead_s = sleep.lead_ms / 1000 }
    if let wake = sleep.lastWake {
      (figures.wake, figures.wokeAt_ms) = (wake.cause, wake.at_ms)
      figures.slept_s = wake.slept_ms.map { $0 / 1000 }
    }
    status.sleep = figures
  }
}

extension CommandInbox {
  /// Something was asked for and is not done.
  var isBusy: Bool {
    isLocating || restartBy_ms != nil || entries.contains { $0.outcome == .running }
  }
}

extension Dispatch {
  /// Each server is to hear of it, by a request of its own if need be.
  mutating func statusBeforeSleep(at now_ms: Int64) {
    for server in servers.indices {
      step(server, at: now_ms) {
        $0.status.wantedAtOnce(at: now_ms)
        return []
      }
    }
  }

  /// What waits for its number or its age goes now. What waits so that a fleet does not come all at once still does.
  mutating func drain(at now_ms: Int64) {
    for server in servers.indices {
      guard case .idle = servers[server].sync.state else { continue }
      step(server, at: now_ms) { $0.flush(at: now_ms) }
    }
  }

  var mayDrain: Bool {
    outbox.pending.isEmpty
      && servers.allSatisfy { server in
        if case .sending = server.sync.state { false } else { true }
      }
  }

  /// Every server has all that was recorded and the status, or will not have it until then.
  func isDrained(by until_ms: Int64) -> Bool {
    outbox.pending.isEmpty
      && servers.allSatisfy { server in
        let sync = server.sync
        if !sync.isEnabled { return true }
        if let next_ms = sync.nextAttempt_ms { return next_ms >= until_ms }
        if case .sending = sync.state { return false }
        return sync.queued == 0 && !sync.status.isWantedAtOnce
      }
  }
}
