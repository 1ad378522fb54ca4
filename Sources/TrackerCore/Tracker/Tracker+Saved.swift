/// What outlives the process, and what of it makes no sense.
extension Tracker {
  func saved(at now: Moment) -> [String: String] {
    [
      receiver.saved, journey.saved, dispatch.saved, savedGaps(at: now),
      ["energy": energy.saved(bootID: runState.bootID), "supply": supply.external.saved],
    ]
    .reduce(into: [:]) { $0.merge($1) { first, _ in first } }
  }

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
      ])
  }
}
