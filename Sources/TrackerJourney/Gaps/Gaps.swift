import TrackerBase

/// The gaps of the track as records, from why there is none (`Facts.noTrackCause`) and from what is recorded of trips.
package struct Gaps: Part {
  private(set) var gaps: TrackGaps
  /// Made during an event, they are recorded after all else that it brings.
  private var ended: [TrackGaps.Ended] = []
  private let bootID: String

  package init(bootID: String, at now_ms: Int64) {
    (gaps, self.bootID) = (TrackGaps(at: now_ms), bootID)
  }

  package mutating func hear(_ news: News, _ facts: Facts, at now: Moment) -> [Want]? {
    let time = facts.time
    switch news {
    case .restored(let found):
      let saved: SavedGap? = found.state.value("gap")
      return records(gaps.start(saved, bootID: bootID, alive_ms: found.alive_ms, at: time), facts)
    case .recorded(let record): note(record, at: time)
    case .followed(let fix_ms, let missed):
      ended += gaps.followed(fix_ms, after: missed, at: time)
      return [.save]
    case .forget(let last): gaps.forget(after: last.time_ms, at: time)
    case .timeJumped: gaps.timeJumped()
    // Storage works again: what memory could not hold until then.
    case .lostTrack(let gap):
      let end = RecordTime(
        boot_ms: now.boot_ms, time_ms: gap.end_ms, source: .trustedWallClock, fixSource: .gps)
      return [.record(.gap(gap), dated: end)]
    case .settled, .ending: return look(facts)
    default: return nil
    }
    return []
  }

  /// What is recorded of a trip is the track.
  private mutating func note(_ record: Record, at time: RecordTime) {
    switch record.content {
    case .position(false, _):
      guard let fix = record.fix, let trip = record.tripID else { return }
      gaps.positionKept(fix.time_ms, trip: trip, at: time)
    case .trip(let summary): ended += gaps.tripEnded(summary.id, at: time)
    case .position(true, _), .motion, .geofence, .status, .warning, .speed, .activity, .gap, .incident,
      .unknown:
      break
    }
  }

  private mutating func look(_ facts: Facts) -> [Want] {
    defer { ended = [] }
    let wants = records(ended + gaps.note(facts.noTrackCause, at: facts.time), facts)
    return gaps.takeChange() ? wants + [.save] : wants
  }

  private func records(_ ended: [TrackGaps.Ended], _ facts: Facts) -> [Want] {
    ended.map { ended in
      var gap = ended.gap
      // One in which the board slept tells what ended it.
      if gap.cause == .boardOff { gap.wake = facts.lastWake }
      return .record(.gap(gap), dated: ended.time)
    }
  }

  package func save(to commit: inout Commit, _ facts: Facts, at now: Moment) {
    commit.set("gap", gaps.saved(bootID: bootID, tail: commit.tail.last?.fix, at: facts.time))
  }

  package static var kinds: SavedKinds { ["gap": SavedGap.self] }

  package func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment) {
    status.noTrackCause = facts.noTrackCause
    status.noTrackSince_ms = facts.noTrackCause.flatMap { _ in gaps.since_ms(at: facts.time) }
  }
}
