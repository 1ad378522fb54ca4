public struct TrackSettings: SettingGroup {
  public enum Sampling: String, SettingChoice {
    case bounded, distance, all
  }

  static let preset = Setting<TrackPreset>(
    "preset", remote: true,
    """
    How exact the track is, for how much power. high_accuracy: the defaults. balanced (50 m) and low_power
    (200 m) set other values in track and motion, listed in docs/motion.md; what this file sets itself takes \
    priority over them.
    """)
  public var preset = TrackPreset.highAccuracy
  static let sampling = Setting<Sampling>(
    "sampling", remote: true,
    """
    bounded: the fewest fixes such that none that was left out lies farther than max_error_m from the line
    between kept ones at its own time. distance: one every distance_filter_m. all: every fix.
    """)
  public var sampling = Sampling.bounded
  static let maxError_m = Setting<Double>(
    "max_error_m", in: 1...1000, remote: true, "The bound of bounded sampling.")
  public var maxError_m = 10.0
  static let maxInterval_s = Setting<Double>(
    "max_interval_s", in: 1...3600, remote: true, "While moving, at least one fix is kept this often.")
  public var maxInterval_s = 120.0
  static let distanceFilter_m = Setting<Double>(
    "distance_filter_m", in: 0...10000, remote: true, "The step of distance sampling.")
  public var distanceFilter_m = 10.0
  static let elasticity = Setting<Double>(
    "elasticity", in: 0...10, remote: true,
    """
    Distance sampling with longer steps at speed: the step times elasticity times the speed in units of 5 m/s,
    rounded, and never less than the step. 0: the same step at any speed.
    """)
  public var elasticity = 0.0
  static let courseStep_deg = Setting<Double>(
    "course_step_deg", in: 0...180, remote: true,
    """
    Besides what sampling keeps: the fix at which the course has changed by this much since the last kept \
    one.
    0: none.
    """)
  public var courseStep_deg = 0.0
  static let speedStep_mps = Setting<Double>(
    "speed_step_mps", in: 0...50, remote: true,
    "Likewise the fix at which the speed has changed by this much. 0: none.")
  public var speedStep_mps = 0.0
  static let speedLimit_mps = Setting<Double>(
    "speed_limit_mps", in: 0...100, remote: true,
    """
    One event reports when the vehicle drives faster than this, and another when it no longer does. 0: \
    none.
    """)
  public var speedLimit_mps = 0.0
  static let harshBraking_mps2 = Setting<Double>(
    "harsh_braking_mps2", in: 0...20, remote: true,
    """
    An event reports when the vehicle brakes harder than this, measured by its speed over two seconds. Roads \
    are laid out for 3.4, which most
    drivers find comfortable (AASHTO); 5 is emergency braking (UN R152). 0: none.
    """)
  public var harshBraking_mps2 = 0.0

  public mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.visit(&preset, Self.preset)
    visitor.visit(&sampling, Self.sampling)
    visitor.visit(&maxError_m, Self.maxError_m)
    visitor.visit(&maxInterval_s, Self.maxInterval_s)
    visitor.visit(&distanceFilter_m, Self.distanceFilter_m)
    visitor.visit(&elasticity, Self.elasticity)
    visitor.visit(&courseStep_deg, Self.courseStep_deg)
    visitor.visit(&speedStep_mps, Self.speedStep_mps)
    visitor.visit(&speedLimit_mps, Self.speedLimit_mps)
    visitor.visit(&harshBraking_mps2, Self.harshBraking_mps2)
  }
}
