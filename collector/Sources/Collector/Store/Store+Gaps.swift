import GRDB

/// A pause of the track, or a part of one, as the device recorded it.
struct StoredGap: Encodable, Equatable {
  var cause: String
  var begin: String
  var end: String
  /// Nothing vouched for the clock that dated it; left out where something did.
  var clock: String?
  /// What ended the board's sleep; left out for other gaps.
  var wake: String?
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
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT json_extract(extras, '$.cause') AS cause, json_extract(extras, '$.begin_ms') AS begin_ms,
            json_extract(extras, '$.end_ms') AS end_ms, json_extract(extras, '$.clock') AS clock,
            json_extract(extras, '$.wake') AS wake
          FROM record
          WHERE device_id = ? AND event = 'gap' AND time_ms > ? AND json_valid(extras) AND begin_ms < ?
          ORDER BY begin_ms
          """,
        arguments: [id, from_ms ?? .min, to_ms ?? .max])
      return rows.compactMap(StoredGap.init)
    }
  }
}

extension StoredGap {
  /// nil for what is none: a record is kept as it was sent.
  fileprivate init?(_ row: Row) {
    guard let cause = String.fromDatabaseValue(row["cause"]),
      let begin_ms = Int64.fromDatabaseValue(row["begin_ms"]),
      let end_ms = Int64.fromDatabaseValue(row["end_ms"])
    else { return nil }
    (self.cause, begin, end) = (cause, Timestamp.text(begin_ms), Timestamp.text(end_ms))
    (clock, wake) = (String.fromDatabaseValue(row["clock"]), String.fromDatabaseValue(row["wake"]))
  }
}
