import TrackerAgent
import TrackerIO
import TrackerLab

@testable import TrackerBase
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote
@testable import godwit

/// One seeded day of one device, with the invariants looked at after every step.
final class SimulatedDay {
  /// After a wrong GPS date the time is right again: a parked vehicle looks seldom.
  private static let wayBack_ms: Int64 = 2 * 3_600_000

  let world: SimulatedWorld
  let looksAtCoverage: Bool
  private let folder: SimulationFolder
  private var blows: ArraySlice<FaultPlan.Timed<Blow>>
  private(set) var outcome = Outcome()
  var clockSetAt_ms: Int64?
  var closedSince_ms: Int64?
  var stalled = (at_ms: Int64(0), steps: 0)
  /// When the GPS was last on, or had a reason not to be.
  private var watchedAt_ms: Int64 = 0
  private var keptSeen = 0
  private var fixesSeen = 0
  /// By server.
  private var statesSeen: [SyncMachine.State] = []
  /// At the beginning of this life.
  private var committedBefore = 0
  private var arrivalsBefore = 0
  /// Of this life's records, what the server had from memory.
  private var fromMemory: Set<Int64> = []

  /// Since when settings are on trial.
  var trial: (version: Int64, bootID: Int, since_ms: Int64)?
  var exchangesSeen: Int?
  /// When a command last had the GPS on outside of windows.
  private var locatedAt_ms: Int64 = .min

  /// The gap that is open when the day ends.
  private(set) var openGap_ms: Int64?

  init(
    seed: UInt64, special: SpecialDay? = nil, hasRightRecords: Bool = false, sabotage: Sabotage? = nil
  ) {
    world = SimulatedWorld(seed: seed, special: special, hasRightRecords: hasRightRecords)
    world.sabotage = sabotage
    looksAtCoverage = hasRightRecords
    folder = SimulationFolder()
    blows = world.plan.blows[...]
  }

  static func run(
    seed: UInt64, special: SpecialDay? = nil, hasRightRecords: Bool = false, sabotage: Sabotage? = nil
  ) throws -> Outcome {
    try SimulatedDay(seed: seed, special: special, hasRightRecords: hasRightRecords, sabotage: sabotage).run()
  }

  private func run() throws -> Outcome {
    while world.clock.now_ms < FaultPlan.day_ms, world.violations.found.isEmpty { try live() }
    if world.violations.found.isEmpty { try checkEnd() }
    outcome.violations = world.violations.found
    outcome.log = world.log
    outcome.records = world.committed.count
    outcome.requests = world.servers.reduce(0) { $0 + $1.requests }
    outcome.met = world.met
    return outcome
  }

  // MARK: a life

  /// From a start of the process to its end.
  private func live() throws {
    outcome.lives += 1
    world.noteLog("— the process starts")
    var crashesAfter_steps = world.crashesLeft > 0 ? Int(world.random.uniform() * 5) : 0
    let process = try DeviceProcess(world: world, folder: folder)
    try takeStock(process.queue)
    for server in world.servers.indices { try checkNothingLost(process.queue, server) }
    (keptSeen, fixesSeen, exchangesSeen) = (0, 0, nil)
    watchedAt_ms = world.clock.now_ms
    (committedBefore, fromMemory) = (world.committed.count, [])
    arrivalsBefore = world.servers[0].arrivals.count
    process.agent.start()
    while !process.agent.isDone, !process.life.isOver, world.clock.now_ms < FaultPlan.day_ms {
      strike(process)
      if world.crashesLeft > 0, crashesAfter_steps <= 0 {
        world.crashesLeft -= 1
        process.life.endNow()
        break
      }
      process.agent.step()
      outcome.steps += 1
      crashesAfter_steps -= 1
      check(process)
      guard world.violations.found.isEmpty else { return }
    }
    die(process)
    sleep()
  }

  private func die(_ process: DeviceProcess) {
    let moment = world.clock.moment
    if process.bootID == world.bootID { world.alive_ms = moment.boot_ms - world.clock.now_ms % 55_000 }
    let tracker = process.agent.tracker
    openGap_ms = tracker.gaps.parts.first.map { TrackGaps.date($0.since, at: tracker.time(moment)) }
    if looksAtCoverage, world.clock.now_ms >= FaultPlan.day_ms { checkCoverage(by: tracker, at: moment) }
    if process.life.isOver {
      world.noteMet("killed")
      folder.keepAsKilled()
    }
    if let file = world.emptied, folder.empty(file) {
      world.noteMet("queueFileEmptied")
      world.mayHaveLost = true
    }
    world.emptied = nil
    let isCrash = process.life.isOver && process.bootID == world.bootID
    // systemd's ExecStopPost.
    _ = world.receiver.set(false)
    world.receiver.disconnect()
    for server in world.servers { server.notBefore_ms = 0 }
    world.clock.advance(to: world.clock.now_ms + 2_000 + Int64(world.random.uniform() * 20_000))
    world.crashStarts_ms = isCrash ? world.crashStarts_ms + [world.clock.now_ms] : []
  }

