import TrackerBase

/// Parked: short looks at the vehicle, and what they find.
struct Stationary: Equatable, Sendable {
  private(set) var place: Place
  /// GPS time of the last fix in the place: the vehicle left after it.
  private(set) var lastSeen_ms: Int64
  var probe = Probe.always
  /// Probes in a row without an answer in the usual time.
  private(set) var unanswered = 0
  /// What began this probe, or lets the next one begin.
  private var lookedFor = DepartureCause.probe
  /// The last sign of life of each kind, the newest last.
  private var signs: [Sign] = []
  /// Nothing was seen of the trip that ended here, nor has the vehicle been seen here since.
  var isAssumed = false
  /// Boot times of the begin of this probe, and of the end of the last one.
  private var lookBegan_ms: Int64 = 0
  private var lookedAt_ms: Int64?
  /// Boot time since which it is known to have stood here under watch, as far as `habits` has not counted it yet.
  private var countedFrom_ms: Int64?
  /// The place as it was last reported: when the vehicle is pushed aside, that is reported again.
  private var reported: Place
  private(set) var lookout = Lookout()

  /// The short look whether the vehicle is still there. `since_ms`: boot time from which pauses are reckoned.
  enum Probe: Equatable, Sendable {
    case waiting(until_ms: Int64, since_ms: Int64)
    case looking(until_ms: Int64, since_ms: Int64)
    /// The GPS stays on while parked.
    case always
  }

  /// What says that a parked vehicle is in use, before it moves.
  private struct Sign: Equatable, Sendable {
    var cause: DepartureCause
    var at_ms: Int64
  }

  /// As the last process left it.
  init(in place: Place, lastSeen_ms: Int64) {
    (self.place, reported, self.lastSeen_ms) = (place, place, lastSeen_ms)
  }

  /// It stands there from now on.
  init(
    in place: Place, lastSeen_ms: Int64, lookout: Lookout = Lookout(), _ known: inout Knowledge,
    at now_ms: Int64
  ) {
    self.init(in: place, lastSeen_ms: lastSeen_ms)
    (self.lookout, countedFrom_ms) = (lookout, now_ms)
    known.cells.parked(at: now_ms)
    probe = nextProbe(since_ms: now_ms, known, at: now_ms)
  }

  var wantsGPS: Bool {
    if case .waiting = probe { false } else { true }
  }

  var deadline_ms: Int64? {
    switch probe {
    case .waiting(let until_ms, _), .looking(let until_ms, _): until_ms
    case .always: nil
    }
  }

  // MARK: The watch

  mutating func watchBegan(_ known: Knowledge, at now_ms: Int64) {
    lookout = Lookout()
    probe = known.probeAtOnce(at: now_ms)
    lookedFor = .probe
    // Where it was meanwhile is not known.
    (lookedAt_ms, countedFrom_ms) = (nil, nil)
  }

  mutating func watchEnded(_ known: inout Knowledge, at now_ms: Int64) {
    countParked(until_ms: lookedAt_ms ?? now_ms, &known)
    countedFrom_ms = nil
    known.cells.lost()
  }

  // MARK: Fixes

  mutating func fixArrived(_ fix: Fix, _ known: inout Knowledge, at now_ms: Int64) -> Motion.Step {
    let settings = known.settings
    lookout.recent.add(fix)
    let away_m = place.centre.distance_m(to: fix.position)
    if away_m <= settings.reach_m(of: fix) {
      lookout.isInside(fix)
      (lastSeen_ms, isAssumed) = (fix.time_ms, false)
      // Just moving off: the next fixes say it.
      if fix.isDriving, lookOn(for: settings.probeTimeout_s, at: now_ms) { return Motion.Step() }
      place.include(fix)
      return Motion.Step(actions: stillThere(&known, at: now_ms))
    }
    if lookout.departure.outside(
      fix, distance_m: away_m, goneDistance_m: reported.centre.distance_m(to: fix.position),
      departure_m: settings.departureDistance_m)
    {
      return leave(&known, at: now_ms)
    }
    let stay = lookout.follow(fix, settings)
    let stayed_ms = fix.time_ms - stay.entered_ms
    if stay.outside.isEmpty, stayed_ms >= settings.firstStop_ms, !lookout.departure.mayBeLeaving {
      return Motion.Step(actions: shift(to: stay.place, seen_ms: fix.time_ms, &known, at: now_ms))
    }
    // It may be leaving: the look goes on until that is clear.
    _ = lookOn(for: settings.probeTimeout_s, at: now_ms)
    return Motion.Step()
  }

