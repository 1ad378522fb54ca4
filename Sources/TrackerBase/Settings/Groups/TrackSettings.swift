public struct TrackSettings: SettingGroup {
  public enum Sampling: String, SettingChoice {
    case bounded, distance, all
  }

  @Setting(
    "preset", remote: true,
    """
    How exact the track is, for how much power. high_accuracy: the defaults. balanced (50 m) and low_power
    (200 m) set other values in track and motion, listed in docs/motion.md; what this file sets itself takes \
    priority over them.
    """)
  public var preset = TrackPreset.highAccuracy
  @Setting(
    "sampling", remote: true,
    """
    bounded: the fewest fixes such that none that was left out lies farther than max_error_m from the line
    between kept ones at its own time. distance: one every distance_filter_m. all: every fix.
    """)
  public var sampling = Sampling.bounded
  @Setting("max_error_m", in: 1...1000, remote: true, "The bound of bounded sampling.")
  public var maxError_m = 10.0
  @Setting("max_interval_s", in: 1...3600, remote: true, "While moving, at least one fix is kept this often.")
  public var maxInterval_s = 120.0
  @Setting("distance_filter_m", in: 0...10000, remote: true, "The step of distance sampling.")
  public var distanceFilter_m = 10.0
  @Setting(
    "elasticity", in: 0...10, remote: true,
    """
    Distance sampling with longer steps at speed: the step times elasticity times the speed in units of 5 m/s,
    rounded, and never less than the step. 0: the same step at any speed.
    """)
  public var elasticity = 0.0
  @Setting(
    "course_step_deg", in: 0...180, remote: true,
    """
    Besides what sampling keeps: the fix at which the course has changed by this much since the last kept \
    one.
    0: none.
    """)
  public var courseStep_deg = 0.0
  @Setting(
    "speed_step_mps", in: 0...50, remote: true,
    "Likewise the fix at which the speed has changed by this much. 0: none.")
  public var speedStep_mps = 0.0
  @Setting(
    "speed_limit_mps", in: 0...100, remote: true,
    """
    One event reports when the vehicle drives faster than this, and another when it no longer does. 0: \
    none.
    """)
  public var speedLimit_mps = 0.0
  @Setting(
    "harsh_braking_mps2", in: 0...20, remote: true,
    """
    An event reports when the vehicle brakes harder than this, measured by its speed over two seconds. Roads \
    are laid out for 3.4, which most
    drivers find comfortable (AASHTO); 5 is emergency braking (UN R152). 0: none.
    """)
  public var harshBraking_mps2 = 0.0
}
