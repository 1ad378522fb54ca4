import TrackerBase

/// Overlays on trial: offered, checked, saved, in force, and kept once a sync has succeeded with it; else the one before
/// it is back, and it is never tried again. Times are on the boot clock.
public struct OverlayMachine: Equatable, Sendable {
  public enum Stage: Equatable, Sendable {
    case resting
    /// Does it fit the settings file?
    case checking(Overlay)
    /// On its way to storage, before it is in force. - Parameter before: what holds if it does not get there.
    case beginning(before: OverlayState)
  }

  struct Passing: Equatable, Sendable {
    /// nil: it said none.
    var version: Int64?
    var reason: String
  }

  struct Waiting: Equatable, Sendable {
    /// nil: it said none.
    var version: Int64?
    /// From then on it is looked at, if it is offered.
    var until_ms: Int64
  }

  /// Tried again after so long: what could not be saved, or not be used.
  static let retry_ms: Int64 = 10_000
  /// A server whose version grows with each reply must not keep the device busy.
  static let mostAnHour = 6
  /// One that takes all back may come after six that were wrong.
  static let mostTakenBackAnHour = 12

  public private(set) var state: OverlayState
  /// Of the settings in force.
  public private(set) var use: OverlayUse
  /// Offers that were passed over.
  public private(set) var ignored = 0
  /// The last offer that was refused, but not for good: it may come again.
  private(set) var passing: Passing?
  /// What was passed over last since too many came; it may come again.
  private(set) var waiting: Waiting?
  /// Said once.
  private var passedOverBecause: String?
  private var stage = Stage.resting
  /// The settings in force have changed, and nobody has looked.
  private var isNew = true
  /// What was rolled back is to be told of with the settings that are then in force.
  private var hasReport = false
  private var isSaved = true
  /// Why storage does not take what it should; nil: it does.
  private(set) var saveProblem: String?
  private var retryAt_ms: Int64?
  /// Offers that were looked at.
  private var looks: LastHour
  private var trial_ms: Int64
  private let bootID: String

  /// - Parameters:
  ///   - state: after `runBegan`.
  ///   - time_ms: Unix milliseconds, by the best clock.
  public init(
    _ state: OverlayState, use: OverlayUse = OverlayUse(), bootID: String, trial_s: Double,
    time_ms: Int64 = 0, at now_ms: Int64 = 0
  ) {
    (self.state, self.use, self.bootID, trial_ms) = (state, use, bootID, milliseconds(trial_s))
    looks = LastHour(noted_ms: state.looks_ms, time_ms: time_ms, at: now_ms)
  }

  mutating func adopt(trial_s: Double) { trial_ms = milliseconds(trial_s) }

  /// The settings in force are others now: `started` follows.
  package mutating func settingsHold(_ use: OverlayUse) {
    isNew = isNew || use.problem != self.use.problem
    self.use = use
  }

  // MARK: what happens

  /// - Parameter time_ms: Unix milliseconds, by the best clock.
  package mutating func offered(_ offer: ConfigOffer, time_ms: Int64, at now_ms: Int64) -> [Want] {
    // One after the other: the server offers it again.
    guard stage == .resting else { return [] }
    switch offer {
    case .malformed(let reason, nil): return refuse(nil, "config \(reason)", time_ms: time_ms, at: now_ms)
    case .malformed(let reason, let version?):
      return look(at: version, takesBack: false, time_ms: time_ms, at: now_ms) { machine in
        machine.refuseForGood(version, "it \(reason)")
      }
    case .overlay(let overlay):
      return look(at: overlay.version, takesBack: overlay.isEmpty, time_ms: time_ms, at: now_ms) { machine in
        machine.stage = .checking(overlay)
        // First, as the process may not survive it.
        return machine.save() + [.perform(.checkOverlay(overlay))]
      }
    }
  }

  /// Only at what is newer than all before it.
  private mutating func look(
    at version: Int64, takesBack: Bool, time_ms: Int64, at now_ms: Int64,
    _ work: (inout OverlayMachine) -> [Want]
  ) -> [Want] {
    guard state.trial == nil, version != state.newest else { return [] }
    guard Overlay.isNewer(version, than: state.newest) else {
      if version > state.newest { return refuseTooFar(version, time_ms: time_ms, at: now_ms) }
      ignored += 1
      return []
    }
    let most = takesBack ? OverlayMachine.mostTakenBackAnHour : OverlayMachine.mostAnHour
    if let waits = waits(version, most: most, time_ms: time_ms, at: now_ms) { return waits }
    return work(&self)
  }

  /// Else nobody at the server would know why it is passed over.
  private mutating func refuseTooFar(_ version: Int64, time_ms: Int64, at now_ms: Int64) -> [Want] {
    refuse(
      version,
      "it is \(Overlay.newerWithin) or more above version \(state.newest), and so counts as older; "
        + "version \(Overlay.next(after: state.newest)) comes next", time_ms: time_ms, at: now_ms)
  }

