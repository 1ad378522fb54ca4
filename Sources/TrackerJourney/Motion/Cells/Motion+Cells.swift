import TrackerBase

/// The modem's serving cell as a sign of life of a parked vehicle.
extension Motion {
  /// What serves the modems now; none: they say nothing.
  ///
  /// A cell that is new to the parking place starts a probe at once. Where the modem falls silent, the pause that is
  /// going on relied on it: then it is no longer than without.
  public mutating func cellsShown(_ serving: [Cell], at now_ms: Int64) -> [Action] {
    let relied = cells.told_s != nil
    let isNew = cells.shown(serving, at: now_ms)
    guard case .stationary = state, case .waiting(let until_ms, let since_ms) = parked.probe else {
      return []
    }
    if isNew, now_ms < until_ms {
      parked.probe = .waiting(until_ms: now_ms, since_ms: since_ms)
      parked.lookedFor = .cell
    }
    if relied, cells.told_s == nil { looksForItself(at: now_ms) }
    return tick(at: now_ms)
  }

  /// What the pause that is going on relied on tells nothing any more: it is no longer than without.
  mutating func looksForItself(at now_ms: Int64) {
    guard case .stationary = state, case .waiting(let until_ms, let since_ms) = parked.probe,
      case .waiting(let alone_ms, _) = nextProbe(since_ms: since_ms, at: parked.lookedAt_ms ?? since_ms)
    else { return }
    parked.probe = .waiting(until_ms: min(until_ms, max(now_ms, alone_ms)), since_ms: since_ms)
  }

  /// Under no sky a new cell is not explained by one look: the next ones follow soon, until the doubt ends.
  var doubtPause_ms: Int64? {
    guard cells.newSince_ms != nil, parked.unanswered > 0 else { return nil }
    return milliseconds(min(Motion.leastPause_s, settings.probeInterval_s))
  }

  /// Probes beside a modem that tells of departures.
  func told(_ pace: ProbePace) -> ProbePace {
    guard let told_s = cells.told_s, settings.probeWorthWithCells > 0 else { return pace }
    var told = pace
    (told.told_s, told.worth) = (told_s, settings.probeWorthWithCells)
    return told
  }

  /// A departure that was told lies no farther back than twice what it takes on the mean.
  var toldAfter_ms: Int64? { cells.newSince_ms.map { $0 - 2 * milliseconds(cells.delay.mean_s) } }

  /// Boot time of a departure, as its trip has it.
  func leftSince_ms(_ track: [Fix], from place: Place, after_ms: Int64?, at now_ms: Int64) -> Int64 {
    guard let first = track.first, let last = track.last else { return now_ms }
    let unseen = UnseenStart(
      place: place, leftAfter_ms: after_ms, seen: track, radius_m: settings.stationaryRadius_m)
    return now_ms - max(0, last.time_ms - (unseen?.start_ms ?? first.time_ms))
  }
}
