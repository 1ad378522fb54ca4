/// The user's areas: judged by what motion knows, told at once.
extension Tracker {
  /// A fix that motion has seen already.
  mutating func watchGeofences(_ fix: Fix, at now: Moment) {
    if geofences.fences.isEmpty { return }
    switch motion.whereabouts {
    case .going: perform(geofences.fixArrived(fix, at: now.boot_ms), at: now)
    case .standing(let place):
      perform(geofences.fixArrived(fix, standingIn: place, at: now.boot_ms), at: now)
    case .unclear: break
    }
  }

  /// Dwelling needs no fix while the vehicle is parked, and is not told outside windows.
  var geofenceDeadline_ms: Int64? {
    guard window.isOpen, case .stationary = motion.state else { return nil }
    return geofences.deadline_ms
  }

  mutating func tickGeofences(at now: Moment) {
    if geofenceDeadline_ms != nil { perform(geofences.tick(at: now.boot_ms), at: now) }
  }

  private mutating func perform(_ events: [Geofences.Action], at now: Moment) {
    for event in events {
      switch event {
      case .entered(let fence, let fix):
        tell(.enter, fence, fix, if: fence.notifyOnEntry, time_ms: fix.time_ms, at: now)
      case .exited(let fence, let fix):
        tell(.exit, fence, fix, if: fence.notifyOnExit, time_ms: fix.time_ms, at: now)
      case .dwelt(let fence, let fix, let time_ms):
        tell(.dwell, fence, fix, if: fence.notifyOnDwell, time_ms: time_ms, at: now)
      }
    }
  }

  private mutating func tell(
    _ action: GeofenceEvent.Action, _ fence: Geofence, _ fix: Fix, if isWanted: Bool, time_ms: Int64,
    at now: Moment
  ) {
    outbox.changed(at: now.boot_ms)
    guard isWanted else { return }
    counters.geofenceEvents += 1
    log(.info, "geofence \(action.rawValue) \(fence.id)")
    let event = GeofenceEvent(action: action, geofence: fence.id, extras: fence.extras)
    record(.geofence(event), fix: fix, dated: time_ms, at: now)
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
      guard let place = unknown.place, let last = recent.fixes.last, Stay.isStanding(last) else {
        return .going
      }
      return !unknown.departure.isOutside ? .standing(place) : .unclear
    case .moving(let moving):
      guard let stay = moving.stay, stay.isHalted else { return .going }
      return stay.outside.isEmpty ? .standing(stay.place) : .unclear
    case .stationary(let parked): return parked.elsewhere == nil ? .standing(parked.place) : .unclear
    }
  }
}
