import TrackerBase

/// What a process before this one left open. What came between is a gap too: the process did not run, or the board was
/// off.
extension TrackGaps {
  /// - Parameters:
  ///   - saved: as `save` left it; nil before the first start.
  ///   - alive_ms: boot time of the last sign of life in this boot, where that is younger than `saved`.
  /// - Returns: what can be recorded at once.
  mutating func start(_ saved: SavedGap?, bootID: String, alive_ms: Int64?, at time: RecordTime) -> [Ended] {
    self = TrackGaps(at: time.boot_ms)
    defer { beginTrack() }
    guard let saved else {
      // It ended before anything was stored, or that is lost.
      guard let alive_ms, (0...time.boot_ms).contains(alive_ms) else { return [] }
      trackEnd = Instant(boot_ms: alive_ms)
      return note(.processNotRunning, at: TrackGaps.time(alive_ms, time))
    }
    if SavedBoot.isThis(saved.bootID, bootID: bootID), saved.alive.boot_ms <= time.boot_ms {
      let alive_ms = min(max(alive_ms ?? .min, saved.alive.boot_ms), time.boot_ms)
      (trackEnd, parts, isTold) = (saved.trackEnd, saved.causes, saved.isTold)
      // What it had not stored of the track ended with it.
      return note(.processNotRunning, at: TrackGaps.time(parts.isEmpty ? trackEnd.boot_ms : alive_ms, time))
    }
    return startAfterBoot(saved, at: time)
  }

  private static func time(_ boot_ms: Int64, _ time: RecordTime) -> RecordTime {
    RecordTime(
      boot_ms: boot_ms, time_ms: time.time_ms - (time.boot_ms - boot_ms), source: time.source,
      fixSource: time.fixSource)
  }

  /// What the last boot left has dates; the boot clock of this one says when the board went on.
  private mutating func startAfterBoot(_ saved: SavedGap, at time: RecordTime) -> [Ended] {
    let then = RecordTime(
      boot_ms: saved.alive.boot_ms, time_ms: saved.alive.time_ms ?? 0,
      source: saved.isDated ? .trustedWallClock : .untrustedForGood, fixSource: .gps)
    var (off, ended) = (saved.trackEnd, [Ended]())
    if let first = saved.causes.first {
      off = saved.alive
      (trackEnd, parts, isTold) = (saved.trackEnd, saved.causes, saved.isTold)
      ended = finish(at: &off, then)
      if ended.isEmpty { off = first.since }
    }
    let off_ms = TrackGaps.date(off, at: then)
    // Where only the start is known, or it followed at once, the board was off until then.
    let bootedAt_ms = TrackGaps.date(Instant(boot_ms: 0), at: time)
    let isKnown = time.boot_ms >= TrackGap.least_ms && (!time.isDated || bootedAt_ms > off_ms)
    var on = Instant(boot_ms: isKnown ? 0 : time.boot_ms)
    let on_ms = TrackGaps.date(on, at: time)
    if time.isDated {
      // A boot within the minute is part of the next gap, if there is one.
      guard !ended.isEmpty || on_ms - off_ms >= TrackGap.least_ms else {
        trackEnd = TrackGaps.instant(of: off_ms, at: time)
        return []
      }
      on.time_ms = max(on_ms, off_ms)
    }
    (trackEnd, parts, isTold) = (on, [Part(cause: .processNotRunning, since: on)], true)
    guard !time.isDated || on_ms > off_ms else { return ended }
    let gap = TrackGap(cause: .boardOff, begin_ms: off_ms, end_ms: on_ms, isDated: time.isDated)
    return ended + [Ended(gap: gap, time: TrackGaps.time(on.boot_ms, time))]
  }
}

/// What a process leaves for the one after it.
struct SavedGap: SavedObject, Equatable {
  var bootID = ""
  var alive = TrackGaps.Instant()
  var isDated = false
  var isTold = false
  var trackEnd = TrackGaps.Instant()
  /// The causes since then.
  var parts: [Part] = []

  static let members: [SavedMember<SavedGap>] = [
    .init("boot", \.bootID), .init("alive", \.alive), .init("dated", \.isDated), .init("told", \.isTold),
    .init("track_end", \.trackEnd), .init("parts", \.parts),
  ]

  var isSound: Bool { alive.time_ms != nil }

  struct Part: SavedObject, Equatable {
    var cause: TrackGaps.Cause?
    var since = TrackGaps.Instant()

    static let members: [SavedMember<Part>] = [.init("cause", \.cause), .init("since", \.since)]

    var isSound: Bool { cause != nil }
  }

  var causes: [TrackGaps.Part] {
    parts.compactMap { part in part.cause.map { TrackGaps.Part(cause: $0, since: part.since) } }
  }
}

extension TrackGaps.Instant: SavedObject {
  init() { self.init(boot_ms: 0) }

  static let members: [SavedMember<TrackGaps.Instant>] = [
    .init("boot_ms", \.boot_ms), .init("time_ms", \.time_ms),
  ]
}

extension NoTrackCause: Savable {}
