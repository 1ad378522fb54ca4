import TrackerBase

/// Short looks at a parked vehicle: when, and for how long.
extension Motion {
  /// A module that starts slower than a probe lasts would never see the vehicle leave: so many times longer.
  static let longProbe = 2.0
  /// Where nothing was heard in two probes, one that hears no satellite for so long ends: a module that starts anew
  /// hears the first within some seconds.
  static let deafProbe_ms: Int64 = 8000
  /// But one in so many lasts its whole time: the module may be slow, or say nothing of satellites.
  static let wholeProbes = 8
  static let leastPause_s = 15.0
  /// No look costs less: the power line, the module's start, and a second until its next report.
  static let leastCost_s = 4.0

  mutating func probeTick(at now_ms: Int64) -> [Action] {
    switch parked.probe {
    case .waiting(_, let since_ms):
      let patience_ms = isShort ? Motion.deafProbe_ms : patience_ms(isLong: parked.unanswered > 0)
      parked.probe = .looking(until_ms: now_ms + patience_ms, since_ms: since_ms)
      parked.lookBegan_ms = now_ms
      forgetFixes()
      return [.probeStarted]
    case .looking where departure.hasProbablyLeft: return leave(at: now_ms)
    case .looking(_, let since_ms):
      let whole_ms = parked.lookBegan_ms + patience_ms(isLong: parked.unanswered > 0)
      if view.hearsSky != false, now_ms < whole_ms {
        parked.probe = .looking(until_ms: whole_ms, since_ms: since_ms)
        return []
      }
      parked.unanswered += 1
      let hasLearned = cells.doubtEnds(at: now_ms)
      parked.lookedFor = doubtPause_ms == nil ? .probe : .cell
      parked.probe = nextProbe(since_ms: since_ms, at: now_ms)
      nextAfterSign(at: now_ms)
      parked.lookedAt_ms = now_ms
      return [.probeEnded(answered: false)] + (hasLearned ? [.cellsLearned] : [])
    case .always: return []
    }
  }

  private var isShort: Bool {
    settings.probeWorth > 0 && parked.unanswered >= 2 && parked.unanswered % Motion.wholeProbes != 1
  }

  /// A fix was seen in the place.
  mutating func stillThere(at now_ms: Int64) -> [Action] {
    let hasLearned = cells.seenInPlace()
    guard case .looking(_, let since_ms) = parked.probe else { return hasLearned ? [.cellsLearned] : [] }
    let isUsual = now_ms - parked.lookBegan_ms <= milliseconds(settings.probeTimeout_s)
    parked.unanswered = isUsual ? 0 : 1
    parked.lookedFor = .probe
    countParked(until_ms: now_ms)
    parked.probe = nextProbe(since_ms: since_ms, lookBegan_ms: parked.lookBegan_ms, at: now_ms)
    nextAfterSign(at: now_ms)
    parked.lookedAt_ms = now_ms
    return [.probeEnded(answered: true)] + (hasLearned ? [.cellsLearned] : [])
  }

  /// Something shook the vehicle: while it is parked, look whether it leaves. At once; but one that works where
  /// it stands is shaken all day, and is looked at no more often than without a line.
  public mutating func shaken(at now_ms: Int64) -> [Action] {
    guard case .stationary = state, case .waiting(let until_ms, let since_ms) = parked.probe else {
      return []
    }
    let allowed_ms = parked.lookedAt_ms.map { $0 + supposedPause_ms(stoodFor_ms: $0 - since_ms) } ?? now_ms
    if allowed_ms < until_ms { parked.lookedFor = .vibration }
    parked.probe = .waiting(until_ms: min(until_ms, max(now_ms, allowed_ms)), since_ms: since_ms)
    return tick(at: now_ms)
  }

  // MARK: When

  /// It stands there from now on.
  mutating func park(in place: Place, seen_ms: Int64, at now_ms: Int64) {
    stand(Stationary(in: place, lastSeen_ms: seen_ms, countedFrom_ms: now_ms))
    cells.parked(at: now_ms)
    parked.probe = nextProbe(since_ms: now_ms, at: now_ms)
  }

  func probeAtOnce(at now_ms: Int64) -> Probe {
    settings.gpsOffWhenParked ? .waiting(until_ms: now_ms, since_ms: now_ms) : .always
  }

