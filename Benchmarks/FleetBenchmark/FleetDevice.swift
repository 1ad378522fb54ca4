import TrackerBase
import TrackerDispatch
import TrackerLab

/// One device: the machine that decides when it syncs, its queue as two counts, and a request under way.
struct FleetDevice {
  private(set) var machine: SyncMachine
  let start_ms: Int64
  private(set) var delivered = 0
  private(set) var deliveredAt_ms: Int64
  private var random: SeededRandom
  private var underWay: (reply: UploadReply, at_ms: Int64)?
  /// When the first record of its own is made; those queued at the start come on top.
  private let firstRecord_ms: Int64
  /// Between two records; nil if it makes none.
  private let period_ms: Int64?
  private let queuedAtStart: Int
  private let latency_s: Double

  init(_ plan: FleetPlan, random: SeededRandom) {
    self.random = random
    let isSpread = plan.scenario == .outage
    start_ms = isSpread ? Int64(Double(FleetPlan.starts_ms) * self.random.uniform()) : 0
    deliveredAt_ms = start_ms
    let makesRecords = plan.recordsPerHour > 0 && plan.scenario != .windowEnds
    period_ms = makesRecords ? max(1, milliseconds(3600 / plan.recordsPerHour)) : nil
    firstRecord_ms = start_ms + 1 + Int64(Double(period_ms ?? 0) * self.random.uniform())
    queuedAtStart = plan.queued
    latency_s = plan.latency_s
    machine = SyncMachine(settings: plan.settings, at: start_ms)
  }

  /// Records made until then, with those queued at the start.
  func made(at now_ms: Int64) -> Int {
    guard let period_ms, now_ms >= firstRecord_ms else { return queuedAtStart }
    return queuedAtStart + Int((now_ms - firstRecord_ms) / period_ms) + 1
  }

  /// When it must be looked at again. What is made while the machine waits for a time changes nothing until then.
  func next_ms(after now_ms: Int64) -> Int64? {
    switch machine.state {
    case .splaying, .pacing, .backingOff: return machine.deadline_ms
    case .idle, .sending:
      let record_ms = period_ms.map { firstRecord_ms + Int64(made(at: now_ms) - queuedAtStart) * $0 }
      return [machine.deadline_ms, underWay?.at_ms, record_ms].compactMap { $0 }.min()
    }
  }

  mutating func begin(_ scenario: FleetPlan.Scenario) -> [SyncMachine.Action] {
    switch scenario {
    case .windowOpens:
      return machine.windowOpened(at: start_ms, chance: random.uniform())
        + machine.queueChanged(count: queuedAtStart, urgent: false, at: start_ms)
    case .windowEnds:
      // The last commit brings the end of the trip, an event.
      return machine.windowEnded(at: start_ms, chance: random.uniform())
        + machine.queueChanged(count: queuedAtStart, urgent: true, at: start_ms)
    case .outage: return machine.queueChanged(count: queuedAtStart, urgent: false, at: start_ms)
    }
  }

  /// What the agent would do at this time, in its order: the reply, the queue, the deadline.
  mutating func turn(at now_ms: Int64) -> [SyncMachine.Action] {
    var actions: [SyncMachine.Action] = []
    var isNews = false
    if let (reply, at_ms) = underWay, at_ms <= now_ms {
      underWay = nil
      isNews = true
      actions += machine.uploadFinished(reply, at: now_ms, chance: random.uniform())
      remove(actions, at: now_ms)
    }
    let count = made(at: now_ms) - delivered
    if isNews || count != machine.queued {
      actions += machine.queueChanged(count: count, urgent: false, at: now_ms)
    }
    if let deadline_ms = machine.deadline_ms, deadline_ms <= now_ms { actions += machine.tick(at: now_ms) }
    return actions
  }

  mutating func linkRestored(at now_ms: Int64) -> [SyncMachine.Action] {
    machine.linkRestored(at: now_ms, chance: random.uniform())
  }

  /// A fleet's records are positions: the lane of events is empty.
  mutating func hasNoEvents(at now_ms: Int64) -> [SyncMachine.Action] {
    machine.uploadFinished(
      UploadReply(status: 0, failure: .nothingToSend, sent: []), at: now_ms, chance: 0)
  }

  /// The oldest records of the queue, at most `limit`.
  func batch(limit: Int) -> [Int64] {
    let first = Int64(delivered) + 1
    return Array(first..<first + Int64(min(limit, machine.queued)))
  }

  mutating func sent(_ reply: UploadReply, wait_ms: Int64, at now_ms: Int64) {
    let latency_ms = milliseconds(latency_s * (0.5 + random.uniform()))
    underWay = (reply, now_ms + max(1, latency_ms + wait_ms))
  }

  private mutating func remove(_ actions: [SyncMachine.Action], at now_ms: Int64) {
    for case .remove(let sequences) in actions {
      delivered += sequences.count
      deliveredAt_ms = now_ms
    }
  }
}
