/// To storage, and from there to the server.
extension Tracker {
  mutating func commitIfDue(at now: Moment) {
    guard let records = outbox.take(at: now.boot_ms) else { return }
    let dropped = outbox.uncounted > 0 ? [Tracker.memoryFull: outbox.uncounted] : [:]
    var commit = Commit(
      records: records, tail: tail(at: now), state: savedState.entries, dropped: dropped,
      redating: outbox.redating)
    (commit.spared, commit.retriesFailed) = (outbox.spared, outbox.retriesFailed(at: now.boot_ms))
    actions.append(.commit(commit))
  }

  /// The ledger's cause for what no longer fitted into memory while storage failed.
  static let memoryFull = "memory_full"

  /// The newest fixes of the trip that no record holds yet.
  private func tail(at now: Moment) -> [Record] {
    guard let trip else { return [] }
    let odometer_m = odometer.closed.total_m
    return track.open.map { fix in
      Record(
        sequence: 0, content: .position(), time_ms: fix.time_ms, timeSource: stamp(fix, at: now).source,
        boot_ms: now.boot_ms, fix: fix,
        isMoving: true, tripID: trip.id, odometer_m: odometer_m)
    }
  }

  mutating func committed(queued: [Int], at now: Moment) {
    let droppedBefore = outbox.uncounted
    let hadEvent = outbox.written()
    let dropped = droppedBefore - outbox.uncounted
    if dropped > 0 {
      warn(
        .dropped, at: now, "\(dropped) records did not fit into memory while storage failed", times: dropped)
    }
    if counters.storageFailed {
      counters.storageFailed = false
      log(.notice, "storage works again")
    }
    settleUnstored(at: now)
    for (server, count) in queued.enumerated() {
      queueChanged(to: count, urgent: hadEvent, of: server, at: now)
    }
  }

  /// - Parameter stored: see `Event.commitFailed`.
  mutating func commitFailed(
    _ words: String?, stored: [Int: Int] = [:], isCostly: Bool = false, at now: Moment, chance: Double
  ) {
    let hadEvent = outbox.failed(
      isTried: words != nil, isCostly: isCostly, storedBy: stored.keys.sorted(), at: now.boot_ms)
    // The first failure may be the last one, and tells nothing of what came to storage.
    if counters.storageFailed, !isUnread { outbox.sendFromMemory(chance: chance) }
    counters.storageFailed = true
    if let words { warn(.storage, at: now, words) }
    for (server, count) in stored.sorted(by: { $0.key < $1.key }) {
      queueChanged(to: count, urgent: hadEvent, of: server, at: now)
    }
    tellUnstored(at: now)
  }

  /// Something that was to leave the queue is still there. A commit, even without records, looks after the file.
  mutating func queueFailed(_ words: String, of server: Int, at now: Moment, chance: Double) {
    warn(.storage, at: now, words)
    servers[server].sync.removalFailed(at: now.boot_ms, chance: chance)
    outbox.hurry()
    outbox.changed(at: now.boot_ms)
  }

  /// Unix milliseconds if somebody vouches for the time: what certificates are judged by.
  public func trustedTime_ms(at now: Moment) -> Int64? { clock.trusted_ms(at: now) }

  /// Servers that were refused for the clock alone need not wait longer.
  mutating func timeBecameKnown(at now: Moment, chance: Double) {
    for server in servers.indices
    where servers[server].tally.lastReply == UploadReply.Failure.tlsClock.rawValue {
      step(server, at: now) { $0.linkRestored(at: now.boot_ms, chance: chance) }
    }
  }

  mutating func uploadFinished(_ reply: UploadReply, of server: Int, at now: Moment, chance: Double) {
    if reply.failure != .nothingToSend { note(reply, of: server, at: now) }
    spend(reply.bytesUp + reply.bytesDown, at: now)
    step(server, at: now, reply: reply) { $0.uploadFinished(reply, at: now.boot_ms, chance: chance) }
    for (sequence, reason) in reply.notCarried.sorted(by: { $0.key < $1.key }) {
      warn(.refused, at: now, "\(servers[server].label)record \(sequence) goes into quarantine: \(reason)")
      quarantine(sequence, reason: reason, of: server, at: now)
    }
  }

