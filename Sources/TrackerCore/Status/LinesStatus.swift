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

  public init() {}

  public func visit(with visitor: inout some StatusVisitor) {
    visitor.visit(_ignition)
    visitor.visit(_vibrationEdges)
    visitor.visit(_bounces)
    visitor.visit(_storms)
  }
}
