/// What outlives the process, and what of it makes no sense.
extension Tracker {
  /// - Parameter tail: the newest fix that is saved with it.
  func saved(tail: Fix?, at now: Moment) -> [String: JSONValue] {
    var state = StateDraft()
    journey.save(to: &state)
    dispatch.save(to: &state)
    receiver.reception.save(to: &state)
    saveGaps(to: &state, tail: tail, at: now)
    state.set("clock", receiver.clock.saved)
    state.set("supply_lost", supply.external.isReportedLost ? true : nil)
    state.set("battery_low", battery.isLow ? true : nil)
    state.set("acceleration", acceleration.noise)
    state.set("sleep", sleep.saved(bootID: runState.bootID))
    state.set("sleeps", sleep.history)
    // Without a current nobody would see it.
    state.set("energy", settings.energy.hasCurrents ? energy.saved(bootID: runState.bootID) : nil)
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

  /// What is saved under which key.
  static var kinds: [String: any Savable.Type] {
    [
      "acceleration": ParkedNoise.self, "battery_low": Bool.self, "budget": DayAndMonth<Int64>.self,
      "bytes": DayAndMonth<ByteCounts<ByteCause>>.self, "cells": SavedCells.self, "clock": SavedClock.self,
      "energy": SavedEnergy.self, "gap": SavedGap.self, "geofences": [SavedStay].self,
      "gps_day": SavedGPSDay.self,
      "gps_health": GPSHealth.self, "habits": SavedHabits.self, "last_trip": Int64.self,
      "lines": SavedLines.self,
      "motion": SavedMotion.self, "mqtt_3_1_1": [String].self, "odometer_anchor": SavedAnchor.self,
      "odometer_m": SavedMetres.self, "roaming_budget": DayAndMonth<Int64>.self,
      "server_bytes": DayAndMonth<ByteCounts<ServerName>>.self, "sleep": SavedSleep.self,
      "sleeps": SleepHistory.self,
      "speeding": SpeedWatch.Offence.self, "supply_lost": Bool.self, "topic": DayAndMonth<Int64>.self,
      "trip": SavedTrip.self, "undated": SavedUndated.self,
    ]
  }
}
