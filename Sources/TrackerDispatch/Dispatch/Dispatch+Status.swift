import TrackerBase

/// What others ask of it, keep of it, and see of it.
extension Dispatch {
  package var isBudgetUsedUp: Bool { servers[0].sync.allowance.level == .none }

  /// Over which the last request to the first server went; empty before one.
  package var interface: String { servers[0].figures.interface }

  /// Of a broker's topic of commands.
  package var topic: (today_bytes: Int64, rests: Bool) { (spending.topic.today, spending.topic.rests) }

  /// A request to some server is under way.
  package var isSending: Bool { servers.contains { $0.sync.isSending } }

  /// A request to the first server is under way, with the status.
  package var isSendingStatus: Bool { servers[0].sync.sendsStatus }

  /// Some server takes news of which nobody knows the place.
  package var takesRecordsWithoutPlace: Bool { servers.contains { !$0.settings.format.traits.needsPosition } }

  /// None refuses them.
  package var allTakeRecordsWithoutPlace: Bool {
    servers.allSatisfy { !$0.settings.format.traits.needsPosition }
  }

  /// A record is on storage that the first server has not confirmed.
  package var hasWaiting: Bool { servers[0].sync.queued > 0 }

  /// See `Tracker.syncHolds`.
  package func holds(at now_ms: Int64) -> (sent: Bool, words: [String]) {
    let holds = servers.map { ($0, $0.sync.hold(at: now_ms)) }
    let words = holds.compactMap { server, hold in hold.map { server.label + server.words(for: $0) } }
    return (holds.contains { $0.1 == nil }, words)
  }

  /// `undated`, `mqtt_3_1_1` (the URLs of brokers that know no other version), and what `Spending` has.
  package func save(to state: inout StateDraft) {
    spending.save(to: &state)
    let old = servers.filter { $0.sync.brokerVersion == .v3_1_1 }.map(\.settings.url)
    if !old.isEmpty { state.set("mqtt_3_1_1", old) }
    state.set(
      "undated", outbox.undated.map { SavedUndated(bootID: bootID, from: $0.from, records: $0.records) })
  }

  package static var kinds: SavedKinds {
    [
      "budget": DayAndMonth<Int64>.self, "bytes": DayAndMonth<ByteCounts<ByteCause>>.self,
      "mqtt_3_1_1": [String].self,
      "roaming_budget": DayAndMonth<Int64>.self, "server_bytes": DayAndMonth<ByteCounts<ServerName>>.self,
      "topic": DayAndMonth<Int64>.self, "undated": SavedUndated.self,
    ]
  }

  package func describe(_ status: inout TrackerStatus, at now_ms: Int64) {
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

extension BudgetStatus {
  /// - Returns: nil without a limit.
  init?(_ budget: ByteBudget, level: Allowance.Level) {
    guard budget.isLimited else { return nil }
    self.init(
      level: level, day_bytes: budget.day.used, dayLimit_bytes: budget.day_bytes,
      month_bytes: budget.month.used, monthLimit_bytes: budget.month_bytes)
  }
}

extension TrafficStatus {
  init(day: ByteCounts<ByteCause>, month: ByteCounts<ByteCause>) {
    self.init()
    (todayUp_bytes, todayDown_bytes) = (day.up, day.down)
    (monthUp_bytes, monthDown_bytes) = (month.up, month.down)
  }
}
