/// The whole agent's judgement: one event in, actions out.
///
/// The order of `handle` is the data's path: window → report → filter → GPS session → motion → trip and
/// odometer → sampling → geofences → outbox → sync. No clock is read and no random number drawn here.
public struct Tracker: Sendable {
  /// What storage held at the start.
  public struct Restored: Equatable, Sendable {
    public var state: [String: String]
    public var tail: [Record]
    public var lastSequence: Int64
    /// Records that wait, by server.
    public var queued: [Int]
    /// What was wrong with the queue's files, in words.
    public var damage: [String]
    /// Why storage takes no records, in words.
    public var storageFault: String?
    /// There are files, and nothing of them could be read: trips, numbers and the odometer are not known.
    public var isUnread = false
    /// After `runBegan`, and saved so.
    public var standing: Standing
    /// Why it could not be read or saved.
    public var standingProblem: String?

    public init(
      state: [String: String] = [:], tail: [Record] = [], lastSequence: Int64 = 0, queued: [Int] = [],
      damage: [String] = [], storageFault: String? = nil, standing: Standing = Standing(),
      standingProblem: String? = nil
    ) {
      self.storageFault = storageFault
      self.damage = damage
      (self.standing, self.standingProblem) = (standing, standingProblem)
      self.state = state
      self.tail = tail
      self.lastSequence = lastSequence
      self.queued = queued
    }
  }

  let settings: Settings
  var clock: ClockKeeper
  /// Fixes that wait until their date is decided upon.
  var held = HeldReports()
  let notBefore_ms: Int64
  /// What operators want, and how the runs before ended.
  public internal(set) var standing: Standing
  var window: WindowKeeper
  var receiver: ReceiverChoice
  /// What gpsd has told of since it was connected to last.
  var gpsdDevices: Set<String> = []
  var dynamicModel: DynamicModelSetting
  var epochs = EpochMerger()
  var filter: FixFilter
  var session: GPSSession
  var motion: Motion
  /// In the mode `probe_only` alone.
  var positionProbe: PositionProbe?
  var activity: ActivityWatch
  var outage: GPSOutage?
  var flatFixes = FlatFixes()
  var timeless = TimelessFixes()
  var battery: BatteryWatch
  var geofences: Geofences
  var track: Track
  var odometer: Odometer
  /// The trip that is going on.
  public internal(set) var trip: Trip?
  var lastTripID: Int64
  var speedWatch: SpeedWatch
  var lines: Lines
  var outbox: Outbox
  var servers: [Server]
  var budget: ByteBudget
  public internal(set) var warnings = Warnings()
  var counters = Counters()
  var lastFix: Fix?
  /// The trip was open when the last process ended; the first fix decides whether it goes on.
  var resumedTrip = false
  /// The power line refused: it is set again then, to what is wanted by that time.
  var powerRetryAt_ms: Int64?
  /// A module that stays on by mistake is off again within 5 s of the line's recovery.
  static let powerRetry_ms: Int64 = 4000
  let restored: Restored
  /// As `Restored.isUnread`, until they could be read.
  var isUnread: Bool
  /// SIGTERM has been obeyed: only what becomes of its actions still matters.
  var isStopping = false
  /// It took the place of a tracker with other settings, in the same process.
  var isContinuing = false
  var actions: [Action] = []

