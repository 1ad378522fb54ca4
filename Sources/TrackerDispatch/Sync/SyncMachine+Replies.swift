import TrackerBase

/// What a reply does to the records, and to the time of the next attempt.
extension SyncMachine {
  public mutating func uploadFinished(_ reply: UploadReply, at now_ms: Int64, chance: Double) -> [Action] {
    guard case .sending(let order, let lane) = state else { return [] }
    state = .idle(isUrgent: false)
    if reply.mqttVersion != .auto, reply.mqttVersion != brokerVersion { brokerVersion = reply.mqttVersion }
    let verdict = reply.verdict(settings.ack)
    if order.pick == .events, !reply.hasBroughtAll(of: order, verdict) { eventsMayWait = true }
    if naming.answered(reply, order, pace.backoff, at: now_ms, chance: chance), verdict == .transient {
      return backOff(reply, at: now_ms, chance: nil)
    }
    switch verdict {
    case .acknowledged: return acknowledged(reply, order, lane, at: now_ms, chance: chance)
    case .nothingToSend:
      // What is not there waits for no age: that would be due for ever.
      waitingSince_ms = queued > 0 ? now_ms : nil
      // There is no event: what is in sequence has its turn.
      state = .idle(isUrgent: order.pick == .events)
      return order.pick == .events ? consider(at: now_ms) : []
    case .unauthorised: return unauthorised(reply, at: now_ms, chance: chance)
    case .transient: return transient(reply, order, lane, at: now_ms, chance: chance)
    case .tooLarge, .refused: return refused(reply, order, lane, at: now_ms, chance: chance)
    }
  }

  private mutating func acknowledged(
    _ reply: UploadReply, _ order: UploadOrder, _ lane: Lane, at now_ms: Int64, chance: Double
  ) -> [Action] {
    pace.delivered()
    if order.withStatus { status.taken(at: now_ms) }
    // The same reply takes others, which is the proof that a refusal needs.
    let renumbered = renewals.renumbered(reply, at: now_ms)
    let named = reply.namedCulprits.filter {
      !reply.stored.contains($0.sequence) && !renumbered.contains($0.sequence)
    }
    let leaving = reply.stored + named.map(\.sequence)
    size.taken(reply.sent.count, at: now_ms)
    let (culprits, isAcquitted) = searches.taken(leaving, order, lane)
    // A record that was too large by itself is taken now: the server has changed.
    if isAcquitted { size.forget() }
    live.taken(reply.stored, pick: order.pick, at: now_ms)
    // `queueChanged` follows the removal.
    waitingSince_ms = nil
    let left = queued - leaving.count
    if left > 0 { continueBacklog(left, at: now_ms, chance: chance) }
    return renumber(renumbered, reply) + [.remove(reply.stored), .delivered(records: reply.stored.count)]
      + quarantine(named + culprits)
  }

  private mutating func unauthorised(_ reply: UploadReply, at now_ms: Int64, chance: Double) -> [Action] {
    // Who is repaired need not keep out of the way of a fleet: it was no outage.
    let actions = failed(reply, isOutage: false, at: now_ms, chance: chance)
    let lane_ms = milliseconds(settings.unauthorisedRetry_s)
    if settings.authCommand.isEmpty { return actions }
    if let tokenAskedAt_ms, now_ms - tokenAskedAt_ms < lane_ms { return actions }
    tokenAskedAt_ms = now_ms
    return actions + [.renewToken]
  }

  private mutating func transient(
    _ reply: UploadReply, _ order: UploadOrder, _ lane: Lane, at now_ms: Int64, chance: Double
  ) -> [Action] {
    if reply.wasCutOff, order.pick == .newest { live.dropped(at: now_ms) }
    let count = reply.sent.count
    // A reply that names each record is as long as the batch is.
    if reply.failure == .replyTooLarge, order.pick.isInSequence, count > 1 { size.refused(count, at: now_ms) }
    guard reply.wasCutOff, order.pick.isInSequence else { return failed(reply, at: now_ms, chance: chance) }
    let isTrial = size.isTrial(count, at: now_ms)
    // A search is no outage: there is no fleet to keep out of the way of.
    let isSearching = searches[lane].isSearching || isTrial
    let found = searches[lane].connectionDropped(reply.sent)
    if count > 1, isTrial || found.isSuspect { size.refused(count, at: now_ms) }
    // Perhaps it was the status: the same records without it.
    if searches[lane].isSearching, order.withStatus { status.refused(alone: false, at: now_ms) }
    return failed(reply, isOutage: !isSearching, at: now_ms, chance: chance) + quarantine(found.culprits)
  }

