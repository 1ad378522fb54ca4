import TrackerBase

/// When to send, how much, and what each reply means for the records and for the next attempt.
///
/// One request at a time. Deadlines are on the boot clock; chance comes in as a number in 0..<1. What each kind
/// of reply does stands in docs/sync.md.
public struct SyncMachine: Equatable, Sendable {
  public enum State: Equatable, Sendable {
    /// Nothing is under way. What waits for its number or its age goes at once if it is urgent.
    case idle(isUrgent: Bool)
    /// The first sync after a window opened or ended waits its share of the splay.
    case splaying(until_ms: Int64)
    /// After a long failure a backlog goes in paced batches: a whole fleet comes back at the same time. Or events have
    /// come so often that they are gathered.
    case pacing(until_ms: Int64)
    case sending(UploadOrder, Lane)
    /// After a failure: nothing is sent before that time, whatever happens. A wait that the server asked for is not
    /// made shorter.
    case backingOff(until_ms: Int64, cause: Verdict, isAsked: Bool)
  }

  public typealias Verdict = UploadReply.Verdict

  public enum Action: Equatable, Sendable {
    case upload(UploadOrder)
    /// The server has these: they leave the queue.
    case remove([Int64])
    /// These are sent under another queue id from now on. - Parameter renews: it is to be a new one.
    case renumber([Int64], renews: Bool)
    /// The server refuses this record alone.
    case quarantine(Int64, reason: String)
    case delivered(records: Int)
    case failed(Verdict, wait_ms: Int64)
    /// `auth_command` should run.
    case renewToken
  }

  public internal(set) var state = State.idle(isUrgent: false)
  public private(set) var queued = 0
  /// What the budget leaves. Set it before each event.
  public var allowance = Allowance()
  var size: BatchSize
  var pace: SyncPace
  var searches = Searches()
  var naming = EventNaming()
  private var rate = EventRate()
  var renewals = RenewalLimit()
  var live: LiveFirst
  package var status: StatusTurn
  /// When the records that wait now began to wait; nil while none does.
  var waitingSince_ms: Int64?
  /// Not known to be false; beside those that are under way.
  var eventsMayWait = true
  /// When `auth_command` was last asked for.
  var tokenAskedAt_ms: Int64?
  @Shared var settings: SyncSettings
  /// What the broker spoke when it was last heard; auto over HTTP, and where that is not known.
  var brokerVersion: SyncSettings.MQTTVersion {
    didSet { heedVersion() }
  }

  /// - Parameter brokerVersion: as an earlier process knew it.
  public init(
    settings: SyncSettings, brokerVersion: SyncSettings.MQTTVersion = .auto, at now_ms: Int64
  ) {
    self.settings = settings
    self.brokerVersion = brokerVersion
    size = BatchSize(settings: settings)
    pace = SyncPace(settings: settings)
    live = LiveFirst(settings: settings)
    status = StatusTurn(settings: settings, at: now_ms)
    heedVersion()
  }

  /// MQTT 3.1.1 has no word for a message that was too large.
  private mutating func heedVersion() {
    let isMQTT = (try? ServerURL(settings.url))?.isMQTT ?? false
    size.ceiling = isMQTT && brokerVersion != .v5 ? settings.smallBatchSize : .max
  }

  /// In a running process, with the same settings: a token may be a new one.
  mutating func goOn(from old: SyncMachine, at now_ms: Int64) {
    self = old
    endSlowLane(at: now_ms)
  }

  /// With other settings for the same server: a request under way ends, what the server asked for stays, and the second
  /// between two requests.
  mutating func wait(as old: SyncMachine, at now_ms: Int64) {
    brokerVersion = old.brokerVersion
    (tokenAskedAt_ms, renewals, rate) = (old.tokenAskedAt_ms, old.renewals, old.rate)
    switch old.state {
    case .sending: (state, eventsMayWait) = (old.state, old.eventsMayWait)
    case .backingOff(_, _, isAsked: true): state = old.state
    case .backingOff(let until_ms, let cause, isAsked: false):
      waitASecond(for: cause, noLongerThan: until_ms, at: now_ms)
    case .idle, .splaying, .pacing: break
    }
  }

  /// Other pauses from here on.
  mutating func setPace(_ settings: SyncSettings) {
    (self.settings, pace.settings) = (settings, settings)
    status.pace(settings)
  }

  private mutating func endSlowLane(at now_ms: Int64) {
    guard case .backingOff(let until_ms, .unauthorised, isAsked: false) = state else { return }
    waitASecond(for: .unauthorised, noLongerThan: until_ms, at: now_ms)
  }

