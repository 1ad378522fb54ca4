/// What a fix means in each state.
extension Motion {
  mutating func fixWhileUnknown(_ fix: Fix, _ before: Unknown, at now_ms: Int64) -> [Action] {
    var unknown = before
    let previous = unknown.recent.fixes.last
    unknown.recent.add(fix)
    if let previous, isDriving(previous), isDriving(fix) {
      let place = unknown.halt?.place ?? Place(centre: previous.position)
      let left = unknown.recent.sinceLeaving(place, radius_m: settings.stationaryRadius_m)
      return begin(left.track, at: now_ms)
    }
    guard var halt = unknown.halt else {
      unknown.halt = Halt(fix)
      state = .unknown(unknown)
      return []
    }
    if !halt.include(fix, radius_m: settings.stationaryRadius_m) {
      let left = unknown.recent.sinceLeaving(halt.place, radius_m: settings.stationaryRadius_m)
      return begin(left.track, at: now_ms)
    }
    let stop_s = min(Motion.firstStop_s, settings.stopTimeout_s)
    if fix.time_ms - halt.entered_ms >= milliseconds(stop_s) {
      state = .stationary(
        Stationary(
          place: halt.place, lastSeen_ms: fix.time_ms,
          probe: firstProbe(at: now_ms, delay_ms: probeInterval_ms)))
      return [.foundParked(place: halt.place)]
    }
    unknown.halt = halt
    state = .unknown(unknown)
    return []
  }

  mutating func fixWhileMoving(_ fix: Fix, _ before: Moving, at now_ms: Int64) -> [Action] {
    var moving = before
    moving.lastFix = fix
    moving.lastFixAt_ms = now_ms
    if var halt = moving.halt, halt.include(fix, radius_m: settings.stationaryRadius_m) {
      moving.halt = halt
      let stayed_ms = fix.time_ms - halt.entered_ms
      if let arrival = halt.arrival, halt.outside == 0, stayed_ms >= milliseconds(settings.stopTimeout_s) {
        return park(after: moving, at: arrival, cause: .stayed, now_ms: now_ms)
      }
    } else {
      moving.halt = Halt(fix)
    }
    state = .moving(moving)
    return []
  }

  mutating func fixWhileParked(_ fix: Fix, _ before: Stationary, at now_ms: Int64) -> [Action] {
    var parked = before
    parked.recent.add(fix)
    let distance_m = parked.place.centre.distance_m(to: fix.position)
    if distance_m <= settings.stationaryRadius_m + fix.accuracy_m {
      parked.outside = []
      parked.lastSeen_ms = fix.time_ms
      parked.place.include(fix.position)
      return stillThere(parked, at: now_ms)
    }
    parked.outside.append(fix)
    if hasLeft(parked.outside, place: parked.place) {
      let left = parked.recent.sinceLeaving(parked.place, radius_m: settings.stationaryRadius_m)
      let leftAfter_ms = left.sawDeparture ? nil : parked.lastSeen_ms
      return begin(left.track, leftAfter_ms: leftAfter_ms, at: now_ms)
    }
    state = .stationary(parked)
    return []
  }

  private mutating func stillThere(_ parked: Stationary, at now_ms: Int64) -> [Action] {
    var parked = parked
    guard case .looking(let until_ms, let interval_ms) = parked.probe else {
      state = .stationary(parked)
      return []
    }
    if until_ms - now_ms >= milliseconds(settings.probeTimeout_s) { parked.probesAreLong = false }
    parked.probe = nextProbe(after: interval_ms, at: now_ms)
    state = .stationary(parked)
    return [.probeEnded(answered: true)]
  }

  /// Two consistent fixes outside. A receiver under a roof wanders slowly: near the place, a fix counts only
  /// with speed, or when the wandering has lasted.
  private func hasLeft(_ outside: [Fix], place: Place) -> Bool {
    guard outside.count >= Halt.fixesToLeave, let last = outside.last else { return false }
    let margin_m = settings.stationaryRadius_m + last.accuracy_m
    if place.centre.distance_m(to: last.position) > 3 * margin_m { return true }
    let moving = outside.suffix(Halt.fixesToLeave).filter {
      ($0.speed_mps ?? Motion.driving_mps) >= Halt.standing_mps
    }
    return moving.count >= Halt.fixesToLeave || outside.count >= Motion.fixesToBelieveDrift
  }

  static let fixesToBelieveDrift = 30

  private func isDriving(_ fix: Fix) -> Bool { (fix.speed_mps ?? 0) >= Motion.driving_mps }

  private mutating func begin(_ track: [Fix], leftAfter_ms: Int64? = nil, at now_ms: Int64) -> [Action] {
    state = .moving(
      Moving(halt: track.last.map { Halt($0) }, lastFix: track.last, lastFixAt_ms: now_ms))
    return [.departed(start: track.first, track: track, leftAfter_ms: leftAfter_ms, cause: .fixes)]
  }
}
