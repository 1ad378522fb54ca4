import TrackerBase
import TrackerBoard
import TrackerDispatch
import TrackerJourney
import TrackerReceiver
import TrackerRemote

/// The whole agent's judgement: one event in, actions out.
///
/// It is the ordered list of the parts, and the loop over it. Each part is given the event, then whatever the parts have to
/// tell each other, and returns what it wants; what follows from one want comes before the next. No clock is read and no
/// random number drawn.
public struct Tracker: Sendable {
  /// In the order in which they hear: that of the data's path, from the receiver by way of the journey to the servers.
  /// Energy is first, since it counts what was; the dispatch is last, since it commits what all others have made.
  private(set) var parts: [any Part]
  /// What they have published.
  private(set) var facts = Facts()
  public private(set) var warnings = Warnings()
  private var logLevel: RunSettings.LogLevel
  private(set) var startedAt_ms: Int64 = 0
  /// When the state was last on its way to storage, on the boot clock.
  private var savedAt_ms: Int64 = 0
  /// What storage held; nothing, once the process has begun.
  private var restored: Restored
  /// A part wants the process to end.
  private var wantsStop = false
  /// What the event that is being handled has brought so far.
  private var actions: [Action] = []
  /// Boot time at which a `.timer` event is due; nil if nothing waits for time. Stored, since the loop asks for it.
  public private(set) var deadline_ms: Int64?

  /// The state holds the last sign of life too.
  static let longestUnsaved_ms: Int64 = 3_600_000

  /// - Parameter notBefore_ms: when this program was built, for repairing GPS dates.
  public init(
    _ configuration: Configuration, restored: Restored, notBefore_ms: Int64, isSynchronised: Bool,
    at now: Moment
  ) {
    let (settings, found) = (configuration.settings, restored.found)
    let (saved, bootID) = (found.state, found.bootID)
    (self.restored, logLevel) = (restored, settings.run.logLevel)
    parts = [
      Energy(configuration, saved: saved, bootID: bootID, at: now.boot_ms),
      Operators(restored.runState, problem: restored.runStateProblem),
      Receiver(
        configuration, notBefore_ms: notBefore_ms, isSynchronised: isSynchronised, saved: saved,
        bootID: bootID, lastPlace: Journey.lastPlace(saved)),
      Journey(configuration, saved: saved, at: now.boot_ms),
      Supply(settings: settings, saved: saved),
      Link(),
      Commands(restored.commands, settings: settings, problem: restored.commandsProblem),
      RemoteSettings(restored.overlay, settings: settings.sync, bootID: bootID, at: now),
      Accelerometer(settings: settings.accelerometer, saved: saved),
      Sleep(settings: settings.host.sleep, saved: saved, bootID: bootID),
      Gaps(bootID: bootID, at: now.boot_ms),
      Dispatch(
        settings: settings, found: found, lastSequence: restored.lastSequence, isUnread: restored.isUnread,
        idChanges: restored.idChanges, at: now.boot_ms),
    ]
    publish(at: now)
  }

  /// Other settings rule from here on, in the same process. The event `.settingsApplied` follows.
  public mutating func adopt(_ configuration: Configuration, at now: Moment) {
    logLevel = configuration.settings.run.logLevel
    for index in parts.indices { parts[index].adopt(configuration, at: now) }
    publish(at: now)
  }

  func part<P: Part>(_: P.Type = P.self) -> P {
    for case let part as P in parts { return part }
    preconditionFailure("the list has every part")
  }

  // MARK: The loop

  /// - Parameter chance: a random number in 0..<1, drawn for this event.
  public mutating func handle(_ event: Event, at now: Moment, chance: Double) -> [Action] {
    (actions, facts.chance) = ([], chance)
    for part in parts where part.publishesTime { part.publish(to: &facts, at: now) }
    if facts.isStopping { return stopped(event, at: now) }
    switch event {
    case .stopping: wantsStop = true
    // Nothing is half done when the new settings begin to rule. The trip stays open and the GPS powered.
    case .settingsRead:
      give(event, at: now)
      actions += [.disconnectGPS, .applySettings]
      return ended(at: now)
    case .started: start(at: now)
    case .settingsApplied: tell(.begun, at: now)
    default: give(event, at: now)
    }
    take(event, at: now)
    if !wantsStop { settle(at: now) }
    if wantsStop { stop(at: now) }
    return ended(at: now)
  }

  private mutating func ended(at now: Moment) -> [Action] {
    deadline_ms = parts.reduce(savedAt_ms + Tracker.longestUnsaved_ms) { min($0, $1.deadline_ms ?? .max) }
    return actions
  }

  private mutating func publish(at now: Moment) {
    for part in parts { part.publish(to: &facts, at: now) }
  }

  private mutating func give(_ event: Event, at now: Moment) {
    each(at: now) { part, facts in part.handle(event, facts, at: now) }
  }

  private mutating func tell(_ news: News, at now: Moment) {
    each(at: now) { part, facts in part.hear(news, facts, at: now) }
  }

  /// What one part publishes and wants is known before the next one is asked.
  private mutating func each(at now: Moment, _ step: (inout any Part, Facts) -> [Want]?) {
    for index in parts.indices {
      guard let wants = step(&parts[index], facts) else { continue }
      parts[index].publish(to: &facts, at: now)
      for want in wants { carryOut(want, at: now) }
    }
  }

