/// Storage that can be read again, or for the first time.
extension Tracker {
  /// What storage held comes before what has been made since.
  mutating func queueRead(_ found: Restored, at now: Moment) {
    let saved = SavedState(found.state)
    journey.add(saved)
    energy.add(saved["energy"])
    receiver.add(saved)
    acceleration.remember(saved)
    periodicLost()
    dispatch.queueRead(
      found, trip: Trips.lastID(saved), odometer_m: saved.metres("odometer_m") ?? 0, at: now.boot_ms)
    route(at: now)
    addSupply(saved, at: now)
    log(.notice, "the queue can be read again: \(counted(found.queued.first ?? 0, "queued record"))")
    reportUnreadable(found, at: now)
    journey.keepAgain(found.tail)
    journey.goOn(with: saved, at: time(now))
    route(at: now)
    noteQueued(found, at: now)
  }

  mutating func noteQueued(_ found: Restored, at now: Moment) {
    for words in found.moves { warn(.identityChanged, at: now, words) }
    for (server, queued) in found.queued.enumerated() {
      dispatch.queueChanged(to: queued, of: server, at: now.boot_ms)
    }
    route(at: now)
  }
}