  /// - Parameter lookBegan_ms: of the look that has just been answered.
  func nextProbe(since_ms: Int64, lookBegan_ms: Int64? = nil, at now_ms: Int64) -> Probe {
    if !settings.gpsOffWhenParked { return .always }
    if let doubt_ms = doubtPause_ms {
      return .waiting(until_ms: now_ms + doubt_ms, since_ms: since_ms)
    }
    // A line will report the departure: they are a sign of life.
    if hasSentinel {
      return .waiting(until_ms: now_ms + milliseconds(settings.parkedHeartbeat_s), since_ms: since_ms)
    }
    let supposed_ms = now_ms + supposedPause_ms(stoodFor_ms: now_ms - since_ms)
    let areFew = habits.departures.areFew
    // What is learned is how many looks there are to be: from the begin of one to that of the next.
    let begin_ms = areFew ? now_ms : lookBegan_ms ?? now_ms
    let learned_ms = learnedProbe_ms(since_ms: since_ms, from: begin_ms) ?? supposed_ms
    return .waiting(until_ms: areFew ? min(supposed_ms, learned_ms) : learned_ms, since_ms: since_ms)
  }

  /// Where nothing is known, pauses grow with the time that the vehicle has stood: what a late probe costs is a share
  /// of it.
  func supposedPause_ms(stoodFor_ms: Int64) -> Int64 {
    let share_ms = Int64(saturating: Double(stoodFor_ms) * settings.probeShare)
    return min(
      max(milliseconds(settings.probeInterval_s), share_ms), milliseconds(settings.probeIntervalMax_s))
  }

  /// nil: nothing is to be learned, or the local time is not known.
  private func learnedProbe_ms(since_ms: Int64, from begin_ms: Int64) -> Int64? {
    guard settings.probeWorth > 0, let local_s = local_s(at: begin_ms) else { return nil }
    let pace = pace(most_s: settings.probeIntervalMax_s, isDark: parked.unanswered >= 2)
    let pause_s = told(pace).pause_s { ahead_s in
      let stood_ms = begin_ms - since_ms + Int64(saturating: ahead_s * 1000)
      let supposed_s = Double(supposedPause_ms(stoodFor_ms: stood_ms)) / 1000
      return habits.departures.rate(
        at: local_s + Int64(saturating: ahead_s), supposed: pace.rate(pause_s: supposed_s))
    }
    return begin_ms + milliseconds(pause_s)
  }

  func pace(most_s: Double, isDark: Bool) -> ProbePace {
    let look_ms = isDark ? Motion.deafProbe_ms : view.expectedLook_ms
    return ProbePace(
      worth: settings.probeWorth, cost_s: max(Motion.leastCost_s, Double(look_ms) / 1000 + 1),
      least_s: min(Motion.leastPause_s, settings.probeInterval_s, most_s), most_s: most_s)
  }

  // MARK: For how long

  /// How long a probe waits for a fix: longer than the module has needed.
  func patience_ms(isLong: Bool) -> Int64 {
    Motion.patience_ms(settings, isLong: isLong, view)
  }

  static func patience_ms(_ settings: MotionSettings, isLong: Bool, _ view: ReceiverView) -> Int64 {
    let patience_ms = milliseconds(settings.probeTimeout_s * (isLong ? longProbe : 1))
    // A probe that ended while its fixes settle would never be answered.
    return max(patience_ms, view.expectedTTFF_ms + view.expectedTTFF_ms / 2) + view.lateSettling_ms
  }

  // MARK: Learning

  func local_s(at now_ms: Int64) -> Int64? { view.localOffset_s.map { now_ms / 1000 + $0 } }

  /// It stood there until then. Where the time is not known, nothing is learned of it.
  mutating func countParked(until_ms: Int64) {
    defer { parked.countedFrom_ms = until_ms }
    guard let from_ms = parked.countedFrom_ms, let from_s = local_s(at: from_ms),
      let until_s = local_s(at: until_ms)
    else { return }
    habits.parked(from: from_s, to: until_s)
  }

  /// It leaves just now, or left between the last look and the one that found it gone.
  ///
  /// - Parameter look_ms: boot time at which that one began; nil: it was seen to leave.
  mutating func learnDeparture(foundBy look_ms: Int64?, at now_ms: Int64) {
    guard let before_ms = parked.lookedAt_ms ?? parked.countedFrom_ms else { return }
    var left_ms = now_ms
    if let look_ms {
      let looked_ms = max(before_ms, toldAfter_ms ?? before_ms)
      left_ms = looked_ms + max(0, look_ms - looked_ms) / 2
    }
    countParked(until_ms: left_ms)
    if let left_s = local_s(at: left_ms) { habits.left(at: left_s) }
  }
}

extension Motion {
  mutating func pace(_ settings: MotionSettings, at now_ms: Int64) {
    self.settings = settings
    guard case .stationary = state, case .waiting(let until_ms, let since_ms) = parked.probe,
      case .waiting(let next_ms, _) = nextProbe(since_ms: since_ms, at: now_ms), next_ms < until_ms
    else { return }
    parked.probe = .waiting(until_ms: next_ms, since_ms: since_ms)
  }
}
