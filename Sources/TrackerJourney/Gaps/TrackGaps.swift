import TrackerBase

/// Why there is no track, and since when: each pause of a minute and more becomes gaps, one after the other, so that
/// track and gaps together cover every second.
///
/// Track is what lies between two followed fixes of a trip. Where the next one comes a minute later or more, the time
/// between is divided by what stood in the way, as it was noted after each event. A cause that lasts less than a minute
/// counts to the one before it, or, where there is none, to the one after; a GPS that finds nothing behind a parked
/// vehicle counts only once it has looked in vain for an hour, since a probe may end so. A trip's end is known late:
/// the track then ends where the vehicle arrived, and the pause begins there.
struct TrackGaps: Sendable {
  typealias Cause = NoTrackCause

  /// An instant of this boot, and its date where that is certain already: of a fix, or of a record that was made.
  struct Instant: Comparable, Sendable {
    var boot_ms: Int64
    /// Unix milliseconds.
    var time_ms: Int64?

    static func < (one: Instant, other: Instant) -> Bool { one.boot_ms < other.boot_ms }
  }

  struct Part: Equatable, Sendable {
    var cause: Cause
    var since: Instant
  }

  /// For a record, which is dated by the gap's end.
  struct Ended: Equatable, Sendable {
    var gap: TrackGap
    var time: RecordTime
  }

  private struct Kept: Sendable {
    var time: Instant
    var trip: Int64
  }

  static let leastOfModule_ms: Int64 = 3_600_000

  /// The newest fix of the track; before the first one where this began.
  var trackEnd: Instant
  /// The oldest since the last gap.
  private var trackBegin: Instant
  /// The newest position that was recorded.
  private var kept: Kept?
  /// What has stood in the way since then, each until the next; empty while track is made.
  var parts: [Part] = []
  /// The part before the first one has been recorded.
  var isTold = false
  /// What is saved has changed.
  private var hasChanged = false

  init(at now_ms: Int64) {
    trackEnd = Instant(boot_ms: now_ms)
    trackBegin = trackEnd
  }

  /// What is followed from here on is apart from what was before.
  mutating func beginTrack() { trackBegin = trackEnd }

  // MARK: What happens

  /// What stands in the way now. - Parameter cause: nil: the vehicle is followed.
  mutating func note(_ cause: Cause?, at time: RecordTime) -> [Ended] {
    let now = Instant(boot_ms: time.boot_ms)
    if let cause, cause != parts.last?.cause {
      append(cause, since: now)
      hasChanged = true
    }
    return settle(at: time)
  }

  private mutating func append(_ cause: Cause, since now: Instant) {
    guard let last = parts.last else { return parts.append(Part(cause: cause, since: trackEnd)) }
    guard lastIsShort(until: now.boot_ms) else { return parts.append(Part(cause: cause, since: now)) }
    parts.removeLast()
    guard let before = parts.last else { return parts.append(Part(cause: cause, since: last.since)) }
    if before.cause != cause { parts.append(Part(cause: cause, since: now)) }
  }

  private func lastIsShort(until boot_ms: Int64) -> Bool {
    guard let last = parts.last else { return false }
    let least_ms = TrackGaps.least_ms(of: last.cause, after: parts.dropLast().last?.cause)
    return boot_ms - last.since.boot_ms < least_ms
  }

  private static func least_ms(of cause: Cause, after before: Cause?) -> Int64 {
    before == .parked && cause.isOfModule ? leastOfModule_ms : TrackGap.least_ms
  }

  /// What is over is recorded once its successor will stay: at once where that is no passing one, so that the record
  /// goes out with the event that ended it.
  private mutating func settle(at time: RecordTime) -> [Ended] {
    var ended: [Ended] = []
    while parts.count > 1 {
      let next = parts[1]
      let least_ms = next.cause.isPassing ? TrackGaps.least_ms(of: next.cause, after: parts[0].cause) : 0
      guard time.boot_ms - next.since.boot_ms >= least_ms else { break }
      ended += tell(parts[0].cause, from: parts[0].since, to: &parts[1].since, at: time)
      parts.removeFirst()
      (isTold, hasChanged) = (true, true)
    }
    return ended
  }

  /// A fix that belongs to the track. - Parameters:
  ///   - fix_ms: GPS time.
  ///   - missed: what came in place of fixes before it; nil: nothing.
  mutating func followed(_ fix_ms: Int64, after missed: Cause?, at time: RecordTime) -> [Ended] {
    var fix = TrackGaps.instant(of: fix_ms, at: time)
    if !parts.isEmpty {
      hasChanged = true
    } else if isTold || fix.boot_ms - trackEnd.boot_ms >= TrackGap.least_ms {
      // Nothing was noted: the receiver gave nothing that could be used, or nothing at all.
      parts = [Part(cause: missed ?? .gpsSilent, since: trackEnd)]
    }
    let ended = finish(at: &fix, time)
    if !ended.isEmpty { trackBegin = fix }
    trackEnd = max(fix, trackEnd)
    return ended
  }

