import TrackerBase

/// What the parts of the tracker ask of its dispatch.
extension Tracker {
  mutating func stateChanged(at now: Moment) { dispatch.stateChanged(at: now.boot_ms) }

  /// Operators should see it with the next request.
  mutating func statusWanted(at now: Moment) { dispatch.statusWanted(at: now.boot_ms) }

  /// With a request of its own.
  mutating func statusAtOnce(at now: Moment) { dispatch.statusAtOnce(at: now.boot_ms) }

  /// The power may go at any moment: everything to storage at once.
  mutating func hurry(at now: Moment) { dispatch.hurry(at: now.boot_ms) }

  /// The last `.commit` is on storage.
  mutating func committed(queued: [Int], at now: Moment) {
    dispatch.committed(queued: queued, at: now.boot_ms)
    sleepCommitted(at: now)
  }
}
