import TrackerBase

/// Records on their way: in groups to storage, from there to each server, within a budget of bytes. While storage takes
/// none, the servers get them from memory. Times are on the boot clock.
package struct Dispatch: Sendable {
  package private(set) var outbox: Outbox
  package private(set) var servers: [Server]
  private(set) var spending: Spending
  /// There is a store, and nothing of it could be read.
  package let isUnread: Bool
  private let settings: QueueSettings
  let bootID: String
  /// Until then undated records wait, but for alarms; nil: they do not.
  private var holdUntil_ms: Int64?
  private var wanted: [DispatchAction] = []
  private(set) var idChanges = QueueIDChanges()

  /// The ledger's cause for what no longer fitted into memory while storage failed.
  static let memoryFull = "memory_full"

  /// - Parameters:
  ///   - lastSequence: the greatest number ever given to a record.
  ///   - isUnread: there is a store, and nothing of it could be read.
  package init(
    settings: Settings, saved: SavedState, bootID: String, lastSequence: Int64, isUnread: Bool,
    idChanges: QueueIDChanges, at now_ms: Int64
  ) {
    self.settings = settings.queue
    (self.bootID, self.isUnread, self.idChanges) = (bootID, isUnread, idChanges)
    outbox = Outbox(settings: settings.queue, lastSequence: lastSequence)
    let old: [String]? = saved.value("mqtt_3_1_1")
    servers = settings.servers.map { Server(name: $0.name, settings: $0.sync, old: old, at: now_ms) }
    spending = Spending(settings: settings.sync, saved: saved, at: now_ms)
  }

  /// In a running process: what waits goes on, and the sync with a server whose settings stay.
  package mutating func goOn(from old: Dispatch, at now_ms: Int64) {
    outbox = Outbox(settings: settings, continuing: old.outbox)
    (idChanges, holdUntil_ms) = (old.idChanges, old.holdUntil_ms)
    for (server, old) in old.servers.enumerated() { servers[server].goOn(from: old, at: now_ms) }
    // Nobody looks after what is left of a budget that is no more.
    if !spending.isLimited { for server in servers.indices { servers[server].sync.allowance = Allowance() } }
  }

  /// Nothing reaches storage.
  package var storageFailed: Bool { outbox.failure != nil }

  package var hasWanted: Bool { !wanted.isEmpty }

  /// What is wanted since this was last asked.
  package mutating func take() -> [DispatchAction] {
    defer { wanted = [] }
    return wanted
  }

  mutating func warn(_ name: WarningName, _ text: String, times: Int = 1) {
    wanted.append(.warn(name, text, times: times))
  }

  mutating func want(_ action: Action) { wanted.append(.perform(action)) }

  mutating func log(_ level: RunSettings.LogLevel, _ text: String) {
    wanted.append(.log(level, text))
  }

  // MARK: To storage

  package mutating func add(_ record: Record, at now_ms: Int64) { outbox.add(record, at: now_ms) }

  /// The state or the newest fix differs from what storage holds.
  package mutating func stateChanged(at now_ms: Int64) { outbox.changed(at: now_ms) }

  /// All of it to storage at once.
  package mutating func hurry(at now_ms: Int64) {
    outbox.hurry()
    outbox.changed(at: now_ms)
  }

  /// The process ends.
  package mutating func lastChance(at now_ms: Int64) {
    outbox.retryNow()
    hurry(at: now_ms)
  }

  /// - Returns: what is to be written now, but for tail and state; nil if it is not time.
  package mutating func takeCommit(at now_ms: Int64) -> Commit? {
    guard let records = outbox.take(at: now_ms) else { return nil }
    var commit = Commit(records: records, redating: outbox.redating)
    if let dropped = outbox.failure?.dropped, dropped > 0 { commit.dropped = [Dispatch.memoryFull: dropped] }
    return commit
  }

  package mutating func committed(queued: [Int], at now_ms: Int64) {
    let (hadEvent, failure) = outbox.written()
    if let failure { storageWorks(after: failure, at: now_ms) }
    for (server, count) in queued.enumerated() {
      queueChanged(to: count, urgent: hadEvent, of: server, at: now_ms)
    }
  }

  /// What servers have of what was in memory leaves storage as well.
  private mutating func storageWorks(after failure: Outbox.Failure, at now_ms: Int64) {
    statusWanted(at: now_ms)
    if failure.dropped > 0 {
      warn(
        .dropped, "\(counted(failure.dropped, "record")) did not fit into memory while storage failed",
        times: failure.dropped)
    }
    log(.notice, "storage works again")
    // Those of a minute and more are recorded.
    wanted += failure.lostTrack.filter { $0.end_ms - $0.begin_ms >= TrackGap.least_ms }.map {
      .lostTrack($0)
    }
    for (server, sequences) in failure.delivered.sorted(by: { $0.key < $1.key }) where !sequences.isEmpty {
      want(.remove(sequences.sorted(), server: server))
    }
    for (server, reasons) in failure.refused.sorted(by: { $0.key < $1.key }) {
      for (sequence, reason) in reasons.sorted(by: { $0.key < $1.key }) {
        want(.quarantine(sequence, reason: reason, server: server))
      }
    }
  }

  package mutating func commitFailed(_ words: String, at now_ms: Int64, chance: Double) {
    if !storageFailed { statusWanted(at: now_ms) }
    outbox.failed(at: now_ms, chance: chance)
    warn(.storage, words)
    for server in receivers {
      let hasEvent = outbox.unstored(for: server).contains { $0.kind.isUrgent }
      recount(urgent: hasEvent, of: server, at: now_ms)
    }
  }

  /// Something that was to leave the queue is still there. A commit, even without records, looks after the file.
  package mutating func queueFailed(_ words: String, of server: Int, at now_ms: Int64, chance: Double) {
    warn(.storage, words)
    servers[server].sync.removalFailed(at: now_ms, chance: chance)
    hurry(at: now_ms)
  }

  package mutating func idChanged(_ changes: QueueIDChanges) { idChanges = changes }

  // MARK: To the servers

  package var deadline_ms: Int64? {
    var deadline_ms = earliest(outbox.deadline_ms, holdUntil_ms)
    // By number: to take a server out is to copy all of it.
    for server in servers.indices { deadline_ms = earliest(deadline_ms, servers[server].deadline_ms) }
    return deadline_ms
  }

  package mutating func windowEnded(at now_ms: Int64, chance: Double) {
    outbox.hurry()
    each(at: now_ms) { $0.windowEnded(at: now_ms, chance: chance) }
  }

  /// An operator at the box wants everything sent now, and what the servers want of the box: each is asked, also where
  /// nothing waits for it.
  package mutating func askAll(at now_ms: Int64) {
    for server in servers.indices { servers[server].sync.statusAtOnce(at: now_ms) }
    flush(at: now_ms)
  }

  /// The first server wants everything sent now.
  package mutating func flush(at now_ms: Int64) {
    outbox.retryNow()
    each(at: now_ms) { $0.flush(at: now_ms) }
  }

  /// - Parameter trusted_ms: Unix milliseconds; nil while the time is not trusted.
  package mutating func uploadFinished(
    _ reply: UploadReply, of server: Int, trusted_ms: Int64?, at now_ms: Int64, chance: Double
  ) {
    if reply.failure != .nothingToSend { note(reply, of: server, at: now_ms) }
    spend(reply, of: server, trusted_ms: trusted_ms, at: now_ms)
    let before = servers[server].sync.naming.areApart
    step(server, at: now_ms, reply: reply, chance: chance) {
      $0.uploadFinished(reply, at: now_ms, chance: chance)
    }
    if servers[server].sync.naming.areApart, !before { warn(.sync, servers[server].apartWords) }
    for (sequence, reason) in reply.notCarried.sorted(by: { $0.key < $1.key }) {
      warn(
        .refused, "\(servers[server].label)record \(sequence) goes into quarantine: \(reason)")
      quarantine(sequence, reason: reason, of: server, at: now_ms)
    }
  }

  private mutating func note(_ reply: UploadReply, of server: Int, at now_ms: Int64) {
    let wasCut = servers[server].isCut
    if servers[server].note(reply, at: now_ms) { log(.notice, servers[server].beliefWords(reply)) }
    if servers[server].isCut, !wasCut { warn(.sync, servers[server].cutWords) }
    guard servers[server].figures.problem == .captivePortal else { return }
    warn(
      .captivePortal,
      "\(servers[server].label)the reply is a web page, not the server's: nothing counts as delivered")
  }

  /// Something happened that operators should see with the next request.
  package mutating func statusWanted(at now_ms: Int64) {
    for server in servers.indices { servers[server].sync.statusWanted(at: now_ms) }
  }

  /// The first server is to have the status at once.
  package mutating func statusAtOnce(at now_ms: Int64) { servers[0].sync.statusAtOnce(at: now_ms) }

  /// The next one is shorter than the one that the first server has refused.
  package mutating func statusShortened(at now_ms: Int64) { servers[0].sync.status.shortened(at: now_ms) }

  /// Other pauses, and perhaps another budget. - Parameter settings: of each server.
  package mutating func pace(_ settings: Settings, isRoaming: Bool) {
    spending.isRoaming = isRoaming
    for (server, paced) in settings.servers.enumerated() { servers[server].sync.pace(paced.sync) }
  }

  mutating func each(at now_ms: Int64, _ body: (inout SyncMachine) -> [SyncMachine.Action]) {
    for server in servers.indices { step(server, at: now_ms, body) }
  }

  /// One step of a server's machine, and what comes of it.
  package mutating func step(
    _ server: Int, at now_ms: Int64, reply: UploadReply? = nil, chance: Double = 0,
    _ body: (inout SyncMachine) -> [SyncMachine.Action]
  ) {
    let steps = body(&servers[server].sync)
    for action in steps { perform(action, of: server, at: now_ms, reply, chance) }
  }

  private mutating func perform(
    _ action: SyncMachine.Action, of server: Int, at now_ms: Int64, _ reply: UploadReply?, _ chance: Double
  ) {
    let label = servers[server].label
    switch action {
    case .upload(var order):
      order.unstored = outbox.unstored(for: server)
      order.holdsUndated = holdUntil_ms != nil
      if server == 0 { order.topicAllowed_bytes = spending.topicAllowed_bytes }
      wanted.append(.perform(.upload(order, server: server)))
    case .renewToken: wanted.append(.perform(.renewToken(server: server)))
    case .remove(let sequences): remove(sequences, of: server, at: now_ms)
    case .renumber(let sequences, let renews):
      renumber(sequences, renews: renews, of: server, chance: chance)
    case .quarantine(let sequence, let reason):
      warn(.refused, "\(label)the server refuses record \(sequence): \(reason)")
      quarantine(sequence, reason: reason, of: server, at: now_ms)
    case .delivered(let records):
      servers[server].delivered(records, at: now_ms)
      let what = records > 0 ? counted(records, "record") : "a status without records"
      log(.info, "\(label)delivered \(what)")
    case .failed(let verdict, let wait_ms):
      let name: WarningName = verdict == .unauthorised ? .unauthorised : .sync
      let words = reply.map { servers[server].words(for: $0) } ?? ""
      warn(name, "\(label)sync failed: \(words); again in \(wait_ms / 1000) s")
    }
  }

  // MARK: From memory

  /// Servers that records go to.
  private var receivers: [Int] { servers.indices.filter { !servers[$0].settings.url.isEmpty } }

  /// So many records wait for the server on storage. - Parameter urgent: an event is among the new ones.
  package mutating func queueChanged(to stored: Int, urgent: Bool = false, of server: Int, at now_ms: Int64) {
    servers[server].stored = stored
    recount(urgent: urgent, of: server, at: now_ms)
  }

  /// More may be sent from memory, or less.
  private mutating func recount(urgent: Bool = false, of server: Int, at now_ms: Int64) {
    let count = servers[server].stored + outbox.unstored(for: server).count
    step(server, at: now_ms) { $0.queueChanged(count: count, urgent: urgent, at: now_ms) }
  }

  private mutating func remove(_ sequences: [Int64], of server: Int, at now_ms: Int64) {
    let stored = outbox.delivered(sequences, to: server, of: receivers)
    if !stored.isEmpty { wanted.append(.perform(.remove(stored, server: server))) }
    if stored.count < sequences.count { recount(of: server, at: now_ms) }
  }

  private mutating func quarantine(_ sequence: Int64, reason: String, of server: Int, at now_ms: Int64) {
    if outbox.refused(sequence, by: server, reason: reason) {
      recount(of: server, at: now_ms)
    } else {
      wanted.append(.perform(.quarantine(sequence, reason: reason, server: server)))
    }
  }

  /// The server has records of another box under the identities of these.
  private mutating func renumber(_ sequences: [Int64], renews: Bool, of server: Int, chance: Double) {
    let count = sequences.count
    warn(
      .identityConflict,
      """
      \(servers[server].label)the server has other records under the identities of \(count) of ours, as when two boxes run \
      from one copied card: they are sent again under \(renews ? "another queue id" : "the queue's newest id")
      """,
      times: count)
    let stored = outbox.renumber(sequences, chance: chance)
    if !stored.isEmpty { want(.renumber(stored, renews: renews)) }
  }

  // MARK: The budget

  /// With each event: a day or month may have begun. - Parameter trusted_ms: as for `uploadFinished`.
  package mutating func keepBudget(trusted_ms: Int64?, at now_ms: Int64) {
    spending.turn(trusted_ms: trusted_ms, at: now_ms)
    guard spending.isLimited else { return }
    let before = servers[0].sync.allowance.level
    let allowance = spending.allowance(trusted_ms: trusted_ms, at: now_ms)
    for server in servers.indices { servers[server].sync.allowance = allowance }
    guard allowance.level != before else { return }
    switch allowance.level {
    case .all: log(.notice, "sync budget: a new day or month, all records may go")
    case .events: log(.notice, "sync budget: the rest is for events and the status")
    case .none: warn(.budget, "sync budget used up: all records wait for the next day or month")
    }
  }

  private mutating func spend(_ reply: UploadReply, of server: Int, trusted_ms: Int64?, at now_ms: Int64) {
    guard reply.bytesUp + reply.bytesDown > 0 else { return }
    let isTaken = reply.verdict(servers[server].settings.ack) == .acknowledged
    let words = spending.spend(
      reply, of: servers[server].name, withStatus: servers[server].sync.sendsStatus, isTaken: isTaken)
    if let words {
      log(.warning, words)
      statusWanted(at: now_ms)
      outbox.changed(at: now_ms)
    }
    guard spending.isLimited else { return }
    keepBudget(trusted_ms: trusted_ms, at: now_ms)
    // So that a restart knows of it. Without a limit the next commit is early enough.
    outbox.changed(at: now_ms)
  }

  // MARK: Dates of records that were made before the time was known
  /// What the run before left undated. When another boot was, nobody knows.
  package mutating func takeUndated(_ state: SavedState, at now_ms: Int64) {
    guard let undated: SavedUndated = state.value("undated") else { return }
    if !bootID.isEmpty, undated.bootID == bootID {
      return outbox.goOn(with: Undated(from: undated.from, records: undated.records))
    }
    let words = counted(
      undated.records, "record of a boot before this one keeps", "records of a boot before this one keep")
    warn(
      .undated,
      "\(words) the date of a clock that was not set: the time did not become known before the board went off",
      times: undated.records)
    // What is reported once is no longer in the state.
    outbox.changed(at: now_ms)
  }

  /// The process begins, perhaps without the time. - Parameter hold_s: see `clock.clock_hold_s`.
  package mutating func startHold(_ hold_s: Double, at time: RecordTime) {
    if time.isDated {
      // What the process before left undated gets its true dates first.
      if outbox.undated != nil { holdUntil_ms = time.boot_ms + Outbox.retryAfterFailure_ms }
    } else if hold_s > 0 {
      holdUntil_ms = time.boot_ms + milliseconds(hold_s)
    }
  }

  /// As soon as the time is known, whatever has given it: what was made before it gets its true date, and is sent once
  /// storage has that.
  package mutating func redate(by time: RecordTime) {
    if let undated = outbox.undated, time.source == .trustedWallClock {
      let words = counted(
        undated.records, "record from before gets its true date", "records from before get their true dates")
      log(.notice, "the time is known: \(words)")
      outbox.redate(offset_ms: time.time_ms - time.boot_ms, at: time.boot_ms)
      holdUntil_ms = time.boot_ms + Outbox.retryAfterFailure_ms
    }
    guard let holdUntil_ms else { return }
    let isDated = time.isDated && outbox.redating == nil
    if isDated || time.boot_ms >= holdUntil_ms { endHold(at: time.boot_ms) }
  }

  private mutating func endHold(at now_ms: Int64) {
    holdUntil_ms = nil
    if let undated = outbox.undated {
      let records = counted(undated.records, "record")
      let words = "\(records) may be sent with a date that is marked as not trusted"
      log(.notice, "the time is still unknown: \(words)")
    }
    each(at: now_ms) { $0.queueChanged(count: $0.queued, urgent: $0.queued > 0, at: now_ms) }
  }
}
