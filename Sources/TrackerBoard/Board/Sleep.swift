import TrackerBase

/// The board, which sleeps while nothing is to be done.
package struct Sleep: Part {
  package private(set) var machine: BoardSleep
  private let bootID: String

  package init(settings: SleepSettings, saved: SavedState, bootID: String) {
    machine = BoardSleep(settings: settings, history: saved.value("sleeps") ?? SleepHistory())
    self.bootID = bootID
  }

  package mutating func adopt(_ configuration: Configuration, at now: Moment) {
    machine.adopt(configuration.settings.host.sleep)
  }

  package mutating func handle(_ event: Event, _ facts: Facts, at now: Moment) -> [Want]? {
    switch event {
    case .board(let news):
      var resumed: [Want] = []
      if case .resumed = news { resumed = [.tell(.resumed)] }
      return resumed + wants(of: machine.heard(news, view(facts), at: now.boot_ms))
    // While the clock with the alarm is still known: the next settings may have another one, or none.
    case .settingsRead: return wants(of: machine.settingsGo(at: now.boot_ms))
    default: return nil
    }
  }

  package mutating func hear(_ news: News, _ facts: Facts, at now: Moment) -> [Want]? {
    switch news {
    case .restored(let found):
      return wants(
        of: machine.start(
          found.state.value("sleep"), bootID: bootID, found.board, time_ms: facts.time.time_ms,
          isTrusted: facts.time.isDated, at: now.boot_ms))
    case .stored: return wants(of: machine.committed(view(facts), at: now.boot_ms))
    case .settled: return machine.hasWork ? look(facts, at: now.boot_ms) : nil
    default: return nil
    }
  }

  private mutating func look(_ facts: Facts, at now_ms: Int64) -> [Want] {
    var wants: [Want] = []
    if facts.trusted_ms != nil, let wake = machine.takeUncounted() {
      wants.append(.tell(.slept(wake.slept_ms ?? 0, until_ms: wake.at_ms)))
    }
    if machine.awaitsFirstFix, let after_ms = facts.lastTTFF_ms {
      wants += self.wants(of: machine.firstFix(after_ms: after_ms))
    }
    return wants + self.wants(of: machine.look(view(facts), at: now_ms))
  }

  // MARK: What is seen

  private func view(_ facts: Facts) -> BoardSleep.View {
    var view = BoardSleep.View(hold: hold(facts), trusted_ms: facts.trusted_ms)
    view.ignitionIsOn = facts.ignitionIsOn
    guard view.hold == nil else { return view }
    view.reason = reason(facts)
    if view.reason != nil { view.opens_ms = facts.nextOpening_ms }
    if case .draining(_, let until_ms, _) = machine.state {
      (view.mayDrain, view.isDrained) = (facts.mayDrain, until_ms <= facts.drainedUntil_ms)
    }
    return view
  }

  /// The first that holds.
  private func hold(_ facts: Facts) -> SleepHold? {
    switch facts.override {
    case .paused, .tracking: return .operatorsWish
    case .safeMode: return .safeMode
    case nil: break
    }
    if facts.hasIntent { return .operatorsWish }
    if facts.isUndervoltage { return .undervoltage }
    if facts.isCommandUnderWay { return .command }
    if facts.isOnTrial { return .trial }
    if facts.storageFailed { return .storage }
    return facts.ignitionIsOn == true ? .ignition : nil
  }

  /// nil while there is something to do: a window is open, or the GPS is on to learn the time.
  private func reason(_ facts: Facts) -> SleepReason? {
    if facts.isGPSOn || facts.isLearningTime { return nil }
    if !facts.isWindowOpen { return .windowClosed }
    return machine.settings.wire && isParked(facts) ? .parked : nil
  }

  private func isParked(_ facts: Facts) -> Bool {
    guard facts.motion == .stationary else { return false }
    // A dwell that is due soon is reported on time.
    return facts.dwell_ms.map { $0 - facts.time.boot_ms > 3_600_000 } ?? true
  }

  // MARK: What is done

  private func wants(of actions: [BoardSleep.Action]) -> [Want] {
    actions.flatMap { action -> [Want] in
      switch action {
      case .order(let order): return [.perform(.board(order))]
      case .announce(let plan): return announcement(of: plan)
      case .drain: return [.tell(.drain)]
      case .save(let atOnce): return [atOnce ? .saveAtOnce : .save]
      case .calledOff: return [.reportAtOnce]
      case .woke(let wake): return woke(wake)
      case .log(let text): return [.log(.notice, text)]
      case .warn(let text): return [.warn(.sleep, text)]
      }
    }
  }

  private func announcement(of plan: SleepPlan) -> [Want] {
    let minutes = counted(Int((plan.until_ms - plan.begin_ms) / 60_000), "minute")
    return [
      .log(.notice, "the board is going to sleep for \(minutes): \(plan.reason.rawValue)"),
      .record(.status(.asleep(cause: plan.reason, until_ms: plan.until_ms))), .saveAtOnce,
      .tell(.sleepAnnounced),
    ]
  }

  private func woke(_ wake: Wake) -> [Want] {
    let length = wake.slept_ms.map { " after \(counted(Int($0 / 60_000), "minute"))" } ?? ""
    var wants: [Want] = [.log(.notice, "the board is awake\(length): \(wake.cause.rawValue)")]
    if wake.wasMissed, let late_ms = wake.late_ms {
      let minutes = counted(Int(late_ms / 60_000), "minute")
      let words = "the board came back \(minutes) after its alarm: the alarm was lost, or the supply was cut"
      wants.append(.warn(.wakeLate, words))
    }
    return wants + [.report]
  }

  // MARK: What others see

  package func publish(to facts: inout Facts, at now: Moment) {
    (facts.isSuspended, facts.lastWake) = (machine.isSuspended, machine.lastWake?.cause)
  }

  package func lasts(_ warning: WarningName, at now: Moment) -> Bool {
    warning == .sleep && (machine.hold == .alarm || machine.hold == .powerOff)
  }

  package var deadline_ms: Int64? { machine.settings.isOn ? machine.deadline_ms : nil }

  package func save(to commit: inout Commit, _ facts: Facts, at now: Moment) {
    commit.set("sleep", machine.saved(bootID: bootID))
    commit.set("sleeps", machine.history)
  }

  package static var kinds: SavedKinds { ["sleep": SavedSleep.self, "sleeps": SleepHistory.self] }

  package func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment) {
    let isOn = machine.settings.isOn
    guard isOn || machine.lastWake != nil else { return }
    var figures = SleepStatus()
    if let plan = machine.plan, machine.isAnnounced {
      (figures.state, figures.because, figures.until_ms) = (.asleep, plan.reason, plan.until_ms)
    } else {
      figures.heldBy = machine.hold
    }
    if isOn { figures.lead_s = machine.lead_ms / 1000 }
    if let wake = machine.lastWake {
      (figures.wake, figures.wokeAt_ms) = (wake.cause, wake.at_ms)
      figures.slept_s = wake.slept_ms.map { $0 / 1000 }
    }
    status.sleep = figures
  }
}