  /// - Parameters:
  ///   - zone: nil if it cannot be read: the schedule is closed then, unless it has no rules.
  ///   - notBefore_ms: when this program was built, for repairing GPS dates.
  public init(
    settings: Settings, schedule: Schedule, zone: (any ZoneRules)?, restored: Restored, notBefore_ms: Int64,
    isSynchronised: Bool, geofences: [Geofence] = [], at now: Moment
  ) {
    self.settings = settings
    self.restored = restored
    isUnread = restored.isUnread
    standing = restored.standing
    self.notBefore_ms = notBefore_ms
    clock = ClockKeeper(
      isSynchronised: isSynchronised, settings: settings.clock,
      maxAge_ms: milliseconds(settings.gps.maxFixAge_s),
      notBefore_ms: notBefore_ms, saved: restored.state["clock"] ?? "", bootID: restored.standing.bootID)
    window = WindowKeeper(schedule: schedule, zone: zone, settings: settings.clock)
    receiver = ReceiverChoice(settings: settings.gps)
    dynamicModel = DynamicModelSetting(settings: settings.gps)
    filter = FixFilter(settings: settings.gps)
    session = GPSSession(settings: settings.gps)
    track = Track(settings: settings.track)
    outbox = Outbox(settings: settings.queue, lastSequence: restored.lastSequence)
    servers = Server.all(in: settings, at: now.boot_ms)
    let saved = SavedState(entries: restored.state)
    budget = ByteBudget(settings: settings.sync, saved: saved.budget, at: now.boot_ms)
    let makesTrips = settings.motion.mode != .probeOnly
    motion =
      makesTrips
      ? saved.motion(settings: settings.motion, at: now.boot_ms) : Motion(settings: settings.motion)
    activity = Tracker.activity(of: motion)
    battery = BatteryWatch(settings: settings.battery)
    positionProbe = makesTrips ? nil : PositionProbe(settings: settings.motion)
    if let place = saved.lastPlace { filter.begin(at: place) }
    self.geofences = Geofences(geofences, saved: saved.geofences)
    odometer = saved.odometer
    trip = saved.trip
    lastTripID = saved.lastTripID
    speedWatch = SpeedWatch(limit_mps: settings.track.speedLimit_mps, over: saved.speeding)
    lines = Lines(settings: settings, tow: saved.tow, missedDeparture: saved.missedDeparture)
    motion.hasSentinel = lines.willTellOfDeparture
    resumedTrip = trip != nil && makesTrips
  }

  /// Boot time at which a `.timer` event is due; nil if nothing waits for time.
  public var deadline_ms: Int64? {
    [
      standing.deadline_ms, window.deadline_ms, clock.judgingUntil_ms, session.deadline_ms, modeDeadline_ms,
      geofenceDeadline_ms,
      outbox.deadline_ms, syncDeadline_ms, powerRetryAt_ms, lines.ignition.deadline_ms,
      dynamicModel.deadline_ms,
    ].compactMap { $0 }.min()
  }

  /// The module has power, or may have: a line that refused has not switched it off yet.
  public var isGPSOn: Bool { session.isPowered || powerRetryAt_ms != nil }

  /// - Parameter chance: a random number in 0..<1, drawn for this event.
  public mutating func handle(_ event: Event, at now: Moment, chance: Double) -> [Action] {
    actions = []
    if isStopping { return stopped(event, at: now) }
    keepBudget(at: now)
    clock.save(at: now)
    switch event {
    case .started: start(at: now, chance: chance)
    case .timer, .clockStepped: tick(event, at: now, chance: chance)
    case .gpsReport(let report): reportArrived(report, at: now, chance: chance)
    case .gpsDriver(let name, let device):
      guard session.isPowered else { break }
      perform(dynamicModel.driverNamed(name, of: device, at: now.boot_ms), at: now)
    case .gpsDevices(let paths):
      for path in paths where gpsdDevices.count < Tracker.mostDevices { gpsdDevices.insert(path) }
    case .gpsFrame(let bytes): perform(dynamicModel.frameArrived(bytes), at: now)
    case .gpsLost(let words): gpsLost(words, at: now)
    case .powerFailed(let words): powerFailed(words, at: now)
    case .ignition(let on):
      lines.ignition.set(on)
      ignitionChanged(on: on, at: now)
    case .ignitionEdge(let level): ignitionEdge(level, at: now)
    case .vibrationEdge: vibrationEdge(at: now)
    case .lineFailed(let line, let words): lineFailed(line, words, at: now)
    case .undervoltage(let isLow): undervoltage(isLow, at: now)
    case .batteryRead(let volts): batteryRead(volts, at: now)
    case .batteryFailed(let words): batteryFailed(words, at: now)
    case .linkRestored: eachSync(at: now) { $0.linkRestored(at: now.boot_ms, chance: chance) }
    case .committed(let queued): committed(queued: queued, at: now)
    case .commitFailed(let words, let stored, let isCostly):
      commitFailed(words, stored: stored, isCostly: isCostly, at: now, chance: chance)
    case .queueFailed(let words, let server): queueFailed(words, of: server, at: now, chance: chance)
    case .queueDegraded(let words): warn(.front, at: now, words)
    case .queueDamaged(let words): tellDamage(words, at: now)
    case .queueRead(let found): queueRead(found, at: now)
    case .uploadFinished(let reply, let server): uploadFinished(reply, of: server, at: now, chance: chance)
    case .tokenCommandEnded(let problem, let server):
      tokenCommandEnded(problem, of: server, at: now, chance: chance)
    case .queueShrank(let queued, let server): queueChanged(to: queued, of: server, at: now)
    case .dropped(let cause, let records): dropped(records, cause: cause, at: now)
    case .syncAsked:
      outbox.retryNow()
      eachSync(at: now) { $0.flush(at: now.boot_ms) }
    case .intentAsked(let request): intentAsked(request, at: now, chance: chance)
    case .hostTrouble(let trouble): hostTrouble(trouble, at: now)
    case .standingNotSaved(let words): standingNotSaved(words, at: now)
    case .settingsRead:
      giveWay(at: now)
      return actions
    case .settingsRefused(let words): warn(.settings, at: now, words)
    case .fileUnusable(.zone, let words): warn(.zone, at: now, words)
    case .fileUnusable(.geofences, let words): warn(.geofences, at: now, words)
    case .stopping:
      stop(at: now)
      return actions
    }
    adjustGPS(at: now)
    watchActivity(at: now)
    watchOutage(at: now)
    redate(at: now)
    watchWarnings(at: now)
    commitIfDue(at: now)
    return actions
  }