  /// What is due by now happens.
  private func strike(_ process: DeviceProcess) {
    if let clockSetAt_ms, clockSetAt_ms <= world.clock.now_ms { setClock(process) }
    while let blow = blows.first, blow.at_ms <= world.clock.now_ms {
      blows.removeFirst()
      world.noteLog("— \(blow.what)")
      world.noteMet(blow.what.name)
      hit(process, blow.what)
    }
    let next_ms = [blows.first?.at_ms, clockSetAt_ms, world.plan.nextChange(after: world.clock.now_ms)]
    process.alarm.at_ms = next_ms.compactMap { $0 }.min()
  }

  private func hit(_ process: DeviceProcess, _ blow: Blow) {
    switch blow {
    case .kill(let effects, let happens): process.life.end(afterEffects: effects, lastOneHappens: happens)
    case .terminate: process.news.add(.stopping)
    case .newSettings:
      world.settings = SimulatedWorld.settings(&world.random, servers: world.servers.count)
      process.news.add(.stopping)
    case .reboot(let error_ms, let after_ms):
      process.life.endNow()
      world.reboot()
      world.clock.wallOffset_ms = SimulatedWorld.start_ms + error_ms
      world.isSynchronised = false
      clockSetAt_ms = world.clock.now_ms + after_ms
    case .clockStep(let ms):
      world.clock.wallOffset_ms += ms
      process.news.add(.clockStepped(isSynchronised: world.isSynchronised))
    case .synchronised(let yes):
      world.isSynchronised = yes
      process.news.add(.clockStepped(isSynchronised: yes))
    case .clockSet: setClock(process)
    case .ignition(let on): process.news.add(.ignitionEdge(level: on))
    case .linkRestored: process.news.add(.linkRestored)
    case .syncAsked: process.news.add(.syncAsked)
    case .pause(let length_ms):
      world.wishes.pause(until_ms: length_ms.map { world.clock.now_ms + $0 } ?? .max)
      process.news.add(.intentAsked(.pause(length_ms: length_ms)))
    case .track(let length_ms):
      world.wishes.track(until_ms: world.clock.now_ms + length_ms)
      process.news.add(.intentAsked(.track(length_ms: length_ms)))
    case .resume:
      world.wishes.resume()
      process.news.add(.intentAsked(.resume))
    case .crashes(let count): world.crashesLeft = count
    case .queueFileEmptied(let file):
      world.emptied = file
      process.life.endNow()
    case .remote(let act): hit(process, act)
    }
  }

  private func setClock(_ process: DeviceProcess) {
    clockSetAt_ms = nil
    world.clock.wallOffset_ms = SimulatedWorld.start_ms
    world.rtcAhead_ms = 0
    world.isSynchronised = true
    process.news.add(.clockStepped(isSynchronised: true))
  }

  // MARK: invariants

  private func check(_ process: DeviceProcess) {
    guard !process.life.isOver, !process.agent.isDone else { return }
    let tracker = process.agent.tracker
    checkProgress(tracker)
    checkSafety(tracker)
    checkRemote(tracker, process)
    checkWindow(tracker, process.schedule)
    checkPower(tracker)
    checkSampling(tracker)
    checkWatching(tracker)
    checkNothingForgotten(tracker.dispatch.outbox)
    checkBudget(tracker.dispatch.servers.map(\.sync))
    outcome.droppedFromMemory = max(outcome.droppedFromMemory, tracker.dispatch.outbox.droppedFromMemory)
    if tracker.dispatch.outbox.pending.count > Outbox.capacity + 1 {
      world.violations.note("N9", "\(tracker.dispatch.outbox.pending.count) records in memory")
    }
  }

  private func checkBudget(_ machines: [SyncMachine]) {
    let level = machines[0].allowance.level
    if level != .all { world.noteMet("budget \(level)") }
    for (machine, before) in zip(machines, statesSeen) where level == .none && machine.state != before {
      if case .sending = machine.state { world.violations.note("budget", "a request, and it is used up") }
    }
    statesSeen = machines.map(\.state)
  }