  /// - Returns: whether there is a look that can go on.
  private mutating func lookOn(for timeout_s: Double, at now_ms: Int64) -> Bool {
    guard case .looking(_, let since_ms) = probe else { return false }
    probe = .looking(until_ms: now_ms + milliseconds(timeout_s), since_ms: since_ms)
    return true
  }

  /// Pushed aside, or the receiver has changed its mind: reported only if it is as far as a departure.
  private mutating func shift(
    to place: Place, seen_ms: Int64, _ known: inout Knowledge, at now_ms: Int64
  ) -> [Motion.Action] {
    lookout.settle()
    (self.place, lastSeen_ms, isAssumed) = (place, seen_ms, false)
    let isFar = reported.centre.distance_m(to: place.centre) > known.settings.departureDistance_m
    if isFar {
      reported = place
      known.cells.parked(at: now_ms)
    }
    return (isFar ? [.shifted(place: place)] : []) + stillThere(&known, at: now_ms)
  }

  // MARK: Departures

  private mutating func leave(_ known: inout Knowledge, at now_ms: Int64) -> Motion.Step {
    // A look that found it gone began before it was sure of that.
    var (look_ms, cause) = (Int64?.none, DepartureCause.fixes)
    if case .looking = probe { (look_ms, cause) = (lookBegan_ms, lookedFor) }
    learnDeparture(foundBy: look_ms, &known, at: now_ms)
    let radius_m = known.settings.stationaryRadius_m
    let left = lookout.recent.sinceLeaving(place, radius_m: radius_m)
    let start = Motion.Start(
      cause: cause, track: left.track, from: place, isAssumed: isAssumed,
      leftAfter_ms: left.isSeen ? nil : left.leftAfter_ms ?? lastSeen_ms)
    known.cells.left(since_ms: start.began_ms(radius_m: radius_m, at: now_ms))
    return .departure(start, known.settings, at: now_ms)
  }

  mutating func keyTurned(_ known: inout Knowledge, at now_ms: Int64) -> Motion.Step {
    learnDeparture(foundBy: nil, &known, at: now_ms)
    known.cells.left(since_ms: now_ms)
    var next = Moving(at: now_ms)
    next.before = Seen(place: place, time_ms: lastSeen_ms, isByKey: true)
    let start = Motion.Start(
      cause: .ignition, from: place, isAssumed: isAssumed, leftAfter_ms: lastSeen_ms)
    return Motion.Step(actions: [.departed(start)], next: .moving(next))
  }

  /// It stood there until then. Where the time is not known, nothing is learned of it.
  private mutating func countParked(until_ms: Int64, _ known: inout Knowledge) {
    defer { countedFrom_ms = until_ms }
    guard let from_ms = countedFrom_ms, let from_s = known.local_s(at: from_ms),
      let until_s = known.local_s(at: until_ms)
    else { return }
    known.habits.parked(from: from_s, to: until_s)
  }

  /// It leaves just now, or left between the last look and the one that found it gone.
  ///
  /// - Parameter look_ms: boot time at which that one began; nil: it was seen to leave.
  private mutating func learnDeparture(foundBy look_ms: Int64?, _ known: inout Knowledge, at now_ms: Int64) {
    guard let before_ms = lookedAt_ms ?? countedFrom_ms else { return }
    var left_ms = now_ms
    if let look_ms {
      let looked_ms = max(before_ms, known.toldAfter_ms ?? before_ms)
      left_ms = looked_ms + max(0, look_ms - looked_ms) / 2
    }
    countParked(until_ms: left_ms, &known)
    if let left_s = known.local_s(at: left_ms) { known.habits.left(at: left_s) }
  }

  // MARK: Probes

  /// Where nothing is heard probes are short (`Knowledge.deafProbe_ms`), but one in so many lasts its whole time: the
  /// module may be slow, or say nothing of satellites.
  static let wholeProbes = 8

