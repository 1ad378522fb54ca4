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

  public init() {}

  public func visit(with visitor: inout some StatusVisitor) {
    visitor.visit(_state)
    visitor.visit(_activity)
    visitor.visit(_confidence)
    visitor.visit(_cells)
  }
}

extension Activity.Kind: FigureChoice {}
