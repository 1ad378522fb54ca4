import TrackerBase
import TrackerBoard
import TrackerDispatch
import TrackerJourney
import TrackerReceiver
import TrackerRemote

/// The whole agent's judgement: one event in, actions out.
///
/// The order of `handle` is the data's path: the receiver makes fixes of reports, the journey makes records of fixes, the
/// dispatch brings records to storage and to the servers. None of the three knows another: what each says is routed here,
/// and nowhere else. No clock is read and no random number drawn.
public struct Tracker: Sendable {
  let settings: Settings
  var receiver: Receiver
  var journey: Journey
  var dispatch: Dispatch
  /// What operators want, and how the runs before ended.
  public internal(set) var runState: RunState
  public internal(set) var warnings = Warnings()
  var supply: SupplyWatch
  var overlay: OverlayMachine
  var gaps: TrackGaps
  var energy: EnergyLedger
  var modems = ModemWatch()
  var acceleration: AccelerationWatch
  var commands: CommandInbox
  var sleep: BoardSleep
  /// When the state was last on its way to storage, on the boot clock.
  var savedAt_ms: Int64 = 0
  var isUndervoltage = false
  private(set) var startedAt_ms: Int64 = 0
  let restored: Restored
  /// SIGTERM has been obeyed: only what becomes of its actions still matters.
  private var isStopping = false
  /// It took the place of a tracker with other settings, in the same process.
  private var isContinuing = false
  /// Of the event that is being handled, as is `chance`.
  var actions: [Action] = []
  /// Boot time at which a `.timer` event is due; nil if nothing waits for time. Stored, since the loop asks for it.
  public private(set) var deadline_ms: Int64?
  private(set) var chance = 0.0

  /// - Parameters:
  ///   - zone: nil if it cannot be read: the schedule is closed then, unless it has no rules.
  ///   - notBefore_ms: when this program was built, for repairing GPS dates.
  public init(
    settings: Settings, schedule: Schedule, zone: (any ZoneRules)?, restored: Restored, notBefore_ms: Int64,
    isSynchronised: Bool, geofences: [Geofence] = [], at now: Moment
  ) {
    let saved = SavedState(restored.state)
    (self.settings, self.restored) = (settings, restored)
    runState = restored.runState
    supply = SupplyWatch(settings: settings, saved: saved)
    overlay = OverlayMachine(restored, trial_s: settings.sync.configTrial_s, at: now)
    acceleration = AccelerationWatch(settings: settings.accelerometer, saved: saved)
    receiver = Receiver(
      settings: settings, schedule: schedule, zone: zone, notBefore_ms: notBefore_ms,
      isSynchronised: isSynchronised, saved: saved, bootID: restored.runState.bootID,
      lastPlace: Journey.lastPlace(saved))
    journey = Journey(settings: settings, saved: saved, geofences: geofences, at: now.boot_ms)
    (gaps, commands) = (TrackGaps(at: now.boot_ms), restored.commands)
    sleep = BoardSleep(settings: settings.host.sleep, saved: saved)
    energy = EnergyLedger(saved: saved, bootID: restored.runState.bootID, at: now.boot_ms)
    dispatch = Dispatch(
      settings: settings, saved: saved, bootID: restored.runState.bootID, lastSequence: restored.lastSequence,
      isUnread: restored.isUnread, idChanges: restored.idChanges, at: now.boot_ms)
  }

