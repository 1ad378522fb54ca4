import TrackerBase

/// A bounded part of the records that wait, for whoever goes through all of them step by step.
public struct QueuePage: Equatable, Sendable {
  public var records: [Record] = []
  /// Rows of this part that hold no record, which only damage makes.
  public var unreadable = 0
  /// The next part begins after this sequence; nil: nothing is left.
  public var last: Int64?

  public init(records: [Record] = [], unreadable: Int = 0, last: Int64? = nil) {
    (self.records, self.unreadable, self.last) = (records, unreadable, last)
  }
}

/// What the server refused.
public struct QuarantinedRecord: Equatable, Sendable {
  public var sequence: Int64
  /// nil when the row holds no record.
  public var record: Record?
  /// The server's words.
  public var reason: String
  /// Unix milliseconds.
  public var quarantined_ms: Int64
}

/// Which of the records that wait.
public struct QueueSelection: Equatable, Sendable {
  /// Only records whose own time is before it, Unix milliseconds.
  public var before_ms: Int64?
  public var positionsOnly: Bool

  public init(before_ms: Int64? = nil, positionsOnly: Bool = false) {
    self.before_ms = before_ms
    self.positionsOnly = positionsOnly
  }

  /// The statement's parameters from 1 on.
  func parameters(after: Int64, through: Int64, bit: Int64) -> [SQLiteValue] {
    [
      .integer(after), .integer(through), .integer(before_ms ?? .max), .integer(positionsOnly ? 1 : 0),
      .integer(bit),
    ]
  }
  static let condition =
    "sequence > ?1 AND sequence <= ?2 AND time_ms < ?3 AND (kind = 0 OR ?4 = 0) AND waiting & ?5"
}

/// What the queue holds for one server, for the status document and the operator.
public struct QueueSummary: Equatable, Sendable {
  public var count: Int
  /// Those of `count` that are no plain positions.
  public var events: Int
  /// Times of the first and the last record that wait, Unix milliseconds.
  public var oldest_ms: Int64?
  public var newest_ms: Int64?
  public var quarantined: Int
  /// Everything ever dropped, by cause.
  public var ledger: [String: Int]
  /// The file and its log, on storage.
  public var file_bytes: Int64
}

/// What an operator's change has done.
public struct QueueChange: Equatable, Sendable {
  /// Records that were purged, or moved back.
  public var records = 0
  /// Rows that hold no record and stay where they are.
  public var unreadable = 0
  /// A step: the next one begins after this sequence; nil: nothing is left.
  public var last: Int64?
}
