/// Records that say why the track is as it is: windows, and GPS that is lost and back.
extension Tracker {
  /// A schedule that is always open has no windows to tell of.
  mutating func recordWindow(_ change: StatusEvent, at now: Moment) {
    if !window.isAlwaysOpen { recordNews(.status(change), at: now) }
  }

  /// After each event: a failure that was told begins an outage, and the next usable fix ends it.
  mutating func watchOutage(at now: Moment) {
    switch (counters.pauseCause, outage) {
    case (let cause?, nil):
      outage = GPSOutage(cause: cause, since_ms: now.boot_ms)
      recordNews(.warning(.gpsLost(cause: cause)), at: now)
    case (nil, let ended?):
      outage = nil
      let lost_s = (now.boot_ms - ended.since_ms) / 1000
      log(.notice, "GPS back after \(lost_s) s")
      recordNews(.status(.gpsBack(cause: ended.cause, lost_s: lost_s)), at: now)
    case (_?, _?), (nil, nil): break
    }
  }

  mutating func watchDimensions(_ report: GPSReport, at now: Moment) {
    guard flatFixes.add(mode: report.mode, at: now.boot_ms) else { return }
    warn(
      .flatFixes, at: now,
      "the receiver gives positions without height (2D) for \(FlatFixes.patience_ms / 60_000) minutes, which may be far off: look at the antenna and its view of the sky"
    )
  }

  /// With the last known place. Where there is none, only if a server takes records without.
  mutating func recordNews(_ content: Record.Content, at now: Moment) {
    guard lastFix != nil || servers.contains(where: { $0.settings.format.carriesStatus }) else { return }
    record(content, fix: lastFix, at: now)
  }
}