  /// The tracker that goes on from here with other settings, in the same process. It wants `.started` as its first event.
  ///
  /// Taken over: all that a restart takes from storage, and the GPS session, what is known of place and time, the records
  /// that are not yet on storage, what was counted, and the sync with a server whose settings stay.
  public func continued(
    settings: Settings, schedule: Schedule, zone: (any ZoneRules)?, geofences: [Geofence],
    notBefore_ms: Int64, at now: Moment
  ) -> Tracker {
    let restored = Restored(
      state: saved(tail: journey.tail(at: time(now)).last?.fix, at: now),
      lastSequence: dispatch.outbox.lastSequence,
      queued: dispatch.servers.map(\.stored),
      runState: runState)
    var next = Tracker(
      settings: settings, schedule: schedule, zone: zone, restored: restored, notBefore_ms: notBefore_ms,
      isSynchronised: receiver.clock.isSynchronised, geofences: geofences, at: now)
    next.isContinuing = true
    next.receiver.goOn(from: receiver, clock: settings.clock, at: now.boot_ms)
    next.journey.goOn(from: journey)
    next.dispatch.goOn(from: dispatch, at: now.boot_ms)
    (next.warnings, next.startedAt_ms, next.isUndervoltage) = (warnings, startedAt_ms, isUndervoltage)
    (next.gaps, next.savedAt_ms, next.modems, next.commands) = (gaps, savedAt_ms, modems, commands)
    next.supply = SupplyWatch(settings: settings, continuing: supply)
    next.acceleration = AccelerationWatch(settings: settings.accelerometer, continuing: acceleration)
    next.sleep = BoardSleep(settings: settings.host.sleep, continuing: sleep)
    next.overlay = overlay.goingOn(trial_s: settings.sync.configTrial_s)
    next.pace(at: now)
    return next
  }

  /// - Parameter chance: a random number in 0..<1, drawn for this event.
  public mutating func handle(_ event: Event, at now: Moment, chance: Double) -> [Action] {
    let actions = judged(event, at: now, chance: chance)
    deadline_ms = nextDeadline_ms()
    return actions
  }

  private mutating func judged(_ event: Event, at now: Moment, chance: Double) -> [Action] {
    (actions, self.chance) = ([], chance)
    if isStopping { return stopped(event, at: now) }
    let now_ms = now.boot_ms
    let trusted_ms = receiver.trusted_ms(at: now)
    dispatch.keepBudget(trusted_ms: trusted_ms, at: now_ms)
    countEnergy(trusted_ms: trusted_ms, at: now)
    route(at: now)
    receiver.saveClock(at: now)
    switch event {
    case .started: start(at: now)
    case .timer: tick(at: now)
    case .clockStepped(let isSynchronised): tick(clockSet: isSynchronised, at: now)

    case .gpsReport(let report): reportArrived(report, at: now)
    case .gpsDriver(let name, let device): receiver.driverNamed(name, of: device, at: now_ms)
    case .gpsDevices(let paths, let areAll): receiver.devicesNamed(paths, areAll: areAll, at: now_ms)
    case .gpsFrame(let bytes): receiver.frameArrived(bytes)
    case .gpsLost(let words): receiver.linkLost(words, at: now_ms)
    case .powerFailed(let words): receiver.powerFailed(words, at: now_ms)

    case .ignition(let on): journey.ignition(on: on, at: time(now))
    case .ignitionEdge(let level): journey.ignitionEdge(level, at: time(now))
    case .vibrationEdge: journey.vibrationEdge(at: time(now))
    case .externalPowerEdge(let level): externalPowerEdge(level, at: now)
    case .lineFailed(.externalPower, let words): externalPowerLineFailed(words, at: now)
    case .lineFailed(let line, let words): journey.lineFailed(line, words, at: now_ms)

    case .committed(let queued):
      committed(queued: queued, at: now)
      if dispatch.isUnread {
        log(.notice, "the queue can be read now: the agent starts anew from it")
        stop(at: now)
        return actions
      }
    case .commitFailed(let words):
      dispatch.commitFailed(words, at: now_ms, chance: chance)
    case .queueFailed(let words, let server):
      dispatch.queueFailed(words, of: server, at: now_ms, chance: chance)
    case .queueDamaged(let words): reportDamage(words, at: now)
    case .queueIDChanged(let changes): dispatch.idChanged(changes)
    case .dropped(let cause, let records): recordsDropped(records, because: cause, at: now)
    case .queueShrank(let queued, let server): dispatch.queueChanged(to: queued, of: server, at: now_ms)
    case .linkRestored: dispatch.linkRestored(at: now_ms, chance: chance)
    case .link(let modems): linkReported(modems, at: now)
    case .uploadFinished(let reply, let server):
      uploadFinished(reply, of: server, at: now, chance: chance)
      replyArrived(reply, of: server, at: now)
    case .overlay(let news): overlayNews(news, at: now)
    case .tokenCommandEnded(let problem, let server):
      dispatch.tokenCommandEnded(problem, of: server, at: now_ms, chance: chance)
    case .syncAsked: dispatch.askAll(at: now_ms)
    case .command(let news): commandNews(news, at: now)
    case .intentAsked(let request): intentAsked(request, at: now)
    case .runStateNotSaved(let words): runStateNotSaved(words, at: now)
    case .undervoltage(let isLow): undervoltage(isLow, at: now)
    case .acceleration(let news): accelerationNews(news, at: now)
    case .board(let news): boardNews(news, at: now)
    case .batteryRead(let volts): batteryRead(volts, at: now)
    case .batteryFailed(let words): batteryFailed(words, at: now)
    case .hostProblem(let trouble): hostProblem(trouble, at: now)
    case .settingsRefused(let words): warn(.settings, at: now, words)
    case .fileUnusable(let file, let words): warn(file.warning, at: now, words)
    case .settingsRead:
      handOver(at: now)
      return actions
    case .stopping:
      stop(at: now)
      return actions
    }
    route(at: now)
    watchLocates(at: now)
    route(at: now)
    if commands.takeRestart(at: now_ms) {
      stop(at: now)
      return actions
    }
    var wants = wantsGPS
    if !wants {
      receiver.releaseHeld(at: now)
      route(at: now)
      wants = wantsGPS
    }
    receiver.want(wants, at: now_ms)
    route(at: now)
    journey.watchActivity(at: time(now))
    route(at: now)
    receiver.watchModule(at: now)
    route(at: now)
    dispatch.redate(by: time(now))
    watchLink(at: now)
    route(at: now)
    watchOverlay(at: now)
    watchAcceleration(at: now)
    watchSleep(at: now)
    watchWarnings(at: now)
    watchGaps(at: now)
    commitIfDue(at: now)
    return actions
  }

