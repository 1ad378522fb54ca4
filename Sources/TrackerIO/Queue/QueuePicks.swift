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
    case .positions: return try positions(limit: limit)
    case .later: return Array(try batch(limit: order.skip + limit).dropFirst(order.skip))
    }
  }

  // Rows that hold no record are passed over: `batch` finds them in their turn.

  /// Up to `limit` of the newest records, in the order of their making.
  public func newest(limit: Int) throws(QueueError) -> [Record] {
    let stored = try records("ORDER BY sequence DESC LIMIT ?", Int64(limit))
    let waiting = held.rows.suffix(limit).compactMap { RecordColumns.record($0) }
    return Array((stored + waiting).sorted { $0.sequence < $1.sequence }.suffix(limit))
  }

  /// Up to `limit` of the oldest records that are no plain positions.
  public func events(limit: Int) throws(QueueError) -> [Record] {
    let stored = try storedEvents(limit: limit)
    let waiting = held.rows.filter(\.isEvent).prefix(limit).compactMap { RecordColumns.record($0) }
    return Array((stored + waiting).sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  /// Up to `limit` of the oldest plain positions.
  func positions(limit: Int) throws(QueueError) -> [Record] {
    let stored = try records("WHERE kind = 0 ORDER BY sequence LIMIT ?", Int64(limit))
    let waiting = held.rows.filter { !$0.isEvent }.prefix(limit).compactMap { RecordColumns.record($0) }
    return Array((stored + waiting).sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  /// Each request of a backlog asks for them: they are looked for where the last ones were found.
  private func storedEvents(limit: Int) throws(QueueError) -> [Record] {
    if counts.events == 0 { return [] }
    let events = try records(
      "WHERE kind <> 0 AND sequence >= ? ORDER BY sequence LIMIT ?", eventsFrom, Int64(limit))
    if let first = events.first { eventsFrom = first.sequence }
    return events
  }

  /// Rows of the tables. - Parameter numbers: what each `?` stands for in the condition.
  func records(_ condition: String, _ numbers: Int64...) throws(QueueError) -> [Record] {
    let row = try database.prepare("SELECT \(RecordColumns.names) FROM records \(condition)")
    row.bind(numbers.map { .integer($0) })
    var records: [Record] = []
    while try row.step() {
      if let record = RecordColumns.record(row) { records.append(record) }
    }
    return records
  }
}
