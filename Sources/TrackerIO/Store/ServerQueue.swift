import TrackerBase

/// What waits for one server, and what it has refused. Each step is bounded, so that the agent can do it between two fixes.
public struct ServerQueue {
  let store: QueueStore
  /// From 0, the one of `[sync]`.
  let server: Int

  private var bit: Int { store.bits[server] }
  private var mask: Int64 { 1 << Int64(bit) }
  private var name: String { store.serverNames[server] }
  private var figures: ServerFigures {
    get { store.figures[bit] }
    nonmutating set { store.figures[bit] = newValue }
  }
  /// No record with a smaller number waits.
  private var from: Int64 {
    get { store.from[bit] }
    nonmutating set { store.from[bit] = newValue }
  }

  /// Records that it can get: none while the store is closed.
  public var count: Int { store.isClosed ? 0 : figures.waiting }

  // MARK: What the server says

  /// The server has them. Sequences that do not wait for it are passed over.
  public func remove(_ sequences: [Int64]) throws(StoreError) {
    try store.openToRead()
    var own = figures
    try store.transaction { () throws(StoreError) in
      for range in ServerQueue.ranges(Set(sequences)) { try remove(range, &own) }
    }
    figures = own
  }

  /// Moves one record to where it waits for a person, with the server's words (cut to 500 characters).
  public func quarantine(_ sequence: Int64, reason: String) throws(StoreError) {
    try store.openToRead()
    let words = SQLiteValue.text(String(reason.unicodeScalars.prefix(500)))
    var own = ServerFigures()
    try store.makingRoom { () throws(StoreError) in
      own = figures
      try store.opened.statements.refuse.run(
        .integer(sequence), .integer(mask), .text(name), words,
        .integer(HostClock.now().wall_ms))
      own.refused += try store.opened.database.changes
      try remove(sequence...sequence, &own)
    }
    figures = own
  }

  /// Inside a transaction.
  private func remove(_ range: ClosedRange<Int64>, _ own: inout ServerFigures)
    throws(StoreError)
  {
    let parameters: [SQLiteValue] = [.integer(range.lowerBound), .integer(range.upperBound), .integer(mask)]
    let statements = try store.opened.statements
    // RETURNING would cost as much again as the rows themselves.
    statements.countEvents.bind(parameters)
    while try statements.countEvents.step() { own.events -= Int(statements.countEvents.integer(0) ?? 0) }
    // What was just counted is not counted again.
    for statement in store.state.bits.count > 1 ? [statements.share, statements.delete] : [statements.delete]
    {
      try statement.run(parameters)
      own.waiting -= try store.opened.database.changes
    }
  }

  // MARK: Reading

  /// What an upload carries. - Parameter limit: nil: as many as the order wants.
  public func records(
    for order: UploadOrder, limit: Int? = nil
  ) throws(StoreError) -> [Record] {
    let limit = limit ?? order.limit
    switch order.pick {
    case .oldest: return try batch(limit: limit)
    case .newest: return try picked("", "DESC", limit).reversed()
    case .events:
      return figures.events == 0 ? [] : try picked("AND kind <> 0", "ASC", limit)
    case .positions: return try picked("AND kind = 0", "ASC", limit)
    case .later: return Array(try batch(limit: order.skip + limit).dropFirst(order.skip))
    }
  }

  /// Up to `limit` of the oldest records.
  ///
  /// A row that does not hold a record, which only damage makes, is put into quarantine on the way: it must
  /// not stand before the others for ever.
  public func batch(limit: Int) throws(StoreError) -> [Record] {
    try store.openToRead()
    var records: [Record] = []
    var unreadable: [Int64] = []
    let row = try store.opened.statements.oldest
    row.bind([.integer(from), .integer(mask), .integer(Int64(clamping: limit))])
    while try row.step() {
      if let record = RecordColumns.record(row) {
        records.append(record)
      } else {
        unreadable.append(row.integer(0) ?? 0)
      }
    }
    for sequence in unreadable { try quarantine(sequence, reason: "the row is unreadable") }
    if unreadable.isEmpty, let first = records.first { from = first.sequence }
    if unreadable.isEmpty, records.count < min(limit, figures.waiting) {
      try checkEnd(after: records.last?.sequence ?? .min)
    }
    return records
  }