  // MARK: The path

  private mutating func reportArrived(_ report: GPSReport, at now: Moment) {
    let merged = receiver.reportArrived(
      report, ignitionIsOn: journey.lines.ignitionIsOn, at: now.boot_ms)
    route(at: now)
    switch merged {
    case .nothing: return
    case .report: break
    case .both(var held): date(&held, at: now)
    }
    var report = report
    date(&report, at: now)
  }

  private mutating func date(_ report: inout GPSReport, at now: Moment) {
    receiver.date(&report, &runState, at: now)
    route(at: now)
  }

  private mutating func commitIfDue(at now: Moment) {
    guard var commit = dispatch.takeCommit(at: now.boot_ms) else { return }
    // What the store holds is not known then, and stays.
    if !dispatch.isUnread {
      commit.tail = journey.tail(at: time(now))
      commit.state = saved(tail: commit.tail.last?.fix, at: now)
    }
    savedAt_ms = now.boot_ms
    actions.append(.commit(commit))
  }

  // MARK: Beside the path

  /// - Parameters:
  ///   - fix: where.
  ///   - date: when, if not now.
  mutating func record(_ content: Record.Content, fix: Fix?, dated date: RecordTime? = nil, at now: Moment) {
    journey.record(content, fix, at: date ?? time(now))
    route(at: now)
  }

  // MARK: What happens to the process

