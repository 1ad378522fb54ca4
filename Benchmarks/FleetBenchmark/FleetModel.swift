import TrackerBase
import TrackerDispatch
import TrackerLab

/// A fleet in virtual time: each device runs the `SyncMachine` of the agent against one server.
struct FleetModel {
  private let plan: FleetPlan
  private var server: FleetServer
  private var devices: [FleetDevice] = []
  private var logs: [FleetDeviceLog]
  private var heap = DeadlineHeap()
  private var result: FleetResult

  /// - Parameter plan: with at least one device and a capacity of at least 1.
  init(_ plan: FleetPlan) {
    var plan = plan
    // A machine without a url never sends. Nothing is sent to this one.
    if plan.settings.url.isEmpty { plan.settings.url = "https://fleet.invalid/" }
    self.plan = plan
    server = FleetServer(plan)
    result = FleetResult(plan: plan)
    logs = Array(repeating: FleetDeviceLog(), count: plan.devices)
    var seeds = SeededRandom(seed: plan.seed)
    for number in 0..<plan.devices {
      let device = FleetDevice(plan, random: SeededRandom(seed: seeds.next()))
      heap.insert(DeadlineHeap.Due(time_ms: device.start_ms, device: number))
      devices.append(device)
    }
  }

  static func run(_ plan: FleetPlan) -> FleetResult {
    var model = FleetModel(plan)
    return model.run()
  }

  private mutating func run() -> FleetResult {
    var end_ms = plan.instant_ms + FleetPlan.patience_ms
    var waiting = plan.devices
    while let due = heap.popFirst(), due.time_ms <= end_ms {
      handle(due)
      if noteIfDrained(due.device, at: due.time_ms) { waiting -= 1 }
      if waiting == 0 { end_ms = min(end_ms, max(due.time_ms, plan.instant_ms + plan.watch_s * 1000)) }
      schedule(due.device, after: due.time_ms)
    }
    result.finish(logs, made: devices.map { $0.made(at: end_ms) }, devices.map(\.delivered), at: end_ms)
    return result
  }

  private mutating func handle(_ due: DeadlineHeap.Due) {
    let (now_ms, number) = (due.time_ms, due.device)
    if now_ms == devices[number].start_ms { perform(devices[number].begin(plan.scenario), number, now_ms) }
    perform(devices[number].turn(at: now_ms), number, now_ms)
    if restoresLink, now_ms == plan.instant_ms {
      perform(devices[number].linkRestored(at: now_ms), number, now_ms)
    }
  }

  private mutating func schedule(_ number: Int, after now_ms: Int64) {
    var next_ms = devices[number].next_ms(after: now_ms)
    if restoresLink, now_ms < plan.instant_ms { next_ms = min(next_ms ?? .max, plan.instant_ms) }
    if let next_ms { heap.insert(DeadlineHeap.Due(time_ms: max(next_ms, now_ms), device: number)) }
  }

  private var restoresLink: Bool { plan.scenario == .outage && plan.away == .offline }

  private mutating func perform(_ actions: [SyncMachine.Action], _ number: Int, _ now_ms: Int64) {
    for case .failed in actions { logs[number].failed(at: now_ms) }
    for case .upload(let order) in actions {
      if order.pick == .events {
        perform(devices[number].hasNoEvents(at: now_ms), number, now_ms)
        continue
      }
      var (reply, wait_ms) = server.reply(at: now_ms)
      // Where nothing was taken, the machine does not ask what was sent.
      if reply.verdict == .acknowledged {
        reply.sent = devices[number].batch(limit: order.limit)
        reply.echoed = reply.sent
      }
      devices[number].sent(reply, wait_ms: wait_ms, at: now_ms)
      logs[number].requested(at: now_ms, retryAfter_s: reply.retryAfter_s, countsFrom: plan.instant_ms)
      result.requested(isServed: reply.verdict == .acknowledged, at: now_ms)
    }
  }

  /// - Returns: whether it was found now that all of before the instant is delivered.
  private mutating func noteIfDrained(_ number: Int, at now_ms: Int64) -> Bool {
    guard logs[number].drainedAt_ms == nil, now_ms >= plan.instant_ms else { return false }
    let device = devices[number]
    guard device.delivered >= device.made(at: plan.instant_ms) else { return false }
    logs[number].drainedAt_ms = max(plan.instant_ms, device.deliveredAt_ms)
    return true
  }
}
