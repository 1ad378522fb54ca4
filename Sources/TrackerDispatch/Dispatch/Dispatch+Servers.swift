import TrackerBase

/// What the machine of each server hears, and what comes of it.
extension Dispatch {
  /// - Parameter withStatus: each is asked what it wants of the box, also where nothing waits for it.
  mutating func sync(withStatus: Bool, at now_ms: Int64) -> [Want] {
    if withStatus { for server in servers.indices { servers[server].sync.statusAtOnce(at: now_ms) } }
    outbox.retryNow()
    return each(at: now_ms) { $0.flush(at: now_ms) }
  }

  mutating func uploadFinished(
    _ reply: UploadReply, of server: Int, _ facts: Facts, at now_ms: Int64
  ) -> [Want] {
    let hadStatus = server == 0 && servers[0].sync.sendsStatus
    var wants = reply.failure == .nothingToSend ? [] : note(reply, of: server, at: now_ms)
    wants += spend(reply, of: server, facts, at: now_ms)
    let before = servers[server].sync.naming.areApart
    wants += step(server, reply: reply, chance: facts.chance, at: now_ms) {
      $0.uploadFinished(reply, at: now_ms, chance: facts.chance)
    }
    if servers[server].sync.naming.areApart, !before {
      wants.append(.warnUnreported(.sync, servers[server].apartWords))
    }
    for (sequence, reason) in reply.notCarried.sorted(by: { $0.key < $1.key }) {
      let words = "\(servers[server].label)record \(sequence) goes into quarantine: \(reason)"
      wants.append(.warnUnreported(.refused, words))
      wants += quarantine(sequence, reason: reason, of: server, at: now_ms)
    }
    guard server == 0 else { return wants }
    // First what it says of the request that it answers, then what comes next.
    let ended: [Want] = hadStatus ? [.tell(.statusEnded(reply.verdict(settings.sync.ack)))] : []
    return ended + [.tell(.replied(reply))] + wants
  }

  private mutating func note(_ reply: UploadReply, of server: Int, at now_ms: Int64) -> [Want] {
    var wants: [Want] = []
    let wasCut = servers[server].isCut
    if servers[server].note(reply, at: now_ms) {
      wants.append(.log(.notice, servers[server].beliefWords(reply)))
    }
    if servers[server].isCut, !wasCut { wants.append(.warnUnreported(.sync, servers[server].cutWords)) }
    guard servers[server].figures.problem == .captivePortal else { return wants }
    let words =
      "\(servers[server].label)the reply is a web page, not the server's: nothing counts as delivered"
    return wants + [.warnUnreported(.captivePortal, words)]
  }

  mutating func tokenCommandEnded(
    _ problem: String?, of server: Int, _ facts: Facts, at now_ms: Int64
  ) -> [Want] {
    let label = servers[server].label
    if let problem { return [.warnUnreported(.tokenCommand, "\(label)sync.auth_command: \(problem)")] }
    return [.log(.notice, "\(label)sync.auth_command has renewed the token")]
      + step(server, at: now_ms) { $0.tokenRenewed(at: now_ms, chance: facts.chance) }
  }

  /// Servers that were refused for the clock alone need not wait longer.
  mutating func timeBecameKnown(_ facts: Facts, at now_ms: Int64) -> [Want] {
    servers.indices.filter { servers[$0].figures.lastReply == UploadReply.NoReply.tlsClock.rawValue }
      .flatMap { step($0, at: now_ms) { $0.linkRestored(at: now_ms, chance: facts.chance) } }
  }

  /// What waits for its number or its age goes now. What waits so that a fleet does not come all at once still does.
  mutating func drain(at now_ms: Int64) -> [Want] {
    servers.indices.filter { if case .idle = servers[$0].sync.state { true } else { false } }
      .flatMap { step($0, at: now_ms) { $0.flush(at: now_ms) } }
  }

  /// Something happened that operators should see with the next request.
  mutating func statusWanted(at now_ms: Int64) {
    for server in servers.indices { servers[server].sync.status.wanted(at: now_ms) }
  }

  /// Other pauses, and perhaps another budget.
  mutating func setPace(_ facts: Facts) {
    spending.isRoaming = facts.isRoaming
    for (server, own) in settings.servers.enumerated() {
      servers[server].sync.setPace(own.sync.abroad(facts.isRoaming).paced(by: facts.lowFactor))
    }
  }

  mutating func each(
    at now_ms: Int64, _ body: (inout SyncMachine) -> [SyncMachine.Action]
  ) -> [Want] {
    servers.indices.flatMap { step($0, at: now_ms, body) }
  }

