public struct LinesStatus: StatusGroup {
  @Figure("ignition", "The ignition is on; absent while that is unknown.")
  public var ignition: Bool? = nil
  @Figure("vibration_edges", .counter, "Edges of the vibration line that counted.")
  public var vibrationEdges = 0
  @Figure(
    "bounces", .counter,
    "Edges of the ignition's and the external power's line that came before the one ahead of them had lasted debounce_ms."
  )
  public var bounces = 0
  @Figure("storms", .counter, "50 bounces in a row.")
  public var storms = 0

  /// How far the accelerometer is.
  public enum Accelerometer: String, FigureChoice {
    case opening, failed
    /// It is read now and then.
    case read
    /// It tells by an event of its own, and is read.
    case tells
  }
  @Figure("accelerometer", "How it is used; absent without `accelerometer.name`.")
  public var accelerometer: Accelerometer? = nil
  @Figure("acceleration_signs", .counter, "Accelerations of the parked vehicle after which it was looked at.")
  public var accelerationSigns = 0
  @Figure(
    "acceleration_threshold_mps2", .gauge,
    "From which acceleration on a parked vehicle counts as used; absent while no accelerometer says.")
  public var accelerationThreshold_mps2: Double? = nil

  public init() {}
}