  /// Not for good. - Parameter version: nil: it said none.
  private mutating func refuse(
    _ version: Int64?, _ reason: String, time_ms: Int64, at now_ms: Int64
  ) -> [Want] {
    let new = Passing(version: version, reason: reason)
    guard passing != new else {
      ignored += 1
      return []
    }
    if let waits = waits(version, most: OverlayMachine.mostAnHour, time_ms: time_ms, at: now_ms) {
      return waits
    }
    passing = new
    let name = OverlayMachine.name(version)
    return save() + [.warn(.overlay, "\(name) is refused: \(reason)"), .reportAtOnce]
  }

  private mutating func refuseForGood(_ version: Int64, _ reason: String) -> [Want] {
    passing = nil
    state.refuse(version, reason)
    return save() + [.warn(.overlay, "\(OverlayMachine.name(version)) is refused: \(reason)"), .reportAtOnce]
  }

  private static func name(_ version: Int64?) -> String {
    version.map { "version \($0) of the server's settings" } ?? "what the server sent as settings"
  }

  /// - Returns: nil if it may be looked at, and then this is a look; else what to say of it, once.
  private mutating func waits(
    _ version: Int64?, most: Int, time_ms: Int64, at now_ms: Int64
  ) -> [Want]? {
    let count = looks.count(at: now_ms)
    guard count >= most else {
      waiting = nil
      looks.add(at: now_ms)
      state.looks_ms = Array((state.looks_ms + [time_ms]).suffix(count + 1))
      return nil
    }
    ignored += 1
    let isKnown = waiting.map { now_ms < $0.until_ms } ?? false
    let until_ms = looks.time_ms(below: most)
    waiting = Waiting(version: version, until_ms: until_ms)
    let minutes = counted(Int((until_ms - now_ms + 59_999) / 60_000), "minute")
    let words = "waits for \(minutes), since \(most) were looked at within an hour"
    return isKnown ? [] : [.log(.notice, "\(OverlayMachine.name(version)) \(words)"), .report]
  }

  /// An offer that could not be judged by the rules.
  package mutating func passedOver(because reason: String) -> [Want] {
    ignored += 1
    guard passedOverBecause != reason else { return [] }
    passedOverBecause = reason
    return [.log(.notice, "what the server sent as settings is passed over: \(reason)")]
  }

  package mutating func received(_ news: OverlayNews, at now_ms: Int64) -> [Want] {
    switch news {
    case .checked(let problem): checked(problem, at: now_ms)
    case .saved(let problem): saved(problem, at: now_ms)
    case .notUsed(let words): notUsed(words, at: now_ms)
    }
  }

  private mutating func checked(_ problem: String?, at now_ms: Int64) -> [Want] {
    guard case .checking(let overlay) = stage else { return [] }
    stage = .resting
    if let problem { return refuseForGood(overlay.version, problem) }
    stage = .beginning(before: state)
    state.begin(OverlayState.Trial(overlay: overlay, bootID: bootID, began_ms: now_ms))
    return save()
  }

  private mutating func saved(_ problem: String?, at now_ms: Int64) -> [Want] {
    let words = storage(problem)
    isSaved = problem == nil
    retryAt_ms = isSaved ? nil : now_ms + OverlayMachine.retry_ms
    switch stage {
    case .beginning(let before):
      stage = .resting
      let version = state.trial?.overlay.version ?? 0
      guard let problem else {
        passing = nil
        return words + [
          .perform(.useOverlay(state.wanted)), .log(.notice, "\(OverlayMachine.name(version)) is on trial"),
        ]
      }
      // The file may hold the trial by now.
      state = before
      passing = Passing(version: version, reason: "it cannot be kept: \(problem)")
      return words
    case .resting, .checking: return words
    }
  }

  /// Said when it begins, when the reason is another one, and when it is over: what is to be saved is tried again and
  /// again.
  private mutating func storage(_ problem: String?) -> [Want] {
    guard problem != saveProblem else { return [] }
    saveProblem = problem
    guard let problem else { return [.log(.notice, "what the server sets can be saved again"), .report] }
    return [
      .warn(.overlay, "what the server sets cannot be saved, and no new version is taken: \(problem)"),
      .reportAtOnce,
    ]
  }

  /// The agent begins, or goes on, with the settings in force.
  package mutating func started(at now_ms: Int64) -> [Want] {
    var wants: [Want] = hasReport ? [.reportAtOnce] : []
    let wasNew = isNew
    (isNew, hasReport) = (false, false)
    if state.trial != nil {
      if let problem = use.problem { return rollBack("trial failed: \(problem)") }
      let ended = tick(at: now_ms)
      return state.trial == nil ? ended : ended + [.reportAtOnce]
    }
    if let problem = use.problem, let wanted = state.wanted, wasNew {
      let words = "\(OverlayMachine.name(wanted.version)) does not count: \(problem)"
      wants += [use == .switchedOff ? .log(.notice, words) : .warn(.overlay, words), .reportAtOnce]
    }
    return wants
  }