  /// N10, at every instant at which the time is trusted.
  private func checkWindow(_ tracker: Tracker, _ schedule: Schedule) {
    let trusted_ms = tracker.receiver.clock.trusted_ms(at: world.clock.moment)
    checkTime(trusted_ms)
    let override = override(tracker)
    let isScheduled = trusted_ms.map { wall_ms in
      let wall_s = wall_ms >= 0 ? wall_ms / 1000 : (wall_ms - 999) / 1000
      return schedule.isOpen(at: wall_s, in: FixedZone.utc)
    }
    guard let isOpen = override.map({ $0 == .tracking }) ?? isScheduled else {
      closedSince_ms = nil
      return
    }
    if isOpen != tracker.isWindowOpen {
      let words = override.map { "\($0)" } ?? "the schedule says \(isOpen)"
      world.violations.note("N10", "the window is \(tracker.isWindowOpen), \(words)")
    }
    if isOpen { closedSince_ms = nil } else { closedSince_ms = closedSince_ms ?? world.clock.now_ms }
  }

  /// What goes before the schedule now: by the operator's own words as long as their end is sure.
  private func override(_ tracker: Tracker) -> Override? {
    let (wishes, now_ms) = (world.wishes.current, world.clock.now_ms)
    if !wishes.areSure, wishes.pause_ms != .max { return tracker.runState.override }
    if let pause_ms = wishes.pause_ms, now_ms < pause_ms {
      world.noteMet("paused")
      return .paused
    }
    if tracker.runState.crashes.isSafe {
      world.noteMet("safe mode")
      return .safeMode
    }
    guard let track_ms = wishes.track_ms, now_ms < track_ms else { return nil }
    world.noteMet("tracking")
    return wishes.areSure ? .tracking : tracker.runState.override
  }

  /// Five crashes within an hour, and it is safe mode or an hour later.
  private func checkSafety(_ tracker: Tracker) {
    let recent = world.crashStarts_ms.count { world.clock.now_ms - $0 < CrashWatch.hour_ms }
    if recent >= CrashWatch.crashesToSafety, case .normal = tracker.runState.crashes.stage {
      world.violations.note("safe mode", "\(recent) crashes within an hour, and the GPS is not held off")
    }
  }

  /// N10: what the tracker takes for the time is what it may.
  private func checkTime(_ trusted_ms: Int64?) {
    if world.isSynchronised, trusted_ms != world.clock.moment.wall_ms {
      world.violations.note("N10", "the clock is synchronised, and is not believed")
    }
    let lastLie_ms = world.plan.lastEnd(of: [.wrongDate], before: world.clock.now_ms) ?? .min / 2
    let isMisled =
      world.plan.isActive(.wrongDate, at: world.clock.now_ms)
      || world.clock.now_ms - lastLie_ms < SimulatedDay.wayBack_ms
    if !world.isSynchronised, !isMisled, let trusted_ms, abs(trusted_ms - world.track_ms) > 10_000 {
      world.violations.note("N10", "the time by GPS is wrong by \((trusted_ms - world.track_ms) / 1000) s")
    }
  }

  /// N3: off at most 5 s after a window ends; a stuck line counts from when it is free.
  private func checkPower(_ tracker: Tracker) {
    if mayLocate(tracker) { locatedAt_ms = world.clock.now_ms }
    guard var since_ms = closedSince_ms, world.receiver.isPowered else { return }
    since_ms = max(since_ms, locatedAt_ms)
    let now_ms = world.clock.now_ms
    if world.plan.isActive(.powerLineStuck, at: now_ms) { return }
    if let freed_ms = world.plan.lastEnd(of: [.powerLineStuck], before: now_ms) {
      since_ms = max(since_ms, freed_ms)
    }
    if now_ms - since_ms > 5000 {
      world.violations.note("N3", "GPS on \((now_ms - since_ms) / 1000) s after the window's end")
    }
  }

  /// N5: whatever else fails, good fixes of a driving vehicle are kept.
  private func checkSampling(_ tracker: Tracker) {
    checkHeld(tracker)
    if tracker.journey.sampling.kept != keptSeen || !tracker.isWindowOpen || !tracker.receiver.held.isEmpty {
      keptSeen = tracker.journey.sampling.kept
      world.goodFixes = 0
    }
    // Those that wait for the time count once that is known.
    let taken = tracker.receiver.figures.fixes + tracker.receiver.held.reports.count
    if taken != fixesSeen {
      fixesSeen = taken
      world.offeredFixes = 0
    }
    if world.offeredFixes > (mayFollowLie ? SimulatedDay.longestLie_fixes : 15) {
      world.violations.note("N5", "\(world.offeredFixes) good fixes in a row, and none was taken")
    }
    let most = 2 * world.settings.track.maxInterval_s + (mayFollowLie ? 400 : 60)
    if Double(world.goodFixes) > most {
      world.violations.note("N5", "\(world.goodFixes) good fixes on the move, and none was kept")
    }
  }

