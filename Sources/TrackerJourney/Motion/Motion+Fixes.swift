import TrackerBase

/// What a fix means in each state.
extension Motion {
  mutating func fixWhileUnknown(_ fix: Fix, _ before: Unknown, at now_ms: Int64) -> [Action] {
    var unknown = before
    recent.add(fix)
    guard var place = unknown.place, fix.time_ms >= unknown.since_ms else {
      unknown.place = Place(centre: fix.position)
      unknown.since_ms = fix.time_ms
      departure.inside(fix)
      state = .unknown(unknown)
      return []
    }
    if distance_m(to: fix, from: place) <= reach_m(of: fix) {
      place.include(fix)
      unknown.place = place
      departure.inside(fix)
      elsewhere = nil
      return settled(unknown, place, by: fix, at: now_ms)
    }
    let away_m = distance_m(to: fix, from: place)
    if departure.outside(
      fix, distance_m: away_m, goneDistance_m: away_m, departure_m: settings.departureDistance_m)
    {
      let left = recent.sinceLeaving(place, radius_m: settings.stationaryRadius_m)
      // Without a fix at rest it may have been on its way when the watch began.
      let place = left.leftAfter_ms.map { _ in place }
      return begin(left.track, from: place, leftAfter_ms: left.leftAfter_ms, at: now_ms)
    }
    return outsideWhileUnknown(unknown, fix, at: now_ms)
  }

  /// Neither there nor gone: the first fixes were wrong, or it creeps.
  private mutating func outsideWhileUnknown(_ before: Unknown, _ fix: Fix, at now_ms: Int64) -> [Action] {
    var unknown = before
    let stay = elsewhere?.following(fix) ?? Stay(fix, radius_m: settings.stationaryRadius_m)
    elsewhere = stay
    let stayed_ms = fix.time_ms - stay.entered_ms
    if stay.outside.isEmpty, stayed_ms >= milliseconds(min(Motion.firstStop_s, settings.stopTimeout_s)) {
      (unknown.place, unknown.since_ms) = (stay.place, stay.entered_ms)
      (departure, elsewhere) = (Departure(), nil)
      return settled(unknown, stay.place, by: fix, at: now_ms)
    }
    state = .unknown(unknown)
    return []
  }

  private mutating func settled(_ unknown: Unknown, _ place: Place, by fix: Fix, at now_ms: Int64) -> [Action]
  {
    let stop_s = min(Motion.firstStop_s, settings.stopTimeout_s)
    guard fix.isStanding, fix.time_ms - unknown.since_ms >= milliseconds(stop_s) else {
      state = .unknown(unknown)
      return []
    }
    (departure, elsewhere) = (Departure(), nil)
    park(in: place, seen_ms: fix.time_ms, at: now_ms)
    return [.foundParked(place: place)]
  }

  mutating func fixWhileMoving(_ fix: Fix, at now_ms: Int64) -> [Action] {
    let last_s = moving.lastFix?.second
    moving.lastFix = fix
    if moving.before != nil {
      moving.before = nil
      // The first fix alone does not say where it stands.
      if moving.ignitionOffSince_ms != nil { moving.ignitionOffSince_ms = now_ms }
    }
    moving.lastFixAt_ms = now_ms
    // One fix a second decides, so that a trip halts and ends alike at every rate.
    if last_s == fix.second { return [] }
    let halt = moving.stay?.halt
    moving.follow(fix, radius_m: settings.stationaryRadius_m)
    if let halt { learnHalt(halt, before: moving.stay?.halt, until_ms: fix.time_ms) }
    if moving.stay?.isAtRest(for: milliseconds(settings.stopTimeout_s), with: fix) == true {
      return park(at: moving.stay?.end, cause: .stayed, now_ms: now_ms)
    }
    dozeOrWake(after: fix, at: now_ms)
    return []
  }

