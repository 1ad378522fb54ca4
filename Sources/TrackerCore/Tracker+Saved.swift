import TrackerBase
import TrackerBoard
import TrackerDispatch
import TrackerJourney
import TrackerReceiver

/// What outlives the process, and what of it makes no sense.
extension Tracker {
  /// - Parameter tail: the newest fix that is saved with it.
  func saved(tail: Fix?, at now: Moment) -> [String: JSONValue] {
    var state = StateDraft()
    journey.save(to: &state)
    dispatch.save(to: &state)
    receiver.save(to: &state)
    saveGaps(to: &state, tail: tail, at: now)
    supply.save(to: &state)
    acceleration.save(to: &state)
    sleep.save(to: &state, bootID: runState.bootID)
    // Without a current nobody would see it.
    if settings.energy.hasCurrents { energy.save(to: &state, bootID: runState.bootID) }
    return state.values
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
    let keys = SavedState(found.state).unreadable(Tracker.kinds)
    guard !keys.isEmpty else { return }
    let names = keys.joined(separator: ", ")
    reportDamage("the saved state makes no sense and is not used for \(names): it begins anew", at: now)
  }

  static var kinds: SavedKinds {
    [
      Journey.kinds, Dispatch.kinds, Receiver.kinds, TrackGaps.kinds, SupplyWatch.kinds,
      AccelerationWatch.kinds,
      BoardSleep.kinds, EnergyLedger.kinds,
    ].reduce(into: [:]) { $0.merge($1) { $1 } }
  }
}
