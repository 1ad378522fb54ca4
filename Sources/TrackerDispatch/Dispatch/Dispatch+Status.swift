import TrackerBase

/// What others ask of it, keep of it, and see of it.
extension Dispatch {
  package var deadline_ms: Int64? {
    var deadline_ms = earliest(outbox.deadline_ms, holdUntil_ms)
    for server in servers.indices { deadline_ms = earliest(deadline_ms, servers[server].sync.deadline_ms) }
    return deadline_ms
  }

  package func publish(to facts: inout Facts, at now: Moment) {
    facts.storageFailed = storageFailed
    facts.interface = servers[0].figures.interface
    facts.isBudgetUsedUp = servers[0].sync.allowance.level == .none
    facts.isSending = false
    facts.drainedUntil_ms = outbox.pending.isEmpty ? .max : .min
    // By number: to take a server out is to copy all of it.
    for server in servers.indices {
      if servers[server].sync.isSending { facts.isSending = true }
      facts.drainedUntil_ms = min(facts.drainedUntil_ms, servers[server].sync.drainedUntil_ms)
    }
    facts.mayDrain = outbox.pending.isEmpty && !facts.isSending
  }

  package func lasts(_ warning: WarningName, at now: Moment) -> Bool {
    let problems = servers.compactMap(\.figures.problem)
    return switch warning {
    case .storage: storageFailed
    case .sync: problems.contains { $0.verdict != .unauthorised }
    case .captivePortal: problems.contains(.captivePortal)
    case .unauthorised: problems.contains { $0.verdict == .unauthorised }
    case .budget: servers[0].sync.allowance.level == .none
    default: false
    }
  }

  /// For `godwit doctor`, a record is to be made that tests the way to the first server.
  package var makesTestRecord: Bool {
    servers[0].sync.queued == 0 && servers.allSatisfy { !$0.settings.format.traits.needsPosition }
  }

  /// See `Tracker.syncHolds`.
  package func holds(at now_ms: Int64) -> (sent: Bool, words: [String]) {
    let holds = servers.map { ($0, SyncHold(of: $0.sync, at: now_ms)) }
    let words = holds.compactMap { server, hold in hold.map { server.label + server.words(for: $0) } }
    return (holds.contains { $0.1 == nil }, words)
  }

  /// `undated`, `mqtt_3_1_1` (the URLs of brokers that know no other version), and what `Spending` has.
  package func save(to commit: inout Commit, _ facts: Facts, at now: Moment) {
    spending.save(to: &commit)
    let old = servers.filter { $0.sync.brokerVersion == .v3_1_1 }.map(\.settings.url)
    if !old.isEmpty { commit.set("mqtt_3_1_1", old) }
    commit.set(
      "undated", outbox.undated.map { Undated(bootID: bootID, from: $0.from, records: $0.records) })
  }

  package static var kinds: SavedKinds {
    [
      "budget": DayAndMonth<Int64>.self, "bytes": DayAndMonth<ByteCounts>.self,
      "mqtt_3_1_1": [String].self, "roaming_budget": DayAndMonth<Int64>.self,
      "server_bytes": DayAndMonth<ByteCounts>.self, "topic": DayAndMonth<Int64>.self,
      "undated": Undated.self,
    ]
  }

  package func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment) {
    let now_ms = now.boot_ms
    status.queue.records = servers[0].sync.queued
    status.queue.inMemory = outbox.pending.count
    status.queue.droppedFromMemory = outbox.droppedFromMemory
    status.queue.storage = storageFailed ? .failed : .ok
    (status.queue.idChanges, status.queue.idChanged_ms) = (idChanges.count, idChanges.last_ms)
    status.sync = servers[0].status(at: now_ms)
    status.others = servers.dropFirst().map {
      OtherServerStatus(name: $0.name, queued: $0.sync.queued, sync: $0.status(at: now_ms))
    }
    spending.describe(&status, level: servers[0].sync.allowance.level)
  }
}

extension SyncMachine {
  /// Until then the server has all that waits for it and the status, or will not have it.
  fileprivate var drainedUntil_ms: Int64 {
    if !isEnabled { return .max }
    if let nextAttempt_ms { return nextAttempt_ms }
    return !isSending && queued == 0 && !status.isWantedAtOnce ? .max : .min
  }
}

extension BudgetStatus {
  /// - Returns: nil without a limit.
  init?(_ budget: ByteBudget, level: Allowance.Level) {
    guard budget.isLimited else { return nil }
    self.init(
      level: level, day_bytes: budget.day.used, dayLimit_bytes: budget.day_bytes,
      month_bytes: budget.month.used, monthLimit_bytes: budget.month_bytes)
  }
}
