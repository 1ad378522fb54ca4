/// To storage, and from there to the server.
extension Tracker {
  mutating func commitIfDue(at now: Moment) {
    guard let records = outbox.take(at: now.boot_ms) else { return }
    let dropped = outbox.uncounted > 0 ? [Tracker.memoryFull: outbox.uncounted] : [:]
    actions.append(
      .commit(
        Commit(records: records, tail: tail(at: now), state: savedState.entries, dropped: dropped)))
  }

  /// The ledger's cause for what no longer fitted into memory while storage failed.
  static let memoryFull = "memory_full"

  /// The newest fixes of the trip that no record holds yet.
  private func tail(at now: Moment) -> [Record] {
    guard let trip else { return [] }
    return track.open.map { fix in
      Record(
        sequence: 0, kind: .position, time_ms: fix.time_ms, timeSource: .gps, boot_ms: now.boot_ms, fix: fix,
        isMoving: true, tripID: trip.id, odometer_m: odometer.total_m)
    }
  }

  mutating func committed(queued: Int, at now: Moment) {
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
    perform(sync.queueChanged(count: queued, urgent: hadEvent, at: now.boot_ms), at: now)
  }

  mutating func commitFailed(_ words: String, at now: Moment) {
    outbox.failed(at: now.boot_ms)
    counters.storageFailed = true
    warn(.storage, at: now, words)
  }

  /// Something that was to leave the queue is still there. A commit, even without records, looks after the file.
  mutating func queueFailed(_ words: String, at now: Moment, chance: Double) {
    warn(.storage, at: now, words)
    sync.removalFailed(at: now.boot_ms, chance: chance)
    outbox.hurry()
    outbox.changed(at: now.boot_ms)
  }

  /// Unix milliseconds if somebody vouches for the time: what certificates are judged by.
  public func trustedTime_ms(at now: Moment) -> Int64? { clock.trusted_ms(at: now) }

  /// A server that was refused for the clock alone need not wait longer.
  mutating func timeBecameKnown(at now: Moment, chance: Double) {
    guard counters.lastReply == UploadReply.Failure.tlsClock.rawValue else { return }
    perform(sync.linkRestored(at: now.boot_ms, chance: chance), at: now)
  }

  mutating func uploadFinished(_ reply: UploadReply, at now: Moment, chance: Double) {
    if reply.failure != .nothingToSend { note(reply, at: now) }
    spend(reply.bytesUp + reply.bytesDown, at: now)
    perform(sync.uploadFinished(reply, at: now.boot_ms, chance: chance), at: now, reply)
    for (sequence, reason) in reply.notCarried.sorted(by: { $0.key < $1.key }) {
      warn(.refused, at: now, "record \(sequence) goes into quarantine: \(reason)")
      actions.append(.quarantine(sequence, reason: reason))
    }
  }

  private mutating func note(_ reply: UploadReply, at now: Moment) {
    counters.requests += 1
    counters.bytesUp += reply.bytesUp
    counters.bytesDown += reply.bytesDown
    counters.lastReply = reply.status == 0 ? (reply.failure?.rawValue ?? "none") : String(reply.status)
    counters.lastReplyAt_ms = now.boot_ms
    let problem = reply.problem(settings.sync.ack)
    if problem != counters.problem { counters.problemSince_ms = now.boot_ms }
    counters.problem = problem
    if problem == .captivePortal {
      warn(.captivePortal, at: now, "the reply is a web page, not the server's: nothing counts as delivered")
    }
  }

  mutating func tokenCommandEnded(_ problem: String?, at now: Moment, chance: Double) {
    if let problem {
      warn(.tokenCommand, at: now, "sync.auth_command: \(problem)")
    } else {
      log(.notice, "sync.auth_command has renewed the token")
      perform(sync.tokenRenewed(at: now.boot_ms, chance: chance), at: now)
    }
  }

  mutating func perform(_ wanted: [SyncMachine.Action], at now: Moment, _ reply: UploadReply? = nil) {
    for action in wanted {
      switch action {
      case .upload(let order): actions.append(.upload(order))
      case .renewToken: actions.append(.renewToken)
      case .remove(let sequences): actions.append(.remove(sequences))
      case .quarantine(let sequence, let reason):
        warn(.refused, at: now, "the server refuses record \(sequence): \(reason)")
        actions.append(.quarantine(sequence, reason: reason))
      case .delivered(let records):
        counters.delivered += records
        counters.lastDeliveryAt_ms = now.boot_ms
        log(.info, "delivered \(records) records")
      case .failed(let verdict, let wait_ms):
        let name: Warnings.Name = verdict == .unauthorised ? .unauthorised : .sync
        let problem = reply?.problem(settings.sync.ack)?.name ?? ""
        let words = reply.map { [problem, String($0.status), $0.message].filter { !$0.isEmpty } } ?? []
        warn(name, at: now, "sync failed: \(words.joined(separator: " ")); again in \(wait_ms / 1000) s")
      }
    }
  }
}
