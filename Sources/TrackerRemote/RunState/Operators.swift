import TrackerBase

/// What operators want instead of the schedule, and safe mode.
package struct Operators: Part {
  package private(set) var state: RunState
  /// Why it could not be read or saved at the start; nil once that is reported.
  private var startProblem: String?

  package init(_ state: RunState, problem: String?) { (self.state, startProblem) = (state, problem) }

  package mutating func handle(_ event: Event, _ facts: Facts, at now: Moment) -> [Want]? {
    switch event {
    case .started: return report(at: now)
    case .timer, .clockStepped: return tick(facts, at: now)
    case .intentAsked(let wish): return asked(wish, facts, at: now)
    case .runStateNotSaved(let words):
      guard state.notSaved(at: now.boot_ms) else { return [] }
      return [.warn(.storage, "pauses, tracks and the count of crashes are not saved: \(words)")]
    default: return nil
    }
  }

  package mutating func hear(_ news: News, _ facts: Facts, at now: Moment) -> [Want]? {
    switch news {
    case .begun, .timeBecameKnown: return tick(facts, at: now)
    case .intentAsked(let wish): return asked(wish, facts, at: now)
    case .ended:
      state.runEnded()
      state.saving(at: now.boot_ms)
      return [saving(facts, at: now)]
    default: return nil
    }
  }

  /// On storage first, then obeyed.
  private mutating func asked(_ wish: IntentWish, _ facts: Facts, at now: Moment) -> [Want] {
    state.ask(wish, trusted_ms: facts.trusted_ms, at: now.boot_ms)
    state.saving(at: now.boot_ms)
    return [
      saving(facts, at: now), .log(.notice, "an operator wants: \(wish.words)"), .tell(.wishesChanged),
    ] + record(at: now)
  }

  /// What has come to its end.
  private mutating func tick(_ facts: Facts, at now: Moment) -> [Want] {
    let changes = state.tick(trusted_ms: facts.trusted_ms, at: now.boot_ms)
    if changes.isEmpty { return [] }
    let reports = changes.flatMap { change -> [Want] in
      switch change {
      case .ended(let kind):
        return [.log(.notice, "\(kind.rawValue): the time that the operator gave is over")] + record(at: now)
      case .tryingAgain:
        return [.log(.notice, "an hour of safe mode is over: the GPS is tried again")] + record(at: now)
      case .crashesForgotten:
        return [.log(.notice, "an hour without a crash: those before no longer count")]
      case .saveDue: return []
      }
    }
    return [saving(facts, at: now)] + reports + [.tell(.wishesChanged)]
  }

  private func saving(_ facts: Facts, at now: Moment) -> Want {
    .perform(.saveRunState(state.saved(trusted_ms: facts.trusted_ms, at: now.boot_ms)))
  }

  /// At the start of the process.
  private mutating func report(at now: Moment) -> [Want] {
    var wants: [Want] = []
    if let words = startProblem {
      startProblem = nil
      _ = state.notSaved(at: now.boot_ms)
      wants.append(
        .warn(.storage, "pauses, tracks and the count of crashes from before are forgotten: \(words)"))
    }
    let crashes = state.crashes.crashes
    if state.crashes.isSafe {
      let words =
        "\(crashes) crashes: the GPS stays off for an hour, sync goes on; restarting in order ends this"
      wants.append(.warn(.safeMode, words, times: crashes))
      if state.crashes.hasBecomeSafe { wants += record(at: now) }
    } else if state.hasCrashed {
      let words = "the run before ended without order, by a crash or a kill: \(crashes) within an hour"
      wants.append(.warn(.crashed, words))
    }
    if let kind = state.intents.inForce {
      wants.append(.log(.notice, "an operator's \(kind.rawValue) is in force"))
    }
    return wants
  }

  /// Who looks at the track later must know why it has a gap.
  private func record(at now: Moment) -> [Want] {
    let intent = state.intents.inForce
    let left_ms = intent.flatMap { state.intents[$0]?.left_ms(at: now.boot_ms) }
    let crashes = state.crashes.isSafe ? state.crashes.crashes : nil
    let event = StatusEvent.intent(intent, left_s: left_ms.map { $0 / 1000 }, crashes: crashes)
    return [.tell(.record(.status(event), .lastOrNone, dated: nil)), .report]
  }

  package func publish(to facts: inout Facts, at now: Moment) {
    facts.override = state.override
    facts.hasIntent = state.intents.inForce != nil
  }

  package func lasts(_ warning: WarningName, at now: Moment) -> Bool {
    warning == .safeMode && state.override == .safeMode
  }

  package var deadline_ms: Int64? { state.deadline_ms }

  package func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment) {
    status.starts = state.starts
    let wishes = state.intents.wishes(at: now.boot_ms).map { kind, left_ms in
      let until_ms = left_ms.flatMap { left in facts.trusted_ms.map { $0 + left } }
      return WishStatus(kind: kind, left_s: left_ms.map { ($0 + 999) / 1000 }, until_ms: until_ms)
    }
    status.intent = IntentStatus(wishes, isSaved: state.isDurable)
    if case .safe(let since_ms, let crashes) = state.crashes.stage {
      let left_ms = since_ms + CrashWatch.hour_ms - now.boot_ms
      status.safeMode = SafeModeStatus(crashes: crashes, left_s: max(0, left_ms / 1000))
    }
  }
}

extension IntentWish {
  /// For the log.
  var words: String {
    switch self {
    case .pause(nil): "pause"
    case .pause(let length_ms?): "pause for \(length_ms / 1000) s"
    case .track(let length_ms): "track for \(length_ms / 1000) s"
    case .resume: "resume"
    }
  }
}
