/// The tables of single months: made before their records come, taken out of `record` when they are past, dropped.
///
/// Making one and taking one out lock `record` as a whole. That waits for all that are at work with records, for hours
/// where somebody makes a backup, and whoever comes meanwhile waits behind it: so it never waits for long, but tries
/// again (`lock_timeout`).
extension PostgresConnection: MonthTables {
  /// What each try waits at most, and how long the pause after it is.
  enum Patience {
    /// An upload waits for it.
    case urgent
    case background

    var waits_ms: [Int] {
      switch self {
      case .urgent: [100, 200, 400, 800, 1600]
      case .background: [100, 150, 200, 250, 300]
      }
    }

    func pause_ms(after wait_ms: Int) -> Int {
      switch self {
      case .urgent: wait_ms
      case .background: 5 * wait_ms
      }
    }
  }

  // MARK: Made

  func makeRoom(for uploads: [Upload]) async throws {
    for month in missing(for: uploads).sorted() {
      // Where it cannot be made its records lie among the others, and are well kept there.
      _ = try await make(month, .urgent)
      months.with { $0.append(month.begin_ms..<month.end_ms) }
    }
  }

  /// Nearly all records are of a month that another one was of just before.
  private func missing(for uploads: [Upload]) -> Set<RecordMonth> {
    let known = months.with { $0 }
    var last: Range<Int64>?
    var missing: Set<RecordMonth> = []
    for upload in uploads {
      for record in upload.records where last?.contains(record.time_ms) != true {
        last = known.first { $0.contains(record.time_ms) }
        if last == nil, let month = RecordMonth(record.time_ms) { missing.insert(month) }
      }
    }
    return missing
  }

  func makeMonths(at now_ms: Int64) async throws {
    guard let month = RecordMonth(now_ms) else { return }
    for month in [month, month.next] { _ = try await make(month, .background) }
  }

  /// Before the transaction that needs it, in one of its own: one that is at work with records must not wait for the others
  /// that are.
  private func make(_ month: RecordMonth, _ patience: Patience) async throws -> Bool {
    let isThere = try await onThread { session in
      try !session.text("SELECT to_regclass('\(month.table)')::text").isEmpty
    }
    if isThere { return true }
    return try await change(patience) { session in
      do {
        try session.run(month.partition)
      } catch let error as StorageError where error.code == "PostgreSQL 23514" {
        // The month is past and was taken out, and what came since lies among the others.
        try session.run("ROLLBACK; BEGIN")
      }
    }
  }

  /// - Returns: false: somebody was at work with records at each try.
  private func change(
    _ patience: Patience, _ body: @escaping @Sendable (PostgresSession) throws -> Void
  ) async throws -> Bool {
    for wait_ms in patience.waits_ms {
      let isDone = try await onThread { session in
        do {
          try session.run("BEGIN; SELECT \(Self.lock(.partition)); SET LOCAL lock_timeout = '\(wait_ms)ms'")
          try body(session)
          try session.commit()
          return true
        } catch {
          try? session.run("ROLLBACK")
          if let error = error as? StorageError, error.code == "PostgreSQL 55P03" { return false }
          throw error
        }
      }
      if isDone { return true }
      try await Task.sleep(for: .milliseconds(patience.pause_ms(after: wait_ms)))
    }
    return false
  }

  // MARK: Taken out

  func attachedMonths() async throws -> [RecordMonth] {
    try await read { db in
      try db.values(
        String.self,
        """
        SELECT relname::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = 'record'::regclass
        """
      ).compactMap(RecordMonth.init(table:)).sorted()
    }
  }

  func expiredMonths() async throws -> [RecordMonth] {
    try await read { db in
      try db.values(
        String.self,
        """
        SELECT relname::text FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname LIKE 'expired%'
        """
      ).compactMap(RecordMonth.init(table:)).sorted()
    }
  }

  func takeOut(_ month: RecordMonth) async throws -> Bool {
    try await change(.background) { session in
      try session.run(
        """
        ALTER TABLE record DETACH PARTITION \(month.table);
        ALTER TABLE \(month.table) RENAME TO \(month.expiredTable)
        """)
    }
  }

  func drop(_ month: RecordMonth) async throws -> Bool {
    try await change(.background) { try $0.run("DROP TABLE IF EXISTS \(month.expiredTable)") }
  }

  // MARK: Alone

  func alone(_ body: () async throws -> Void) async throws -> Bool {
    // A lock that outlives transactions goes with its connection, so it has one that nobody else uses.
    let holder = Locked<PostgresSession?>(nil)
    let key = Self.key(.retention)
    let isOurs = try await onThread { [address] _ in
      let session = try Self.connected(address)
      guard try session.text("SELECT pg_try_advisory_lock(\(key))::text") == "true" else { return false }
      holder.with { $0 = session }
      return true
    }
    guard isOurs else { return false }
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
    try? await onThread { _ in
      holder.with { session in
        try? session?.run("SELECT pg_advisory_unlock(\(key))")
        session = nil
      }
    }
    try outcome.get()
    return true
  }
}
