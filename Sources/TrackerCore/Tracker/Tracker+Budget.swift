/// Bytes are counted, and what they leave tells the sync how much it may send.
extension Tracker {
  /// With each event: a day or month may have begun.
  mutating func keepBudget(at now: Moment) {
    guard budget.isLimited else { return }
    let trusted_ms = clock.trusted_ms(at: now)
    budget.turn(trusted_ms: trusted_ms, at: now.boot_ms)
    let before = servers[0].sync.allowance.level
    let allowance = budget.allowance(trusted_ms: trusted_ms, at: now.boot_ms)
    for server in servers.indices { servers[server].sync.allowance = allowance }
    guard allowance.level != before else { return }
    switch allowance.level {
    case .all: log(.notice, "sync budget: a new day or month, all records may go")
    case .events: log(.notice, "sync budget: the rest is for events and the status")
    case .none: warn(.budget, at: now, "sync budget used up: all records wait for the next day or month")
    }
  }

  mutating func spend(_ bytes: Int64, at now: Moment) {
    guard budget.isLimited, bytes > 0 else { return }
    budget.spend(bytes)
    keepBudget(at: now)
    // So that a restart knows of it.
    outbox.changed(at: now.boot_ms)
  }
}
