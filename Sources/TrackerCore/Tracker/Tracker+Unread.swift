/// A start on storage of which nothing can be read: numbers, trips and the odometer begin at zero, and nothing of it is
/// committed or sent.
extension Tracker {
  /// What storage held comes before what has been made since. What is known by now about motion and geofences is
  /// newer than what was saved.
  mutating func queueRead(_ found: Restored, at now: Moment) {
    let saved = SavedState(entries: found.state)
    isUnread = false
    odometer.add(before_m: saved.odometer.total_m)
    budget.add(ByteBudget(settings: settings.sync, saved: saved.budget, at: now.boot_ms))
    lastTripID += saved.lastTripID
    if var trip {
      trip.id += saved.lastTripID
      self.trip = trip
    }
    outbox.goOn(from: found.lastSequence, trip: saved.lastTripID, odometer_m: saved.odometer.total_m)
    takeUndated(found.state["undated"], at: now)
    log(.notice, "the queue can be read again: \(found.queued.first ?? 0) queued records")
    tellUnreadable(saved, at: now)
    for record in found.tail { recordAgain(record, at: now) }
    if let open = saved.trip { goOn(with: open, saved, at: now) }
    for (server, queued) in found.queued.enumerated() { queueChanged(to: queued, of: server, at: now) }
  }

  /// The trip that was open when the last process ended goes on, unless it is known by now what the vehicle does.
  private mutating func goOn(with open: Trip, _ saved: SavedState, at now: Moment) {
    if case .unknown = motion.state, trip == nil, positionProbe == nil {
      (trip, resumedTrip) = (open, true)
      motion = saved.motion(settings: settings.motion, at: now.boot_ms)
      motion.hasSentinel = lines.willTellOfDeparture
      return
    }
    let current = trip
    trip = open
    let end_ms = max(open.lastFix_ms, open.start_ms)
    record(.trip(open.summary(end_ms: end_ms, cause: .processEnded)), fix: nil, at: now)
    trip = current
    counters.trips += 1
  }
}