  private mutating func carryOut(_ want: Want, at now: Moment) {
    switch want {
    case .perform(let action): actions.append(action)
    case .log(let level, let text): if level <= logLevel { actions.append(.log(level, text)) }
    case .warn(let name, let text, let times, let isReported):
      count(name, times: times, isReported: isReported, at: now)
      if let line = warnings.line(name, text, at: now.boot_ms) { carryOut(.log(.warning, line), at: now) }
    case .tell(let news): tell(news, at: now)
    case .commit(var commit, let hasState):
      if hasState { for part in parts { part.save(to: &commit, facts, at: now) } }
      savedAt_ms = now.boot_ms
      actions.append(.commit(commit))
    case .stop: wantsStop = true
    }
  }

  private mutating func count(_ name: WarningName, times: Int, isReported: Bool = true, at now: Moment) {
    if isReported, warnings.wantsStatus(name, at: now.boot_ms) { carryOut(.report, at: now) }
    warnings.count(name, at: now.boot_ms, times: times)
  }

  // MARK: The event

  /// After each event, whatever has changed.
  private mutating func settle(at now: Moment) {
    if now.boot_ms >= savedAt_ms + Tracker.longestUnsaved_ms {
      savedAt_ms = now.boot_ms
      carryOut(.save, at: now)
    }
    tell(.settled, at: now)
    for name in warnings.open {
      warnings.look(at: name, lasts: lasts(name, at: now), at: now.boot_ms)
    }
  }

  /// What reports a moment, or has no end that is known, does not last.
  private func lasts(_ name: WarningName, at now: Moment) -> Bool {
    switch name {
    // Until other settings rule.
    case .settings, .zone, .geofences, .fewDescriptors: return true
    // The line is being set again: whether it works now, its next event shows.
    case .powerLine where actions.contains(where: \.setsPower): return true
    default: return parts.contains { $0.lasts(name, at: now) }
    }
  }

  /// What concerns no part.
  private mutating func take(_ event: Event, at now: Moment) {
    switch event {
    case .queueDamaged(let words): reportDamage(words, at: now)
    case .dropped(let cause, let records):
      carryOut(
        .warn(.dropped, "\(counted(records, "record")) dropped: \(cause)", times: records), at: now)
    case .settingsApplied:
      carryOut(.log(.notice, "the new settings are in force"), at: now)
      // What was reported of the files is over. What is still wrong with them is reported again.
      for name in [WarningName.settings, .zone, .geofences] where warnings.open.contains(name) {
        warnings.look(at: name, lasts: false, at: now.boot_ms)
      }
    case .settingsRefused(let words): carryOut(.warn(.settings, words), at: now)
    case .fileUnusable(.zone, let words): carryOut(.warn(.zone, words), at: now)
    case .fileUnusable(.geofences, let words): carryOut(.warn(.geofences, words), at: now)
    // No line about it: the log itself reports it once it is read.
    case .hostProblem(.logLost(let lines)): count(.logLost, times: lines, at: now)
    case .hostProblem(.runFolder(let words)): carryOut(.warn(.runFolder, words), at: now)
    case .hostProblem(.fewDescriptors(let words)): carryOut(.warn(.fewDescriptors, words), at: now)
    default: break
    }
  }

  /// As a record too: the counts of the status begin at nil with each start, and this is reported once.
  private mutating func reportDamage(_ words: String, at now: Moment) {
    carryOut(.warn(.queueDamaged, words), at: now)
    tell(.record(.warning(.queueDamaged(words)), .none, dated: nil), at: now)
  }

  // MARK: The process

  private mutating func start(at now: Moment) {
    (startedAt_ms, savedAt_ms) = (now.boot_ms, now.boot_ms)
    let queued = counted(restored.queued.first ?? 0, "queued record")
    carryOut(.log(.notice, "started with \(queued)"), at: now)
    give(.started, at: now)
    for words in restored.damage { reportDamage(words, at: now) }
    let unreadable = restored.found.state.unreadable(kinds).joined(separator: ", ")
    if !unreadable.isEmpty {
      let words = "the saved state makes no sense and is not used for \(unreadable): it begins as new"
      reportDamage(words, at: now)
    }
    tell(.restored(restored.found), at: now)
    for words in restored.moves { carryOut(.warn(.identityChanged, words), at: now) }
    restored = Restored()
    tell(.begun, at: now)
  }

  /// What the parts save, by key.
  var kinds: SavedKinds { parts.reduce(into: [:]) { $0.merge(type(of: $1).kinds) { $1 } } }

  /// The trip stays open: the next start goes on with it.
  private mutating func stop(at now: Moment) {
    carryOut(.log(.notice, "stopping"), at: now)
    give(.stopping, at: now)
    facts.isStopping = true
    tell(.ending, at: now)
    tell(.ended, at: now)
    actions.append(.exit)
  }

  /// What became of the last commit. Nothing else is begun: the next process finds it as it is then.
  private mutating func stopped(_ event: Event, at now: Moment) -> [Action] {
    switch event {
    case .committed, .commitFailed, .powerFailed, .runStateNotSaved, .queueFailed, .queueDamaged, .dropped,
      .hostProblem:
      give(event, at: now)
      take(event, at: now)
    default: break
    }
    return actions.filter(\.isDoneWhileStopping)
  }
}

extension Action {
  fileprivate var setsPower: Bool { if case .setPower = self { true } else { false } }
}