  private mutating func start(at now: Moment, chance: Double) {
    if isContinuing {
      log(.notice, "the new settings are in force")
      settingsWereRead(at: now)
    } else {
      counters.startedAt_ms = now.boot_ms
      log(.notice, "started with \(restored.queued.first ?? 0) queued records")
      takeUndated(restored.state["undated"], at: now)
      tellStanding(at: now)
    }
    for words in restored.damage { tellDamage(words, at: now) }
    if !isContinuing { tellUnreadable(SavedState(entries: restored.state), at: now) }
    if let fault = restored.storageFault {
      outbox.changed(at: now.boot_ms)
      // Nothing was tried yet: all that is made from here on is in memory alone.
      counters.storageFailed = true
      commitFailed(fault, at: now, chance: chance)
    }
    for record in restored.tail { recordAgain(record, at: now) }
    endTripOfOtherMode(at: now)
    updateWindow(at: now, chance: chance)
    for (server, queued) in restored.queued.enumerated() { queueChanged(to: queued, of: server, at: now) }
  }

  /// As a record too: the counts of the status begin anew with each start, and this is told once.
  private mutating func tellDamage(_ words: String, at now: Moment) {
    warn(.queueDamaged, at: now, words)
    record(.warning(.queueDamaged(words)), fix: nil, at: now)
  }

  mutating func tellUnreadable(_ saved: SavedState, at now: Moment) {
    let keys = saved.unreadable
    guard !keys.isEmpty else { return }
    let names = keys.joined(separator: ", ")
    tellDamage("the saved state makes no sense and is not used for \(names): it begins anew", at: now)
  }

  private mutating func tick(_ event: Event, at now: Moment, chance: Double) {
    if case .clockStepped(let isSynchronised) = event {
      clock.synchronised(isSynchronised)
      if clock.trust(at: now) == .synchronised { timeBecameKnown(at: now, chance: chance) }
      updateWindow(at: now, chance: chance)
    } else if let deadline_ms = [standing.deadline_ms, window.deadline_ms].compactMap({ $0 }).min(),
      now.boot_ms >= deadline_ms
    {
      updateWindow(at: now, chance: chance)
    }
    clock.tick(at: now.boot_ms)
    if let powerRetryAt_ms, now.boot_ms >= powerRetryAt_ms {
      self.powerRetryAt_ms = nil
      actions.append(.setPower(session.isPowered))
    }
    if let on = lines.ignition.tick(at: now.boot_ms) { ignitionChanged(on: on, at: now) }
    tickMode(at: now)
    tickGeofences(at: now)
    perform(session.tick(at: now.boot_ms), at: now)
    perform(dynamicModel.tick(at: now.boot_ms), at: now)
    eachSync(at: now) { $0.tick(at: now.boot_ms) }
  }

