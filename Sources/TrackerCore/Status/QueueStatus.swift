public struct QueueStatus: StatusGroup {
  public enum Storage: String, FigureChoice {
    case ok, failed
  }

  @Figure("records", .gauge, "Records on storage that wait for the server.")
  public var records = 0
  @Figure("in_memory", .gauge, "Records that are not yet on storage.")
  public var inMemory = 0
  @Figure(
    "dropped_from_memory", .counter, "Records dropped since memory had no room while the storage failed.")
  public var droppedFromMemory = 0
  @Figure("storage", "Whether the queue can be written.")
  public var storage = Storage.ok
  @Figure(
    "id_changes", .counter,
    "How often the queue began another id, so that two boxes from one card stay apart (docs/queue.md#copied-cards)."
  )
  public var idChanges = 0
  @Figure("id_changed", .time, "When it last did; absent where it never has.")
  public var idChanged_ms: Int64? = nil

  public init() {}

  public func visit(with visitor: inout some StatusVisitor) {
    visitor.visit(_records)
    visitor.visit(_inMemory)
    visitor.visit(_droppedFromMemory)
    visitor.visit(_storage)
    visitor.visit(_idChanges)
    visitor.visit(_idChanged_ms)
  }
}
