/// What outlives the process, and what of it makes no sense.
extension Tracker {
  func saved(at now: Moment) -> [String: String] {
    var state = savedExactly(tail: journey.tail(at: time(now)).last?.fix, at: now)
    addPeriodic(to: &state)
    return state.values
  }

  /// What is to be true after a power cut too.
  private func savedExactly(tail: Fix?, at now: Moment) -> StateDraft {
    var state = StateDraft()
    journey.save(to: &state)
    dispatch.save(to: &state)
    state["clock"] = receiver.clock.saved
    saveGaps(to: &state, tail: tail, at: now)
    (state["supply"], state["battery"]) = (supply.external.saved, battery.saved)
    state["acceleration"] = acceleration.noise.saved
    (state["sleep"], state["sleeps"]) = (sleep.saved(bootID: runState.bootID), sleep.history.text)
    return state
  }

  /// `Commit.periodicKeys`: sums that grow with each event.
  private func addPeriodic(to state: inout StateDraft) {
    receiver.reception.save(to: &state)
    state["bytes"] = dispatch.spending.bytes.saved
    state["habits"] = journey.motion.habits.saved
    state["server_bytes"] = dispatch.spending.byServer.saved
    state["energy"] = energy.saved(bootID: runState.bootID)
  }

  static let periodicPause_ms: Int64 = 600_000

  /// For a commit.
  ///
  /// - Parameters:
  ///   - tail: the newest fix in it.
  ///   - isLast: the process ends.
  mutating func stateToCommit(tail: Fix?, isLast: Bool, at now: Moment) -> [String: String] {
    var state = savedExactly(tail: tail, at: now)
    let isDue = periodicAt_ms.map { now.boot_ms - $0 >= Tracker.periodicPause_ms } ?? true
    guard isDue || isLast else { return state.values }
    periodicAt_ms = now.boot_ms
    addPeriodic(to: &state)
    // Nobody would see it.
    if !settings.energy.hasCurrents { state["energy"] = "" }
    return state.values
  }

  /// What was on its way did not get to storage, or storage had other sums: the next commit has all of it.
  mutating func periodicLost() { periodicAt_ms = nil }

  /// The state holds the last sign of life too.
  var saveDeadline_ms: Int64 { savedAt_ms + Tracker.longestUnsaved_ms }
  static let longestUnsaved_ms: Int64 = 3_600_000

  mutating func saveIfDue(at now: Moment) {
    guard now.boot_ms >= saveDeadline_ms else { return }
    savedAt_ms = now.boot_ms
    stateChanged(at: now)
  }

  /// As a record too: the counts of the status begin anew with each start, and this is reported once.
  mutating func reportDamage(_ words: String, at now: Moment) {
    warn(.queueDamaged, at: now, words)
    record(.warning(.queueDamaged(words)), fix: nil, at: now)
  }

  mutating func reportUnreadable(_ found: Restored, at now: Moment) {
    let keys = Tracker.unreadable(in: SavedState(found.state))
    guard !keys.isEmpty else { return }
    let names = keys.joined(separator: ", ")
    reportDamage("the saved state makes no sense and is not used for \(names): it begins anew", at: now)
  }

  static func unreadable(in state: SavedState) -> [String] {
    Journey.unreadable(in: state) + Dispatch.unreadable(in: state)
      + Reception.unreadable(in: state)
      + state.keys(where: [
        "gap": TrackGaps.isUnreadable(state["gap"]), "energy": EnergyLedger.isUnreadable(state["energy"]),
        "supply": ExternalPower.isUnreadable(state["supply"]),
        "battery": BatteryWatch.isUnreadable(state["battery"]),
        "acceleration": ParkedNoise(saved: state["acceleration"]) == nil,
        "sleep": SavedSleep(state["sleep"]) == nil, "sleeps": SleepHistory(state["sleeps"]) == nil,
      ])
  }
}
