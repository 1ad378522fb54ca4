import TrackerBase

/// When the whole board sleeps: a pure machine. It is shown what stands after each event, and says what is to be done:
/// everything to the servers and to storage, an alarm that reads back, and off. Times are on the boot clock where they
/// are not Unix milliseconds.
package struct BoardSleep: Sendable {
  package enum State: Equatable, Sendable {
    case awake
    /// Whether anything outside of the agent keeps the board awake.
    case asking(SleepPlan)
    /// The servers get what waits for them, and that the board is going to sleep.
    /// - Parameter isBegun: they were asked to take it: once, since all that they want waited for holds after that.
    case draining(SleepPlan, until_ms: Int64, isBegun: Bool)
    case settingAlarm(SleepPlan)
    /// The alarm is set, and that is to be on storage.
    case committing(SleepPlan)
    /// The order is given. - Parameter isAccepted: the system has taken it.
    case goingDown(SleepPlan, until_ms: Int64, isAccepted: Bool)
    /// Something was in the way, or did not work: asked again then.
    case waiting(SleepHold, until_ms: Int64)
  }

  /// A shutdown and a start, beside the lead.
  static let cost_ms: Int64 = 30_000
  /// Persons, upgrades and locks are looked at again so often.
  static let askAgain_ms: Int64 = 60_000
  /// After what did not work, and twice as long after each further time, up to the longest.
  static let retry_ms: Int64 = 600_000
  static let longestRetry_ms: Int64 = 6 * 3_600_000
  /// The system goes down within this, or does not.
  static let patience_ms: Int64 = 90_000
  /// A clock that is kept right runs no further from the boot clock on the way to sleep.
  static let drift_ms: UInt64 = 2000
  /// Alarms further ahead are not believed to fire.
  static let longest_ms: Int64 = 7 * 86_400_000
  /// Some clocks take alarms of the next 24 hours alone.
  static let withinADay_ms: Int64 = 23 * 3_600_000

  package private(set) var state = State.awake
  /// What last kept it awake; nil while it is going down.
  package private(set) var hold: SleepHold?
  package private(set) var lastWake: Wake? { didSet { uncounted = lastWake } }
  /// In the ledger of charge, it is still to be counted.
  private var uncounted: Wake?
  private(set) var history: SleepHistory
  private(set) var settings: SleepSettings
  /// Since the boot, or since it was resumed.
  private var awakeSince_ms: Int64 = 0
  /// From the alarm to this process, until the first fix says what a start takes.
  private var readyAfter_ms: Int64?
  /// Why it stays awake, in the log's words, until it sleeps.
  private var said = ""
  /// What did not work, since it last did.
  private var failures = 0
  /// When what only time ends is over.
  private var nextLook_ms: Int64 = 0
  /// When the plan was made.
  private var planned_ms: Int64 = 0
  /// No alarm is set further ahead.
  private var reach_ms = BoardSleep.longest_ms
  /// What woke the board is not known before the time is.
  private var unjudged: (plan: SleepPlan, start: BoardStart, started_ms: Int64)?

  init(settings: SleepSettings, history: SleepHistory) {
    (self.settings, self.history) = (settings, history)
    hold = settings.isOn ? .justAwake : nil
  }

  /// After `settingsGo`. An order that was given holds.
  mutating func adopt(_ settings: SleepSettings) {
    let old = self
    self = BoardSleep(settings: settings, history: old.history)
    (lastWake, awakeSince_ms, readyAfter_ms) = (old.lastWake, old.awakeSince_ms, old.readyAfter_ms)
    (uncounted, unjudged) = (old.uncounted, old.unjudged)
    guard case .goingDown(let plan, let until_ms, _) = old.state else { return }
    (state, hold) = (.goingDown(plan, until_ms: until_ms, isAccepted: true), nil)
  }

  /// What is under way is begun again under the next settings, but for an order that was given.
  package mutating func settingsGo(at now_ms: Int64) -> [Action] {
    if case .goingDown = state { return [] }
    return end(.awake, .justAwake, "", at: now_ms)
  }

  package var deadline_ms: Int64? {
    switch state {
    case .awake: settings.isOn && (hold == .justAwake || hold == .tooOften) ? nextLook_ms : nil
    case .draining(_, let until_ms, _), .goingDown(_, let until_ms, _), .waiting(_, let until_ms): until_ms
    case .asking, .settingAlarm, .committing: nil
    }
  }

  // MARK: The start

  /// What the last process left. - Parameters:
  ///   - saved: of the plan, as it was.
  ///   - time_ms: Unix milliseconds, by the best clock.
  ///   - isTrusted: somebody vouches for it.
  mutating func start(
    _ saved: SavedSleep?, bootID: String, _ board: BoardStart, time_ms: Int64, isTrusted: Bool,
    at now_ms: Int64
  ) -> [Action] {
    guard let saved, let plan = saved.plan else { return [] }
    if SavedBoot.isThis(saved.bootID, bootID: bootID) {
      guard settings.isOn else { return [.order(.clearAlarm), .save(atOnce: false)] }
      // The process ended before the board did. It may have given the order: then the board still goes off.
      state = .goingDown(plan, until_ms: now_ms + BoardSleep.patience_ms, isAccepted: true)
      hold = nil
      return []
    }
    if !isTrusted, plan.alarm_s == nil || board.rtc_s == nil {
      unjudged = (plan, board, now_ms)
      return [.save(atOnce: false)]
    }
    return woke(Wake(of: plan, board, time_ms: time_ms, at: now_ms), started_ms: now_ms)
  }

  /// Of a board that was off. - Parameter started_ms: when the process began.
  private mutating func woke(_ wake: Wake, started_ms: Int64) -> [Action] {
    lastWake = wake
    guard wake.cause == .alarm else {
      // One that is still to come would start a board that somebody has switched off meanwhile.
      return [.woke(wake), .order(.clearAlarm), .save(atOnce: false)]
    }
    readyAfter_ms = (wake.late_ms ?? 0) + started_ms
    return [.woke(wake), .save(atOnce: false)]
  }

  /// The time is known.
  private mutating func judgeWake(_ trusted_ms: Int64, at now_ms: Int64) -> [Action] {
    guard let (plan, start, started_ms) = unjudged else { return [] }
    unjudged = nil
    return woke(Wake(of: plan, start, time_ms: trusted_ms, at: now_ms), started_ms: started_ms)
  }

  /// The first fix after the start came so long after power-on of the module.
  package mutating func firstFix(after_ms: Int64) -> [Action] {
    guard let ready_ms = readyAfter_ms else { return [] }
    readyAfter_ms = nil
    history.lead.note(ready_ms + after_ms)
    return [.save(atOnce: false)]
  }

  /// There is something to do: also of an order that was given under other settings.
  package var hasWork: Bool { settings.isOn || plan != nil }

  /// Once the time is known.
  package mutating func takeUncounted() -> Wake? {
    defer { uncounted = nil }
    return uncounted
  }

  package var awaitsFirstFix: Bool { readyAfter_ms != nil }

  // MARK: How things stand

  /// After each event.
  package mutating func look(_ view: View, at now_ms: Int64) -> [Action] {
    guard hasWork else { return [] }
    if unjudged != nil, let trusted_ms = view.trusted_ms { return judgeWake(trusted_ms, at: now_ms) }
    switch state {
    case .awake: return consider(view, at: now_ms)
    case .waiting(let hold, let until_ms):
      self.hold = view.hold ?? hold
      guard now_ms >= until_ms else { return [] }
      state = .awake
      return consider(view, at: now_ms)
    case .asking, .draining, .settingAlarm, .committing: return prepare(view, at: now_ms)
    case .goingDown(_, let until_ms, let isAccepted):
      guard now_ms >= until_ms else { return [] }
      guard settings.isOn else {
        defer { hold = nil }
        return end(.awake, .powerOff, "", at: now_ms)
      }
      let words =
        isAccepted ? "was to go off, and is still on" : "was to sleep, and the system does not answer"
      return unanswered("the board \(words) after \(BoardSleep.patience_ms / 1000) s", at: now_ms)
    }
  }

  private mutating func consider(_ view: View, at now_ms: Int64) -> [Action] {
    guard let plan = plan(view, at: now_ms) else { return [] }
    (state, planned_ms) = (.asking(plan), now_ms)
    return [.order(.look)]
  }

  /// - Returns: nil while something keeps it awake: `hold`.
  private mutating func plan(_ view: View, at now_ms: Int64) -> SleepPlan? {
    switch verdict(view, at: now_ms) {
    case .success(let plan):
      hold = nil
      return plan
    case .failure(let held):
      hold = held.hold
      nextLook_ms = held.until_ms ?? now_ms
      return nil
    }
  }

  private struct Held: Error {
    var hold: SleepHold
    var until_ms: Int64?
  }

  private func verdict(_ view: View, at now_ms: Int64) -> Result<SleepPlan, Held> {
    if let hold = view.hold { return .failure(Held(hold: hold)) }
    guard let trusted_ms = view.trusted_ms else { return .failure(Held(hold: .clock)) }
    guard let reason = view.reason else { return .failure(Held(hold: .window)) }
    guard let until_ms = wakeTime_ms(view, reason, trusted_ms) else {
      return .failure(Held(hold: .noNextChange))
    }
    let awakeUntil_ms = awakeSince_ms + milliseconds(settings.minAwake_s)
    if now_ms < awakeUntil_ms { return .failure(Held(hold: .justAwake, until_ms: awakeUntil_ms)) }
    let recent = history.recent(at: trusted_ms, awakeFor_ms: now_ms - awakeSince_ms)
    if recent.count >= settings.mostPerHour {
      let oldest_ms = recent.min().map { $0 + SleepHistory.hour_ms - trusted_ms } ?? 0
      let again_ms = min(max(oldest_ms, BoardSleep.askAgain_ms), SleepHistory.hour_ms)
      return .failure(Held(hold: .tooOften, until_ms: now_ms + again_ms))
    }
    guard until_ms - trusted_ms >= milliseconds(settings.min_s) + BoardSleep.cost_ms else {
      return .failure(Held(hold: .tooShort))
    }
    return .success(SleepPlan(reason: reason, begin_ms: trusted_ms, until_ms: until_ms))
  }

  /// Before the next window, or for a sign of life; nil where there is nothing to wake for.
  private func wakeTime_ms(_ view: View, _ reason: SleepReason, _ trusted_ms: Int64) -> Int64? {
    // A schedule that never opens again is most likely a mistake, which somebody will want to mend.
    if reason == .windowClosed, view.opens_ms == nil { return nil }
    let window_ms = view.opens_ms.map { $0 - lead_ms }
    // No sooner than is worth a sleep, or there would never be one.
    let sign_ms =
      settings.wakeEvery_s > 0
      ? trusted_ms
        + max(milliseconds(settings.wakeEvery_s), milliseconds(settings.min_s) + BoardSleep.cost_ms)
      : nil
    return earliest(window_ms, sign_ms).map { min($0, trusted_ms + reach_ms) }
  }

  package var lead_ms: Int64 { history.lead.expected_ms(before: milliseconds(settings.lead_s)) }

  // MARK: Going to sleep

  private mutating func prepare(_ view: View, at now_ms: Int64) -> [Action] {
    guard let plan else { return [] }
    if let hold = view.hold ?? heldNow(view, plan, at: now_ms) { return callOff(hold, at: now_ms) }
    guard case .draining(let plan, let until_ms, let isBegun) = state, let trusted_ms = view.trusted_ms else {
      return []
    }
    guard now_ms >= until_ms || isBegun && view.isDrained else {
      guard !isBegun, view.mayDrain else { return [] }
      state = .draining(plan, until_ms: until_ms, isBegun: true)
      return [.drain]
    }
    state = .settingAlarm(plan)
    return [.order(.setAlarm(in_ms: plan.until_ms - trusted_ms, at_ms: plan.until_ms))]
  }

  /// What has changed since the plan was made.
  private func heldNow(_ view: View, _ plan: SleepPlan, at now_ms: Int64) -> SleepHold? {
    guard let trusted_ms = view.trusted_ms else { return .clock }
    guard view.reason == plan.reason else { return .window }
    guard let wanted_ms = wakeTime_ms(view, plan.reason, trusted_ms) else { return .noNextChange }
    let left_ms = plan.until_ms - trusted_ms
    // The clock was set: the plan is of another time, and so is an alarm.
    let set_ms = trusted_ms - plan.begin_ms - (now_ms - planned_ms)
    let isRight = plan.until_ms <= wanted_ms + 1000 && set_ms.magnitude <= BoardSleep.drift_ms
    return isRight && left_ms >= milliseconds(settings.min_s) / 2 ? nil : .tooShort
  }

  package mutating func heard(_ news: BoardNews, _ view: View, at now_ms: Int64) -> [Action] {
    switch (news, state) {
    case (.looked(nil, _), .asking(let plan)):
      said = ""
      state = .draining(plan, until_ms: now_ms + milliseconds(settings.drain_s), isBegun: false)
      return [.announce(plan)]
    case (.looked(let hold?, let words), .asking), (.looked(let hold?, let words), .goingDown):
      return wait(for: hold, words, at: now_ms)
    case (.alarmSet(let alarm_s), .settingAlarm(var plan)):
      plan.alarm_s = alarm_s
      state = .committing(plan)
      // Before it is on storage: a sleep that is cut short counts too.
      history.began(at: plan.begin_ms)
      return [.save(atOnce: true)]
    case (.alarmFailed(let words), .settingAlarm(let plan)): return alarmFailed(plan, words, at: now_ms)
    case (.accepted, .goingDown(let plan, _, _)):
      state = .goingDown(plan, until_ms: now_ms + BoardSleep.patience_ms, isAccepted: true)
      return []
    case (.refused(let words), .asking), (.refused(let words), .goingDown), (.unanswered(let words), .asking):
      return failed(.powerOff, words, at: now_ms)
    case (.unanswered(let words), .goingDown): return unanswered(words, at: now_ms)
    case (.resumed(let slept_ms), .goingDown(let plan, _, _)):
      return resumed(plan, slept_ms: slept_ms, view, at: now_ms)
    // Somebody else has suspended the machine.
    case (.resumed, _):
      awakeSince_ms = now_ms
      return plan == nil ? [] : callOff(.justAwake, at: now_ms)
    // An answer that comes too late.
    case (.looked, _), (.alarmSet, _), (.alarmFailed, _), (.accepted, _), (.refused, _), (.unanswered, _):
      return []
    }
  }

  private mutating func resumed(_ plan: SleepPlan, slept_ms: Int64, _ view: View, at now_ms: Int64)
    -> [Action]
  {
    (state, hold, awakeSince_ms, failures) = (.awake, .justAwake, now_ms, 0)
    nextLook_ms = now_ms + milliseconds(settings.minAwake_s)
    let wake = Wake(
      suspended: plan, slept_ms: slept_ms, ignitionIsOn: view.ignitionIsOn,
      time_ms: view.trusted_ms ?? plan.begin_ms &+ slept_ms)
    lastWake = wake
    readyAfter_ms = wake.cause == .alarm ? wake.late_ms ?? 0 : nil
    return [.woke(wake), .order(.clearAlarm), .save(atOnce: false)]
  }

  /// The last commit is on storage, with the alarm. - Parameter view: a slow card may have taken minutes for it.
  package mutating func committed(_ view: View, at now_ms: Int64) -> [Action] {
    guard case .committing(let plan) = state else { return [] }
    if let hold = view.hold ?? heldNow(view, plan, at: now_ms) { return callOff(hold, at: now_ms) }
    state = .goingDown(plan, until_ms: now_ms + BoardSleep.patience_ms, isAccepted: false)
    return [.order(.sleep)]
  }

  // MARK: What is in the way

  /// Something that the tracker knows of has come up.
  private mutating func callOff(_ hold: SleepHold, at now_ms: Int64) -> [Action] {
    end(.awake, hold, "the board stays awake: \(hold.rawValue)", at: now_ms)
  }

  private mutating func wait(for hold: SleepHold, _ words: String, at now_ms: Int64) -> [Action] {
    let why = words.isEmpty ? hold.rawValue : words
    return end(
      .waiting(hold, until_ms: now_ms + BoardSleep.askAgain_ms), hold, "the board stays awake: \(why)",
      at: now_ms)
  }

  private mutating func failed(_ hold: SleepHold, _ words: String, at now_ms: Int64) -> [Action] {
    let wait_ms = min(BoardSleep.retry_ms << min(failures, 10), BoardSleep.longestRetry_ms)
    failures += 1
    return [.warn(words)] + end(.waiting(hold, until_ms: now_ms + wait_ms), hold, "", at: now_ms)
  }

  private mutating func alarmFailed(_ plan: SleepPlan, _ words: String, at now_ms: Int64) -> [Action] {
    guard plan.until_ms - plan.begin_ms > BoardSleep.withinADay_ms else {
      return failed(.alarm, words, at: now_ms)
    }
    reach_ms = BoardSleep.withinADay_ms
    return end(
      .waiting(.alarm, until_ms: now_ms), .alarm, "\(words). Once more, with an alarm within 23 hours",
      at: now_ms)
  }

  /// The order was given, and nobody says what becomes of it: the board may still go off, and must come back.
  private mutating func unanswered(_ words: String, at now_ms: Int64) -> [Action] {
    if case .goingDown(let plan, let until_ms, _) = state {
      state = .goingDown(plan, until_ms: until_ms, isAccepted: true)
    }
    return failed(.powerOff, words, at: now_ms)
  }

  private mutating func end(_ next: State, _ hold: SleepHold, _ words: String, at now_ms: Int64) -> [Action] {
    var actions: [Action] = []
    switch state {
    // One that is being set may be set.
    case .settingAlarm, .committing, .goingDown(_, _, isAccepted: false):
      actions += [.order(.clearAlarm), .save(atOnce: false)]
    // It may still go off: the alarm stays.
    case .goingDown(_, _, isAccepted: true): actions.append(.save(atOnce: false))
    case .awake, .asking, .draining, .waiting: break
    }
    if isAnnounced { actions.append(.calledOff) }
    if !words.isEmpty, words != said {
      actions.append(.log(words))
      said = words
    }
    (state, self.hold, nextLook_ms) = (next, hold, now_ms)
    return actions
  }
}