  mutating func fixWhileParked(_ fix: Fix, at now_ms: Int64) -> [Action] {
    recent.add(fix)
    let away_m = distance_m(to: fix, from: parked.place)
    if away_m <= reach_m(of: fix) {
      departure.inside(fix)
      elsewhere = nil
      parked.lastSeen_ms = fix.time_ms
      parked.isAssumed = false
      if case .looking(_, let since_ms) = parked.probe, fix.isDriving {
        // Just moving off: the next fixes say it.
        parked.probe = .looking(until_ms: now_ms + milliseconds(settings.probeTimeout_s), since_ms: since_ms)
        return []
      }
      parked.place.include(fix)
      return stillThere(at: now_ms)
    }
    if departure.outside(
      fix, distance_m: away_m, goneDistance_m: distance_m(to: fix, from: parked.reported),
      departure_m: settings.departureDistance_m)
    {
      return leave(at: now_ms)
    }
    let stay = elsewhere?.following(fix) ?? Stay(fix, radius_m: settings.stationaryRadius_m)
    elsewhere = stay
    let stayed_ms = fix.time_ms - stay.entered_ms
    let shift_ms = milliseconds(min(Motion.firstStop_s, settings.stopTimeout_s))
    if stay.outside.isEmpty, stayed_ms >= shift_ms, !departure.isFarAway {
      return shift(to: stay.place, seen_ms: fix.time_ms, at: now_ms)
    }
    if case .looking(_, let since_ms) = parked.probe {
      // It may be leaving: the look goes on until that is clear.
      parked.probe = .looking(until_ms: now_ms + milliseconds(settings.probeTimeout_s), since_ms: since_ms)
    }
    return []
  }

  mutating func leave(at now_ms: Int64) -> [Action] {
    // A look that found it gone began before it was sure of that.
    var (look_ms, cause) = (Int64?.none, DepartureCause.fixes)
    if case .looking = parked.probe { (look_ms, cause) = (parked.lookBegan_ms, parked.lookedFor) }
    learnDeparture(foundBy: look_ms, at: now_ms)
    let left = recent.sinceLeaving(parked.place, radius_m: settings.stationaryRadius_m)
    let leftAfter_ms = left.isSeen ? nil : left.leftAfter_ms ?? parked.lastSeen_ms
    cells.left(since_ms: leftSince_ms(left.track, from: parked.place, after_ms: leftAfter_ms, at: now_ms))
    return begin(left.track, from: parked.place, leftAfter_ms: leftAfter_ms, cause: cause, at: now_ms)
  }

  /// Pushed aside, or the receiver has changed its mind: reported only if it is as far as a departure.
  private mutating func shift(to place: Place, seen_ms: Int64, at now_ms: Int64) -> [Action] {
    parked.place = place
    (departure, elsewhere) = (Departure(), nil)
    (parked.lastSeen_ms, parked.isAssumed) = (seen_ms, false)
    let isFar = parked.reported.centre.distance_m(to: place.centre) > settings.departureDistance_m
    if isFar {
      parked.reported = place
      cells.parked(at: now_ms)
    }
    return (isFar ? [.shifted(place: place)] : []) + stillThere(at: now_ms)
  }

  private func distance_m(to fix: Fix, from place: Place) -> Double {
    place.centre.distance_m(to: fix.position)
  }

  private func reach_m(of fix: Fix) -> Double { settings.stationaryRadius_m + fix.accuracy_m }

  private mutating func begin(
    _ track: [Fix], from place: Place?, leftAfter_ms: Int64? = nil, cause: DepartureCause = .fixes,
    at now_ms: Int64
  ) -> [Action] {
    var stay = track.first.map { Stay($0, radius_m: settings.stationaryRadius_m) }
    for (before, fix) in zip(track, track.dropFirst()) where fix.second != before.second {
      stay = stay?.following(fix)
    }
    forgetFixes()
    setOff(Moving(stay: stay, lastFix: track.last, at: now_ms))
    return [
      .departed(start: track.first, track: track, from: place, leftAfter_ms: leftAfter_ms, cause: cause)
    ]
  }
}

extension Motion {
  /// What a fix that motion has just seen says of where the vehicle is.
  enum Whereabouts: Equatable {
    case going
    /// At a light, or parked: the mean of the place is better than the fix.
    case standing(Place)
    /// The fix is outside of the parked place, and not yet believed.
    case unclear
  }

  var whereabouts: Whereabouts {
    switch state {
    case .unknown(let unknown):
      guard let place = unknown.place, let last = recent.fixes.last, last.isStanding else {
        return .going
      }
      return !departure.isOutside ? .standing(place) : .unclear
    case .moving:
      guard let stay = moving.stay, stay.isHalted else { return .going }
      return stay.outside.isEmpty ? .standing(stay.place) : .unclear
    case .stationary: return elsewhere == nil ? .standing(parked.place) : .unclear
    }
  }
}