  mutating func tick(_ known: inout Knowledge, at now_ms: Int64) -> Motion.Step {
    switch probe {
    case .waiting(let until_ms, let since_ms):
      guard now_ms >= until_ms else { return Motion.Step() }
      let isShort =
        known.settings.probeWorth > 0 && unanswered >= 2 && unanswered % Stationary.wholeProbes != 1
      let patience_ms = isShort ? Knowledge.deafProbe_ms : known.patience_ms(isLong: unanswered > 0)
      probe = .looking(until_ms: now_ms + patience_ms, since_ms: since_ms)
      lookBegan_ms = now_ms
      lookout = Lookout()
      return Motion.Step(actions: [.probeStarted])
    case .looking where lookout.departure.hasProbablyLeft: return leave(&known, at: now_ms)
    case .looking(_, let since_ms):
      let whole_ms = lookBegan_ms + known.patience_ms(isLong: unanswered > 0)
      if known.view.hearsSky != false, now_ms < whole_ms {
        probe = .looking(until_ms: whole_ms, since_ms: since_ms)
        return Motion.Step()
      }
      unanswered += 1
      let hasLearned = known.cells.doubtEnds(at: now_ms)
      lookedFor = doubtPause_ms(known) == nil ? .probe : .cell
      probe = nextProbe(since_ms: since_ms, known, at: now_ms)
      lookEnded(at: now_ms)
      return Motion.Step(actions: [.probeEnded(answered: false)] + (hasLearned ? [.cellsLearned] : []))
    case .always: return Motion.Step()
    }
  }

  /// A fix was seen in the place.
  private mutating func stillThere(_ known: inout Knowledge, at now_ms: Int64) -> [Motion.Action] {
    let learned: [Motion.Action] = known.cells.seenInPlace() ? [.cellsLearned] : []
    guard case .looking(_, let since_ms) = probe else { return learned }
    let isUsual = now_ms - lookBegan_ms <= milliseconds(known.settings.probeTimeout_s)
    (unanswered, lookedFor) = (isUsual ? 0 : 1, .probe)
    countParked(until_ms: now_ms, &known)
    probe = nextProbe(since_ms: since_ms, lookBegan_ms: lookBegan_ms, known, at: now_ms)
    lookEnded(at: now_ms)
    return [.probeEnded(answered: true)] + learned
  }

  /// A look has not found it gone. While a sign is fresh the next one follows after half the time since it, so that what
  /// is missed of a drive is a share of what it took to begin.
  private mutating func lookEnded(at now_ms: Int64) {
    lookedAt_ms = now_ms
    guard case .waiting(let until_ms, let since_ms) = probe, let sign = signs.last,
      now_ms - sign.at_ms < DepartureCause.signLasts_ms
    else { return }
    let pause_ms = max(milliseconds(Knowledge.leastPause_s), (now_ms - sign.at_ms) / 2)
    guard now_ms + pause_ms < until_ms else { return }
    lookedFor = sign.cause
    probe = .waiting(until_ms: now_ms + pause_ms, since_ms: since_ms)
  }

  /// - Parameter lookBegan_ms: of the look that has just been answered.
  private func nextProbe(
    since_ms: Int64, lookBegan_ms: Int64? = nil, _ known: Knowledge, at now_ms: Int64
  ) -> Probe {
    if !known.settings.gpsOffWhenParked { return .always }
    if let doubt_ms = doubtPause_ms(known) {
      return .waiting(until_ms: now_ms + doubt_ms, since_ms: since_ms)
    }
    // A line will report the departure: they are a sign of life.
    if known.hasSentinel {
      let heartbeat_ms = milliseconds(known.settings.parkedHeartbeat_s)
      return .waiting(until_ms: now_ms + heartbeat_ms, since_ms: since_ms)
    }
    let supposed_ms = now_ms + known.supposedPause_ms(stoodFor_ms: now_ms - since_ms)
    let areFew = known.habits.departures.areFew
    // What is learned is how many looks there are to be: from the begin of one to that of the next.
    let begin_ms = areFew ? now_ms : lookBegan_ms ?? now_ms
    let learned_ms =
      known.learnedProbe_ms(since_ms: since_ms, from: begin_ms, isDark: unanswered >= 2) ?? supposed_ms
    return .waiting(until_ms: areFew ? min(supposed_ms, learned_ms) : learned_ms, since_ms: since_ms)
  }

