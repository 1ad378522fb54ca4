/// What others ask of it, keep of it, and see of it.
extension Dispatch {
  var isBudgetUsedUp: Bool { servers[0].sync.allowance.level == .none }

  /// Over which the last request to the first server went; empty before one.
  var interface: String { servers[0].figures.interface }

  /// Of a broker's topic of commands.
  var topic: (today_bytes: Int64, rests: Bool) { (spending.topic.today, spending.topic.rests) }

  /// A request to some server is under way.
  var isSending: Bool { servers.contains { $0.sync.isSending } }

  /// A request to the first server is under way, with the status.
  var isSendingStatus: Bool { servers[0].sync.sendsStatus }

  /// Some server takes news of which nobody knows the place.
  var takesRecordsWithoutPlace: Bool { servers.contains { !$0.settings.format.traits.needsPosition } }

  /// None refuses them.
  var allTakeRecordsWithoutPlace: Bool { servers.allSatisfy { !$0.settings.format.traits.needsPosition } }

  /// A record is on storage that the first server has not confirmed.
  var hasWaiting: Bool { servers[0].sync.queued > 0 }

  /// See `Tracker.syncHolds`.
  func holds(at now_ms: Int64) -> (sent: Bool, words: [String]) {
    let holds = servers.map { ($0, $0.sync.hold(at: now_ms)) }
    let words = holds.compactMap { server, hold in hold.map { server.label + server.words(for: $0) } }
    return (holds.contains { $0.1 == nil }, words)
  }

  /// `undated`, `mqtt_3_1_1` (the URLs of brokers that know no other version), and what `Spending` has.
  func save(to state: inout StateDraft) {
    spending.save(to: &state)
    let old = servers.filter { $0.sync.brokerVersion == .v3_1_1 }.map(\.settings.url)
    if !old.isEmpty { state.set("mqtt_3_1_1", old) }
    state.set(
      "undated", outbox.undated.map { SavedUndated(bootID: bootID, from: $0.from, records: $0.records) })
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
    spending.describe(&status, level: servers[0].sync.allowance.level)
  }
}
