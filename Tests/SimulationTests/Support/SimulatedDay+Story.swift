import TrackerIO
import TrackerLab

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote
@testable import godwit

extension SimulatedDay {
  /// What the server was reported makes sense: the odometer never falls and shows no metre that was not driven, trips
  /// follow one another.
  func checkStory(_ records: [Record]) {
    // What was lost with the file cannot go on.
    if world.met["queueFileEmptied"] != nil { return }
    var odometer_m = 0.0
    for record in records where isKept(record) {
      if record.odometer_m < odometer_m - 0.001 {
        let fall = Int(odometer_m - record.odometer_m)
        world.violations.note("odometer", "falls by \(fall) m with record \(record.sequence)")
      }
      odometer_m = max(odometer_m, record.odometer_m)
    }
    // After a stretch without fixes, such as between two lives, a wrong place may have been within reach (docs/motion.md).
    let mayHaveFollowed = world.met["otherPlace"] != nil && outcome.lives > 1
    if odometer_m > world.driven_m * 1.1 + 500, !mayHaveFollowed {
      world.violations.note(
        "odometer", "\(Int(odometer_m)) m, and \(Int(world.driven_m)) m were driven")
    }
    checkTrips(records)
  }

  /// What a life sent from memory and never stored, the next one cannot go on from.
  private func isKept(_ record: Record) -> Bool { !world.isOfServersAlone(record) }

  private func checkTrips(_ records: [Record]) {
    var lastEnd_ms: Int64 = .min
    // A wrong date dates trips wrongly.
    if world.met["wrongDate"] != nil { return }
    // A trip whose end was only sent goes on in the next life, and ends once more.
    for record in records where isKept(record) {
      // A trip without any fix has only a clock to date it, and in the plan even a synchronised one may be wrong.
      guard case .trip(let trip) = record.content, trip.end_ms > trip.start_ms else { continue }
      if trip.start_ms < lastEnd_ms {
        let overlap = (lastEnd_ms - trip.start_ms) / 1000
        world.violations.note("trips", "trip \(trip.id) begins \(overlap) s before the one before ended")
      }
      lastEnd_ms = max(lastEnd_ms, trip.end_ms)
    }
  }

  /// After one of its files was emptied, the queue has what was left, and says so if anything is missing (N4, N7).
  func takeStock(_ queue: QueueStore) throws {
    guard world.mayHaveLost else { return }
    world.mayHaveLost = false
    let isReported = !queue.openReport.damage.isEmpty
    var (waiting, gone): (Set<Int64>, Set<Int64>) = ([], [])
    for server in world.servers.indices {
      let (queued, missing) = try search(queue, server)
      let accounted = try queue[server].summary().accounted
      if missing.count > accounted, !isReported {
        world.violations.note("N7", "\(missing.count) records are gone, and nothing is said")
      }
      waiting.formUnion(queued)
      gone.formUnion(missing)
    }
    // What all servers have cannot be lost any more, and its numbers may be given again, under another queue id.
    world.committed = world.committed.intersection(waiting).subtracting(gone)
  }

  /// Numbers of what waits for a server, and of what was committed and is neither there nor at the server.
  func search(_ queue: QueueStore, _ server: Int) throws -> (queued: Set<Int64>, missing: Set<Int64>) {
    let queued = Dictionary(
      uniqueKeysWithValues: try queue[server].batch(limit: .max).map { ($0.sequence, $0) })
    let missing = world.committed.filter { sequence in
      guard let record = world.recorded[sequence] else { return true }
      return queued[sequence]?.isSame(as: record) != true && !world.servers[server].has(record)
    }
    return (Set(queued.keys), missing)
  }

  /// N11: track and gaps cover every second of the day once.
  func checkCoverage(by tracker: Tracker, at now: Moment) {
    let records =
      world.recorded.values + tracker.dispatch.outbox.pending + tracker.saved(at: now).tail
    let coverage = TrackCoverage(Array(records), maxInterval_s: world.settings.track.maxInterval_s)
    let problems = coverage.problems(
      from: SimulatedWorld.start_ms, to: world.track_ms, openSince_ms: openGap_ms)
    if problems.isEmpty { return }
    for problem in problems { world.violations.note("N11", problem) }
    for gap in coverage.gaps { world.noteLog("gap \(coverage.words(gap, since: SimulatedWorld.start_ms))") }
    world.noteLog(
      "open since \((openGap_ms ?? 0) - SimulatedWorld.start_ms) ms, \(tracker.gaps.parts) \(tracker.noTrackCause as Any)"
    )
  }
}

extension QueueSummary {
  /// Records that are in quarantine, or counted as dropped.
  var accounted: Int {
    let causes = ledger.filter { $0.key != LedgerCause.damageUnknown.rawValue }
    return quarantined + causes.values.reduce(0, +)
  }
}
