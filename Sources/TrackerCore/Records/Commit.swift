/// What is made durable together: all of it, or after a power cut none of it.
public struct Commit: Equatable, Sendable {
  public var records: [Record]
  /// The newest fix that is not yet kept, so that a power cut does not lose the end of a straight segment.
  /// nil when there is none.
  public var tail: Record?
  /// Values by key. Keys that are not named here keep their value.
  public var state: [String: String]

  public init(records: [Record] = [], tail: Record? = nil, state: [String: String] = [:]) {
    self.records = records
    self.tail = tail
    self.state = state
  }
}
