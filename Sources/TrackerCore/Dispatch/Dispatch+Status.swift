/// What others ask of it, keep of it, and see of it.
extension Dispatch {
  var isBudgetUsedUp: Bool { servers[0].sync.allowance.level == .none }

  /// Some server takes news of which nobody knows the place.
  var takesRecordsWithoutPlace: Bool { servers.contains { !$0.settings.format.traits.needsPosition } }

  /// See `Tracker.syncHolds`.
  func holds(at now_ms: Int64) -> (sent: Bool, words: [String]) {
    let holds = servers.map { ($0, $0.sync.hold(at: now_ms)) }
    let words = holds.compactMap { server, hold in hold.map { server.label + server.words(for: $0) } }
    return (holds.contains { $0.1 == nil }, words)
  }

  /// `undated` and, with a limit, `budget`.
  var saved: [String: String] {
    var saved = ["undated": outbox.undated?.saved(bootID: bootID) ?? ""]
    if budget.isLimited { saved["budget"] = budget.saved }
    return saved
  }

  static func unreadable(in state: SavedState) -> [String] {
    state.keys(where: [
      "budget": ByteBudget.numbers(state["budget"]) == nil,
      "undated": Undated.read(state["undated"], bootID: "") == nil,
    ])
  }

  func describe(_ status: inout TrackerStatus, at now_ms: Int64) {
    status.queue.records = servers[0].sync.queued
    status.queue.inMemory = outbox.pending.count
    status.queue.droppedFromMemory = outbox.droppedFromMemory
    status.queue.storage = storageFailed ? .failed : .ok
    (status.queue.idChanges, status.queue.idChanged_ms) = (idChanges.count, idChanges.last_ms)
    status.sync = servers[0].status(at: now_ms)
    status.others = servers.dropFirst().map {
      OtherServerStatus(name: $0.name, queued: $0.sync.queued, sync: $0.status(at: now_ms))
    }
    guard budget.isLimited else { return }
    status.sync.budget = BudgetStatus(
      level: servers[0].sync.allowance.level, day_bytes: budget.day.used, dayLimit_bytes: budget.day_bytes,
      month_bytes: budget.month.used, monthLimit_bytes: budget.month_bytes)
  }
}