  /// Under no sky a new cell is not explained by one look: the next ones follow soon, until the doubt ends.
  private func doubtPause_ms(_ known: Knowledge) -> Int64? {
    guard known.cells.newSince_ms != nil, unanswered > 0 else { return nil }
    return milliseconds(min(Knowledge.leastPause_s, known.settings.probeInterval_s))
  }

  /// The pause that is going on is no longer than one that begins now.
  mutating func shortenPause(_ known: Knowledge, at now_ms: Int64) {
    guard case .waiting(let until_ms, let since_ms) = probe,
      case .waiting(let next_ms, _) = nextProbe(since_ms: since_ms, known, at: now_ms)
    else { return }
    probe = .waiting(until_ms: min(until_ms, next_ms), since_ms: since_ms)
  }

  // MARK: What makes it look sooner

  /// At once; but one that works where it stands is shaken all day, and is looked at no more often than without a line.
  mutating func shaken(_ known: inout Knowledge, at now_ms: Int64) -> Motion.Step {
    guard case .waiting(let until_ms, let since_ms) = probe else { return Motion.Step() }
    let allowed_ms =
      lookedAt_ms.map { $0 + known.supposedPause_ms(stoodFor_ms: $0 - since_ms) } ?? now_ms
    if allowed_ms < until_ms { lookedFor = .vibration }
    probe = .waiting(until_ms: min(until_ms, max(now_ms, allowed_ms)), since_ms: since_ms)
    return tick(&known, at: now_ms)
  }

  /// A parked vehicle is looked at at once. Of what goes on all day (a charger that comes and goes, a machine that works
  /// where it stands) only so much is a sign as the pauses without any would be.
  mutating func signOfLife(
    _ cause: DepartureCause, _ known: inout Knowledge, at now_ms: Int64
  ) -> Motion.Step {
    if case .always = probe { return Motion.Step() }
    var pause_ms = DepartureCause.signLasts_ms
    if case .waiting(_, let since_ms) = probe {
      pause_ms = max(pause_ms, known.supposedPause_ms(stoodFor_ms: now_ms - since_ms))
    }
    let last = signs.first { $0.cause == cause }
    if let last, now_ms - last.at_ms < pause_ms { return Motion.Step() }
    signs.removeAll { $0.cause == cause }
    signs.append(Sign(cause: cause, at_ms: now_ms))
    guard case .waiting(_, let since_ms) = probe else { return Motion.Step() }
    lookedFor = cause
    probe = .waiting(until_ms: now_ms, since_ms: since_ms)
    return tick(&known, at: now_ms)
  }

  /// - Parameter isSilent: the modem tells nothing any more.
  mutating func cellsShown(
    isNew: Bool, isSilent: Bool, _ known: inout Knowledge, at now_ms: Int64
  ) -> Motion.Step {
    guard case .waiting(let until_ms, let since_ms) = probe else { return Motion.Step() }
    if isNew, now_ms < until_ms {
      probe = .waiting(until_ms: now_ms, since_ms: since_ms)
      lookedFor = .cell
    }
    if isSilent { looksForItself(known, at: now_ms) }
    return tick(&known, at: now_ms)
  }

  /// What the pause that is going on relied on tells nothing any more: it is no longer than without.
  mutating func looksForItself(_ known: Knowledge, at now_ms: Int64) {
    guard case .waiting(let until_ms, let since_ms) = probe,
      case .waiting(let alone_ms, _) = nextProbe(
        since_ms: since_ms, known, at: lookedAt_ms ?? since_ms)
    else { return }
    probe = .waiting(until_ms: min(until_ms, max(now_ms, alone_ms)), since_ms: since_ms)
  }
}

extension Motion.Start {
  /// Boot time of the departure, as its trip has it.
  fileprivate func began_ms(radius_m: Double, at now_ms: Int64) -> Int64 {
    guard let first = track.first, let last = track.last else { return now_ms }
    let unseen = UnseenStart(place: from, leftAfter_ms: leftAfter_ms, seen: track, radius_m: radius_m)
    return now_ms - max(0, last.time_ms - (unseen?.start_ms ?? first.time_ms))
  }
}