  /// A page that is damaged may end a walk as if nothing came after it: the walk from the other end shows that.
  private func checkEnd(after last: Int64) throws(StoreError) {
    let row = try store.opened.database.prepare(
      "SELECT sequence FROM records WHERE waiting & ? ORDER BY sequence DESC LIMIT 1")
    row.bind([.integer(mask)])
    guard try row.step(), let newest = row.integer(0), newest > last else { return }
    throw try store.opened.database.giveUp(
      .corrupt("SELECT", words: "records are missing between two that are there"))
  }

  // Rows that hold no record are passed over: `batch` finds them in their turn.
  private func picked(
    _ condition: String, _ order: String, _ limit: Int
  ) throws(StoreError) -> [Record] {
    try store.openToRead()
    return try store.records(
      "WHERE sequence >= ? AND waiting & ? \(condition) ORDER BY sequence \(order) LIMIT ?",
      .integer(from), .integer(mask), .integer(Int64(limit)))
  }

  // MARK: For a person

  /// Its cost does not depend on how much waits.
  public func summary() throws(StoreError) -> QueueSummary {
    let own = figures
    return QueueSummary(
      count: own.waiting, events: own.events, oldest_ms: try time_ms("ASC"),
      newest_ms: try time_ms("DESC"), quarantined: own.refused, ledger: try store.readLedger(),
      file_bytes: ["", "-wal"].reduce(0) { $0 + StoreFolder.size(store.path + $1) })
  }

  /// What the status has of it. One row is read, and where that fails it is not known.
  public func statusFigures() -> QueueFigures {
    guard !store.isClosed else { return QueueFigures() }
    return QueueFigures(
      oldest_ms: count > 0 ? try? time_ms("ASC") : nil,
      quarantined: figures.refused, ledger: server == 0 ? (try? store.readLedger()) ?? [:] : [:])
  }

  private func time_ms(_ order: String) throws(StoreError) -> Int64? {
    let row = try store.opened.database.prepare(
      "SELECT time_ms FROM records WHERE sequence >= ? AND waiting & ? ORDER BY sequence \(order) LIMIT 1")
    row.bind([.integer(from), .integer(mask)])
    return try row.step() ? row.integer(0) : nil
  }

  /// Up to `limit` rows after the sequence `after`, in the order of their making. Changes nothing.
  public func page(after: Int64, limit: Int) throws(StoreError) -> QueuePage {
    var page = QueuePage()
    let row = try store.opened.database.prepare(
      "SELECT \(RecordColumns.names) FROM records WHERE sequence > ? AND waiting & ? ORDER BY sequence LIMIT ?"
    )
    row.bind([.integer(max(after, from - 1)), .integer(mask), .integer(Int64(limit))])
    while try row.step() {
      if let record = RecordColumns.record(row) { page.records.append(record) } else { page.unreadable += 1 }
      page.last = row.integer(0)
    }
    if page.records.count + page.unreadable < limit { try checkEnd(after: page.last ?? after) }
    return page
  }

  /// Up to `limit` rows of what the server has refused after the sequence `after`. Changes nothing.
  public func quarantined(after: Int64, limit: Int) throws(StoreError) -> [QuarantinedRecord] {
    var found: [QuarantinedRecord] = []
    let row = try store.opened.database.prepare(
      """
      SELECT \(RecordColumns.names), reason, refused_ms FROM refused
      WHERE server = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """)
    row.bind([.text(name), .integer(after), .integer(Int64(limit))])
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
  ) throws(StoreError) -> (records: Int, last: Int64?) {
    let end = try end(ofPartAfter: after, limit: limit)
    guard end > after else { return (0, nil) }
    let row = try store.opened.database.prepare(
      "SELECT count(*) FROM records WHERE \(QueueSelection.condition)")
    row.bind(selection.parameters(after: after, through: end, bit: mask))
    return (try row.step() ? Int(row.integer(0) ?? 0) : 0, end)
  }

