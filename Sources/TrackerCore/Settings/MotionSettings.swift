public struct MotionSettings: Equatable, Sendable {
  /// What the GPS is used for.
  public enum Mode: String, CaseIterable, Sendable {
    /// Trips, with probes while parked.
    case full
    /// A position now and then, and no trips.
    case probeOnly = "probe_only"
    /// Trips while the ignition is on, and nothing else.
    case wireOnly = "wire_only"
  }

  public var mode = Mode.full
  public var stopTimeout_s = 300.0
  public var stationaryRadius_m = 25.0
  public var gpsOffWhenParked = true
  public var departureDistance_m = 75.0
  public var probeInterval_s = 90.0
  public var probeShare = 0.02
  public var probeIntervalMax_s = 1800.0
  public var probeTimeout_s = 45.0
  public var lostTripTimeout_s = 1800.0
  public var ignitionOffTimeout_s = 60.0
  public var parkedHeartbeat_s = 3600.0
  public var activityEvents = false

  mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.begin(group: "motion", "When the vehicle counts as moving, and how it is watched while parked.")
    visitor.choice(
      "mode", &mode,
      """
      full: trips, and probes while parked. probe_only: a position every probe_interval_max_s, and no trips. wire_only: \
      the GPS is on only while the ignition is; needs [ignition]. docs/motion.md.
      """)
    visitor.number(
      "stop_timeout_s", &stopTimeout_s, in: 10...7200,
      "The vehicle is parked when it has stayed in one place for so long. The trip ends back when it arrived."
    )
    visitor.number(
      "stationary_radius_m", &stationaryRadius_m, in: 5...500,
      "Size of that place. The fixes' own inaccuracy is added to it.")
    visitor.number(
      "departure_distance_m", &departureDistance_m, in: 10...5000,
      """
      A parked vehicle has left when it drives and is so far from its place, or 250 m away at any pace. The trip
      begins back where it began to move.
      """)
    visitor.flag(
      "gps_off_when_parked", &gpsOffWhenParked,
      "false keeps the GPS on while parked, inside the schedule: exact departures for much more power.")
    visitor.number(
      "probe_interval_s", &probeInterval_s, in: 5...86400,
      "While parked, the GPS is switched on this often to see whether the vehicle has left, …")
    visitor.number(
      "probe_share", &probeShare, in: 0...1,
      "… or, when it has stood for long, after this share of the time that it has stood, …")
    visitor.number("probe_interval_max_s", &probeIntervalMax_s, in: 5...86400, "… up to this.")
    visitor.number(
      "probe_timeout_s", &probeTimeout_s, in: 5...600,
      "A probe that has seen nothing by then ends without an answer.")
    visitor.number(
      "lost_trip_timeout_s", &lostTripTimeout_s, in: 60...86400,
      "A trip without any fix for so long (an underground garage) ends at its last fix.")
    visitor.number(
      "ignition_off_timeout_s", &ignitionOffTimeout_s, in: 0...7200,
      "With an ignition line: the vehicle is parked when the ignition has been off and the speed nil for so long."
    )
    visitor.number(
      "parked_heartbeat_s", &parkedHeartbeat_s, in: 60...604800,
      "With an ignition or vibration line: time between probes, which are then only a sign of life.")
    visitor.flag(
      "activity_events", &activityEvents,
      "true: a record, sent at once, for each change between parked, idling and driving.")
    visitor.end(group: "motion")
  }
}

public struct TrackSettings: Equatable, Sendable {
  public enum Sampling: String, CaseIterable, Sendable {
    case bounded, distance, all
  }

  public var preset = TrackPreset.highAccuracy
  public var sampling = Sampling.bounded
  public var maxError_m = 10.0
  public var maxInterval_s = 120.0
  public var distanceFilter_m = 10.0
  public var elasticity = 0.0
  public var courseStep_deg = 0.0
  public var speedStep_mps = 0.0
  public var speedLimit_mps = 0.0

  mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.begin(group: "track", "Which fixes of a trip are kept.")
    visitor.choice(
      "preset", &preset,
      """
      How exact the track is, for how much power. high_accuracy: the defaults. balanced (50 m) and low_power (200 m) set \
      other values in track and motion, listed in docs/motion.md; what this file sets itself goes before them.
      """)
    visitor.choice(
      "sampling", &sampling,
      """
      bounded: the fewest fixes such that none that was left out lies farther than max_error_m from the line
      between kept ones at its own time. distance: one every distance_filter_m. all: every fix.
      """)
    visitor.number("max_error_m", &maxError_m, in: 1...1000, "The bound of bounded sampling.")
    visitor.number(
      "max_interval_s", &maxInterval_s, in: 1...3600, "While moving, at least one fix is kept this often.")
    visitor.number("distance_filter_m", &distanceFilter_m, in: 0...10000, "The step of distance sampling.")
    visitor.number(
      "elasticity", &elasticity, in: 0...10,
      """
      Distance sampling with longer steps at speed: the step times elasticity times the speed in units of 5 m/s,
      rounded, and never less than the step. 0: the same step at any speed.
      """)
    visitor.number(
      "course_step_deg", &courseStep_deg, in: 0...180,
      """
      Besides what sampling keeps: the fix at which the course has changed by so much since the last kept one.
      0: none.
      """)
    visitor.number(
      "speed_step_mps", &speedStep_mps, in: 0...50,
      "Likewise the fix at which the speed has changed by so much. 0: none.")
    visitor.number(
      "speed_limit_mps", &speedLimit_mps, in: 0...100,
      "An event tells when the vehicle drives faster, and one when it does no more. 0: none.")
    visitor.end(group: "track")
  }
}
