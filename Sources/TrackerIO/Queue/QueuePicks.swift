import TrackerCore

/// What an upload carries.
extension QueueStore {
  /// - Parameter limit: nil: as many as the order wants.
  public func records(for order: UploadOrder, limit: Int? = nil) throws(QueueError) -> [Record] {
    try openToRead()
    let limit = limit ?? order.limit
    switch order.pick {
    case .oldest: return try batch(limit: limit)
    case .newest: return try newest(limit: limit)
    case .events: return try events(limit: limit)
    case .later: return Array(try batch(limit: order.skip + limit).dropFirst(order.skip))
    }
  }

  // Rows that hold no record are passed over: `batch` finds them in their turn.

  /// Up to `limit` of the newest records, in the order of their making.
  public func newest(limit: Int) throws(QueueError) -> [Record] {
    let stored = try records("ORDER BY sequence DESC LIMIT ?", limit)
    let waiting = held.rows.suffix(limit).compactMap { RecordColumns.record($0) }
    return Array((stored + waiting).sorted { $0.sequence < $1.sequence }.suffix(limit))
  }

  /// Up to `limit` of the oldest records that are no plain positions.
  public func events(limit: Int) throws(QueueError) -> [Record] {
    let stored =
      counts.events > 0 ? try records("WHERE kind <> 0 ORDER BY sequence LIMIT ?", limit) : []
    let waiting = held.rows.filter(\.isEvent).prefix(limit).compactMap { RecordColumns.record($0) }
    return Array((stored + waiting).sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  /// Rows of the tables. - Parameter number: what `?` stands for in the condition.
  func records(_ condition: String, _ number: Int) throws(QueueError) -> [Record] {
    let row = try database.prepare("SELECT \(RecordColumns.names) FROM records \(condition)")
    row.bind([.integer(Int64(number))])
    var records: [Record] = []
    while try row.step() {
      if let record = RecordColumns.record(row) { records.append(record) }
    }
    return records
  }
}