  /// N5: a drive within a window is watched after the longest pause between two probes, whatever else fails.
  private func checkWatching(_ tracker: Tracker) {
    let now_ms = world.clock.now_ms
    let isDisturbed = FaultPlan.ofGPS.contains { world.plan.isActive($0, at: now_ms) }
    // While the ignition says that it is off, probes are rare.
    let isIdle = !tracker.isWindowOpen || tracker.journey.lines.ignitionIsOn == false
    if world.receiver.isPowered || isDisturbed || isIdle { watchedAt_ms = now_ms }
    guard let drive = world.drive else { return }
    let recovered_ms = world.plan.lastEnd(of: FaultPlan.ofGPS, before: now_ms).map { $0 + 3_600_000 }
    let since_ms = max(watchedAt_ms, drive.lowerBound, recovered_ms ?? 0)
    let motion = world.settings.motion
    let longest_s = 120 + (motion.gpsOffWhenParked ? Int64(motion.probeIntervalMax_s) : 0)
    if now_ms - since_ms > longest_s * 1000 {
      world.violations.note("N5", "on the move, and the GPS is off for \((now_ms - since_ms) / 1000) s")
    }
  }

  /// N1: what was recorded in this life is committed, or in memory, or delivered from there, or counted as dropped.
  private func checkNothingForgotten(_ outbox: Outbox) {
    // A forgotten record stays forgotten, so a long list needs no look after every step.
    if outbox.pending.count > 500, outcome.steps % 50 != 0 { return }
    let committed = world.committed.count - committedBefore
    let waiting = outbox.pending.count { !world.committed.contains($0.sequence) }
    let forgotten = outbox.made - committed - waiting - outbox.droppedFromMemory
    if forgotten <= fromMemory.count(where: { !world.committed.contains($0) }) { return }
    let pending = Set(outbox.pending.map(\.sequence))
    fromMemory.formUnion(
      world.servers[0].arrivals[arrivalsBefore...].map(\.sequence).filter {
        !world.committed.contains($0) && !pending.contains($0)
      })
    let missing = forgotten - fromMemory.count { !world.committed.contains($0) }
    if missing > 0 {
      world.violations.note(
        "N1", "\(missing) records forgotten, beside \(outbox.droppedFromMemory) counted as dropped")
    }
  }

  /// N1: each committed record is queued, delivered, in quarantine or in the ledger.
  private func checkNothingLost(_ queue: QueueStore, _ server: Int) throws {
    let missing = try search(queue, server).missing
    let summary = try queue[server].summary()
    if server == 0 { outcome.quarantined = summary.quarantined }
    if missing.count > summary.accounted {
      world.violations.note("N1", "\(missing.count) records missing, \(summary.accounted) accounted for")
    }
    if queue.openReport.setAside != nil, world.met["queueFileEmptied"] == nil {
      world.violations.note("N4", "the queue file was set aside")
    }
  }

  /// A record that breaks connections looks like a dead network: it is found after five equal requests, up to seven
  /// halvings, and five failures alone with a request of others before each; each may wait for the longest back-off.
  private static let longestSearch_ms: Int64 = 22 * 300_000
  /// As many as that leaves time for, at least: then the hours went into searches, and no connection was idle.
  private static let findsInQuiet = Int(FaultPlan.quiet_ms / longestSearch_ms)

  /// After hours without any fault everything has been delivered, unless the server fell over too many records.
  private func checkEnd() throws {
    let queue = try QueueStore(path: folder.queue, servers: world.settings.servers.map(\.name))
    for server in world.servers.indices { try checkEnd(of: server, queue) }
  }

  private func checkEnd(of number: Int, _ queue: QueueStore) throws {
    let (server, isFirst) = (world.servers[number], number == 0)
    try checkNothingLost(queue, number)
    // A budget may be used up until midnight.
    let sync = world.settings.sync
    let isSearching = server.silentFinds(after_ms: world.plan.quietFrom_ms) >= SimulatedDay.findsInQuiet
    // One request in two seconds carries no more: ten thousand, where the operator wants one record in each.
    let mayDrain = world.recorded.count < Int(FaultPlan.quiet_ms / 2000) * sync.maxBatchSize
    let waiting = queue[number].count
    if waiting > 60, mayDrain, sync.budgetDay_kb == 0, sync.budgetMonth_mb == 0, !isSearching {
      world.violations.note("N12", "\(waiting) records still wait after the quiet hours")
    }
    let open = world.remote.open
    if isFirst, !open.isEmpty, sync.budgetDay_kb == 0, sync.budgetMonth_mb == 0, !isSearching {
      world.violations.note("commands", "\(open.count) have no result at the day's end, such as \(open[0])")
    }
    checkStory(server.stored.values.joined().sorted { $0.sequence < $1.sequence })
    let summary = try queue[number].summary()
    if summary.file_bytes > 20_000_000 {
      world.violations.note("N9", "the queue file has \(summary.file_bytes) bytes")
    }
  }
}
