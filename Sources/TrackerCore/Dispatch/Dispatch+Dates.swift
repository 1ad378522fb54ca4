/// Dates of records that were made before the time was known, and the wait for them.
extension Dispatch {
  /// What the run before left undated. When another boot was, nobody knows.
  mutating func takeUndated(_ state: [String: String], at now_ms: Int64) {
    guard let (undated, isOfThisBoot) = Undated.read(state["undated"] ?? "", bootID: bootID) else { return }
    if isOfThisBoot { return outbox.goOn(with: undated) }
    let words = counted(
      undated.records, "record of a boot before this one keeps", "records of a boot before this one keep")
    warn(
      .undated, at: now_ms,
      "\(words) the date of a clock that was not set: the time did not become known before the board went off",
      times: undated.records)
    // What is reported once is no longer in the state.
    outbox.changed(at: now_ms)
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
  mutating func redate(by time: RecordTime) {
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
      log(
        .notice,
        "the time is still unknown: \(counted(undated.records, "record")) may be sent with a date that is marked as not trusted"
      )
    }
    each(at: now_ms) { $0.queueChanged(count: $0.queued, urgent: $0.queued > 0, at: now_ms) }
  }
}
