public struct MotionStatus: StatusGroup {
  public enum State: String, FigureChoice {
    case unknown, moving, stationary
  }

  @Figure("motion", "Whether the vehicle moves.")
  public var state = State.unknown
  @Figure("activity", "By the last fix; idling is standing in a trip.")
  public var activity: Activity.Kind? = nil
  @Figure("activity_confidence", .percent, "How sure that is.")
  public var confidence: Int? = nil
  @Figure(
    "motion_cells", .gauge,
    "Cells that the parking place has shown; absent where the modem tells of no departure.")
  public var cells: Int? = nil
  /// What the modem's cells are worth at present.
  public enum Cells: String, FigureChoice {
    /// No modem tells its cell, or there is none.
    case silent
    case told
    /// The parking place has so many that none says anything.
    case tooMany = "too_many"
  }
  @Figure("motion_cells_state", "Whether a modem tells its cell; absent where `motion.cells` is off.")
  public var cellsState: Cells? = nil

  public init() {}
}