  private mutating func waitASecond(
    for cause: Verdict, noLongerThan until_ms: Int64 = .max, at now_ms: Int64
  ) {
    state = .backingOff(
      until_ms: min(until_ms, now_ms + SyncPace.least_ms), cause: cause, isAsked: false)
  }

  package var isEnabled: Bool { !settings.url.isEmpty }

  package var isSending: Bool { if case .sending = state { true } else { false } }

  /// The request that is under way has the status.
  var sendsStatus: Bool { if case .sending(let order, _) = state { order.withStatus } else { false } }

  /// Records in the next request of that lane.
  func limit(of lane: Lane, at now_ms: Int64) -> Int {
    searches[lane].limit(upTo: size.records(at: now_ms))
  }

  public var deadline_ms: Int64? {
    guard isEnabled else { return nil }
    switch state {
    case .idle: return idleDeadline_ms
    case .splaying(let until_ms), .pacing(let until_ms), .backingOff(let until_ms, _, _): return until_ms
    case .sending: return nil
    }
  }

  private var idleDeadline_ms: Int64? {
    let recordsAt_ms = waitingSince_ms.map { $0 + milliseconds(settings.interval_s) }
    switch allowance.level {
    case .all: return earliest(status.aloneAt_ms, recordsAt_ms)
    case .events:
      let eventsAt_ms = eventsMayWait ? recordsAt_ms : nil
      return earliest(status.aloneAt_ms, eventsAt_ms, allowance.renewsAt_ms)
    case .none: return allowance.renewsAt_ms
    }
  }

  /// When the next request may begin, where the machine waits for a time.
  public var nextAttempt_ms: Int64? {
    switch state {
    case .splaying(let until_ms), .pacing(let until_ms), .backingOff(let until_ms, _, _): until_ms
    case .idle: allowance.level == .none ? allowance.renewsAt_ms : nil
    case .sending: nil
    }
  }

  /// The queue holds `count` records now. - Parameter urgent: an event is among the new ones.
  public mutating func queueChanged(count: Int, urgent: Bool, at now_ms: Int64) -> [Action] {
    live.queueChanged(from: queued, to: count, at: now_ms)
    queued = count
    if count == 0 {
      waitingSince_ms = nil
      if case .idle = state { state = .idle(isUrgent: false) }
    } else if waitingSince_ms == nil {
      waitingSince_ms = now_ms
    }
    if urgent {
      eventsMayWait = true
      switch state {
      // An event does not wait for a backlog.
      case .idle, .pacing: hurry(at: now_ms)
      case .splaying, .sending, .backingOff: break
      }
    }
    return consider(at: now_ms)
  }

  /// What waits goes as soon as events may make another request.
  mutating func hurry(at now_ms: Int64) {
    let next_ms = max(now_ms, rate.next_ms)
    switch state {
    case .idle(isUrgent: true), .splaying, .sending, .backingOff: return
    case .pacing(let until_ms) where until_ms <= next_ms: return
    case .idle, .pacing: break
    }
    rate.spend(at: now_ms)
    state = next_ms > now_ms ? .pacing(until_ms: next_ms) : .idle(isUrgent: true)
  }

  public mutating func tick(at now_ms: Int64) -> [Action] {
    switch state {
    case .splaying(let until_ms), .pacing(let until_ms), .backingOff(let until_ms, _, _):
      guard now_ms >= until_ms else { return [] }
      state = .idle(isUrgent: queued > 0)
    case .idle, .sending: break
    }
    return consider(at: now_ms)
  }

  /// Everything that is queued should go now. What the server or a failure wants waited for is, but not the slow lane of a
  /// token: it may be a new one. With `statusAtOnce` before it the status goes too, where nothing waits as well.
  public mutating func flush(at now_ms: Int64) -> [Action] {
    switch state {
    case .idle, .splaying, .pacing: state = .idle(isUrgent: queued > 0)
    case .sending: break
    case .backingOff: endSlowLane(at: now_ms)
    }
    return consider(at: now_ms)
  }

  /// The status should go with the next `tick`, which `deadline_ms` asks for: with a request of its own if nothing waits.
  /// What the server or a failure wants waited for is, a random wait for a fleet's sake is not.
  mutating func statusAtOnce(at now_ms: Int64) {
    status.wantedAtOnce(at: now_ms)
    switch state {
    case .splaying, .pacing: state = .idle(isUrgent: queued > 0)
    case .idle, .sending, .backingOff: break
    }
  }

