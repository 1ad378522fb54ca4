/// A pause of the track, or a part of one, as the device recorded it.
struct StoredGap: Encodable, Equatable {
  var cause: String
  var begin: String
  var end: String
  /// Nothing vouched for the clock that dated it; left out where something did.
  var clock: String?
  /// What ended the board's sleep; left out for other gaps.
  var wake: String?
  /// Of a day that has a part of it.
  var whole: Day.Whole?
}

extension Store {
  /// Gaps that share an instant with a span, by their begin; nil if the device is unknown.
  ///
  /// A record of a gap has the time of its end, and gaps follow one another: those that ended before the span are
  /// passed over by the index `record_gap`.
  ///
  /// - Parameters:
  ///   - from_ms: Unix milliseconds; nil: from the first one on.
  ///   - to_ms: as `from_ms`.
  func gaps(device: String, from from_ms: Int64?, to to_ms: Int64?) async throws -> [StoredGap]? {
    try await connection.read { db in
      guard let id = try Self.id(of: device, db) else { return nil }
      let rows = try db.rows(
        """
        SELECT \(["cause", "begin_ms", "end_ms", "clock", "wake"].map(db.dialect.member).joined(separator: ", "))
        FROM record WHERE device_id = ? AND event = 'gap' AND time_ms > ? AND \(db.dialect.isExtras)
          AND \(db.dialect.extra("begin_ms")) < ?
        ORDER BY begin_ms
        """,
        [id, from_ms ?? .min, to_ms ?? .max])
      return rows.compactMap(StoredGap.init)
    }
  }
}

extension StoredGap {
  /// nil for what is none: a record is kept as it was sent.
  fileprivate init?(_ row: Row) {
    guard let cause = row["cause"] as String?, let begin_ms = row["begin_ms"] as Int64?,
      let end_ms = row["end_ms"] as Int64?, Timestamp.isReadable(begin_ms), Timestamp.isReadable(end_ms)
    else { return nil }
    (self.cause, begin, end) = (cause, Timestamp.text(begin_ms), Timestamp.text(end_ms))
    (clock, wake) = (row["clock"], row["wake"])
  }
}