  private mutating func start(at now: Moment) {
    let now_ms = now.boot_ms
    if isContinuing {
      log(.notice, "the new settings are in force")
      settingsWereRead(at: now)
    } else {
      (startedAt_ms, savedAt_ms) = (now_ms, now_ms)
      log(.notice, "started with \(counted(restored.queued.first ?? 0, "queued record"))")
      dispatch.takeUndated(SavedState(restored.state), at: now_ms)
      dispatch.startHold(settings.clock.hold_s, at: time(now))
      route(at: now)
      reportRunState(at: now)
      reportCommands(at: now)
    }
    for words in restored.damage { reportDamage(words, at: now) }
    if !isContinuing { reportUnreadable(restored, at: now) }
    if let fault = restored.storageProblem {
      dispatch.commitFailed(fault, at: now_ms, chance: chance)
      route(at: now)
    }
    journey.keepAgain(restored.tail)
    route(at: now)
    if !isContinuing { startGaps(restored, at: now) }
    if battery.isLow { pace(at: now) }
    journey.endTripOfOtherMode(at: time(now))
    route(at: now)
    lookAtWindow(at: now)
    for words in restored.moves { warn(.identityChanged, at: now, words) }
    for (server, queued) in restored.queued.enumerated() {
      dispatch.queueChanged(to: queued, of: server, at: now.boot_ms)
    }
    route(at: now)
    startOverlay(at: now)
  }

  /// - Parameter isSynchronised: see `Receiver.tick`.
  private mutating func tick(clockSet isSynchronised: Bool? = nil, at now: Moment) {
    let now_ms = now.boot_ms
    receiver.tick(clockSet: isSynchronised, &runState, at: now)
    route(at: now)
    journey.tick(receiver.view(at: now), at: time(now))
    route(at: now)
    receiver.tickModule(at: now_ms)
    route(at: now)
    supplyTick(at: now)
    saveIfDue(at: now)
    dispatch.tick(at: now_ms)
  }

  mutating func lookAtWindow(at now: Moment) {
    receiver.lookAtWindow(&runState, at: now)
    route(at: now)
  }

  /// Nothing is half done when the tracker with the new settings begins. The trip stays open and the GPS powered.
  private mutating func handOver(at now: Moment) {
    journey.endTrack(at: time(now))
    route(at: now)
    settingsGo(at: now)
    dispatch.stateChanged(at: now.boot_ms)
    actions += [.disconnectGPS, .applySettings]
  }

  /// The trip stays open: the next start goes on with it.
  mutating func stop(at now: Moment) {
    isStopping = true
    log(.notice, "stopping")
    receiver.releaseHeld(at: now, isLast: true)
    route(at: now)
    journey.endTrack(at: time(now))
    route(at: now)
    receiver.want(false, at: now.boot_ms)
    route(at: now)
    watchGaps(at: now)
    dispatch.lastChance(at: now.boot_ms)
    commitIfDue(at: now)
    runState.runEnded()
    saveRunState(at: now)
    endOverlayRun(at: now)
    actions.append(.exit)
  }

  /// What became of it. Nothing else is begun.
  private mutating func stopped(_ event: Event, at now: Moment) -> [Action] {
    switch event {
    case .committed(let queued): dispatch.committed(queued: queued, at: now.boot_ms)
    case .commitFailed(let words):
      dispatch.commitFailed(words, at: now.boot_ms, chance: 0)
      route(at: now)
      reportLostMemory()
    case .powerFailed(let words): receiver.powerFailed(words, at: now.boot_ms)
    case .runStateNotSaved(let words): runStateNotSaved(words, at: now)
    // What the last commit brought with it.
    case .dropped(let cause, let records): recordsDropped(records, because: cause, at: now)
    case .queueFailed(let words, _): warn(.storage, at: now, words)
    case .queueDamaged(let words): warn(.queueDamaged, at: now, words)
    case .hostProblem(let trouble): hostProblem(trouble, at: now)
    // The next process finds them as they are then.
    case .started, .timer, .clockStepped, .stopping, .gpsReport, .gpsDriver, .gpsDevices, .gpsFrame,
      .gpsLost, .ignition, .ignitionEdge, .vibrationEdge, .externalPowerEdge, .lineFailed, .undervoltage,
      .batteryRead, .batteryFailed, .acceleration, .board, .link, .linkRestored, .queueShrank,
      .uploadFinished, .tokenCommandEnded, .syncAsked, .intentAsked, .settingsRead, .settingsRefused,
      .fileUnusable, .overlay, .command, .queueIDChanged:
      break
    }
    route(at: now)
    return actions.filter(\.isDoneWhileStopping)
  }
}
