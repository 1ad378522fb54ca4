import TrackerBase

/// After the first start, or when tracking was off: nothing is known yet.
struct Unknown: Equatable, Sendable {
  /// Where it seems to stand, and since when, in GPS time.
  var place: Place?
  var since_ms: Int64 = 0
  var lookout = Lookout()

  mutating func fixArrived(_ fix: Fix, _ known: inout Knowledge, at now_ms: Int64) -> Motion.Step {
    let settings = known.settings
    lookout.recent.add(fix)
    guard let place, fix.time_ms >= since_ms else {
      (place, since_ms) = (Place(centre: fix.position), fix.time_ms)
      lookout.departure.inside(fix)
      return Motion.Step()
    }
    let away_m = place.centre.distance_m(to: fix.position)
    if away_m <= settings.reach_m(of: fix) {
      self.place?.include(fix)
      lookout.isInside(fix)
      return settled(by: fix, &known, at: now_ms)
    }
    if lookout.departure.outside(
      fix, distance_m: away_m, goneDistance_m: away_m, departure_m: settings.departureDistance_m)
    {
      let left = lookout.recent.sinceLeaving(place, radius_m: settings.stationaryRadius_m)
      // Without a fix at rest it may have been on its way when the watch began.
      let from = left.leftAfter_ms.map { _ in place }
      let start = Motion.Start(cause: .fixes, track: left.track, from: from, leftAfter_ms: left.leftAfter_ms)
      return .departure(start, settings, at: now_ms)
    }
    // Neither there nor gone: the first fixes were wrong, or it creeps.
    let stay = lookout.follow(fix, settings)
    guard stay.outside.isEmpty, fix.time_ms - stay.entered_ms >= settings.firstStop_ms,
      !lookout.departure.mayBeLeaving
    else {
      return Motion.Step()
    }
    (self.place, since_ms) = (stay.place, stay.entered_ms)
    lookout.settle()
    return settled(by: fix, &known, at: now_ms)
  }

  private mutating func settled(
    by fix: Fix, _ known: inout Knowledge, at now_ms: Int64
  ) -> Motion.Step {
    guard let place, fix.isStanding, fix.time_ms - since_ms >= known.settings.firstStop_ms else {
      return Motion.Step()
    }
    lookout.settle()
    let next = Stationary(in: place, lastSeen_ms: fix.time_ms, lookout: lookout, &known, at: now_ms)
    return Motion.Step(actions: [.foundParked(place: place)], next: .stationary(next))
  }
}
