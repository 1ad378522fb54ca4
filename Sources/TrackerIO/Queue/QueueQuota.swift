import Glibc
import TrackerCore

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
    let ledger = try QueueCounts.ledger(database)
    let (oldest_ms, newest_ms) = (try time_ms(order: "ASC"), try time_ms(order: "DESC"))
    return QueueSummary(
      count: count, events: counts.events + held.rows.count { $0.isEvent },
      oldest_ms: oldest_ms ?? held.rows.first?.integer(2), newest_ms: held.rows.last?.integer(2) ?? newest_ms,
      quarantined: counts.quarantined, ledger: ledger,
      file_bytes: ["", "-wal", "-front"].reduce(0) { $0 + size(of: path + $1) })
  }

  /// What the status has of it. One row is read, and where that fails it is not known.
  public var figures: QueueFigures {
    guard let connection else { return QueueFigures() }
    if isLedgerChanged, let read = try? QueueCounts.ledger(connection.database) {
      (ledger, isLedgerChanged) = (read, false)
    }
    let oldest_ms = counts.records > 0 ? try? time_ms(order: "ASC") : nil
    return QueueFigures(
      oldest_ms: oldest_ms ?? held.rows.first?.integer(2), quarantined: counts.quarantined, ledger: ledger)
  }

  /// Drops what is oldest until the file's used pages fit into `maxBytes`: positions first, then what is in
  /// quarantine, then events. Each drop is in the ledger, in the same transaction, under the cause that is
  /// also its key in the result. Freed pages are used again, so the file stops growing; it does not shrink.
  public func enforceQuota(maxBytes: Int64) throws(QueueError) -> [String: Int] {
    // So often is looked whether the files are still there.
    var dropped = hasMoved ? try store(held) : [:]
    guard try usedBytes() > maxBytes else { return dropped }
    // A position that is held back goes before an event in the tables.
    dropped.merge(try store(held), uniquingKeysWith: +)
    while try usedBytes() > maxBytes {
      guard let (cause, count) = try dropOldest(because: "quota") else { break }
      dropped[cause, default: 0] += count
    }
    return dropped
  }

  /// Drops up to 128 rows of the least valuable kind that there is, in one transaction with its ledger entry,
  /// of a bounded size, so that the log stays small. - Returns: nil when nothing is left.
  func dropOldest(because reason: String) throws(QueueError) -> (cause: String, count: Int)? {
    for victim in DropVictim.inOrder {
      let cause = "\(reason)_\(victim.name)"
      let count = try drop(victim, cause: cause)
      if count > 0 { return (cause, count) }
    }
    return nil
  }

  /// Of the ledger's causes; the others count records that never came into the tables.
  static func isTakenFromTables(_ cause: String) -> Bool {
    cause == purgedCause || DropVictim.inOrder.contains { cause.hasSuffix("_\($0.name)") }
  }

  // MARK: Parts

  private func drop(_ victim: DropVictim, cause: String) throws(QueueError) -> Int {
    if victim.isQuarantine ? counts.quarantined == 0 : counts.records == 0 { return 0 }
    let statement = try database.prepare(victim.sql)
    var counts = counts
    let dropped = try database.transaction { () throws(QueueError) in
      var dropped = 0
      while try statement.step() {
        dropped += 1
        if victim.isQuarantine { counts.quarantined -= 1 } else { counts.remove(kind: statement.integer(0)) }
      }
      if dropped > 0 { try addToLedger(cause, dropped) }
      return dropped
    }
    changed(to: counts)
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

/// What goes when there is no room, least valuable first.
private struct DropVictim {
  var name: String
  var sql: String
  var isQuarantine = false

  static let inOrder = [
    DropVictim(name: "positions", sql: delete(from: "records", where: "kind = 0")),
    DropVictim(name: "quarantined", sql: delete(from: "quarantine", where: "true"), isQuarantine: true),
    DropVictim(name: "events", sql: delete(from: "records", where: "kind <> 0")),
  ]

  private static func delete(from table: String, where condition: String) -> String {
    """
    DELETE FROM \(table) WHERE sequence IN
    (SELECT sequence FROM \(table) WHERE \(condition) ORDER BY sequence LIMIT 128) RETURNING kind
    """
  }
}
