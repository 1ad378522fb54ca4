import Glibc

/// What the queue holds, for the status document and the operator.
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

extension QueueStore {
  /// Its cost does not depend on how much waits.
  public func summary() throws(QueueError) -> QueueSummary {
    var ledger: [String: Int] = [:]
    let rows = try database.prepare("SELECT cause, records FROM ledger")
    while try rows.step() { ledger[rows.text(0)] = Int(rows.integer(1) ?? 0) }
    return QueueSummary(
      count: counts.records, events: counts.events, oldest_ms: try time_ms(order: "ASC"),
      newest_ms: try time_ms(order: "DESC"), quarantined: counts.quarantined, ledger: ledger,
      file_bytes: size(of: path) + size(of: path + "-wal"))
  }

  /// Drops what is oldest until the file's used pages fit into `maxBytes`: positions first, then what is in
  /// quarantine, then events. Each drop is in the ledger, in the same transaction, under the cause that is
  /// also its key in the result. Freed pages are used again, so the file stops growing; it does not shrink.
  public func enforceQuota(maxBytes: Int64) throws(QueueError) -> [String: Int] {
    var dropped: [String: Int] = [:]
    for victim in QuotaVictim.inOrder {
      while try usedBytes() > maxBytes {
        let count = try drop(victim)
        if count == 0 { break }
        dropped[victim.cause, default: 0] += count
      }
    }
    return dropped
  }

  // MARK: Parts

  /// One transaction of a bounded size, so that the log stays small.
  private func drop(_ victim: QuotaVictim) throws(QueueError) -> Int {
    let statement = try database.prepare(victim.sql)
    var counts = counts
    let dropped = try leaving { () throws(QueueError) in
      var dropped = 0
      while try statement.step() {
        dropped += 1
        if victim.isQuarantine { counts.quarantined -= 1 } else { counts.remove(kind: statement.integer(0)) }
      }
      if dropped > 0 { try addToLedger(victim.cause, dropped) }
      return dropped
    }
    self.counts = counts
    return dropped
  }

  private func usedBytes() throws(QueueError) -> Int64 {
    let pages = try database.integer("PRAGMA page_count") - database.integer("PRAGMA freelist_count")
    return try pages * database.integer("PRAGMA page_size")
  }

  private func time_ms(order: String) throws(QueueError) -> Int64? {
    let row = try database.prepare("SELECT time_ms FROM records ORDER BY sequence \(order) LIMIT 1")
    return try row.step() ? row.integer(0) : nil
  }

  private func size(of path: String) -> Int64 {
    var info = stat()
    return stat(path, &info) == 0 ? Int64(info.st_size) : 0
  }
}

/// What the quota takes, least valuable first.
private struct QuotaVictim {
  var cause: String
  var sql: String
  var isQuarantine = false

  static let inOrder = [
    QuotaVictim(cause: "quota_positions", sql: delete(from: "records", where: "kind = 0")),
    QuotaVictim(
      cause: "quota_quarantined", sql: delete(from: "quarantine", where: "true"), isQuarantine: true),
    QuotaVictim(cause: "quota_events", sql: delete(from: "records", where: "kind <> 0")),
  ]

  private static func delete(from table: String, where condition: String) -> String {
    """
    DELETE FROM \(table) WHERE sequence IN
    (SELECT sequence FROM \(table) WHERE \(condition) ORDER BY sequence LIMIT 128) RETURNING kind
    """
  }
}
