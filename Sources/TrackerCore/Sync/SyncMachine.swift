/// When to send, how much, and what each reply means for the records and for the next attempt.
///
/// One request at a time. Deadlines are on the boot clock; chance comes in as a number in 0..<1.
public struct SyncMachine: Equatable, Sendable {
  public enum State: Equatable, Sendable {
    /// Nothing wants to be sent yet.
    case idle
    /// The first sync after a window opened or ended waits its share of the splay.
    case splaying(until_ms: Int64)
    /// After a long failure a backlog goes in paced batches: a whole fleet comes back at the same time.
    case pacing(until_ms: Int64)
    case sending(since_ms: Int64)
    /// After a failure: nothing is sent before that time, whatever happens.
    case backingOff(until_ms: Int64, cause: Verdict)
  }

  public typealias Verdict = UploadReply.Verdict

  public enum Action: Equatable, Sendable {
    case upload(limit: Int, withStatus: Bool)
    /// The server has these: they leave the queue.
    case remove([Int64])
    /// The server refuses this record alone.
    case quarantine(Int64, reason: String)
    case delivered(records: Int)
    case failed(Verdict, wait_ms: Int64)
  }

  /// Between two requests, whatever chance says.
  static let minWait_ms: Int64 = 1000
  /// Retry-After is believed up to a day.
  static let maxRetryAfter_s = 86_400

  public private(set) var state = State.idle
  /// Failures in a row.
  public private(set) var failures = 0
  /// Records in the next request.
  public private(set) var limit: Int
  /// The most records in a request: less than the setting once the server found so many too large.
  private var ceiling: Int
  /// The next batch of a backlog waits a random time up to this. It doubles with each failure, up to the longest
  /// back-off, and falls with each batch that is delivered.
  private var pace_ms: Int64 = 0
  /// Among so many of the oldest records is one that the server refuses.
  private var suspects = 0
  public private(set) var queued = 0
  /// When the records that wait now began to wait; nil while none does.
  private var waitingSince_ms: Int64?
  private var isUrgent = false
  /// The status rides with any request once this has passed, and makes one of its own a little later.
  private var statusDueAt_ms: Int64
  private var statusIsAboard = false
  /// The server refused a status: none before that time.
  private var statusNotBefore_ms: Int64
  private var statusSentAt_ms: Int64?
  private var serverAskedToWait = false
  private let settings: SyncSettings

  /// With this, 5,000 devices that come back after a day's outage stay below the rate of their first attempts
  /// (docs/simulate.md, A fleet).
  static let paceDecay = 0.9

  /// After the status is due, so long other records may still take it along.
  static let statusPatience_ms: Int64 = 60_000

  public init(settings: SyncSettings, at now_ms: Int64) {
    self.settings = settings
    limit = settings.maxBatchSize
    ceiling = settings.maxBatchSize
    statusDueAt_ms = now_ms
    statusNotBefore_ms = now_ms
  }

  private var isEnabled: Bool { !settings.url.isEmpty }

  public var deadline_ms: Int64? {
    guard isEnabled else { return nil }
    switch state {
    case .idle:
      let recordsAt_ms = waitingSince_ms.map { $0 + milliseconds(settings.interval_s) }
      return [statusAloneAt_ms, recordsAt_ms].compactMap { $0 }.min()
    case .splaying(let until_ms), .pacing(let until_ms), .backingOff(let until_ms, _): return until_ms
    case .sending: return nil
    }
  }

  /// Warnings that repeat make no more requests of their own than records would.
  private var statusAloneAt_ms: Int64? {
    guard settings.format.carriesStatus else { return nil }
    let next_ms = statusSentAt_ms.map { $0 + milliseconds(settings.interval_s) } ?? statusDueAt_ms
    return max(statusDueAt_ms + SyncMachine.statusPatience_ms, statusNotBefore_ms, next_ms)
  }

  /// The queue holds `count` records now. - Parameter urgent: an event is among the new ones.
  public mutating func queueChanged(count: Int, urgent: Bool, at now_ms: Int64) -> [Action] {
    queued = count
    if count == 0 {
      waitingSince_ms = nil
      isUrgent = false
    } else if waitingSince_ms == nil {
      waitingSince_ms = now_ms
    }
    if urgent {
      isUrgent = true
      // An event does not wait for a backlog.
      if case .pacing = state { state = .idle }
    }
    return consider(at: now_ms)
  }

