import TrackerBase

/// Within a trip the GPS rests too: between looks at a halt that may be its end, and where no satellite is heard.
enum Doze: Equatable, Sendable {
  case awake(since_ms: Int64)
  /// `isDark`: since no satellite is heard.
  case resting(until_ms: Int64, isDark: Bool)
  case looking(began_ms: Int64, until_ms: Int64, isDark: Bool)

  /// A halt is watched for so long first: red lights are shorter.
  static let halt_s = 60.0
  /// Shorter pauses than so many looks save nothing worth a missed metre.
  static let leastLooks = 3.0
  /// What is shorter than a minute is no gap of the track.
  static let longestRest_s = 55.0
  /// Without a fix and without a satellite for so long: no tunnel, but a garage, or a long one.
  static let dark_ms: Int64 = 120_000
  static let darkRest_ms: Int64 = 45_000

  var wantsGPS: Bool {
    if case .resting = self { false } else { true }
  }

  /// - Parameter lastFixAt_ms: boot time of the last fix of the trip.
  func deadline_ms(lastFixAt_ms: Int64, _ known: Knowledge) -> Int64? {
    switch self {
    case .resting(let until_ms, _), .looking(_, let until_ms, _): return until_ms
    case .awake(let since_ms):
      guard known.mayRest, known.view.hearsSky == false else { return nil }
      return max(since_ms, lastFixAt_ms) + Doze.dark_ms
    }
  }

  mutating func tick(lastFixAt_ms: Int64, _ known: Knowledge, at now_ms: Int64) -> [Motion.Action] {
    guard let deadline_ms = deadline_ms(lastFixAt_ms: lastFixAt_ms, known), now_ms >= deadline_ms else {
      return []
    }
    switch self {
    case .awake:
      self = .resting(until_ms: now_ms + Doze.darkRest_ms, isDark: true)
      return []
    case .resting(_, let isDark):
      let until_ms = now_ms + (isDark ? Knowledge.deafProbe_ms : known.haltPatience_ms)
      self = .looking(began_ms: now_ms, until_ms: until_ms, isDark: isDark)
      return [.probeStarted]
    case .looking(_, _, let isDark):
      if isDark, known.mayRest, known.view.hearsSky == false {
        self = .resting(until_ms: now_ms + Doze.darkRest_ms, isDark: true)
      } else {
        // What the look was for is not known: the GPS stays on until it is.
        self = .awake(since_ms: now_ms)
      }
      return [.probeEnded(answered: false)]
    }
  }

  /// - Parameter halt: the one that the fix belongs to, if it is of one.
  mutating func fixArrived(_ fix: Fix, _ halt: Stay.Halt?, _ known: Knowledge, at now_ms: Int64) {
    let since_ms: Int64 =
      if case .awake(let since_ms) = self { since_ms } else { now_ms }
    // A machine that creeps is not at rest, though its speed is no more than that of others that stand.
    guard known.mayRest, (fix.speed_mps ?? 0) < Stay.creeping_mps, let halt, halt.outsideSince_ms == nil
    else {
      return self = .awake(since_ms: since_ms)
    }
    let stayed_ms = fix.time_ms - halt.end_ms
    // A look is answered by its first fix; without one before, the halt must have been watched.
    let isWatched =
      if case .awake = self { now_ms - since_ms >= milliseconds(Doze.halt_s) } else { true }
    guard isWatched, stayed_ms >= milliseconds(Doze.halt_s), let pause_ms = known.haltPause_ms else {
      return self = .awake(since_ms: since_ms)
    }
    var from_ms = now_ms
    if case .looking(let began_ms, _, _) = self { from_ms = began_ms }
    let left_ms = max(0, milliseconds(known.settings.stopTimeout_s) - stayed_ms)
    self = .resting(until_ms: min(from_ms + pause_ms, now_ms + left_ms), isDark: false)
  }
}

extension Knowledge {
  /// nil: the GPS is as well left on.
  fileprivate var haltPause_ms: Int64? {
    // A module that is slow, or not known yet, would miss the end of the halt.
    guard view.expectedTTFF_ms > 0, milliseconds(Doze.longestRest_s) > 3 * view.expectedLook_ms else {
      return nil
    }
    let pace = pace(most_s: Doze.longestRest_s, isDark: false)
    let pause_s = pace.pause_s(rate: habits.goingRate)
    return pause_s >= Doze.leastLooks * pace.cost_s ? milliseconds(pause_s) : nil
  }

  fileprivate var haltPatience_ms: Int64 {
    max(Knowledge.deafProbe_ms, 2 * view.expectedTTFF_ms) + view.lateSettling_ms
  }

  fileprivate var mayRest: Bool {
    settings.probeWorth > 0 && settings.gpsOffWhenParked && !view.ignitionIsOn
  }
}
