import TrackerBase

/// What may be spent, and which records wait for their true dates.
extension Dispatch {
  /// With each event: a day or month may have begun. - Parameter trusted_ms: Unix milliseconds; nil while the time is not
  /// trusted.
  mutating func keepBudget(_ trusted_ms: Int64?, at now_ms: Int64) -> [Want] {
    spending.turn(trusted_ms: trusted_ms, at: now_ms)
    guard spending.isLimited else { return [] }
    let before = servers[0].sync.allowance.level
    let allowance = spending.allowance(trusted_ms: trusted_ms, at: now_ms)
    for server in servers.indices { servers[server].sync.allowance = allowance }
    guard allowance.level != before else { return [] }
    switch allowance.level {
    case .all: return [.log(.notice, "sync budget: a new day or month, all records may go")]
    case .events: return [.log(.notice, "sync budget: the rest is for events and the status")]
    case .none:
      return [.warnUnreported(.budget, "sync budget used up: all records wait for the next day or month")]
    }
  }

  mutating func spend(_ reply: UploadReply, of server: Int, _ facts: Facts, at now_ms: Int64) -> [Want] {
    guard reply.bytesUp + reply.bytesDown > 0 else { return [] }
    let isTaken = reply.verdict(servers[server].settings.ack) == .acknowledged
    let words = spending.spend(
      reply, of: servers[server].name, withStatus: servers[server].sync.sendsStatus, isTaken: isTaken)
    let wants = words.map { [Want.log(.warning, $0), .report, .save] } ?? []
    // So that a restart knows of it. Without a limit the next commit is early enough.
    return spending.isLimited ? wants + keepBudget(facts.trusted_ms, at: now_ms) + [.save] : wants
  }

  // MARK: Dates of records that were made before the time was known

  /// What the run before left undated. When another boot was, is not known.
  mutating func takeUndated(_ state: SavedState, at now_ms: Int64) -> [Want] {
    guard let undated: Undated = state.value("undated") else { return [] }
    if !bootID.isEmpty, undated.bootID == bootID {
      outbox.goOn(with: undated)
      return []
    }
    let words = counted(
      undated.records, "record of a boot before this one keeps", "records of a boot before this one keep")
    // What is reported once is no longer in the state.
    outbox.changed(at: now_ms)
    return [
      .warnUnreported(
        .undated,
        "\(words) the date of a clock that was not set: the time did not become known before the board went off",
        times: undated.records)
    ]
  }

  /// The process begins, perhaps without the time. - Parameter hold_s: see `clock.clock_hold_s`.
  mutating func startHold(_ hold_s: Double, at time: RecordTime) {
    if time.isDated {
      // What the process before left undated gets its true dates first.
      if outbox.undated != nil { holdUntil_ms = time.boot_ms + Outbox.retryAfterFailure_ms }
    } else if hold_s > 0 {
      holdUntil_ms = time.boot_ms + milliseconds(hold_s)
    }
  }

  /// As soon as the time is known, whatever has given it: what was made before it gets its true date, and is sent once
  /// storage has that.
  mutating func redate(by time: RecordTime) -> [Want] {
    var wants: [Want] = []
    if let undated = outbox.undated, time.source == .trustedWallClock {
      let words = counted(
        undated.records, "record from before gets its true date", "records from before get their true dates")
      wants.append(.log(.notice, "the time is known: \(words)"))
      outbox.redate(offset_ms: time.time_ms - time.boot_ms, at: time.boot_ms)
      holdUntil_ms = time.boot_ms + Outbox.retryAfterFailure_ms
    }
    guard let holdUntil_ms else { return wants }
    let isDated = time.isDated && outbox.redating == nil
    return isDated || time.boot_ms >= holdUntil_ms ? wants + endHold(at: time.boot_ms) : wants
  }

  private mutating func endHold(at now_ms: Int64) -> [Want] {
    holdUntil_ms = nil
    var wants: [Want] = []
    if let undated = outbox.undated {
      let words =
        "\(counted(undated.records, "record")) may be sent with a date that is marked as not trusted"
      wants.append(.log(.notice, "the time is still unknown: \(words)"))
    }
    return wants + each(at: now_ms) { $0.queueChanged(count: $0.queued, urgent: $0.queued > 0, at: now_ms) }
  }
}