  public mutating func tick(at now_ms: Int64) -> [Action] {
    switch state {
    case .splaying(let until_ms), .pacing(let until_ms), .backingOff(let until_ms, _):
      guard now_ms >= until_ms else { return [] }
      state = .idle
      isUrgent = queued > 0
    case .idle, .sending: break
    }
    return consider(at: now_ms)
  }

  /// Everything that is queued should go now: an operator asked.
  public mutating func flush(at now_ms: Int64) -> [Action] {
    isUrgent = queued > 0
    switch state {
    case .splaying, .pacing: state = .idle
    case .idle, .sending, .backingOff: break
    }
    return consider(at: now_ms)
  }

  /// The network is back: a wait for the network becomes a short one, since it is back for others too. A wait
  /// that the server asked for stays.
  public mutating func linkRestored(at now_ms: Int64, chance: Double) -> [Action] {
    if case .backingOff(let until_ms, .transient) = state, !serverAskedToWait {
      let longest_s = min(settings.splay_s, settings.retryMax_s)
      let jitter = Backoff(base_s: min(settings.retryBase_s, longest_s), max_s: longest_s)
      let wait_ms = jitter.wait_ms(failures: failures, chance: chance) + SyncMachine.minWait_ms
      state = .backingOff(until_ms: min(until_ms, now_ms + wait_ms), cause: .transient)
    }
    return consider(at: now_ms)
  }

  /// Something happened that the operator should see with the next request.
  public mutating func statusWanted(at now_ms: Int64) { statusDueAt_ms = min(statusDueAt_ms, now_ms) }

  /// A window opened, and with it perhaps those of a whole fleet.
  public mutating func windowOpened(at now_ms: Int64, chance: Double) -> [Action] {
    splay(at: now_ms, chance: chance)
    return []
  }

  /// A window ended: what it brought should go, but not together with a whole fleet's.
  public mutating func windowEnded(at now_ms: Int64, chance: Double) -> [Action] {
    splay(at: now_ms, chance: chance)
    isUrgent = queued > 0
    return consider(at: now_ms)
  }

  private mutating func splay(at now_ms: Int64, chance: Double) {
    guard isEnabled, state == .idle, settings.splay_s > 0 else { return }
    state = .splaying(until_ms: now_ms + milliseconds(settings.splay_s * chance))
  }

  public mutating func uploadFinished(_ reply: UploadReply, at now_ms: Int64, chance: Double) -> [Action] {
    guard case .sending = state else { return [] }
    state = .idle
    switch reply.verdict {
    case .acknowledged: return acknowledged(reply, at: now_ms, chance: chance)
    case .transient, .unauthorised:
      failures += 1
      slowDown()
      return backOff(reply, at: now_ms, chance: chance)
    case .tooLarge, .refused: return refused(reply, at: now_ms, chance: chance)
    }
  }

  /// What the server has answered for is still in the queue: it is sent again, and the server knows it, but not at
  /// the pace of the line. As long as this lasts the waits grow.
  public mutating func removalFailed(at now_ms: Int64, chance: Double) {
    switch state {
    case .sending, .backingOff: return
    case .idle, .splaying, .pacing: break
    }
    slowDown()
    let wait_ms = max(SyncMachine.minWait_ms, Int64(Double(pace_ms) * (1 + chance) / 2))
    state = .backingOff(until_ms: now_ms + wait_ms, cause: .transient)
  }

  /// Halves, until the one record is found. The halves are answered, so the line is fine: short waits.
  private mutating func refused(_ reply: UploadReply, at now_ms: Int64, chance: Double) -> [Action] {
    if statusIsAboard {
      // Perhaps it was the status: the same records without it.
      statusNotBefore_ms = now_ms + milliseconds(settings.statusInterval_s)
      return backOff(reply, at: now_ms, chance: nil)
    }
    guard reply.sent.count > 1 else { return quarantine(reply, at: now_ms, chance: chance) }
    limit = reply.sent.count / 2
    if reply.verdict == .tooLarge { ceiling = limit } else { suspects = reply.sent.count }
    return backOff(reply, at: now_ms, chance: nil)
  }

  private mutating func slowDown() {
    let longest_ms = milliseconds(settings.retryMax_s)
    pace_ms = min(longest_ms, max(milliseconds(settings.retryBase_s), 2 * pace_ms))
  }