  /// The network is back: a wait for the network becomes a short one, since it is back for others too. A wait
  /// that the server asked for stays.
  public mutating func linkRestored(at now_ms: Int64, chance: Double) -> [Action] {
    if case .backingOff(_, .transient, _) = state {
      shortenWait(at: now_ms, longest_s: settings.splay_s, chance: chance)
    }
    return consider(at: now_ms)
  }

  /// `auth_command` has done its work: there may be a new token.
  public mutating func tokenRenewed(at now_ms: Int64, chance: Double) -> [Action] {
    if case .backingOff(_, .unauthorised, _) = state {
      shortenWait(at: now_ms, longest_s: settings.retryBase_s, chance: chance)
    }
    return consider(at: now_ms)
  }

  private mutating func shortenWait(at now_ms: Int64, longest_s: Double, chance: Double) {
    guard case .backingOff(let until_ms, let cause, isAsked: false) = state else { return }
    let wait_ms = pace.shortWait_ms(longest_s: longest_s, chance: chance)
    state = .backingOff(until_ms: min(until_ms, now_ms + wait_ms), cause: cause, isAsked: false)
  }

  /// A window opened, and with it perhaps those of a whole fleet.
  public mutating func windowOpened(at now_ms: Int64, chance: Double) -> [Action] {
    splay(at: now_ms, chance: chance)
    return []
  }

  /// A window ended: what it brought should go, but not together with a whole fleet's.
  public mutating func windowEnded(at now_ms: Int64, chance: Double) -> [Action] {
    splay(at: now_ms, chance: chance)
    if case .idle = state { state = .idle(isUrgent: queued > 0) }
    return consider(at: now_ms)
  }

  private mutating func splay(at now_ms: Int64, chance: Double) {
    guard isEnabled, case .idle = state, settings.splay_s > 0 else { return }
    state = .splaying(until_ms: now_ms + milliseconds(settings.splay_s * chance))
  }

  // MARK: sending

  mutating func consider(at now_ms: Int64) -> [Action] {
    guard isEnabled, case .idle(let isUrgent) = state, isDue(isUrgent: isUrgent, at: now_ms) else {
      return []
    }
    var (order, lane) = nextOrder(at: now_ms)
    order.brokerVersion = brokerVersion
    if order.pick == .events { eventsMayWait = false }
    state = .sending(order, lane)
    return [.upload(order)]
  }

  private func isDue(isUrgent: Bool, at now_ms: Int64) -> Bool {
    if allowance.level == .none { return false }
    if let aloneAt_ms = status.aloneAt_ms, now_ms >= aloneAt_ms { return true }
    guard queued > 0 else { return false }
    let waited_ms = now_ms - (waitingSince_ms ?? now_ms)
    let hasWaited = waited_ms >= milliseconds(settings.interval_s)
    if allowance.level == .events { return eventsMayWait && (isUrgent || hasWaited) }
    return isUrgent || queued - naming.waiting >= settings.threshold || hasWaited
  }

  private mutating func nextOrder(at now_ms: Int64) -> (UploadOrder, Lane) {
    for lane in Lane.allCases where searches[lane].wantsProbe {
      let most = min(size.records(at: now_ms), settings.threshold)
      let mayAsk = status.mayAsk(at: now_ms)
      if let probe = searches.probe(lane, most: most, queued: queued, mayAsk: mayAsk) { return (probe, lane) }
    }
    let rides = status.rides(at: now_ms)
    if allowance.level == .events {
      let limit = eventsMayWait ? limit(of: .events, at: now_ms) : 0
      return (UploadOrder(pick: .events, limit: limit, withStatus: rides), .events)
    }
    let limit = limit(of: .all, at: now_ms)
    if naming.areApart {
      if eventsMayWait, now_ms >= naming.notBefore_ms {
        return (UploadOrder(pick: .events, limit: self.limit(of: .events, at: now_ms)), .events)
      }
      return (UploadOrder(pick: .positions, limit: limit, withStatus: rides), .all)
    }
    if eventsMayWait, queued > limit {
      // Where there are none, no request is made: the status rides with the next one.
      return (UploadOrder(pick: .events, limit: self.limit(of: .events, at: now_ms)), .events)
    }
    if !searches[.all].isSearching, live.isDue(queued: queued, limit: limit, at: now_ms) {
      return (
        UploadOrder(pick: .newest, limit: min(limit, settings.threshold), withStatus: rides), .all
      )
    }
    return (UploadOrder(limit: limit, withStatus: rides, isBackfill: live.isBackfilling), .all)
  }
}
