import TrackerBase
import TrackerRemote

/// What operators want instead of the schedule, and safe mode.
extension Tracker {
  /// On storage first, then obeyed.
  mutating func intentAsked(_ request: IntentWish, at now: Moment) {
    runState.ask(request, trusted_ms: receiver.trusted_ms(at: now), at: now.boot_ms)
    saveRunState(at: now)
    log(.notice, "an operator wants: \(Tracker.words(request))")
    lookAtWindow(at: now)
    recordOverride(at: now)
  }

  /// What has come to its end.
  mutating func runStateChanged(_ changes: [WishChange], at now: Moment) {
    writeRunState(at: now)
    for change in changes {
      switch change {
      case .ended(let kind):
        log(.notice, "\(kind.rawValue): the time that the operator gave is over")
        recordOverride(at: now)
      case .tryingAgain:
        log(.notice, "an hour of safe mode is over: the GPS is tried again")
        recordOverride(at: now)
      case .crashesForgotten: log(.notice, "an hour without a crash: those before no longer count")
      case .saveDue: break
      }
    }
  }

  mutating func saveRunState(at now: Moment) {
    runState.saving(at: now.boot_ms)
    writeRunState(at: now)
  }

  private mutating func writeRunState(at now: Moment) {
    let trusted_ms = receiver.trusted_ms(at: now)
    actions.append(.saveRunState(runState.saved(trusted_ms: trusted_ms, at: now.boot_ms)))
  }

  mutating func runStateNotSaved(_ words: String, at now: Moment) {
    guard runState.notSaved(at: now.boot_ms) else { return }
    warn(.storage, at: now, "pauses, tracks and the count of crashes are not saved: \(words)")
  }

  /// At the start of the process.
  mutating func reportRunState(at now: Moment) {
    if let words = restored.runStateProblem {
      _ = runState.notSaved(at: now.boot_ms)
      warn(.storage, at: now, "pauses, tracks and the count of crashes from before are forgotten: \(words)")
    }
    let crashes = runState.crashes.crashes
    if runState.crashes.isSafe {
      warn(
        .safeMode, at: now,
        "\(crashes) crashes: the GPS stays off for an hour, sync goes on; restarting in order ends this",
        times: crashes)
      if runState.crashes.hasBecomeSafe { recordOverride(at: now) }
    } else if runState.hasCrashed {
      warn(
        .crashed, at: now,
        "the run before ended without order, by a crash or a kill: \(crashes) within an hour")
    }
    if let kind = runState.intents.inForce { log(.notice, "an operator's \(kind.rawValue) is in force") }
  }

  /// Whoever looks at the track later must know why it has a gap.
  private mutating func recordOverride(at now: Moment) {
    let intent = runState.intents.inForce
    let left_ms = intent.flatMap { runState.intents[$0]?.left_ms(at: now.boot_ms) }
    let crashes = runState.crashes.isSafe ? runState.crashes.crashes : nil
    record(
      .status(.intent(intent, left_s: left_ms.map { $0 / 1000 }, crashes: crashes)), fix: journey.lastFix,
      at: now)
    statusWanted(at: now)
  }

  static func words(_ request: IntentWish) -> String {
    switch request {
    case .pause(nil): "pause"
    case .pause(let length_ms?): "pause for \(length_ms / 1000) s"
    case .track(let length_ms): "track for \(length_ms / 1000) s"
    case .resume: "resume"
    }
  }

  func describeRunState(_ status: inout TrackerStatus, at now: Moment) {
    let trusted_ms = receiver.trusted_ms(at: now)
    let wishes: [WishStatus] = IntentKind.allCases.compactMap { kind in
      guard let intent = runState.intents[kind] else { return nil }
      let left_ms = intent.left_ms(at: now.boot_ms)
      let until_ms = left_ms.flatMap { left in trusted_ms.map { $0 + left } }
      return WishStatus(kind: kind, left_s: left_ms.map { ($0 + 999) / 1000 }, until_ms: until_ms)
    }
    status.intent = IntentStatus(wishes, isSaved: runState.isDurable)
    if case .safe(let since_ms, let crashes) = runState.crashes.stage {
      let left_ms = since_ms + CrashWatch.hour_ms - now.boot_ms
      status.safeMode = SafeModeStatus(crashes: crashes, left_s: max(0, left_ms / 1000))
    }
  }
}
