/// What is made durable together: all of it, or after a power cut none of it.
public struct Commit: Equatable, Sendable {
  public var records: [Record]
  /// Fixes that are not yet kept, so that a power cut does not lose the end of a straight segment: at most two,
  /// oldest first.
  public var tail: [Record]
  /// Values by key, all of them; `null` says as little as a missing key.
  public var state: [String: JSONValue]
  /// Records that were lost in memory while storage failed, for the ledger, by cause.
  public var dropped: [String: Int]
  /// What is on storage gets its true dates first; nil: it has them.
  public var redating: Redating?
  /// Without, the state and the open fixes that storage has stay as they are.
  public var hasState: Bool { !state.isEmpty || !tail.isEmpty }

  public init(
    records: [Record] = [], tail: [Record] = [], state: [String: JSONValue] = [:],
    dropped: [String: Int] = [:],
    redating: Redating? = nil
  ) {
    self.dropped = dropped
    self.redating = redating
    self.records = records
    self.tail = tail
    self.state = state
  }
}

extension Commit {
  /// - Parameter value: nil, or one as it is at the beginning: nothing needs to be known.
  package mutating func set(_ key: String, _ value: (some Savable)?) {
    let saved = value?.saved ?? .null
    state[key] = saved == .object([]) || saved == .array([]) ? .null : saved
  }
}