  /// What is left of a backlog goes at once, while the radio is awake, unless there was a failure before.
  private mutating func continueBacklog(at now_ms: Int64, chance: Double) {
    isUrgent = true
    let wait_ms = Int64(Double(pace_ms) * chance)
    pace_ms = Int64(Double(pace_ms) * SyncMachine.paceDecay)
    if wait_ms >= SyncMachine.minWait_ms { state = .pacing(until_ms: now_ms + wait_ms) }
  }

  private mutating func acknowledged(_ reply: UploadReply, at now_ms: Int64, chance: Double) -> [Action] {
    failures = 0
    if statusIsAboard {
      statusDueAt_ms = now_ms + milliseconds(settings.statusInterval_s)
      statusSentAt_ms = now_ms
    }
    serverAskedToWait = false
    // What was delivered is cleared of suspicion: the refused record is among the rest.
    suspects = max(0, suspects - reply.stored.count)
    limit = suspects > 0 ? (suspects + 1) / 2 : ceiling
    waitingSince_ms = nil
    // `queueChanged` follows the removal.
    isUrgent = false
    if queued > reply.stored.count { continueBacklog(at: now_ms, chance: chance) }
    return [.remove(reply.stored), .delivered(records: reply.stored.count)]
  }

  // Counted as a failure until something is delivered: a server that refuses everything (a wrong url, a broken
  // release) must not empty the queue into quarantine.
  private mutating func quarantine(_ reply: UploadReply, at now_ms: Int64, chance: Double) -> [Action] {
    let reason = "\(reply.status) \(reply.message)"
    failures += 1
    suspects = 0
    if reply.verdict == .tooLarge { ceiling = settings.maxBatchSize }
    limit = ceiling
    return backOff(reply, at: now_ms, chance: chance) + reply.sent.map { .quarantine($0, reason: reason) }
  }

  /// - Parameter chance: nil for the shortest wait.
  private mutating func backOff(_ reply: UploadReply, at now_ms: Int64, chance: Double?) -> [Action] {
    let verdict = reply.verdict
    let backoff = Backoff(base_s: settings.retryBase_s, max_s: settings.retryMax_s)
    var wait_ms = chance.map { backoff.wait_ms(failures: failures, chance: $0) } ?? SyncMachine.minWait_ms
    if verdict == .unauthorised { wait_ms = milliseconds(settings.unauthorisedRetry_s) }
    serverAskedToWait = false
    if let asked_s = reply.retryAfter_s, asked_s > 0 {
      serverAskedToWait = true
      // On top of it, or everyone who was asked would come back at the same instant.
      wait_ms += Int64(min(asked_s, SyncMachine.maxRetryAfter_s)) * 1000
    }
    wait_ms = max(wait_ms, SyncMachine.minWait_ms)
    state = .backingOff(until_ms: now_ms + wait_ms, cause: verdict)
    return [.failed(verdict, wait_ms: wait_ms)]
  }

  private mutating func consider(at now_ms: Int64) -> [Action] {
    guard isEnabled, state == .idle, isDue(at: now_ms) else { return [] }
    isUrgent = false
    statusIsAboard = settings.format.carriesStatus && now_ms >= max(statusDueAt_ms, statusNotBefore_ms)
    state = .sending(since_ms: now_ms)
    return [.upload(limit: limit, withStatus: statusIsAboard)]
  }

  private func isDue(at now_ms: Int64) -> Bool {
    if let statusAloneAt_ms, now_ms >= statusAloneAt_ms { return true }
    guard queued > 0 else { return false }
    let waited_ms = now_ms - (waitingSince_ms ?? now_ms)
    return isUrgent || queued >= settings.threshold || waited_ms >= milliseconds(settings.interval_s)
  }
}

/// Exponential backoff with full jitter: a random time up to base · 2ⁿ⁻¹, capped.
/// (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.)
public struct Backoff: Equatable, Sendable {
  public var base_s: Double
  public var max_s: Double

  public init(base_s: Double, max_s: Double) {
    self.base_s = base_s
    self.max_s = max_s
  }

  public func wait_ms(failures: Int, chance: Double) -> Int64 {
    let doublings = min(max(failures - 1, 0), 40)
    let ceiling_s = min(max_s, base_s * Double(1 << doublings))
    return milliseconds(ceiling_s * chance)
  }
}
