/// New settings in a running process: another tracker takes over what this one knows.
extension Tracker {
  /// Nothing is half done when the other one begins. The trip stays open and the GPS powered.
  mutating func giveWay(at now: Moment) {
    for fix in track.end() { record(.position(), fix: fix, at: now) }
    outbox.changed(at: now.boot_ms)
    actions += [.disconnectGPS, .applySettings]
  }

  /// The tracker that goes on from here with other settings. It wants `.started` as its first event.
  ///
  /// Taken over: all that a restart takes from storage, and the GPS session, what is known of the time, the records
  /// that are not yet on storage, what was counted, and the sync with a server whose settings stay. Begun anew: the
  /// filter.
  public func continued(
    settings: Settings, schedule: Schedule, zone: (any ZoneRules)?, geofences: [Geofence],
    notBefore_ms: Int64,
    at now: Moment
  ) -> Tracker {
    var next = Tracker(
      settings: settings, schedule: schedule, zone: zone,
      restored: Restored(
        state: savedState.entries, lastSequence: outbox.lastSequence,
        queued: servers.map(\.sync.queued)),
      notBefore_ms: notBefore_ms, isSynchronised: clock.isSynchronised, geofences: geofences, at: now)
    next.isContinuing = true
    next.isUnread = isUnread
    next.clock = ClockKeeper(
      continuing: clock, settings: settings.clock, maxAge_ms: milliseconds(settings.gps.maxFixAge_s))
    next.held = held
    next.standing = standing
    next.session = GPSSession(settings: settings.gps, continuing: session, at: now.boot_ms)
    next.receiver = ReceiverChoice(settings: settings.gps, continuing: receiver, at: now.boot_ms)
    if settings.gps == self.settings.gps { next.dynamicModel = dynamicModel }
    next.dynamicModel.disconnected()
    next.outbox = Outbox(settings: settings.queue, continuing: outbox)
    next.warnings = warnings
    next.counters = counters
    for (server, old) in servers.enumerated() { next.servers[server].goOn(from: old, at: now.boot_ms) }
    next.lastFix = lastFix
    (next.activity, next.outage) = (activity, outage)
    (next.flatFixes, next.timeless) = (flatFixes, timeless)
    next.battery = BatteryWatch(settings: settings.battery, continuing: battery)
    next.pace(at: now)
    (next.trip, next.odometer) = (trip, odometer)
    next.motion.goOnSearching(from: motion)
    next.powerRetryAt_ms = powerRetryAt_ms
    return next
  }
}
