import TrackerBase

/// What comes of a change of motion, or of a fix at a geofence.
extension Journey {
  mutating func wants(of changes: [Motion.Action], at time: RecordTime) -> [Want] {
    changes.flatMap { change -> [Want] in
      switch change {
      case .departed(let start): return beginTrip(start, time)
      case .arrived(let fix, let place, let cause): return parked(at: fix, place, cause: cause, time)
      case .lost: return endTrip(at: nil, cause: .noFix, time)
      case .foundParked(let place):
        return [.log(.notice, "stationary")] + recordParked(place, cause: .foundParked, time)
      case .shifted(let place): return recordParked(place, cause: .shifted, time)
      case .probeStarted: probes.begun += 1
      case .probeEnded(let answered): if !answered { probes.unanswered += 1 }
      case .cellsLearned: return [.save]
      }
      return []
    }
  }

  private mutating func beginTrip(_ start: Motion.Start, _ time: RecordTime) -> [Want] {
    var wants = endTrip(at: nil, cause: .superseded, time)
    let told = ToldDeparture(start, at: time.time_ms)
    trips.begin(start, told, at: time)
    // What it has left is not where it had been seen: the line may have told of it before.
    let byFixes = start.cause != .ignition && !start.isAssumed
    let wasParked = start.from != nil
    if lines.tripBegan(byFixes: byFixes, wasParked: wasParked, wasExpected: motion.known.hasSentinel) {
      wants.append(.log(.notice, Lines.missedWords))
      linesChanged()
    }
    wants.append(.log(.notice, "moving: \(told.words)"))
    (tripFigures.noticedBy, tripFigures.noticedWithin_s) = (start.cause, told.late_s)
    wants += record(
      .motion(told.change), start.track.first ?? lastFix, dated: told.key_ms, by: time.source, at: time)
    return start.track.reduce(into: wants) { $0 += follow($1, time) }
  }

  private mutating func parked(
    at fix: Fix?, _ place: Place, cause: Motion.ArrivalCause, _ time: RecordTime
  ) -> [Want] {
    let end_ms = cause == .ignition ? ignitionOff_ms(time) : nil
    return [.log(.notice, "stationary")] + endTrip(at: fix, end_ms: end_ms, cause: cause.ofTrip, time)
      + recordParked(place, cause: cause.ofChange, isSeen: fix != nil, time)
  }

  /// By the best clock: the driver sat in the vehicle until then. A process that finds it off may not know since when.
  private func ignitionOff_ms(_ time: RecordTime) -> Int64? {
    trips.isResumed ? nil : time.time_ms - (time.boot_ms - lines.ignitionChangedAt_ms)
  }

  /// The parked position is the mean of the fixes seen there, better than any single one.
  private mutating func recordParked(
    _ place: Place, cause: MotionChange.Cause, isSeen: Bool = true, _ time: RecordTime
  ) -> [Want] {
    let fix = place.parked(after: lastFix, at: time.time_ms)
    let dated_ms = isSeen ? nil : max(time.time_ms, lastFix?.time_ms ?? .min)
    return record(.motion(MotionChange(cause: cause)), fix, dated: dated_ms, by: time.source, at: time)
  }

  mutating func endTrip(
    at fix: Fix?, end_ms: Int64? = nil, cause: TripSummary.EndCause, _ time: RecordTime
  ) -> [Want] {
    guard let id = trips.current?.id else { return [] }
    let (records, distance_m) = trips.end(
      at: fix, lastFix: lastFix, end_ms: end_ms, cause: cause, isTowed: lines.isTowed,
      isMoving: motion.isMoving, at: time)
    lines.tripEnded()
    tripFigures.ended += 1
    return recorded(records) + [.log(.notice, "trip \(id) ended: \(Int(saturating: distance_m)) m")]
  }

  // MARK: Geofences

  /// A fix that motion has seen already.
  mutating func watchGeofences(_ fix: Fix, _ time: RecordTime) -> [Want] {
    if geofences.fences.isEmpty { return [] }
    let events: [Geofences.Action]
    switch motion.whereabouts {
    case .going: events = geofences.fixArrived(fix, at: time.boot_ms)
    case .standing(let place): events = geofences.fixArrived(fix, standingIn: place, at: time.boot_ms)
    case .unclear: events = []
    }
    let wants = wants(of: events, at: time)
    noteDetails(of: fix)
    return wants
  }

  mutating func wants(of events: [Geofences.Action], at time: RecordTime) -> [Want] {
    events.flatMap { event -> [Want] in
      guard let told = event.told else { return [.save] }
      fenceFigures.events += 1
      let words = "geofence \(told.event.action.rawValue) \(told.event.geofence)"
      return [.save, .log(.info, words)]
        + record(.geofence(told.event), told.fix, dated: told.time_ms, at: time)
    }
  }
}
