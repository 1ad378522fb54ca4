import TrackerBase

/// What the vehicle does, by fixes and lines: parked or on a trip, in which of the user's areas, driving or idling.
package struct Journey: Sendable {
  package private(set) var motion: Motion
  /// In the mode `probe_only` alone.
  private(set) var positionProbe: PositionProbe?
  package private(set) var trips: Trips
  package private(set) var lines: Lines
  private(set) var geofences: Geofences
  private var activity: ActivityWatch
  package private(set) var lastFix: Fix?
  /// A window is open.
  private(set) var isWatching = false
  /// It was for the settings before these, and what the lines said then has been heard.
  private var wasWatching = false
  let settings: MotionSettings
  private(set) var sampling = SamplingStatus()
  private(set) var probes = ProbeStatus()
  private(set) var tripFigures = TripStatus()
  private(set) var fenceFigures = GeofenceStatus()
  private var wanted = Wanted<JourneyAction>()

  package init(settings: Settings, saved: SavedState, geofences: [Geofence], at now_ms: Int64) {
    self.settings = settings.motion
    let makesTrips = settings.motion.mode != .probeOnly
    motion =
      makesTrips
      ? Motion(settings: settings.motion, saved: saved, lastPlace: Trips.anchor(saved), at: now_ms)
      : Motion(settings: settings.motion)
    // It is of use again once trips are made again.
    if !makesTrips { motion.remember(saved) }
    // As the last process left it, and reported it.
    activity = ActivityWatch(motion.activity(nil))
    motion.view = ReceiverView(settings.gps)
    positionProbe = makesTrips ? nil : PositionProbe(settings: settings.motion, motion.view)
    self.geofences = Geofences(geofences, saved: saved.value("geofences") ?? [])
    trips = Trips(settings: settings, saved: saved, isResumed: makesTrips)
    lines = Lines(settings: settings, saved: saved)
    if let before = motion.moving.before, before.isByKey { trips.keyWasTurned(in: before.place) }
    linesChanged()
  }

  /// In a running process: the trip goes on, and what was seen on the way to knowing more.
  package mutating func goOn(from old: Journey) {
    trips.goOn(from: old.trips)
    motion.goOn(from: old.motion)
    if lines.isLike(old.lines) {
      lines = old.lines
      wasWatching = old.isWatching
    }
    linesChanged()
    (lastFix, activity, sampling, probes) = (old.lastFix, old.activity, old.sampling, old.probes)
    (tripFigures, fenceFigures) = (old.tripFigures, old.fenceFigures)
  }

  package var hasWanted: Bool { !wanted.isEmpty }

  /// What is wanted since this was last asked, the first one last.
  package mutating func take() -> [JourneyAction] { wanted.take() }

  /// What was taken has been seen to.
  package mutating func giveBack(_ taken: consuming [JourneyAction]) { wanted.giveBack(taken) }

  private mutating func warn(_ name: WarningName, _ text: String) { wanted.append(.warn(name, text)) }

  private mutating func log(_ level: RunSettings.LogLevel, _ text: String) {
    wanted.append(.log(level, text))
  }

  private mutating func add(_ records: [Record]) {
    sampling.kept += records.count { $0.kind == .position }
    for record in trips.detailed(records, lines.ignitionIsOn) { wanted.append(.record(record)) }
  }

  private mutating func noteDetails(of fix: Fix) {
    trips.note(fix, ignitionIsOn: lines.ignitionIsOn, geofences: geofences.insideIDs)
  }

  /// - Parameter volts: of the vehicle's battery; nil: it cannot be read.
  package mutating func batteryRead(_ volts: Double?) { trips.batteryRead(volts) }

  /// See `Trips.record`.
  package mutating func record(
    _ content: Record.Content, _ fix: Fix?, dated dated_ms: Int64? = nil,
    by source: Record.TimeSource = .gps, at time: RecordTime
  ) {
    let isMoving = motion.isMoving
    add([trips.record(content, fix: fix, dated: dated_ms, by: source, isMoving: isMoving, at: time)])
  }

  /// The last process lost power before these fixes were kept.
  package mutating func keepAgain(_ tail: [Record]) {
    sampling.kept += tail.count
    for record in tail { wanted.append(.record(record)) }
  }

  // MARK: Windows

  package mutating func watchBegan(at time: RecordTime) {
    isWatching = true
    motion.watchBegan(at: time.boot_ms)
    positionProbe?.watchBegan(at: time.boot_ms)
    // Other settings are no key that is turned: who is parked with the engine running stays parked.
    defer { wasWatching = false }
    guard let on = lines.ignitionIsOn, !(on && wasWatching && motion.name == .stationary) else { return }
    perform(motion.ignitionChanged(on: on, at: time.boot_ms), at: time)
  }

  package mutating func watchEnded(_ cause: TripSummary.EndCause, at time: RecordTime) {
    isWatching = false
    endTrip(at: lastFix, cause: cause, time)
    motion.watchEnded(at: time.boot_ms)
    positionProbe?.watchEnded()
    geofences.watchEnded()
  }

  /// It may have ended while no process ran.
  package mutating func noWindow(_ cause: TripSummary.EndCause, at time: RecordTime) {
    wasWatching = false
    guard trips.isResumed else { return }
    endTrip(at: nil, cause: cause, time)
    motion.watchEnded(at: time.boot_ms)
  }

  /// The last process made trips, and this one does not.
  package mutating func endTripOfOtherMode(at time: RecordTime) {
    if positionProbe != nil { endTrip(at: nil, cause: .modeChanged, time) }
  }

  /// What was seen by the old time and what is seen now have no distance in time.
  package mutating func timeJumped(at time: RecordTime) {
    endTrip(at: lastFix, cause: .clockJump, time)
    motion.watchEnded(at: time.boot_ms)
    heedIgnition(at: time)
  }

  /// Other pauses. - Parameter settings: with them.
  package mutating func pace(_ settings: MotionSettings, at now_ms: Int64) {
    motion.pace(settings, at: now_ms)
    positionProbe?.pace(settings, at: now_ms)
  }

  /// The trip stays open: the next start, or the next settings, go on with it.
  package mutating func endTrack(at time: RecordTime) {
    add(trips.endTrack(at: time))
  }

  // MARK: Fixes

  package mutating func fixArrived(_ fix: Fix, at time: RecordTime) {
    let isOver = endsResumedTrip(fix, time)
    lastFix = fix
    if isOver { heedIgnition(at: time) }
    noteDetails(of: fix)
    guard watchesMotion else {
      // No motion is made of it.
      guard positionProbe?.fixArrived(at: time.boot_ms) == true else { return }
      record(.position(), fix, at: time)
      return watchGeofences(fix, time)
    }
    let wasMoving = motion.isMoving
    let changes = motion.fixArrived(fix, at: time.boot_ms)
    if wasMoving, motion.isMoving { follow(fix, time) }
    perform(changes, at: time)
    watchGeofences(fix, time)
  }

  /// A trip that was open when the last process ended goes on, unless too much time went by unseen.
  private mutating func endsResumedTrip(_ fix: Fix, _ time: RecordTime) -> Bool {
    guard trips.isResumed, let trip = trips.current else { return false }
    trips.goesOn()
    let unseen_ms = fix.time_ms - trip.lastFix_ms
    guard unseen_ms > milliseconds(settings.lostTripTimeout_s) || unseen_ms < 0 else { return false }
    endTrip(at: nil, cause: .processEnded, time)
    motion.watchEnded(at: time.boot_ms)
    return true
  }

  private mutating func follow(_ fix: Fix, _ time: RecordTime) {
    if lines.isBeingTowed(at: time.boot_ms) { warn(.towed, Lines.towedWords) }
    add(trips.follow(fix, isHalted: motion.isHalted, arrival: motion.arrival, at: time))
    wanted.append(.followed(fix.time_ms))
  }

  /// What came after `last` reported a place where the vehicle was not.
  package mutating func forget(after last: Fix) { trips.forget(after: last) }

  /// The other place has been reported for so long that it is believed. A trip ends where it was last followed, and what
  /// the vehicle does in the new place is found out as after a first start: nothing of the way between is counted.
  package mutating func placeWasWrong(at time: RecordTime) {
    endTrip(at: lastFix, cause: .placeChanged, time)
    trips.forgetPlace()
    motion.placeWasWrong()
    geofences.watchEnded()
    heedIgnition(at: time)
  }

  /// Nothing is known any more of what the vehicle does, but that its engine runs.
  private mutating func heedIgnition(at time: RecordTime) {
    guard isWatching, lines.ignitionIsOn == true, case .unknown = motion.state else { return }
    perform(motion.ignitionChanged(on: true, at: time.boot_ms), at: time)
  }

  // MARK: Time

  package mutating func tick(_ view: ReceiverView, at time: RecordTime) {
    if let on = lines.tick(at: time.boot_ms) { ignitionChanged(on: on, time) }
    motion.view = view
    motion.view.ignitionIsOn = lines.ignitionIsOn ?? false
    positionProbe?.view = view
    if watchesMotion { perform(motion.tick(at: time.boot_ms), at: time) }
    if let change = positionProbe?.tick(at: time.boot_ms) { probes.note(change) }
    if geofenceDeadline_ms != nil { perform(geofences.tick(at: time.boot_ms), at: time) }
  }

  /// After each event, whatever has changed what the vehicle does.
  package mutating func watchActivity(at time: RecordTime) {
    guard settings.activityEvents,
      let change = activity.see(motion.activity(lastFix), lastFix)
    else { return }
    record(
      .activity(change.to, from: change.from), change.since ?? lastFix, dated: change.since?.time_ms, at: time
    )
  }

  // MARK: Lines

  package mutating func ignition(on: Bool, at time: RecordTime) {
    lines.set(on)
    ignitionChanged(on: on, time)
  }

  package mutating func ignitionEdge(_ level: Bool, at time: RecordTime) {
    for on in lines.ignitionEdge(level, at: time.boot_ms) { ignitionChanged(on: on, time) }
    if lines.stormIsNews(at: time.boot_ms) { warn(.lineBounces, Lines.stormWords) }
  }

  /// Outside the windows nobody is watched: the level counts when one opens.
  private mutating func ignitionChanged(on: Bool, _ time: RecordTime) {
    log(.info, on ? "ignition on" : "ignition off")
    lines.ignitionChanged(on: on, at: time.boot_ms)
    linesChanged()
    wasWatching = false
    guard isWatching else { return }
    perform(motion.ignitionChanged(on: on, at: time.boot_ms), at: time)
    if on || motion.moving.before != nil { wanted.append(.lookAtOnce) }
  }

  package mutating func vibrationEdge(at time: RecordTime) {
    let isShaken = lines.vibrationEdge(at: time.boot_ms)
    linesChanged()
    if isShaken, isWatching { perform(motion.shaken(at: time.boot_ms), at: time) }
  }

  package mutating func lineFailed(_ line: InputLine, _ words: String, at now_ms: Int64) {
    warn(.inputLine, "\(line.words) line: \(words)")
    lines.failed(line)
    linesChanged()
    if !motion.hasSentinel { motion.looksForItself(at: now_ms) }
  }

  // MARK: The modem

  /// - Parameter cells: what serves the modems now.
  package mutating func cellsShown(_ cells: [Cell], at time: RecordTime) {
    let cells = settings.cells && settings.mode == .full ? cells : []
    guard isWatching else { return motion.cells.serves(cells) }
    perform(motion.cellsShown(cells, at: time.boot_ms), at: time)
  }

  // MARK: Signs of life

  /// What is no line says that a parked vehicle is in use.
  package mutating func signOfLife(_ cause: DepartureCause, at time: RecordTime) {
    if watchesMotion { perform(motion.signOfLife(cause, at: time.boot_ms), at: time) }
  }

  private mutating func linesChanged() { motion.hasSentinel = lines.willReportDeparture }

  // MARK: Motion

  private mutating func perform(_ changes: [Motion.Action], at time: RecordTime) {
    for change in changes {
      switch change {
      case .departed(let start, let fixes, let place, let leftAfter_ms, let cause):
        beginTrip(at: start, fixes, from: place, leftAfter_ms: leftAfter_ms, cause: cause, time)
      case .arrived(let fix, let place, let cause): parked(at: fix, place, cause: cause, time)
      case .lost: endTrip(at: nil, cause: .noFix, time)
      case .foundParked(let place):
        log(.notice, "stationary")
        recordParked(place, cause: .foundParked, time)
      case .shifted(let place): recordParked(place, cause: .shifted, time)
      case .probeStarted: probes.begun += 1
      case .probeEnded(let answered): if !answered { probes.unanswered += 1 }
      case .cellsLearned: wanted.append(.stateChanged)
      }
    }
  }

  private mutating func beginTrip(
    at start: Fix?, _ fixes: [Fix], from place: Place?, leftAfter_ms: Int64?, cause: DepartureCause,
    _ time: RecordTime
  ) {
    endTrip(at: nil, cause: .superseded, time)
    let told = ToldDeparture(cause: cause, start: start, lastSeenParked: leftAfter_ms, at: time.time_ms)
    let radius_m = settings.stationaryRadius_m
    let unseen = UnseenStart(place: place, leftAfter_ms: told.leftAfter_ms, seen: fixes, radius_m: radius_m)
    trips.begin(
      start_ms: told.key_ms ?? unseen?.start_ms ?? start?.time_ms ?? time.time_ms,
      leftAfter_ms: told.leftAfter_ms, from: start, keyTurnedIn: start == nil ? place : nil,
      unseen: unseen, isDated: start != nil, at: time.boot_ms)
    // What it has left is not where it had been seen: the line may have told of it before.
    let byFixes = cause != .ignition && !(place != nil && motion.parked.isAssumed)
    if lines.tripBegan(byFixes: byFixes, wasParked: place != nil, wasExpected: motion.hasSentinel) {
      log(.notice, Lines.missedWords)
      linesChanged()
    }
    log(.notice, "moving: \(told.words)")
    (tripFigures.noticedBy, tripFigures.noticedWithin_s) = (cause, told.late_s)
    record(.motion(told.change), start ?? lastFix, dated: told.key_ms, by: time.source, at: time)
    for fix in fixes { follow(fix, time) }
  }

  private mutating func parked(
    at fix: Fix?, _ place: Place, cause: Motion.ArrivalCause, _ time: RecordTime
  ) {
    log(.notice, "stationary")
    endTrip(at: fix, end_ms: cause == .ignition ? ignitionOff_ms(time) : nil, cause: cause.ofTrip, time)
    recordParked(place, cause: cause.ofChange, isSeen: fix != nil, time)
  }

  /// By the best clock: the driver sat in the vehicle until then. A process that finds it off may not know since when.
  private func ignitionOff_ms(_ time: RecordTime) -> Int64? {
    trips.isResumed ? nil : time.time_ms - (time.boot_ms - lines.ignitionChangedAt_ms)
  }

  /// The parked position is the mean of the fixes seen there, better than any single one.
  private mutating func recordParked(
    _ place: Place, cause: MotionChange.Cause, isSeen: Bool = true, _ time: RecordTime
  ) {
    let fix = place.parked(after: lastFix, at: time.time_ms)
    let dated_ms = isSeen ? nil : max(time.time_ms, lastFix?.time_ms ?? .min)
    record(.motion(MotionChange(cause: cause)), fix, dated: dated_ms, by: time.source, at: time)
  }

  private mutating func endTrip(
    at fix: Fix?, end_ms: Int64? = nil, cause: TripSummary.EndCause, _ time: RecordTime
  ) {
    guard let id = trips.current?.id else { return }
    let (records, distance_m) = trips.end(
      at: fix, lastFix: lastFix, end_ms: end_ms, cause: cause, isTowed: lines.isTowed,
      isMoving: motion.isMoving, at: time)
    add(records)
    log(.notice, "trip \(id) ended: \(Int(saturating: distance_m)) m")
    lines.tripEnded()
    tripFigures.ended += 1
  }

  // MARK: Geofences

  /// A fix that motion has seen already.
  private mutating func watchGeofences(_ fix: Fix, _ time: RecordTime) {
    if geofences.fences.isEmpty { return }
    switch motion.whereabouts {
    case .going: perform(geofences.fixArrived(fix, at: time.boot_ms), at: time)
    case .standing(let place):
      perform(geofences.fixArrived(fix, standingIn: place, at: time.boot_ms), at: time)
    case .unclear: break
    }
    noteDetails(of: fix)
  }

  private mutating func perform(_ events: [Geofences.Action], at time: RecordTime) {
    for event in events {
      wanted.append(.stateChanged)
      guard let told = event.told else { continue }
      fenceFigures.events += 1
      log(.info, "geofence \(told.event.action.rawValue) \(told.event.geofence)")
      record(.geofence(told.event), told.fix, dated: told.time_ms, at: time)
    }
  }
}
