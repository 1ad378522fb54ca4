import TrackerCore

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

  func contains(_ row: [SQLiteValue]) -> Bool {
    if positionsOnly, row.isEvent { return false }
    return (row.integer(2) ?? 0) < (before_ms ?? .max)
  }

  /// Parameters 3 and 4 of `condition`.
  var parameters: [SQLiteValue] { [.integer(before_ms ?? .max), .integer(positionsOnly ? 1 : 0)] }
  static let condition = "sequence > ?1 AND sequence <= ?2 AND time_ms < ?3 AND (kind = 0 OR ?4 = 0)"
}

extension QueueStore {
  /// Up to `limit` rows after the sequence `after`, in the order of their making. Changes nothing.
  public func page(after: Int64, limit: Int) throws(QueueError) -> QueuePage {
    var rows: [(sequence: Int64, record: Record?)] = []
    let row = try database.prepare(
      "SELECT \(RecordColumns.names) FROM records WHERE sequence > ? ORDER BY sequence LIMIT ?")
    row.bind([.integer(after), .integer(Int64(limit))])
    while try row.step() { rows.append((row.integer(0) ?? 0, RecordColumns.record(row))) }
    rows += held.rows.filter { $0.sequence > after }.map { ($0.sequence, RecordColumns.record($0)) }
    rows.sort { $0.sequence < $1.sequence }
    let page = rows.prefix(limit)
    return QueuePage(
      records: page.compactMap(\.record), unreadable: page.count { $0.record == nil },
      last: page.last?.sequence)
  }

  /// Up to `limit` rows of the quarantine after the sequence `after`. Changes nothing.
  public func quarantined(after: Int64, limit: Int) throws(QueueError) -> [QuarantinedRecord] {
    var found: [QuarantinedRecord] = []
    let row = try database.prepare(
      """
      SELECT \(RecordColumns.names), reason, quarantined_ms FROM quarantine
      WHERE sequence > ? ORDER BY sequence LIMIT ?
      """)
    row.bind([.integer(after), .integer(Int64(limit))])
    let reason = Int32(RecordColumns.count)
    while try row.step() {
      found.append(
        QuarantinedRecord(
          sequence: row.integer(0) ?? 0, record: RecordColumns.record(row), reason: row.text(reason),
          quarantined_ms: row.integer(reason + 1) ?? 0))
    }
    return found
  }

  /// How many of the next `limit` rows after the sequence `after` are selected.
  ///
  /// - Returns: `last` is where the next part begins; nil when nothing is left.
  public func count(
    _ selection: QueueSelection, after: Int64, limit: Int
  ) throws(QueueError) -> (records: Int, last: Int64?) {
    var (end, rows) = try part(after: after, limit: limit)
    // Rows that are held back have the greatest numbers, but for a few that the end of this part cuts off.
    if rows < limit { end = max(end, held.rows.last?.sequence ?? 0) }
    guard end > after else { return (0, nil) }
    let row = try database.prepare("SELECT count(*) FROM records WHERE \(QueueSelection.condition)")
    row.bind([.integer(after), .integer(end)] + selection.parameters)
    let stored = try row.step() ? Int(row.integer(0) ?? 0) : 0
    let waiting = held.rows.count {
      $0.sequence > after && $0.sequence <= end && selection.contains($0)
    }
    return (stored + waiting, end)
  }

  /// The greatest sequence and the number of the tables' next `limit` rows.
  func part(after: Int64, limit: Int) throws(QueueError) -> (end: Int64, rows: Int) {
    let row = try database.prepare(
      """
      SELECT max(sequence), count(*) FROM
      (SELECT sequence FROM records WHERE sequence > ? ORDER BY sequence LIMIT ?)
      """)
    row.bind([.integer(after), .integer(Int64(limit))])
    return try row.step() ? (row.integer(0) ?? 0, Int(row.integer(1) ?? 0)) : (0, 0)
  }
}
