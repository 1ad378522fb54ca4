import TrackerBase

/// What others ask of it, keep of it, and see of it.
extension Journey {
  package var deadline_ms: Int64? {
    let mode_ms = watchesMotion ? motion.deadline_ms : positionProbe?.deadline_ms
    return earliest(mode_ms, geofenceDeadline_ms, lines.deadline_ms)
  }

  package func publish(to facts: inout Facts, at now: Moment) {
    facts.motion = motion.name
    facts.watchesMotion = watchesMotion
    facts.wantsGPS = wantsGPS
    facts.ignitionIsOn = lines.ignitionIsOn
    facts.journeyCause = noTrackCause
    facts.dwell_ms = geofenceDeadline_ms
    facts.probePause_ms = milliseconds(motion.known.settings.probeInterval_s)
  }

  package func lasts(_ warning: WarningName, at now: Moment) -> Bool {
    switch warning {
    case .inputLine: lines.hasFailed
    case .lineBounces: lines.isStorm
    case .towed: lines.isTowed
    default: false
    }
  }

  /// Dwelling needs no fix while the vehicle is parked, and is not reported outside windows.
  var geofenceDeadline_ms: Int64? {
    guard isWatching, motion.name == .stationary else { return nil }
    return geofences.deadline_ms
  }

  /// Fixes are followed, and the parked vehicle is probed. In `wire_only` with the ignition off only a trip that has
  /// not ended yet is; a line that has failed reports nothing, and is done without.
  var watchesMotion: Bool {
    guard isWatching else { return false }
    switch settings.mode {
    case .full: return true
    case .probeOnly: return false
    case .wireOnly:
      if motion.isMoving { return true }
      guard let on = lines.ignitionIsOn else { return lines.ignitionHasFailed }
      return on
    }
  }

  /// Inside a window.
  private var wantsGPS: Bool { watchesMotion ? motion.wantsGPS : positionProbe?.wantsGPS ?? false }

  /// Why there is no track, as far as the vehicle and `motion.mode` decide.
  private var noTrackCause: NoTrackCause? {
    if settings.mode == .probeOnly { return .probeOnly }
    return settings.mode == .wireOnly && !watchesMotion ? .ignitionOff : motion.noTrackCause
  }

  /// As far as it is certain.
  var odometer_m: Double { trips.odometer.total_m }

  /// Where the vehicle was last: the parked place, or the last counted point of a trip.
  package static func lastPlace(_ saved: SavedState) -> Fix? {
    Trips.anchor(saved) ?? Motion.lastPlace(saved)
  }

  package func save(to commit: inout Commit, _ facts: Facts, at now: Moment) {
    commit.tail = trips.tail(at: facts.time)
    trips.save(to: &commit)
    lines.save(to: &commit)
    motion.save(to: &commit)
    commit.set("geofences", geofences.saved)
  }

  package static var kinds: SavedKinds {
    [
      "cells": SavedCells.self, "geofences": [SavedStay].self, "habits": SavedHabits.self,
      "last_trip": Int64.self,
      "lines": SavedLines.self, "motion": SavedMotion.self, "odometer_anchor": SavedAnchor.self,
      "odometer_m": SavedMetres.self, "speeding": SpeedWatch.Offence.self, "trip": SavedTrip.self,
    ]
  }

  package func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment) {
    let time_ms = facts.time.time_ms
    motion.describe(&status.motion, lastFix)
    (status.gps.sampling, status.gps.probes) = (sampling, probes)
    status.gps.lastFix_ms = lastFix?.time_ms
    status.gps.lastFixAgo_s = lastFix.map { max(0, (time_ms - $0.time_ms) / 1000) }
    status.trip = tripFigures
    (status.trip.id, status.trip.distance_m) = (trips.current?.id, trips.distance_m)
    status.trip.odometer_m = trips.odometer.total_m + trips.odometer.open_m
    status.geofences = fenceFigures
    geofences.describe(&status.geofences, at: time_ms)
    status.lines = lines.status
  }
}

extension Settings {
  /// No server takes records without one.
  var recordsNeedPlace: Bool { servers.allSatisfy { $0.sync.format.traits.needsPosition } }
}

extension MotionChange.Cause {
  init(_ cause: DepartureCause) {
    self =
      switch cause {
      case .fixes: .fixes
      case .ignition: .ignition
      case .probe: .probe
      case .vibration: .vibration
      case .cell: .cell
      case .voltage: .voltage
      case .acceleration: .acceleration
      }
  }
}

extension Motion.ArrivalCause {
  /// Why the trip has ended.
  var ofTrip: TripSummary.EndCause {
    switch self {
    case .stayed: .stayed
    case .ignition: .ignition
    case .noFix: .noFix
    }
  }

  /// As the record of the arrival says it.
  var ofChange: MotionChange.Cause {
    switch self {
    case .stayed: .stayed
    case .ignition: .ignition
    case .noFix: .noFix
    }
  }
}