  /// The greatest sequence of the next `limit` rows.
  private func end(ofPartAfter after: Int64, limit: Int) throws(StoreError) -> Int64 {
    let row = try store.opened.database.prepare(
      "SELECT max(sequence) FROM (SELECT sequence FROM records WHERE sequence > ? ORDER BY sequence LIMIT ?)")
    row.bind([.integer(after), .integer(Int64(limit))])
    return try row.step() ? row.integer(0) ?? 0 : 0
  }

  /// Takes from the server's queue those of the next `limit` rows after the sequence `after`, up to the sequence
  /// `through`, that are selected, in one transaction with their entry `purged` in the ledger. Other servers still get
  /// theirs.
  public func purge(
    _ selection: QueueSelection, after: Int64, through: Int64, limit: Int
  ) throws(StoreError) -> QueueChange {
    var change = QueueChange()
    let end = min(try end(ofPartAfter: after, limit: limit), through)
    guard end > after else { return change }
    let statements = try [
      "UPDATE records SET waiting = waiting & ~?5 WHERE \(QueueSelection.condition) AND waiting <> ?5 RETURNING kind",
      "DELETE FROM records WHERE \(QueueSelection.condition) AND waiting = ?5 RETURNING kind",
    ].map { sql throws(StoreError) in try store.opened.database.prepare(sql) }
    var own = figures
    try store.transaction { () throws(StoreError) in
      for statement in statements {
        statement.bind(selection.parameters(after: after, through: end, bit: mask))
        while try statement.step() {
          change.records += 1
          own.add(kind: statement.integer(0), -1)
        }
      }
      if change.records > 0 { try store.addToLedger(QueueStore.purgedCause, change.records) }
    }
    figures = own
    change.last = end < through ? end : nil
    return change
  }

  /// Moves records from quarantine back to those that wait, with the identity that they always had: a server that did
  /// take one knows it again. Other sequences are passed over.
  public func retry(_ sequences: [Int64]) throws(StoreError) -> QueueChange {
    var change = QueueChange()
    var readable: [(sequence: Int64, kind: Int64)] = []
    for sequence in sequences {
      guard let row = try quarantined(after: sequence - 1, limit: 1).first,
        row.sequence == sequence
      else { continue }
      if let record = row.record {
        readable.append((sequence, Int64(record.kind.rawValue)))
      } else {
        change.unreadable += 1
      }
    }
    if readable.isEmpty { return change }
    let names = RecordColumns.names
    let insert = try store.opened.database.prepare(
      """
      INSERT INTO records(\(names), waiting) SELECT \(names), ?3 FROM refused WHERE server = ?1 AND sequence = ?2
      ON CONFLICT(sequence) DO UPDATE SET waiting = waiting | excluded.waiting
      """)
    let leave = try store.opened.database.prepare("DELETE FROM refused WHERE server = ?1 AND sequence = ?2")
    try store.makingRoom { () throws(StoreError) in
      for (sequence, _) in readable {
        try insert.run(.text(name), .integer(sequence), .integer(mask))
        try leave.run(.text(name), .integer(sequence))
      }
    }
    for (sequence, kind) in readable {
      figures.add(kind: kind)
      from = min(from, sequence)
    }
    figures.refused -= readable.count
    change.records = readable.count
    return change
  }

  /// As few as hold these sequences and no other.
  private static func ranges(_ sequences: Set<Int64>) -> [ClosedRange<Int64>] {
    sequences.sorted().reduce(into: []) { ranges, sequence in
      if let last = ranges.last, last.upperBound == sequence - 1 {
        ranges[ranges.count - 1] = last.lowerBound...sequence
      } else {
        ranges.append(sequence...sequence)
      }
    }
  }
}
