import TrackerBase

/// Records on their way: in groups to storage, from there to each server, within a budget of bytes. While storage takes
/// none, the servers get them from memory. Times are on the boot clock.
package struct Dispatch: Part {
  package internal(set) var outbox: Outbox
  package internal(set) var servers: [Server]
  var spending: Spending
  /// There is a store, and nothing of it could be read.
  package let isUnread: Bool
  @Shared private(set) var settings: Settings
  let bootID: String
  /// Until then undated records wait, but for alarms; nil: they do not.
  var holdUntil_ms: Int64?
  private(set) var idChanges = QueueIDChanges()
  /// What storage held, until the process has begun.
  private var found: Found?

  /// - Parameters:
  ///   - lastSequence: the greatest number ever given to a record.
  ///   - isUnread: there is a store, and nothing of it could be read.
  package init(
    settings: Settings, found: Found, lastSequence: Int64, isUnread: Bool, idChanges: QueueIDChanges,
    at now_ms: Int64
  ) {
    (self.settings, self.found) = (settings, found)
    (bootID, self.isUnread, self.idChanges) = (found.bootID, isUnread, idChanges)
    outbox = Outbox(settings: settings.queue, lastSequence: lastSequence)
    let old: [String]? = found.state.value("mqtt_3_1_1")
    servers = settings.servers.map { Server(name: $0.name, settings: $0.sync, old: old, at: now_ms) }
    spending = Spending(settings: settings.sync, saved: found.state, at: now_ms)
  }

  /// What waits goes on, and the sync with a server whose settings stay.
  package mutating func adopt(_ configuration: Configuration, at now: Moment) {
    settings = configuration.settings
    outbox.adopt(settings.queue)
    let old = servers
    servers = settings.servers.map { Server(name: $0.name, settings: $0.sync, at: now.boot_ms) }
    for (server, old) in zip(servers.indices, old) {
      servers[server].goOn(from: old, at: now.boot_ms)
      servers[server].stored = old.stored
    }
    spending.adopt(settings.sync, at: now.boot_ms)
    // Nothing looks after what is left of a budget that is no more.
    if !spending.isLimited { for server in servers.indices { servers[server].sync.allowance = Allowance() } }
  }

  /// Nothing reaches storage.
  package var storageFailed: Bool { outbox.failure != nil }

  // MARK: What happens

  package mutating func handle(_ event: Event, _ facts: Facts, at now: Moment) -> [Want]? {
    let now_ms = now.boot_ms
    let wants = keepBudget(facts.trusted_ms, at: now_ms)
    switch event {
    case .started: return wants + start(facts, at: now_ms)
    case .timer, .clockStepped: return wants + each(at: now_ms) { $0.tick(at: now_ms) }
    case .linkRestored: return wants + each(at: now_ms) { $0.linkRestored(at: now_ms, chance: facts.chance) }
    case .committed(let queued):
      let stored = committed(queued: queued, at: now_ms)
      guard isUnread, !facts.isStopping else { return wants + stored }
      return wants + stored
        + [.log(.notice, "the queue can be read now: the agent starts again from it"), .stop]
    case .commitFailed(let words): return wants + commitFailed(words, facts, at: now_ms)
    case .queueFailed(let words, let server): return wants + queueFailed(words, of: server, facts, at: now_ms)
    case .queueIDChanged(let changes): idChanges = changes
    case .queueShrank(let queued, let server):
      return wants + queueChanged(to: queued, of: server, at: now_ms)
    case .uploadFinished(let reply, let server):
      return wants + uploadFinished(reply, of: server, facts, at: now_ms)
    case .tokenCommandEnded(let problem, let server):
      return wants + tokenCommandEnded(problem, of: server, facts, at: now_ms)
    case .syncAsked: return wants + sync(withStatus: true, at: now_ms)
    // A record that waits tests as well as one that is made for it; a format that needs a place has none to give.
    case .command(.testAsked):
      let record: [Want] = makesTestRecord ? [.tell(.record(.status(.tested), .none, dated: nil))] : []
      return wants + record + [.tell(.syncAsked(withStatus: true))]
    case .settingsRead: outbox.changed(at: now_ms)
    default: return wants.isEmpty ? nil : wants
    }
    return wants
  }

  package mutating func hear(_ news: News, _ facts: Facts, at now: Moment) -> [Want]? {
    let now_ms = now.boot_ms
    switch news {
    case .begun:
      defer { found = nil }
      setPace(facts)
      let queued = found?.queued ?? servers.map(\.stored)
      return keepBudget(facts.trusted_ms, at: now_ms)
        + queued.enumerated().flatMap { queueChanged(to: $1, of: $0, at: now_ms) }
    case .recorded(let record): outbox.add(record, at: now_ms)
    case .saveWanted(let atOnce):
      if atOnce { outbox.hurry() }
      outbox.changed(at: now_ms)
    case .statusWanted(atOnce: false): statusWanted(at: now_ms)
    case .statusWanted(atOnce: true): servers[0].sync.statusAtOnce(at: now_ms)
    case .statusShortened: servers[0].sync.status.shortened(at: now_ms)
    case .syncAsked(let withStatus): return sync(withStatus: withStatus, at: now_ms)
    case .paceChanged:
      setPace(facts)
      return keepBudget(facts.trusted_ms, at: now_ms)
    case .timeBecameKnown: return redate(by: facts.time) + timeBecameKnown(facts, at: now_ms)
    case .windowOpened: return each(at: now_ms) { $0.windowOpened(at: now_ms, chance: facts.chance) }
    case .windowClosed:
      outbox.hurry()
      return each(at: now_ms) { $0.windowEnded(at: now_ms, chance: facts.chance) }
    // Each server is to hear of it, by a request of its own if need be.
    case .sleepAnnounced:
      for server in servers.indices { servers[server].sync.status.wantedAtOnce(at: now_ms) }
    case .drain: return drain(at: now_ms)
    case .settled: return redate(by: facts.time) + commitIfDue(at: now_ms)
    case .ending:
      outbox.retryNow()
      outbox.hurry()
      outbox.changed(at: now_ms)
      return commitIfDue(at: now_ms)
    default: return nil
    }
    return []
  }

  private mutating func start(_ facts: Facts, at now_ms: Int64) -> [Want] {
    guard let found else { return [] }
    let undated = takeUndated(found.state, at: now_ms)
    startHold(settings.clock.hold_s, at: facts.time)
    return undated + (found.storageProblem.map { commitFailed($0, facts, at: now_ms) } ?? [])
  }

  // MARK: To storage

  private mutating func commitIfDue(at now_ms: Int64) -> [Want] {
    guard let records = outbox.take(at: now_ms) else { return [] }
    var commit = Commit(records: records, redating: outbox.redating)
    if let dropped = outbox.failure?.dropped, dropped > 0 {
      commit.dropped = [LedgerCause.memoryFull.rawValue: dropped]
    }
    // What a store holds that could not be read stays.
    return [.commit(commit, hasState: !isUnread)]
  }

  private mutating func committed(queued: [Int], at now_ms: Int64) -> [Want] {
    let (hadEvent, failure) = outbox.written()
    if failure != nil { statusWanted(at: now_ms) }
    let wants = failure?.over ?? []
    return wants
      + queued.enumerated().flatMap { queueChanged(to: $1, urgent: hadEvent, of: $0, at: now_ms) }
      + [.tell(.stored)]
  }

  private mutating func commitFailed(_ words: String, _ facts: Facts, at now_ms: Int64) -> [Want] {
    if !storageFailed { statusWanted(at: now_ms) }
    outbox.failed(at: now_ms, chance: facts.chance)
    let counts = receivers.flatMap { server in
      let hasEvent = outbox.unstored(for: server).contains { $0.kind.isUrgent }
      return recount(urgent: hasEvent, of: server, at: now_ms)
    }
    return [.warnUnreported(.storage, words)] + counts + (facts.isStopping ? outbox.lost : [])
  }

  /// Something that was to leave the queue is still there. A commit, even without records, looks after the file.
  private mutating func queueFailed(_ words: String, of server: Int, _ facts: Facts, at now_ms: Int64)
    -> [Want]
  {
    servers[server].sync.removalFailed(at: now_ms, chance: facts.chance)
    return [.warnUnreported(.storage, words), .saveAtOnce]
  }
}
