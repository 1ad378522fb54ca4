/// While storage takes no records the server gets them from memory.
extension Tracker {
  /// Servers that records go to.
  private var receivers: [Int] { servers.indices.filter { !servers[$0].settings.url.isEmpty } }

  /// Records that are not on storage, and that the server does not have.
  public func inMemory(for server: Int) -> [Record] { outbox.held(for: server) }

  /// More may be sent from memory, or less.
  mutating func tellUnstored(at now: Moment) {
    for server in receivers {
      let hasEvent = outbox.unstored(for: server).contains { $0.kind.isEvent }
      queueChanged(to: servers[server].stored, urgent: hasEvent, of: server, at: now)
    }
  }

  mutating func remove(_ sequences: [Int64], of server: Int, at now: Moment) {
    let stored = outbox.delivered(sequences, to: server, of: receivers)
    if !stored.isEmpty { actions.append(.remove(stored, server: server)) }
    if stored.count < sequences.count { queueChanged(to: servers[server].stored, of: server, at: now) }
  }

  mutating func quarantine(_ sequence: Int64, reason: String, of server: Int, at now: Moment) {
    if outbox.refused(sequence, by: server, reason: reason) {
      queueChanged(to: servers[server].stored, of: server, at: now)
    } else {
      actions.append(.quarantine(sequence, reason: reason, server: server))
    }
  }

  /// Storage has them now: what servers have of them leaves it.
  mutating func settleUnstored(at now: Moment) {
    let outcomes = outbox.takeOutcomes()
    for (server, sequences) in outcomes.delivered.sorted(by: { $0.key < $1.key }) where !sequences.isEmpty {
      actions.append(.remove(sequences.sorted(), server: server))
    }
    for (server, reasons) in outcomes.refused.sorted(by: { $0.key < $1.key }) {
      for (sequence, reason) in reasons.sorted(by: { $0.key < $1.key }) {
        actions.append(.quarantine(sequence, reason: reason, server: server))
      }
    }
  }
}
