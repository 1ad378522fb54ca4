/// Dates of reports: repaired, held until they are decided upon, and what becomes of the clock.
extension Tracker {
  /// Within the 1024 weeks from this program's build.
  mutating func repaired(_ said_ms: Int64, at now: Moment) -> Int64 {
    let time_ms = GPSDate.repaired(said_ms, notBefore_ms: notBefore_ms)
    if time_ms != said_ms, warnings.entries[.weekRollover] == nil {
      let side = time_ms > said_ms ? "early" : "late"
      warn(.weekRollover, at: now, "GPS dates are 1024 weeks \(side): repaired")
    }
    return time_ms
  }

  mutating func hold(_ report: GPSReport, at now: Moment) {
    session.fixHeld(at: now.boot_ms)
    if held.hold(report, at: now.boot_ms) { counters.rejected[.undated, default: 0] += 1 }
  }

  /// Once the time is known.
  ///
  /// - Parameters:
  ///   - next_ms: the date of the report that comes now, if it is wrong.
  ///   - isLast: there is no later.
  mutating func releaseHeld(at now: Moment, before next_ms: Int64? = nil, isLast: Bool = false) {
    guard !held.isEmpty else { return }
    guard let known_ms = clock.dating_ms(at: now) else {
      if isLast { dropHeld(at: now) }
      return
    }
    let verdicts = held.decide(
      offset_ms: known_ms - now.boot_ms, maxAge_ms: milliseconds(settings.gps.maxFixAge_s),
      next_ms: next_ms.map { $0 - now.boot_ms })
    for verdict in verdicts {
      switch verdict {
      case .stale: counters.rejected[.stale, default: 0] += 1
      case .use(let report, let arrivedAt_ms):
        // It may have come before the window began, and the window may have ended since.
        guard let time_ms = report.time_ms, window.isOpen, window.allows(time_ms) else {
          counters.rejected[.undated, default: 0] += 1
          continue
        }
        judge(report, arrivedAt_ms: arrivedAt_ms, at: now)
      }
    }
  }

  private mutating func dropHeld(at now: Moment) {
    counters.rejected[.undated, default: 0] += held.reports.count
    log(.warning, "\(held.reports.count) fixes are lost: their receiver's date was not believed until now")
    held = HeldReports()
  }

  mutating func clockChanged(_ news: ClockKeeper.News, at now: Moment, chance: Double) {
    switch news {
    case .doubted(let by_ms):
      warn(
        .clockJump, at: now,
        "the receiver's date is off by \(Tracker.words(by_ms)): not believed, unless it stays so")
      return
    case .learnt: log(.notice, "the time is known from GPS")
    case .jumped(let by_ms):
      warn(
        .clockJump, at: now, "the time has jumped by \(Tracker.words(by_ms)): GPS has said so for long enough"
      )
      if abs(by_ms) > ClockKeeper.near_ms { leaveOldTime(at: now) }
      filter.clockJumped(by: by_ms)
    }
    if clock.differs_ms(at: now) != nil {
      warn(.clockDiffers, at: now, "the system clock counts as synchronised, but differs from GPS time")
    }
    timeBecameKnown(at: now, chance: chance)
    updateWindow(at: now, chance: chance)
  }

  /// As soon as the time is known, whatever has told it: what was made before it gets its true date.
  mutating func redate(at now: Moment) {
    guard let undated = outbox.undated else { return }
    let known = stamp(nil, at: now)
    guard known.source == .trustedWallClock else { return }
    log(
      .notice,
      "the time is known: \(undated.records) records from before get their true dates, but for those that were sent"
    )
    outbox.redate(offset_ms: known.time_ms - now.boot_ms, at: now.boot_ms)
  }

  /// What the run before left undated. When another boot was, nobody knows.
  mutating func takeUndated(_ saved: String?, at now: Moment) {
    guard let (undated, isOfThisBoot) = Undated.read(saved ?? "", bootID: standing.bootID) else { return }
    if isOfThisBoot { return outbox.goOn(with: undated) }
    warn(
      .undated, at: now,
      """
      \(undated.records) records of a boot before this one keep the date of a clock that was not set: the time did not \
      become known before the board went off
      """,
      times: undated.records)
    // What is told once is no longer in the state.
    outbox.changed(at: now.boot_ms)
  }

  /// What was seen by the old time and what is seen now have no distance in time.
  private mutating func leaveOldTime(at now: Moment) {
    endTrip(at: lastFix, cause: .clockJump, now: now)
    motion.watchEnded()
  }

  private static func words(_ by_ms: Int64) -> String {
    let sign = by_ms < 0 ? "-" : "+"
    let seconds = by_ms.magnitude / 1000
    return seconds < 172_800 ? "\(sign)\(seconds) s" : "\(sign)\(seconds / 86_400) days"
  }
}
