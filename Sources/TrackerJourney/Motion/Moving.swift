import TrackerBase

/// On a trip.
struct Moving: Equatable, Sendable {
  var stay: Stay?
  var lastFix: Fix?
  var lastFixAt_ms: Int64
  private var ignitionOffSince_ms: Int64?
  var doze: Doze
  /// Where it was when a key told of the departure, or the last process ended. nil as soon as a fix has come.
  var before: Seen?

  init(at now_ms: Int64) { (lastFixAt_ms, doze) = (now_ms, .awake(since_ms: now_ms)) }

  /// - Parameter track: what was seen of the trip so far.
  init(_ track: [Fix], _ settings: MotionSettings, at now_ms: Int64) {
    self.init(at: now_ms)
    stay = track.first.map { Stay($0, radius_m: settings.stationaryRadius_m) }
    for (before, fix) in zip(track, track.dropFirst()) where fix.second != before.second {
      stay?.follow(fix)
    }
    lastFix = track.last
  }

  func deadline_ms(_ known: Knowledge) -> Int64? {
    earliest(
      lost_ms(known), ignitionStop_ms(known), doze.deadline_ms(lastFixAt_ms: lastFixAt_ms, known))
  }

  /// Without a fix for so long it is not known where it went.
  private func lost_ms(_ known: Knowledge) -> Int64 {
    lastFixAt_ms + milliseconds(known.settings.lostTripTimeout_s)
  }

  // MARK: Events

  mutating func fixArrived(_ fix: Fix, _ known: inout Knowledge, at now_ms: Int64) -> Motion.Step {
    let last_s = lastFix?.second
    lastFix = fix
    if before != nil {
      before = nil
      // The first fix alone does not say where it stands.
      if ignitionOffSince_ms != nil { ignitionOffSince_ms = now_ms }
    }
    lastFixAt_ms = now_ms
    // One fix a second decides, so that a trip halts and ends alike at every rate.
    if last_s == fix.second { return Motion.Step() }
    let halt = stay?.halt
    // nil: there is none yet.
    if stay?.follow(fix) == nil {
      stay = Stay(fix, radius_m: known.settings.stationaryRadius_m, movedHere: false)
    }
    if let halt, halt.entered_ms != stay?.halt?.entered_ms {
      // It was no end of the trip.
      let last_ms = halt.outsideSince_ms ?? fix.time_ms
      known.learnHalt(Double(last_ms - halt.end_ms) / 1000, wentOn: true)
    }
    if let stay, stay.isAtRest(for: milliseconds(known.settings.stopTimeout_s), with: fix) {
      return park(at: stay.end, .stayed, &known, at: now_ms)
    }
    doze.fixArrived(fix, stay?.halt, known, at: now_ms)
    return Motion.Step()
  }

  mutating func tick(_ known: inout Knowledge, at now_ms: Int64) -> Motion.Step {
    if now_ms >= lost_ms(known) { return park(at: lastFix, .noFix, &known, at: now_ms) }
    if let stop_ms = ignitionStop_ms(known), now_ms >= stop_ms { return ignitionStop(&known, at: now_ms) }
    return Motion.Step(actions: doze.tick(lastFixAt_ms: lastFixAt_ms, known, at: now_ms))
  }

  mutating func ignitionChanged(on: Bool, at now_ms: Int64) {
    ignitionOffSince_ms = on ? nil : now_ms
    // It is about to go on: the GPS rests no longer.
    if on { doze = .awake(since_ms: now_ms) }
  }

  // MARK: The end

  /// When an ignition that stays off ends the trip. Of which nothing has been seen, that is looked for a while longer.
  private func ignitionStop_ms(_ known: Knowledge) -> Int64? {
    guard let off_ms = ignitionOffSince_ms else { return nil }
    let timeout_ms = milliseconds(known.settings.ignitionOffTimeout_s)
    return off_ms + timeout_ms + (before == nil ? 0 : known.patience_ms(isLong: true))
  }

  private mutating func ignitionStop(_ known: inout Knowledge, at now_ms: Int64) -> Motion.Step {
    // Where a wire alone decides, it would not be noticed that it is elsewhere.
    if before?.isByKey == true, known.settings.mode == .full {
      return park(at: nil, .ignition, &known, at: now_ms)
    }
    guard let lastFix, lastFix.isStanding else {
      // Still rolling with the ignition off (a tow, a wrong wire): the fixes decide.
      ignitionOffSince_ms = nil
      return Motion.Step()
    }
    return park(at: stay?.arrival ?? lastFix, .ignition, &known, at: now_ms)
  }

  private func park(
    at arrival: Fix?, _ cause: Motion.ArrivalCause, _ known: inout Knowledge, at now_ms: Int64
  ) -> Motion.Step {
    let followedTo = lastFix.map { Place(centre: $0.position) }
    guard let place = stay?.place ?? followedTo ?? before?.place else {
      known.cells.lost()
      return Motion.Step(actions: [.lost], next: .unknown(Unknown()))
    }
    if cause == .stayed { known.learnHalt(known.settings.stopTimeout_s, wentOn: false) }
    let seen_ms = lastFix?.time_ms ?? stay?.entered_ms ?? before?.time_ms ?? 0
    var next = Stationary(in: place, lastSeen_ms: seen_ms, &known, at: now_ms)
    next.isAssumed = before?.isByKey == true
    return Motion.Step(
      actions: [.arrived(at: arrival, place: place, cause: cause)], next: .stationary(next))
  }
}

extension Motion.Step {
  static func departure(_ start: Motion.Start, _ settings: MotionSettings, at now_ms: Int64) -> Motion.Step {
    Motion.Step(
      actions: [.departed(start)], next: .moving(Moving(start.track, settings, at: now_ms)))
  }
}
