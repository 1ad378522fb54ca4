import TrackerBase

/// What a reply does to the records, and to the time of the next attempt.
extension SyncMachine {
  /// Retry-After is believed up to a day.
  static let maxRetryAfter_s = 86_400
  /// With this, 5,000 devices that come back after a day's outage stay below the rate of their first attempts
  /// (docs/simulate.md, A fleet).
  static let paceDecay = 0.9

  public mutating func uploadFinished(_ reply: UploadReply, at now_ms: Int64, chance: Double) -> [Action] {
    guard case .sending(let order, let lane) = state else { return [] }
    state = .idle(isUrgent: false)
    if reply.mqttVersion != .auto, reply.mqttVersion != brokerVersion { brokerVersion = reply.mqttVersion }
    let verdict = reply.verdict(settings.ack)
    if order.pick == .events, !reply.hasBroughtAll(of: order, verdict) { eventsMayWait = true }
    if naming.answered(reply, order, backoff, at: now_ms, chance: chance), verdict == .transient {
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
    // What was over before the longest wait was reached has kept no fleet waiting.
    if failures > 0, pace_ms < milliseconds(settings.retryMax_s) { pace_ms = 0 }
    failures = 0
    if order.withStatus { status.taken(at: now_ms) }
    // The same reply takes others, which is the proof that a refusal needs.
    let renumbered = renewals.renumbered(reply, at: now_ms)
    let named = namedCulprits(reply).filter {
      !reply.stored.contains($0.sequence) && !renumbered.contains($0.sequence)
    }
    let leaving = reply.stored + named.map(\.sequence)
    size.taken(reply.sent.count, at: now_ms)
    let culprits = searched(leaving, order, lane)
    live.taken(reply.stored, pick: order.pick, at: now_ms)
    // `queueChanged` follows the removal.
    waitingSince_ms = nil
    let left = queued - leaving.count
    if left > 0 { continueBacklog(left, at: now_ms, chance: chance) }
    return renumber(renumbered, reply) + [.remove(reply.stored), .delivered(records: reply.stored.count)]
      + quarantine(named + culprits)
  }

  /// The server has these. What one lane brings is a proof for the search in the other.
  private mutating func searched(
    _ leaving: [Int64], _ order: UploadOrder, _ lane: Lane
  ) -> [Bisection.Culprit] {
    var culprits: [Bisection.Culprit] = []
    for searching in Lane.allCases {
      let wasAccused = !searches[searching].accused.isEmpty
      let isInSequence = order.pick.isInSequence && searching == lane
      culprits += searches[searching].taken(leaving, isInSequence: isInSequence)
      // A record that was too large by itself is taken now: the server has changed.
      if wasAccused, searches[searching].accused.isEmpty { size.forget() }
    }
    return culprits
  }

  private mutating func unauthorised(_ reply: UploadReply, at now_ms: Int64, chance: Double) -> [Action] {
    // Who is repaired need not keep out of the way of a fleet: it was no outage.
    let actions = failed(reply, paces: false, at: now_ms, chance: chance)
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
    return failed(reply, paces: !isSearching, at: now_ms, chance: chance) + quarantine(found.culprits)
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
      for searching in Lane.allCases { searches[searching].othersRefused() }
      if order.pick == .newest { live.refused() }
      return failed(reply, at: now_ms, chance: chance)
    }
    guard let first = reply.sent.first else { return failed(reply, at: now_ms, chance: chance) }
    let named = namedCulprits(reply)
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

  private func namedCulprits(_ reply: UploadReply) -> [Bisection.Culprit] {
    reply.refused.sorted { $0.key < $1.key }.map {
      Bisection.Culprit(sequence: $0.key, reason: "\(reply.status) \($0.value)")
    }
  }

  private mutating func quarantine(_ culprits: [Bisection.Culprit]) -> [Action] {
    if culprits.isEmpty { return [] }
    // Where a single record was too large, the others need not go one by one.
    size.forget()
    // It was the record, and no outage.
    pace_ms = 0
    let found = Set(culprits.map(\.sequence))
    for lane in Lane.allCases where searches[lane].accused.contains(where: { found.contains($0.sequence) }) {
      searches[lane] = Bisection()
    }
    return culprits.map { .quarantine($0.sequence, reason: $0.reason) }
  }

  /// What is left of a backlog goes at once, while the radio is awake, unless there was a long failure before. What came
  /// during the request is no backlog.
  private mutating func continueBacklog(_ left: Int, at now_ms: Int64, chance: Double) {
    if pace_ms == 0, left < limit(of: .all, at: now_ms) { return hurry(at: now_ms) }
    let wait_ms = Int64(saturating: Double(pace_ms) * chance)
    pace_ms = Int64(saturating: Double(pace_ms) * SyncMachine.paceDecay)
    state = wait_ms >= SyncMachine.minWait_ms ? .pacing(until_ms: now_ms + wait_ms) : .idle(isUrgent: true)
  }

  /// What the server has answered for is still in the queue: it is sent again, and the server knows it, but not at
  /// the pace of the line. As long as this lasts the waits grow.
  public mutating func removalFailed(at now_ms: Int64, chance: Double) {
    switch state {
    case .sending, .backingOff: return
    case .idle, .splaying, .pacing: break
    }
    slowDown()
    let wait_ms = max(SyncMachine.minWait_ms, Int64(saturating: Double(pace_ms) * (1 + chance) / 2))
    state = .backingOff(until_ms: now_ms + wait_ms, cause: .transient, isAsked: false)
  }

  private mutating func failed(
    _ reply: UploadReply, paces: Bool = true, at now_ms: Int64, chance: Double
  ) -> [Action] {
    failures += 1
    if paces { slowDown() }
    return backOff(reply, at: now_ms, chance: chance)
  }

  private mutating func slowDown() {
    let longest_ms = milliseconds(settings.retryMax_s)
    pace_ms = min(longest_ms, max(milliseconds(settings.retryBase_s), 2 * pace_ms))
  }

  private var backoff: Backoff { Backoff(base_s: settings.retryBase_s, max_s: settings.retryMax_s) }

  /// - Parameter chance: nil for the shortest wait.
  private mutating func backOff(_ reply: UploadReply, at now_ms: Int64, chance: Double?) -> [Action] {
    let verdict = reply.verdict(settings.ack)
    var wait_ms = chance.map { backoff.wait_ms(failures: failures, chance: $0) } ?? SyncMachine.minWait_ms
    if verdict == .unauthorised { wait_ms = milliseconds(settings.unauthorisedRetry_s) }
    let asked_s = max(0, reply.retryAfter_s ?? 0)
    // On top of it, or everyone who was asked would come back at the same instant.
    wait_ms += Int64(min(asked_s, SyncMachine.maxRetryAfter_s)) * 1000
    wait_ms = max(wait_ms, SyncMachine.minWait_ms)
    state = .backingOff(until_ms: now_ms + wait_ms, cause: verdict, isAsked: asked_s > 0)
    return [.failed(verdict, wait_ms: wait_ms)]
  }
}
