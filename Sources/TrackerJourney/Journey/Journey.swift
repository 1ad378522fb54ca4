import TrackerBase

/// What the vehicle does, by fixes and lines: parked or on a trip, in which of the user's areas, driving or idling.
package struct Journey: Part {
  package internal(set) var motion: Motion
  /// In the mode `probe_only` alone.
  private(set) var positionProbe: PositionProbe?
  package internal(set) var trips: Trips
  package internal(set) var lines: Lines
  var geofences: Geofences
  private var activity: ActivityWatch
  package private(set) var lastFix: Fix?
  /// What came in place of fixes before it.
  private var missed: NoTrackCause?
  /// A window is open.
  private(set) var isWatching = false
  @Shared private(set) var settings: MotionSettings
  private var zone: (any ZoneRules)?
  /// Some server takes news of which the place is not known.
  private var recordsNeedPlace: Bool
  private(set) var sampling = SamplingStatus()
  var probes = ProbeStatus()
  var tripFigures = TripStatus()
  var fenceFigures = GeofenceStatus()

  package init(_ configuration: Configuration, saved: SavedState, at now_ms: Int64) {
    let all = configuration.settings
    (settings, zone, recordsNeedPlace) = (all.motion, configuration.zone, all.recordsNeedPlace)
    let makesTrips = all.motion.mode != .probeOnly
    motion =
      makesTrips
      ? Motion(settings: all.motion, saved: saved, lastPlace: Trips.anchor(saved), at: now_ms)
      : Motion(settings: all.motion)
    // It is of use again once trips are made again.
    if !makesTrips { motion.remember(saved) }
    // As the last process left it, and reported it.
    activity = ActivityWatch(motion.activity(nil))
    motion.known.view = ReceiverView(settleTimeout_s: all.gps.settleTimeout_s)
    positionProbe = makesTrips ? nil : PositionProbe(settings: all.motion, motion.known.view)
    geofences = Geofences(configuration.geofences, saved: saved.value("geofences") ?? [])
    trips = Trips(settings: all, saved: saved, isResumed: makesTrips)
    lines = Lines(settings: all, saved: saved)
    if let place = motion.keyTurnedIn { trips.keyWasTurned(in: place) }
    linesChanged()
  }

  package mutating func adopt(_ configuration: Configuration, at now: Moment) {
    let all = configuration.settings
    let madeTrips = positionProbe == nil
    let makesTrips = all.motion.mode != .probeOnly
    (settings, zone, recordsNeedPlace) = (all.motion, configuration.zone, all.recordsNeedPlace)
    motion.adopt(settings)
    trips.adopt(all)
    lines.adopt(all)
    linesChanged()
    if configuration.geofences != geofences.fences {
      geofences = Geofences(configuration.geofences, saved: geofences.saved)
    }
    guard makesTrips != madeTrips else { return }
    motion.forget()
    positionProbe = makesTrips ? nil : PositionProbe(settings: settings, motion.known.view)
    if isWatching { positionProbe?.watchBegan(at: now.boot_ms) }
  }

  // MARK: What happens

  package mutating func handle(_ event: Event, _ facts: Facts, at now: Moment) -> [Want]? {
    let time = facts.time
    switch event {
    case .timer, .clockStepped: return tick(facts)
    case .ignition(let on):
      lines.set(on)
      return ignitionChanged(on: on, time)
    case .ignitionEdge(let level):
      let wants = lines.ignitionEdge(level, at: time.boot_ms).flatMap { ignitionChanged(on: $0, time) }
      return lines.stormIsNews(at: time.boot_ms) ? wants + [.warn(.lineBounces, Lines.stormWords)] : wants
    case .vibrationEdge: return vibrationEdge(at: time)
    case .lineFailed(.externalPower, _): return []
    case .lineFailed(let line, let words): return lineFailed(line, words, at: now.boot_ms)
    case .link(let modems): return cellsShown(modems.compactMap(\.cell), at: time)
    case .batteryRead(let volts): trips.batteryRead(volts)
    case .batteryFailed: trips.batteryRead(nil)
    // The trip stays open: the next start, or the next settings, go on with it.
    case .settingsRead, .stopping: return recorded(trips.endTrack(at: time))
    default: return nil
    }
    return []
  }

  package mutating func hear(_ news: News, _ facts: Facts, at now: Moment) -> [Want]? {
    let time = facts.time
    switch news {
    case .restored(let found): return keepAgain(found.tail) + endTripOfOtherMode(at: time)
    case .begun:
      pace(by: facts.lowFactor, at: now.boot_ms)
      return endTripOfOtherMode(at: time) + heedIgnition(at: time)
    case .fix(let fix, let missed):
      self.missed = missed
      return fixArrived(fix, at: time)
    case .forget(let last): trips.forget(after: last)
    case .placeWasWrong: return placeWasWrong(at: time)
    case .timeJumped: return timeJumped(at: time)
    case .noWindow(let cause): return noWindow(cause, at: time)
    case .windowOpened: return watchBegan(at: time)
    case .watchEnded(let cause): return watchEnded(cause, at: time)
    case .record(let content, let place, let date): return record(content, place, at: date ?? time)
    case .signOfLife(let cause):
      return watchesMotion ? wants(of: motion.signOfLife(cause, at: time.boot_ms), at: time) : []
    case .paceChanged: pace(by: facts.lowFactor, at: now.boot_ms)
    case .settled: return settings.activityEvents ? watchActivity(at: time) : nil
    default: return nil
    }
    return []
  }

  // MARK: Records

  mutating func recorded(_ records: [Record]) -> [Want] {
    sampling.kept += records.count { $0.kind == .position }
    return trips.detailed(records, lines.ignitionIsOn).map { .tell(.recorded($0)) }
  }

  mutating func noteDetails(of fix: Fix) {
    trips.note(fix, ignitionIsOn: lines.ignitionIsOn, geofences: geofences.insideIDs)
  }

  /// See `Trips.record`.
  mutating func record(
    _ content: Record.Content, _ fix: Fix?, dated dated_ms: Int64? = nil,
    by source: Record.TimeSource = .gps, at time: RecordTime
  ) -> [Want] {
    let isMoving = motion.isMoving
    return recorded([
      trips.record(content, fix: fix, dated: dated_ms, by: source, isMoving: isMoving, at: time)
    ])
  }

  /// Of another part.
  private mutating func record(_ content: Record.Content, _ place: RecordPlace, at time: RecordTime) -> [Want]
  {
    switch place {
    case .none: record(content, nil, at: time)
    case .fix(let fix): record(content, fix, at: time)
    case .last: lastFix == nil && recordsNeedPlace ? [] : record(content, lastFix, at: time)
    case .lastOrNone: record(content, lastFix, at: time)
    }
  }

  /// The last process lost power before these fixes were kept.
  private mutating func keepAgain(_ tail: [Record]) -> [Want] {
    sampling.kept += tail.count
    return tail.map { .tell(.recorded($0)) }
  }

  // MARK: Windows

  private mutating func watchBegan(at time: RecordTime) -> [Want] {
    isWatching = true
    motion.watchBegan(at: time.boot_ms)
    positionProbe?.watchBegan(at: time.boot_ms)
    guard let on = lines.ignitionIsOn else { return [] }
    return wants(of: motion.ignitionChanged(on: on, at: time.boot_ms), at: time)
  }

  private mutating func watchEnded(_ cause: TripSummary.EndCause, at time: RecordTime) -> [Want] {
    isWatching = false
    let wants = endTrip(at: lastFix, cause: cause, time)
    motion.watchEnded(at: time.boot_ms)
    positionProbe?.watchEnded()
    geofences.watchEnded()
    return wants
  }

  /// It may have ended while no process ran.
  private mutating func noWindow(_ cause: TripSummary.EndCause, at time: RecordTime) -> [Want] {
    guard trips.isResumed else { return [] }
    let wants = endTrip(at: nil, cause: cause, time)
    motion.watchEnded(at: time.boot_ms)
    return wants
  }

  /// The last process, or the last settings, made trips.
  private mutating func endTripOfOtherMode(at time: RecordTime) -> [Want] {
    positionProbe == nil ? [] : endTrip(at: nil, cause: .modeChanged, time)
  }

  /// What was seen by the old time and what is seen now have no distance in time.
  private mutating func timeJumped(at time: RecordTime) -> [Want] {
    let wants = endTrip(at: lastFix, cause: .clockJump, time)
    motion.watchEnded(at: time.boot_ms)
    return wants + heedIgnition(at: time)
  }

  /// - Parameter factor: pauses are so many times as long as set.
  private mutating func pace(by factor: Double, at now_ms: Int64) {
    let paced = settings.paced(by: factor)
    motion.pace(paced, at: now_ms)
    positionProbe?.pace(paced, at: now_ms)
  }

  // MARK: Fixes

  private mutating func fixArrived(_ fix: Fix, at time: RecordTime) -> [Want] {
    let isOver = isTripOver(fix)
    var wants = isOver ? endTrip(at: nil, cause: .processEnded, time) : []
    lastFix = fix
    if isOver {
      motion.watchEnded(at: time.boot_ms)
      wants += heedIgnition(at: time)
    }
    noteDetails(of: fix)
    guard watchesMotion else {
      // No motion is made of it.
      guard positionProbe?.fixArrived(at: time.boot_ms) == true else { return wants }
      return wants + record(.position(), fix, at: time) + watchGeofences(fix, time)
    }
    let wasMoving = motion.isMoving
    let changes = motion.fixArrived(fix, at: time.boot_ms)
    if wasMoving, motion.isMoving { wants += follow(fix, time) }
    return wants + self.wants(of: changes, at: time) + watchGeofences(fix, time)
  }

  /// A trip that was open when the last process ended goes on, unless too much time went by unseen.
  private mutating func isTripOver(_ fix: Fix) -> Bool {
    guard trips.isResumed, let trip = trips.current else { return false }
    trips.goesOn()
    let unseen_ms = fix.time_ms - trip.lastFix_ms
    return unseen_ms > milliseconds(settings.lostTripTimeout_s) || unseen_ms < 0
  }

  mutating func follow(_ fix: Fix, _ time: RecordTime) -> [Want] {
    let isTow = lines.isBeingTowed(at: time.boot_ms)
    let records = trips.follow(fix, isHalted: motion.isHalted, arrival: motion.arrival, at: time)
    return (isTow ? [.warn(.towed, Lines.towedWords)] : [])
      + recorded(records) + [.tell(.followed(fix.time_ms, after: missed))]
  }

  /// The other place has been reported for so long that it is believed. A trip ends where it was last followed, and what
  /// the vehicle does in the new place is found out as after a first start: nothing of the way between is counted.
  private mutating func placeWasWrong(at time: RecordTime) -> [Want] {
    let wants = endTrip(at: lastFix, cause: .placeChanged, time)
    trips.forgetPlace()
    motion.forget()
    geofences.watchEnded()
    return wants + heedIgnition(at: time)
  }

  /// Nothing is known any more of what the vehicle does, but that its engine runs.
  private mutating func heedIgnition(at time: RecordTime) -> [Want] {
    guard isWatching, lines.ignitionIsOn == true, motion.name == .unknown else { return [] }
    return wants(of: motion.ignitionChanged(on: true, at: time.boot_ms), at: time)
  }

  // MARK: Time

  private mutating func tick(_ facts: Facts) -> [Want] {
    let time = facts.time
    var wants = lines.tick(at: time.boot_ms).map { ignitionChanged(on: $0, time) } ?? []
    motion.known.note(facts, zone: zone, ignitionIsOn: lines.ignitionIsOn ?? false)
    positionProbe?.view = motion.known.view
    if watchesMotion { wants += self.wants(of: motion.tick(at: time.boot_ms), at: time) }
    if let change = positionProbe?.tick(at: time.boot_ms) { probes.note(change) }
    if geofenceDeadline_ms != nil { wants += self.wants(of: geofences.tick(at: time.boot_ms), at: time) }
    return wants
  }

  /// After each event, whatever has changed what the vehicle does.
  private mutating func watchActivity(at time: RecordTime) -> [Want] {
    guard let change = activity.see(motion.activity(lastFix), lastFix) else { return [] }
    return record(
      .activity(change.to, from: change.from), change.since ?? lastFix, dated: change.since?.time_ms, at: time
    )
  }

  // MARK: Lines

  /// Outside the windows the vehicle is not watched: the level counts when one opens.
  private mutating func ignitionChanged(on: Bool, _ time: RecordTime) -> [Want] {
    lines.ignitionChanged(on: on, at: time.boot_ms)
    linesChanged()
    let log = Want.log(.info, on ? "ignition on" : "ignition off")
    guard isWatching else { return [log] }
    let wants = wants(of: motion.ignitionChanged(on: on, at: time.boot_ms), at: time)
    return [log] + wants + (on || motion.isUnseen ? [.tell(.lookAtOnce)] : [])
  }

  private mutating func vibrationEdge(at time: RecordTime) -> [Want] {
    let isShaken = lines.vibrationEdge(at: time.boot_ms)
    linesChanged()
    return isShaken && isWatching ? wants(of: motion.shaken(at: time.boot_ms), at: time) : []
  }

  private mutating func lineFailed(_ line: InputLine, _ words: String, at now_ms: Int64) -> [Want] {
    lines.failed(line)
    linesChanged()
    if !motion.known.hasSentinel { motion.looksForItself(at: now_ms) }
    return [.warn(.inputLine, "\(line.words) line: \(words)")]
  }

  /// - Parameter cells: what serves the modems now.
  private mutating func cellsShown(_ cells: [Cell], at time: RecordTime) -> [Want] {
    let cells = settings.cells && settings.mode == .full ? cells : []
    guard isWatching else {
      motion.known.cells.serves(cells)
      return []
    }
    return wants(of: motion.cellsShown(cells, at: time.boot_ms), at: time)
  }

  mutating func linesChanged() { motion.known.hasSentinel = lines.willReportDeparture }
}