  mutating func finish(at end: inout Instant, _ time: RecordTime) -> [Ended] {
    defer { (parts, isTold) = ([], false) }
    while parts.count > 1, let last = parts.last,
      last.since.boot_ms >= end.boot_ms || lastIsShort(until: end.boot_ms)
    {
      parts.removeLast()
    }
    guard let first = parts.first, isTold || end.boot_ms - first.since.boot_ms >= TrackGap.least_ms else {
      return []
    }
    var ended: [Ended] = []
    for index in parts.indices {
      let part = parts[index]
      if index + 1 < parts.count {
        ended += tell(part.cause, from: part.since, to: &parts[index + 1].since, at: time)
      } else {
        ended += tell(part.cause, from: part.since, to: &end, at: time)
      }
    }
    return ended
  }

  /// A position of a trip was recorded.
  mutating func positionKept(_ fix_ms: Int64, trip: Int64, at time: RecordTime) {
    kept = Kept(time: TrackGaps.instant(of: fix_ms, at: time), trip: trip)
  }

  /// A trip has ended, and with it the track: at its last position, though the fixes went on.
  mutating func tripEnded(_ trip: Int64, at time: RecordTime) -> [Ended] {
    guard kept?.trip == trip, keptEnd < trackEnd else { return [] }
    var followedTo = trackEnd
    trackEnd = keptEnd
    hasChanged = true
    guard let first = parts.first else { return [] }
    if isTold { return tell(.parked, from: trackEnd, to: &followedTo, at: time) }
    if first.since.boot_ms - trackEnd.boot_ms >= TrackGap.least_ms {
      parts.insert(Part(cause: .parked, since: trackEnd), at: 0)
    } else {
      parts[0].since = trackEnd
    }
    return []
  }

  /// What no end of a trip takes back.
  private var keptEnd: Instant {
    max(kept?.time ?? trackBegin, trackBegin)
  }

  /// Fixes after this one were no part of the way.
  mutating func forget(after fix_ms: Int64, at time: RecordTime) {
    let last = TrackGaps.instant(of: fix_ms, at: time)
    if parts.isEmpty, last < trackEnd { trackEnd = max(last, keptEnd) }
  }

  /// Dates of fixes were wrong. What the boot clock says stays.
  mutating func timeJumped() {
    (trackBegin.time_ms, trackEnd.time_ms) = (nil, nil)
    kept?.time.time_ms = nil
    for index in parts.indices { parts[index].since.time_ms = nil }
  }

  // MARK: Records

  /// - Parameter end: has from now on the date that the record says.
  private func tell(_ cause: Cause, from begin: Instant, to end: inout Instant, at time: RecordTime)
    -> [Ended]
  {
    let (begin_ms, end_ms) = (TrackGaps.date(begin, at: time), TrackGaps.date(end, at: time))
    guard end_ms > begin_ms else { return [] }
    if time.isDated { end.time_ms = end_ms }
    return [
      Ended(
        gap: TrackGap(cause: cause, begin_ms: begin_ms, end_ms: end_ms, isDated: time.isDated),
        time: RecordTime(
          boot_ms: end.boot_ms, time_ms: end_ms, source: time.source, fixSource: time.fixSource))
    ]
  }

  static func instant(of fix_ms: Int64, at time: RecordTime) -> Instant {
    Instant(boot_ms: fix_ms &- (time.time_ms &- time.boot_ms), time_ms: fix_ms)
  }

  /// Unix milliseconds; whole seconds where no fix says more.
  static func date(_ instant: Instant, at time: RecordTime) -> Int64 {
    if let time_ms = instant.time_ms { return time_ms }
    let time_ms = instant.boot_ms &+ (time.time_ms &- time.boot_ms)
    return time.isDated ? time_ms / 1000 * 1000 : time_ms
  }

  /// Since when there is none, Unix milliseconds; nil while track is made.
  func since_ms(at time: RecordTime) -> Int64? {
    parts.last.map { TrackGaps.date($0.since, at: time) }
  }

  // MARK: saved

  /// - Returns: whether what is saved has changed since this was last asked.
  mutating func takeChange() -> Bool {
    defer { hasChanged = false }
    return hasChanged
  }

  /// - Parameter tail: the newest fix that is on storage with it.
  func saved(bootID: String, tail: Fix?, at time: RecordTime) -> SavedGap {
    var (end, parts) = (trackEnd, parts)
    // What is followed and not kept yet ends with the process, also while the GPS rests at a halt.
    if !isTold {
      let tail = tail.map { TrackGaps.instant(of: $0.time_ms, at: time) }
      end = min(end, max(keptEnd, tail ?? keptEnd))
      if let first = parts.first { parts[0].since = min(first.since, end) }
    }
    return SavedGap(
      bootID: SavedBoot.text(bootID), alive: Instant(boot_ms: time.boot_ms, time_ms: time.time_ms),
      isDated: time.isDated, isTold: isTold, trackEnd: end,
      parts: parts.map { SavedGap.Part(cause: $0.cause, since: $0.since) })
  }
}