  /// The trip stays open: the next start goes on with it.
  private mutating func stop(at now: Moment) {
    isStopping = true
    log(.notice, "stopping")
    releaseHeld(at: now, isLast: true)
    for fix in track.end() { record(.position(), fix: fix, at: now) }
    perform(session.wantChanged(to: false, at: now.boot_ms), at: now)
    outbox.lastChance()
    outbox.changed(at: now.boot_ms)
    commitIfDue(at: now)
    standing.runEnded()
    saveStanding(at: now)
    actions.append(.exit)
  }

  /// What became of it. Storage that can be read again only now gets what memory holds; nothing else is begun.
  private mutating func stopped(_ event: Event, at now: Moment) -> [Action] {
    switch event {
    case .committed(let queued): committed(queued: queued, at: now)
    case .commitFailed(let words, let stored, let isCostly):
      commitFailed(words, stored: stored, isCostly: isCostly, at: now, chance: 0)
      let lost = outbox.pending.count
      if lost > 0 { log(.error, "\(lost) records in memory are not on storage, and end with the process") }
    case .queueRead(let found):
      queueRead(found, at: now)
      commitIfDue(at: now)
    case .powerFailed(let words): powerFailed(words, at: now)
    case .standingNotSaved(let words): standingNotSaved(words, at: now)
    // What the last commit brought with it.
    case .dropped(let cause, let records): dropped(records, cause: cause, at: now)
    case .queueFailed(let words, _): warn(.storage, at: now, words)
    case .queueDegraded(let words): warn(.front, at: now, words)
    case .queueDamaged(let words): warn(.queueDamaged, at: now, words)
    case .hostTrouble(let trouble): hostTrouble(trouble, at: now)
    // The next process finds them as they are then.
    case .started, .timer, .clockStepped, .stopping, .gpsReport, .gpsDriver, .gpsDevices, .gpsFrame, .gpsLost,
      .ignition,
      .ignitionEdge, .vibrationEdge, .lineFailed, .undervoltage, .batteryRead, .batteryFailed, .linkRestored,
      .queueShrank, .uploadFinished, .tokenCommandEnded, .syncAsked, .intentAsked, .settingsRead,
      .settingsRefused, .fileUnusable:
      break
    }
    return actions.filter { action in
      switch action {
      case .commit, .log, .remove, .quarantine: true
      case .setPower, .connectGPS, .disconnectGPS, .hearFrames, .sendFrames, .saveStanding, .upload,
        .renewToken, .applySettings, .exit:
        false
      }
    }
  }

  private mutating func powerFailed(_ words: String, at now: Moment) {
    warn(.powerLine, at: now, "GPS power: \(words)")
    powerRetryAt_ms = now.boot_ms + Tracker.powerRetry_ms
  }

  /// The power may go at any moment: everything to storage at once.
  private mutating func undervoltage(_ isLow: Bool, at now: Moment) {
    counters.undervoltage = isLow
    guard isLow else { return log(.notice, "the supply voltage is good again") }
    warn(
      .undervoltage, at: now, "the supply voltage is too low: look at the wiring and the vehicle's battery")
    outbox.hurry()
    outbox.changed(at: now.boot_ms)
  }

  mutating func log(_ level: RunSettings.LogLevel, _ text: String) {
    if level <= settings.run.logLevel { actions.append(.log(level, text)) }
  }

  mutating func warn(_ name: Warnings.Name, at now: Moment, _ text: String, times: Int = 1) {
    countWarning(name, at: now, times: times)
    log(.warning, text)
  }

  private mutating func countWarning(_ name: Warnings.Name, at now: Moment, times: Int) {
    warnings.count(name, at: now.boot_ms, times: times)
    statusWanted(at: now)
  }

  private mutating func dropped(_ records: Int, cause: String, at now: Moment) {
    warn(.dropped, at: now, "\(records) records dropped: \(cause)", times: records)
  }

  private mutating func hostTrouble(_ trouble: HostTrouble, at now: Moment) {
    switch trouble {
    // No line about it: the log itself tells it once somebody reads it.
    case .logLost(let lines): countWarning(.logLost, at: now, times: lines)
    case .runFolder(let words): warn(.runFolder, at: now, words)
    case .fewDescriptors(let words): warn(.fewDescriptors, at: now, words)
    }
  }
}
