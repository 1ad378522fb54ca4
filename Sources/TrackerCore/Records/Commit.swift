/// What is written to storage in one transaction.
public struct Commit: Equatable, Sendable {
  /// New records, in sequence order.
  public var records: [Record]
  /// The newest fix that no record holds yet: all that a power cut could cost. Nil if there is none.
  public var tail: Record?
  /// The machines' state by key; belongs to the records beside it.
  public var state: [String: String]

  public init(records: [Record], tail: Record?, state: [String: String]) {
    self.records = records
    self.tail = tail
    self.state = state
  }
}
