import TrackerCore

/// Dates of records that were made before the time was known.
extension QueueStore {
  /// What waits gets its true date.
  func redate(_ redating: Redating) throws(QueueError) {
    let stored = try records("WHERE time_source = ?", Int64(Record.TimeSource.untrustedWallClock.rawValue))
    let waiting = held.rows.compactMap { RecordColumns.record($0) }
    try rewrite((stored + waiting).compactMap { redating.applied(to: $0) })
  }

  /// Puts records in the place of those with their numbers, where these still wait.
  private func rewrite(_ records: [Record]) throws(QueueError) {
    var next = held
    var stored: [Record] = []
    for record in records {
      if let index = held.rows.firstIndex(where: { $0.sequence == record.sequence }) {
        next.rows[index] = RecordColumns.values(record)
      } else {
        stored.append(record)
      }
    }
    if !stored.isEmpty { unreported.merge(try rewriteStored(stored), uniquingKeysWith: +) }
    if next != held { unreported.merge(try keep(next), uniquingKeysWith: +) }
  }

  private func rewriteStored(_ records: [Record]) throws(QueueError) -> [String: Int] {
    let update = try database.prepare(
      "UPDATE records SET time_ms = ?, time_source = ?, fix_age_ms = ?, extras = ? WHERE sequence = ?")
    return try makingRoom { () throws(QueueError) in
      for row in records.map({ RecordColumns.values($0) }) {
        try update.run([row[2], row[3], row[5], row[19], row[0]])
      }
    }
  }
}