  /// One step of a server's machine, and what comes of it.
  private mutating func step(
    _ server: Int, reply: UploadReply? = nil, chance: Double = 0, at now_ms: Int64,
    _ body: (inout SyncMachine) -> [SyncMachine.Action]
  ) -> [Want] {
    body(&servers[server].sync).flatMap { wants(of: $0, server, reply, chance, at: now_ms) }
  }

  private mutating func wants(
    of action: SyncMachine.Action, _ server: Int, _ reply: UploadReply?, _ chance: Double, at now_ms: Int64
  ) -> [Want] {
    let label = servers[server].label
    switch action {
    case .upload(var order):
      order.unstored = outbox.unstored(for: server)
      order.holdsUndated = holdUntil_ms != nil
      if server == 0 { order.topicAllowed_bytes = spending.topicAllowed_bytes }
      let isStatus = server == 0 && order.withStatus
      return (isStatus ? [.tell(.statusSent)] : []) + [.perform(.upload(order, server: server))]
    case .renewToken: return [.perform(.renewToken(server: server))]
    case .remove(let sequences): return remove(sequences, of: server, at: now_ms)
    case .renumber(let sequences, let renews):
      return renumber(sequences, renews: renews, of: server, chance: chance)
    case .quarantine(let sequence, let reason):
      return [.warnUnreported(.refused, "\(label)the server refuses record \(sequence): \(reason)")]
        + quarantine(sequence, reason: reason, of: server, at: now_ms)
    case .delivered(let records):
      servers[server].delivered(records, at: now_ms)
      let what = records > 0 ? counted(records, "record") : "a status without records"
      return [.log(.info, "\(label)delivered \(what)")]
    case .failed(let verdict, let wait_ms):
      let name: WarningName = verdict == .unauthorised ? .unauthorised : .sync
      let words = reply.map { servers[server].words(for: $0) } ?? ""
      return [.warnUnreported(name, "\(label)sync failed: \(words); again in \(wait_ms / 1000) s")]
    }
  }

  // MARK: From memory

  /// Servers that records go to.
  var receivers: [Int] { servers.indices.filter { !servers[$0].settings.url.isEmpty } }

  /// So many records wait for the server on storage. - Parameter urgent: an event is among the new ones.
  mutating func queueChanged(
    to stored: Int, urgent: Bool = false, of server: Int, at now_ms: Int64
  ) -> [Want] {
    servers[server].stored = stored
    return recount(urgent: urgent, of: server, at: now_ms)
  }

  /// More may be sent from memory, or less.
  mutating func recount(urgent: Bool = false, of server: Int, at now_ms: Int64) -> [Want] {
    let count = servers[server].stored + outbox.unstored(for: server).count
    return step(server, at: now_ms) { $0.queueChanged(count: count, urgent: urgent, at: now_ms) }
  }

  private mutating func remove(_ sequences: [Int64], of server: Int, at now_ms: Int64) -> [Want] {
    let stored = outbox.delivered(sequences, to: server, of: receivers)
    let removal: [Want] = stored.isEmpty ? [] : [.perform(.remove(stored, server: server))]
    return stored.count < sequences.count ? removal + recount(of: server, at: now_ms) : removal
  }

  private mutating func quarantine(
    _ sequence: Int64, reason: String, of server: Int, at now_ms: Int64
  ) -> [Want] {
    if outbox.refused(sequence, by: server, reason: reason) { return recount(of: server, at: now_ms) }
    return [.perform(.quarantine(sequence, reason: reason, server: server))]
  }

  /// The server has records of another box under the identities of these.
  private mutating func renumber(_ sequences: [Int64], renews: Bool, of server: Int, chance: Double) -> [Want]
  {
    let count = sequences.count
    let words = """
      \(servers[server].label)the server has other records under the identities of \(count) of ours, as when two boxes run \
      from one copied card: they are sent again under \(renews ? "another queue id" : "the queue's newest id")
      """
    let stored = outbox.renumber(sequences, chance: chance)
    let order: [Want] = stored.isEmpty ? [] : [.perform(.renumber(stored, renews: renews))]
    return [.warnUnreported(.identityConflict, words, times: count)] + order
  }
}

extension Want {
  /// A status would go nowhere, or goes anyway.
  static func warnUnreported(_ name: WarningName, _ text: String, times: Int = 1) -> Want {
    .warn(name, text, times: times, isReported: false)
  }
}