  private mutating func note(_ reply: UploadReply, of server: Int, at now: Moment) {
    servers[server].note(reply, at: now.boot_ms)
    guard servers[server].tally.problem == .captivePortal else { return }
    warn(
      .captivePortal, at: now,
      "\(servers[server].label)the reply is a web page, not the server's: nothing counts as delivered")
  }

  mutating func tokenCommandEnded(_ problem: String?, of server: Int, at now: Moment, chance: Double) {
    let label = servers[server].label
    if let problem {
      warn(.tokenCommand, at: now, "\(label)sync.auth_command: \(problem)")
    } else {
      log(.notice, "\(label)sync.auth_command has renewed the token")
      step(server, at: now) { $0.tokenRenewed(at: now.boot_ms, chance: chance) }
    }
  }

  mutating func queueChanged(to count: Int, urgent: Bool = false, of server: Int, at now: Moment) {
    servers[server].stored = count
    let unstored = outbox.unstoredCount(for: server)
    step(server, at: now) { $0.queueChanged(count: count + unstored, urgent: urgent, at: now.boot_ms) }
  }

  /// Why servers get nothing though an operator asks now, in words; `sent` is true where one gets something.
  public func syncHolds(at now: Moment) -> (sent: Bool, words: [String]) {
    let holds = servers.map { ($0, $0.sync.hold(at: now.boot_ms)) }
    let words = holds.compactMap { server, hold in hold.map { server.label + server.words(for: $0) } }
    return (holds.contains { $0.1 == nil }, words)
  }

  /// Something happened that operators should see with the next request.
  mutating func statusWanted(at now: Moment) {
    for server in servers.indices { servers[server].sync.statusWanted(at: now.boot_ms) }
  }

  // MARK: The machines

  var syncDeadline_ms: Int64? { servers.compactMap(\.sync.deadline_ms).min() }

  mutating func eachSync(at now: Moment, _ body: (inout SyncMachine) -> [SyncMachine.Action]) {
    for server in servers.indices { step(server, at: now, body) }
  }

  /// One step of a server's machine, and what comes of it.
  private mutating func step(
    _ server: Int, at now: Moment, reply: UploadReply? = nil,
    _ body: (inout SyncMachine) -> [SyncMachine.Action]
  ) {
    let wanted = body(&servers[server].sync)
    for action in wanted { perform(action, of: server, at: now, reply) }
  }

  private func words(for reply: UploadReply, rule: SyncSettings.Acknowledgement) -> String {
    let problem = reply.problem(rule)?.name ?? ""
    // Without a reply there is no status.
    let cause =
      reply.status > 0 ? "\(problem) \(reply.status)" : reply.message.isEmpty ? problem : "\(problem):"
    let known = [cause, reply.message].filter { !$0.isEmpty }.joined(separator: " ")
    let advice = reply.advice(rule)
    return advice.isEmpty ? known : "\(known): \(advice)"
  }

  private mutating func perform(
    _ action: SyncMachine.Action, of server: Int, at now: Moment, _ reply: UploadReply?
  ) {
    let label = servers[server].label
    switch action {
    case .upload(var order):
      order.unstored = outbox.takeUnstored(for: server)
      actions.append(.upload(order, server: server))
    case .renewToken: actions.append(.renewToken(server: server))
    case .remove(let sequences): remove(sequences, of: server, at: now)
    case .quarantine(let sequence, let reason):
      warn(.refused, at: now, "\(label)the server refuses record \(sequence): \(reason)")
      quarantine(sequence, reason: reason, of: server, at: now)
    case .delivered(let records):
      servers[server].tally.delivered += records
      servers[server].tally.lastDeliveryAt_ms = now.boot_ms
      log(.info, "\(label)delivered " + (records > 0 ? "\(records) records" : "a status without records"))
    case .failed(let verdict, let wait_ms):
      let name: Warnings.Name = verdict == .unauthorised ? .unauthorised : .sync
      let words = reply.map { self.words(for: $0, rule: servers[server].settings.ack) } ?? ""
      warn(name, at: now, "\(label)sync failed: \(words); again in \(wait_ms / 1000) s")
    }
  }
}