  private mutating func notUsed(_ words: String, at now_ms: Int64) -> [Want] {
    if state.trial != nil, use.version != state.trial?.overlay.version {
      state.rollBack("trial failed: \(words)")
      return save() + [refusal(), .reportAtOnce]
    }
    retryAt_ms = now_ms + OverlayMachine.retry_ms
    return [.warn(.overlay, "the server's settings cannot be exchanged: \(words); it is tried again")]
  }

  /// The first server has acknowledged a request that was made with the settings in force.
  package mutating func delivered(at now_ms: Int64) -> [Want] {
    guard let trial = state.trial, stage == .resting, use.version == trial.overlay.version else { return [] }
    state.keep()
    let words =
      trial.overlay.isEmpty
      ? "takes back what was set from afar, and is kept" : "is kept: a sync has succeeded with it"
    return save() + [.log(.notice, "\(OverlayMachine.name(trial.overlay.version)) \(words)"), .report]
  }

  /// While no sync is allowed nobody can tell whether one would succeed: the time of a trial waits.
  package mutating func budget(isUsedUp: Bool, at now_ms: Int64) -> [Want] {
    guard let trial = state.trial, stage == .resting, isUsedUp != (trial.clock == .waiting) else { return [] }
    state.setTrial(isUsedUp ? .waiting : .running, at: now_ms)
    if !isUsedUp { return save() + [.reportAtOnce] }
    let name = OverlayMachine.name(trial.overlay.version)
    return save() + [
      .log(.notice, "the byte budget is used up: the trial of \(name) waits until a sync is allowed")
    ]
  }

  package mutating func tick(at now_ms: Int64) -> [Want] {
    if let trialEnds_ms, now_ms >= trialEnds_ms, stage == .resting {
      return rollBack(
        "trial failed: no sync succeeded within \(SettingText.number(Double(trial_ms) / 1000)) s")
    }
    guard let retryAt_ms, now_ms >= retryAt_ms else { return [] }
    self.retryAt_ms = nil
    return (isSaved ? [] : save()) + (isUsed ? [] : [.perform(.useOverlay(state.wanted))])
  }

  /// The process ends in order: the trial goes on with the next one, with the time that is left.
  package mutating func runEnded(at now_ms: Int64) -> [Want] {
    guard stage == .resting, state.runEnded(at: now_ms) else { return [] }
    return save()
  }

  // MARK: what is

  public var deadline_ms: Int64? { earliest(trialEnds_ms, retryAt_ms) }

  /// A trial is on, or something is to be done again.
  package var isBusy: Bool { state.trial != nil || retryAt_ms != nil }

  /// nil without a trial, and while it waits.
  public var trialEnds_ms: Int64? {
    guard let trial = state.trial, trial.clock == .running else { return nil }
    return trial.began_ms + trial_ms - trial.spent_ms
  }

  /// nil without a trial.
  func trialLeft_ms(at now_ms: Int64) -> Int64? {
    state.trial.map { max(0, trial_ms - $0.spent_ms(at: now_ms)) }
  }

  /// What was offered is not on storage yet, nor refused.
  package var isDeciding: Bool { stage != .resting }

  /// There is one, and it does not fit the settings file.
  var isOff: Bool { use.problem != nil }

  /// Something lasts that somebody should look at.
  package var isTroubled: Bool { isOff && use != .switchedOff || saveProblem != nil }

  private var isUsed: Bool { use.problem != nil || use.version == state.wanted?.version }

  // MARK: parts

  private mutating func rollBack(_ reason: String) -> [Want] {
    state.rollBack(reason)
    hasReport = true
    return save() + [.perform(.useOverlay(state.wanted)), refusal()]
  }

  package func refusal() -> Want {
    let instead = state.kept.map { "version \($0.version)" } ?? "the file's settings"
    return .warn(
      .overlay,
      "\(OverlayMachine.name(state.refused?.version ?? 0)) is rolled back to \(instead): "
        + (state.refused?.reason ?? ""))
  }

  private func save() -> [Want] { [.perform(.saveOverlay(state))] }
}

extension ConfigStatus {
  /// nil before the server has sent any. - Parameter offset_ms: Unix time minus boot time.
  package init?(_ machine: OverlayMachine, at now_ms: Int64, offset_ms: Int64) {
    let state = machine.state
    guard state != OverlayState() || machine.passing != nil || machine.ignored > 0 else { return nil }
    self.init()
    desired = state.newest > 0 ? state.newest : nil
    inForce = machine.use.version
    trialLeft_s = machine.trialLeft_ms(at: now_ms).map { $0 / 1000 }
    trialUntil_ms = machine.trialEnds_ms.map { $0 + offset_ms }
    if state.trial?.clock == .waiting { trialWaitsFor = "the byte budget" }
    (refused, refusedBecause) = (state.refused?.version, state.refused?.reason)
    if let passing = machine.passing { (refused, refusedBecause) = (passing.version, passing.reason) }
    if let waiting = machine.waiting, waiting.until_ms > now_ms {
      (waits, waitsUntil_ms) = (waiting.version, waiting.until_ms + offset_ms)
    }
    (offBecause, ignored) = (machine.use.problem, machine.ignored)
    notSavedBecause = machine.saveProblem
  }
}
