import TrackerBase

/// Within a trip the GPS rests too: between looks at a halt that may be its end, and where no satellite is heard.
extension Motion {
  enum Doze: Equatable, Sendable {
    case awake(since_ms: Int64)
    /// `isDark`: since no satellite is heard.
    case resting(until_ms: Int64, isDark: Bool)
    case looking(began_ms: Int64, until_ms: Int64, isDark: Bool)

    var wantsGPS: Bool {
      if case .resting = self { false } else { true }
    }
  }

  /// A halt is watched for so long first: red lights are shorter.
  static let halt_s = 60.0
  /// Shorter pauses than so many looks save nothing worth a missed metre.
  static let leastLooks = 3.0
  /// What is shorter than a minute is no gap of the track.
  static let longestRest_s = 55.0
  /// Without a fix and without a satellite for so long: no tunnel, but a garage, or a long one.
  static let dark_ms: Int64 = 120_000
  static let darkRest_ms: Int64 = 45_000

  var dozeDeadline_ms: Int64? {
    switch moving.doze {
    case .resting(let until_ms, _), .looking(_, let until_ms, _): return until_ms
    case .awake(let since_ms):
      guard mayRest, view.hearsSky == false else { return nil }
      return max(since_ms, moving.lastFixAt_ms) + Motion.dark_ms
    }
  }

  mutating func dozeTick(at now_ms: Int64) -> [Action] {
    guard let deadline_ms = dozeDeadline_ms, now_ms >= deadline_ms else { return [] }
    switch moving.doze {
    case .awake:
      moving.doze = .resting(until_ms: now_ms + Motion.darkRest_ms, isDark: true)
      return []
    case .resting(_, let isDark):
      let until_ms = now_ms + (isDark ? Motion.deafProbe_ms : haltPatience_ms)
      moving.doze = .looking(began_ms: now_ms, until_ms: until_ms, isDark: isDark)
      return [.probeStarted]
    case .looking(_, _, let isDark):
      if isDark, mayRest, view.hearsSky == false {
        moving.doze = .resting(until_ms: now_ms + Motion.darkRest_ms, isDark: true)
      } else {
        // What the look was for is not known: the GPS stays on until it is.
        moving.doze = .awake(since_ms: now_ms)
      }
      return [.probeEnded(answered: false)]
    }
  }

  /// After a fix that the stay has followed already.
  mutating func dozeOrWake(after fix: Fix, at now_ms: Int64) {
    let since_ms: Int64 =
      if case .awake(let since_ms) = moving.doze { since_ms } else { now_ms }
    guard mayRest, fix.isStanding, let halt = moving.stay?.halt, halt.outsideSince_ms == nil else {
      return moving.doze = .awake(since_ms: since_ms)
    }
    let stayed_ms = fix.time_ms - halt.end_ms
    // A look is answered by its first fix; without one before, the halt must have been watched.
    let isWatched =
      if case .awake = moving.doze { now_ms - since_ms >= milliseconds(Motion.halt_s) } else { true }
    guard isWatched, stayed_ms >= milliseconds(Motion.halt_s), let pause_ms = haltPause_ms else {
      return moving.doze = .awake(since_ms: since_ms)
    }
    var from_ms = now_ms
    if case .looking(let began_ms, _, _) = moving.doze { from_ms = began_ms }
    let left_ms = max(0, milliseconds(settings.stopTimeout_s) - stayed_ms)
    moving.doze = .resting(until_ms: min(from_ms + pause_ms, now_ms + left_ms), isDark: false)
  }

  /// nil: the GPS is as well left on.
  private var haltPause_ms: Int64? {
    // A module that is slow, or not known yet, would miss the end of the halt.
    guard view.expectedTTFF_ms > 0, milliseconds(Motion.longestRest_s) > 3 * view.expectedLook_ms else {
      return nil
    }
    let pace = pace(most_s: Motion.longestRest_s, isDark: false)
    let pause_s = pace.pause_s(rate: habits.goingRate)
    return pause_s >= Motion.leastLooks * pace.cost_s ? milliseconds(pause_s) : nil
  }

  private var haltPatience_ms: Int64 {
    max(Motion.deafProbe_ms, 2 * view.expectedTTFF_ms) + view.lateSettling_ms
  }

  private var mayRest: Bool {
    settings.probeWorth > 0 && settings.gpsOffWhenParked && !view.ignitionIsOn
  }

  /// It rests since nothing is heard.
  var isInTheDark: Bool {
    guard isMoving else { return false }
    switch moving.doze {
    case .awake: return false
    case .resting(_, let isDark), .looking(_, _, let isDark): return isDark
    }
  }

  /// The GPS is off, and the vehicle stood when it was last seen.
  var restsAtHalt: Bool {
    if isMoving, case .resting(_, isDark: false) = moving.doze { true } else { false }
  }

  // MARK: Learning

  /// - Parameter lasted_s: since it came to rest.
  mutating func learnHalt(_ lasted_s: Double, wentOn: Bool) {
    if lasted_s > Motion.halt_s { habits.halted(for: lasted_s - Motion.halt_s, wentOn: wentOn) }
  }

  /// A halt that was no end of the trip is over.
  mutating func learnHalt(_ old: Stay.Halt, before new: Stay.Halt?, until_ms: Int64) {
    guard old.entered_ms != new?.entered_ms else { return }
    let last_ms = old.outsideSince_ms ?? until_ms
    learnHalt(Double(last_ms - old.end_ms) / 1000, wentOn: true)
  }
}