  /// Halves, until the one record is found, unless the server names it. The halves are answered, so the line is fine:
  /// short waits.
  private mutating func refused(
    _ reply: UploadReply, _ order: UploadOrder, _ lane: Lane, at now_ms: Int64, chance: Double
  ) -> [Action] {
    let renumbered = renewals.renumbered(reply, at: now_ms)
    if !renumbered.isEmpty {
      // No failure: they come again at once, with the others that were named.
      _ = backOff(reply, at: now_ms, chance: nil)
      return renumber(renumbered, reply)
    }
    if order.withStatus, reply.refused.isEmpty {
      // Perhaps it was the status: the same records without it.
      status.refused(alone: reply.sent.isEmpty, at: now_ms)
      if !reply.sent.isEmpty { return backOff(reply, at: now_ms, chance: nil) }
    }
    if !order.pick.isInSequence {
      searches.othersRefused()
      if order.pick == .newest { live.refused() }
      return failed(reply, at: now_ms, chance: chance)
    }
    guard let first = reply.sent.first else { return failed(reply, at: now_ms, chance: chance) }
    let named = reply.namedCulprits
    if reply.sent.count > 1, named.isEmpty {
      if reply.verdict == .tooLarge {
        size.refused(reply.sent.count, at: now_ms)
      } else {
        searches[lane].refused(count: reply.sent.count, status: reply.status)
      }
      return backOff(reply, at: now_ms, chance: nil)
    }
    let alone = Bisection.Culprit(sequence: first, reason: "\(reply.status) \(reply.message)")
    let accused = named.isEmpty ? [alone] : named
    let convicted = searches[lane].refusedAlone(
      accused, areNamed: !named.isEmpty, isBare: reply.isBare, status: reply.status)
    if convicted.isEmpty { return failed(reply, at: now_ms, chance: chance) }
    return backOff(reply, at: now_ms, chance: nil) + quarantine(convicted)
  }

  private func renumber(_ sequences: [Int64], _ reply: UploadReply) -> [Action] {
    sequences.isEmpty ? [] : [.renumber(sequences, renews: !reply.hasFormerID)]
  }

  private mutating func quarantine(_ culprits: [Bisection.Culprit]) -> [Action] {
    if culprits.isEmpty { return [] }
    // Where a single record was too large, the others need not go one by one.
    size.forget()
    pace.outageWasNone()
    searches.found(culprits)
    return culprits.map { .quarantine($0.sequence, reason: $0.reason) }
  }

  /// What is left of a backlog goes at once, while the radio is awake, unless there was a long failure before. What came
  /// during the request is no backlog.
  private mutating func continueBacklog(_ left: Int, at now_ms: Int64, chance: Double) {
    if pace.isFree, left < limit(of: .all, at: now_ms) { return hurry(at: now_ms) }
    let wait_ms = pace.backlogWait_ms(chance: chance)
    state = wait_ms >= SyncPace.least_ms ? .pacing(until_ms: now_ms + wait_ms) : .idle(isUrgent: true)
  }

  /// What the server has answered for is still in the queue: it is sent again, and the server knows it, but not at
  /// the pace of the line. As long as this lasts the waits grow.
  public mutating func removalFailed(at now_ms: Int64, chance: Double) {
    switch state {
    case .sending, .backingOff: return
    case .idle, .splaying, .pacing: break
    }
    let wait_ms = pace.removalWait_ms(chance: chance)
    state = .backingOff(until_ms: now_ms + wait_ms, cause: .transient, isAsked: false)
  }

  private mutating func failed(
    _ reply: UploadReply, isOutage: Bool = true, at now_ms: Int64, chance: Double
  ) -> [Action] {
    pace.failed(isOutage: isOutage)
    return backOff(reply, at: now_ms, chance: chance)
  }

  /// - Parameter chance: nil for the shortest wait.
  private mutating func backOff(_ reply: UploadReply, at now_ms: Int64, chance: Double?) -> [Action] {
    let wait_ms = pace.wait_ms(after: reply, chance: chance)
    let verdict = reply.verdict(settings.ack)
    state = .backingOff(until_ms: now_ms + wait_ms, cause: verdict, isAsked: (reply.retryAfter_s ?? 0) > 0)
    return [.failed(verdict, wait_ms: wait_ms)]
  }
}
