import TrackerCore

/// Dates of records that were made before the time was known.
///
/// As long as no server can have such a record, it may still get its true date; from the moment at which it is sent it
/// is what it is, also for a process that takes over after a kill.
extension QueueStore {
  /// To be called before a request, and `wereNotSent` after one that failed before anything was sent.
  ///
  /// - Parameter goesWithout: where the dates cannot be noted, the records that have them go alone, even if none is left.
  /// - Returns: the records as they are to be sent.
  public func willSend(_ records: [Record], goesWithout: Bool = false) throws(QueueError) -> [Record] {
    let undated = records.filter(\.isUndated)
    if undated.isEmpty { return records }
    do throws(QueueError) { try rewrite(undated.map(\.asSent)) } catch {
      let rest = records.filter { !$0.isUndated }
      if rest.isEmpty, !goesWithout { throw error }
      return rest
    }
    return records.map(\.asSent)
  }

  /// Nothing of them has left the device. Those that were undated are so again, or have their true dates, if the time
  /// has become known meanwhile. Where this cannot be written, their dates stay.
  ///
  /// - Parameter records: as they were before `willSend`.
  public func wereNotSent(_ records: [Record]) {
    try? rewrite(records.filter(\.isUndated).map { redating?.applied(to: $0) ?? $0 })
  }

  /// What waits gets its true date.
  func redate(_ redating: Redating) throws(QueueError) {
    self.redating = redating
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
