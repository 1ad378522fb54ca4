/// Motion changes become trips, records and probes.
extension Tracker {
  mutating func perform(_ changes: [Motion.Action], at now: Moment) {
    for change in changes {
      switch change {
      case .departed(let start, let fixes, let place, let leftAfter_ms, let cause):
        beginTrip(at: start, fixes, from: place, leftAfter_ms: leftAfter_ms, cause: cause, now: now)
      case .arrived(let fix, let place, let cause):
        parked(at: fix, place, cause: cause, now: now)
      case .lost: endTrip(at: nil, cause: .noFix, now: now)
      case .foundParked(let place):
        log(.notice, "stationary")
        recordParked(place, cause: .foundParked, at: now)
      case .shifted(let place): recordParked(place, cause: .shifted, at: now)
      case .probeStarted: counters.probes += 1
      case .probeEnded(let answered): if !answered { counters.probesUnanswered += 1 }
      }
    }
  }

  private mutating func beginTrip(
    at start: Fix?, _ fixes: [Fix], from place: Place?, leftAfter_ms: Int64?, cause: Motion.DepartureCause,
    now: Moment
  ) {
    if trip != nil { endTrip(at: nil, cause: .superseded, now: now) }
    lastTripID += 1
    let unseen = UnseenStart(place: place, leftAfter_ms: leftAfter_ms, seen: fixes)
    // Where only a clock tells, it may be wrong; the vehicle was seen parked until then.
    let start_ms =
      unseen?.start_ms ?? start?.time_ms ?? max(stamp(nil, at: now).time_ms, leftAfter_ms ?? .min)
    trip = Trip(id: lastTripID, start_ms: start_ms, leftAfter_ms: leftAfter_ms)
    if start == nil { trip?.undatedSince_ms = now.boot_ms }
    resumedTrip = false
    lines.tow = cause == .fixes ? .possible : .none
    if cause == .fixes, place != nil { fixesToldOfDeparture() }
    track = Track(settings: settings.track)
    odometer.begin(at: unseen?.from ?? start)
    log(.notice, "moving")
    let change = MotionChange(cause: cause == .fixes ? .fixes : .ignition, leftAfter_ms: leftAfter_ms)
    record(.motion(change), fix: start ?? lastFix, at: now)
    for fix in fixes { follow(fix, at: now) }
  }

  private mutating func parked(at fix: Fix?, _ place: Place, cause: Motion.ArrivalCause, now: Moment) {
    log(.notice, "stationary")
    let (end, change) = Tracker.causes(of: cause)
    endTrip(at: fix, end_ms: cause == .ignition ? ignitionChanged_ms(at: now) : nil, cause: end, now: now)
    recordParked(place, cause: change, at: now)
  }

  private static func causes(of arrival: Motion.ArrivalCause) -> (TripSummary.EndCause, MotionChange.Cause) {
    switch arrival {
    case .stayed: (.stayed, .stayed)
    case .ignition: (.ignition, .ignition)
    case .noFix: (.noFix, .noFix)
    }
  }

  /// When the ignition went off, by the best clock: the driver sat in the vehicle until then.
  private func ignitionChanged_ms(at now: Moment) -> Int64 {
    stamp(nil, at: now).time_ms - (now.boot_ms - lines.ignitionChangedAt_ms)
  }

  /// The parked position is the mean of the fixes seen there, better than any single one.
  private mutating func recordParked(_ place: Place, cause: MotionChange.Cause, at now: Moment) {
    guard var fix = lastFix else { return }
    fix.position = place.centre
    fix.speed_mps = 0
    fix.course_deg = nil
    record(.motion(MotionChange(cause: cause)), fix: fix, at: now)
  }

  /// - Parameters:
  ///   - fix: where the trip ended; nil if that is not known better than its last fix.
  ///   - end_ms: when, if that was later.
  mutating func endTrip(at fix: Fix?, end_ms: Int64? = nil, cause: TripSummary.EndCause, now: Moment) {
    guard var ended = trip else { return }
    let last = fix ?? lastFix
    if let change = speedWatch.end(at: last, last?.time_ms ?? ended.lastFix_ms) { tell(change, at: now) }
    let rest = cause == .stayed || cause == .ignition ? track.arrived() : track.end()
    for kept in rest { record(.position(), fix: kept, at: now) }
    let rest_m = odometer.end(at: fix)
    if let fix { ended.include(fix, distance_m: rest_m) } else { ended.distance_m += rest_m }
    let last_ms = max(fix?.time_ms ?? ended.lastFix_ms, ended.start_ms)
    let isDated = ended.undatedSince_ms == nil || stamp(nil, at: now).source != .untrustedWallClock
    let summary = ended.summary(
      end_ms: max(end_ms ?? last_ms, last_ms), cause: cause, towed: lines.tow == .towed, isDated: isDated)
    record(.trip(summary), fix: fix ?? lastFix, at: now)
    log(.notice, "trip \(ended.id) ended: \(Int(saturating: ended.distance_m)) m")
    trip = nil
    lines.tow = .none
    lines.hasTold = false
    resumedTrip = false
    counters.trips += 1
  }

  // MARK: records

  /// - Parameter dated_ms: GPS time of what is told, where that is not the fix's.
  mutating func record(
    _ content: Record.Content, fix: Fix?, dated dated_ms: Int64? = nil, at now: Moment
  ) {
    let kind = content.kind
    let isOfNow = [.trip, .status, .warning, .activity].contains(kind)
    // A trip's positions come late, also once the vehicle has parked.
    let isMoving = kind == .position || kind != .trip && motion.isMoving
    let stamp = dated_ms.map { ($0, .gps) } ?? stamp(isOfNow ? nil : fix, at: now)
    outbox.add(
      Record(
        sequence: outbox.nextSequence(), content: content, time_ms: stamp.time_ms, timeSource: stamp.source,
        boot_ms: now.boot_ms, fix: fix, isMoving: trip != nil && isMoving,
        tripID: trip?.id,
        odometer_m: odometer.total_m),
      at: now.boot_ms)
    if kind == .position { counters.kept += 1 }
  }

  /// The last process lost power before this fix was kept.
  mutating func recordAgain(_ tail: Record, at now: Moment) {
    var record = tail
    record.sequence = outbox.nextSequence()
    outbox.add(record, at: now.boot_ms)
    counters.kept += 1
  }

  /// GPS time where there is one, else the best the clock has.
  func stamp(_ fix: Fix?, at now: Moment) -> (time_ms: Int64, source: Record.TimeSource) {
    if let fix { return (fix.time_ms, timeless.isProven ? .trustedWallClock : .gps) }
    if let known_ms = clock.gps_ms(at: now) ?? clock.trusted_ms(at: now) {
      return (known_ms, .trustedWallClock)
    }
    return (now.wall_ms, .untrustedWallClock)
  }
}
