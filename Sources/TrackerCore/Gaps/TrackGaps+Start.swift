/// What a process before this one left open. What came between is a gap too: the process did not run, or the board was
/// off.
extension TrackGaps {
  /// As `save` wrote it: `boot alive_ms alive_time_ms dated told`, where the track ended, and the causes since then.
  private struct Saved {
    var bootID: String
    var alive: Instant
    var isDated: Bool
    var isTold: Bool
    var trackEnd: Instant
    var parts: [Part]

    /// - Returns: nil for what makes no sense.
    init?(_ text: String) {
      let words = text.split(separator: " ").map { String($0) }
      guard words.count >= 7, (words.count - 7) % 3 == 0, let alive_ms = SavedState.whole(words[1]),
        let time_ms = SavedState.whole(words[2]), let trackEnd = Saved.instant(words[5...])
      else { return nil }
      (bootID, alive) = (words[0], Instant(boot_ms: alive_ms, time_ms: time_ms))
      (isDated, isTold, self.trackEnd) = (words[3] == "1", words[4] == "1", trackEnd)
      parts = []
      for first in stride(from: 7, to: words.count, by: 3) {
        guard let since = Saved.instant(words[first...]), let cause = Cause(rawValue: words[first + 2]) else {
          return nil
        }
        parts.append(Part(cause: cause, since: since))
      }
    }

    private static func instant(_ words: ArraySlice<String>) -> Instant? {
      guard let first = words.first, let boot_ms = SavedState.whole(first) else { return nil }
      let date = words[words.startIndex + 1]
      if date == "-" { return Instant(boot_ms: boot_ms) }
      return SavedState.whole(date).map { Instant(boot_ms: boot_ms, time_ms: $0) }
    }
  }

  static func isUnreadable(_ text: String) -> Bool { !text.isEmpty && Saved(text) == nil }

  /// - Parameters:
  ///   - text: as `save` wrote it; empty before the first start.
  ///   - alive_ms: boot time of the last sign of life in this boot, where that is younger than `text`.
  /// - Returns: what can be recorded at once.
  mutating func start(_ text: String, bootID: String, alive_ms: Int64?, at time: RecordTime) -> [Ended] {
    self = TrackGaps(at: time.boot_ms)
    defer { beginTrack() }
    guard let saved = Saved(text) else {
      // It ended before anything was stored, or that is lost.
      guard let alive_ms, (0...time.boot_ms).contains(alive_ms) else { return [] }
      trackEnd = Instant(boot_ms: alive_ms)
      return note(.processNotRunning, at: TrackGaps.time(alive_ms, time))
    }
    if SavedBoot.isThis(saved.bootID, bootID: bootID), saved.alive.boot_ms <= time.boot_ms {
      let alive_ms = min(max(alive_ms ?? .min, saved.alive.boot_ms), time.boot_ms)
      (trackEnd, parts, isTold) = (saved.trackEnd, saved.parts, saved.isTold)
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
  private mutating func startAfterBoot(_ saved: Saved, at time: RecordTime) -> [Ended] {
    let then = RecordTime(
      boot_ms: saved.alive.boot_ms, time_ms: saved.alive.time_ms ?? 0,
      source: saved.isDated ? .trustedWallClock : .untrustedForGood, fixSource: .gps)
    var (off, ended) = (saved.trackEnd, [Ended]())
    if let first = saved.parts.first {
      off = saved.alive
      (trackEnd, parts, isTold) = (saved.trackEnd, saved.parts, saved.isTold)
      ended = finish(at: &off, then)
      if ended.isEmpty { off = first.since }
    }
    let off_ms = TrackGaps.date(off, at: then)
    // Where only the start is known, or it followed at once, the board was off until then.
    let bootedAt_ms = TrackGaps.date(Instant(boot_ms: 0), at: time)
    let isKnown = time.boot_ms >= TrackGaps.least_ms && (!time.isDated || bootedAt_ms > off_ms)
    var on = Instant(boot_ms: isKnown ? 0 : time.boot_ms)
    let on_ms = TrackGaps.date(on, at: time)
    if time.isDated {
      // A boot within the minute is part of the next gap, if there is one.
      guard !ended.isEmpty || on_ms - off_ms >= TrackGaps.least_ms else {
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
