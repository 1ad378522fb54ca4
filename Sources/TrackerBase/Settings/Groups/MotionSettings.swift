public struct MotionSettings: SettingGroup {
  /// What the GPS is used for.
  public enum Mode: String, SettingChoice {
    /// Trips, with probes while parked.
    case full
    /// A position now and then, and no trips.
    case probeOnly = "probe_only"
    /// Trips while the ignition is on, and nothing else.
    case wireOnly = "wire_only"
  }

  @Setting(
    "mode", remote: true,
    """
    full: trips, and probes while parked. probe_only: a position every probe_interval_max_s, and no trips.
    wire_only: the GPS is on only while the ignition is; needs [ignition]. docs/motion.md.
    """)
  public var mode = Mode.full
  @Setting(
    "stop_timeout_s", in: 10...7200, remote: true,
    """
    The vehicle is parked once it has stayed in one place for this time. The trip's end is dated back to \
    the arrival.
    """)
  public var stopTimeout_s = 300.0
  @Setting(
    "stationary_radius_m", in: 5...500, remote: true,
    "Radius of that place. The inaccuracy of the fixes themselves is added to it.")
  public var stationaryRadius_m = 25.0
  @Setting(
    "departure_distance_m", in: 10...5000, remote: true,
    """
    A parked vehicle has left when it drives and is this far from its place, or 250 m away at any speed. The \
    trip's start is dated back to when it began to move.
    """)
  public var departureDistance_m = 75.0
  @Setting(
    "gps_off_when_parked", remote: true,
    "false keeps the GPS on while parked, inside the schedule: exact departures for much more power.")
  public var gpsOffWhenParked = true
  @Setting(
    "probe_interval_s", in: 5...86400, remote: true,
    "While parked, the GPS is switched on this often to see whether the vehicle has left, …")
  public var probeInterval_s = 90.0
  @Setting(
    "probe_share", in: 0...1, remote: true,
    """
    … or, when it has stood for long, after this share of the time that it has stood, … Both apply until \
    probe_worth has enough to go by, and while the time is not known.
    """)
  public var probeShare = 0.02
  @Setting("probe_interval_max_s", in: 5...86400, remote: true, "… up to this.")
  public var probeIntervalMax_s = 1500.0
  @Setting(
    "probe_worth", in: 0...1000, remote: true,
    """
    The agent learns from this vehicle's own departures when it leaves. From the twentieth on, the likelier \
    a departure is, the closer together are the probes: a second of a drive that nobody sees is worth this \
    many seconds of GPS. Four times the worth gives twice as many probes. The GPS also rests during longer \
    halts and where no satellite is heard. 0: none of this, and
    probes by the time stood alone. docs/motion.md.
    """)
  public var probeWorth = 18.0
  @Setting(
    "cells", remote: true,
    """
    true: where ModemManager runs, a mobile network's cell that is new to the parking place starts a probe at once. For
    that the agent has ModemManager announce the serving cell, and nothing else. docs/motion.md.
    """)
  public var cells = true
  @Setting(
    "probe_worth_with_cells", in: 0...1000, remote: true,
    """
    probe_worth where the modem tells its cell. What probes save there, since long pauses cost little, is spent on seeing
    departures sooner. 0: as without cells.
    """)
  public var probeWorthWithCells = 36.0
  @Setting(
    "probe_timeout_s", in: 5...600, remote: true,
    "A probe that has seen nothing by then ends without an answer.")
  public var probeTimeout_s = 45.0
  @Setting(
    "lost_trip_timeout_s", in: 60...86400, remote: true,
    "A trip without any fix for this time (an underground garage) ends at its last fix.")
  public var lostTripTimeout_s = 1800.0
  @Setting(
    "ignition_off_timeout_s", in: 0...7200, remote: true,
    """
    With an ignition line: the vehicle is parked when the ignition has been off and the speed zero for this \
    time.
    """)
  public var ignitionOffTimeout_s = 60.0
  @Setting(
    "parked_heartbeat_s", in: 60...604800, remote: true,
    "With an ignition or vibration line: time between probes, which are then only a sign of life.")
  public var parkedHeartbeat_s = 1500.0
  @Setting(
    "activity_events", remote: true,
    "true: a record, sent at once, for each change between parked, idling and driving.")
  public var activityEvents = false
}
