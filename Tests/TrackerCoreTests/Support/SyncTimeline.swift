import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// A sync machine between a queue and a scripted server, in virtual time.
struct SyncTimeline {
  struct Request: Equatable {
    var at_s: Double
    var records: Int
    var withStatus: Bool
    var pick = UploadOrder.Pick.oldest
  }

  typealias Server = (_ batch: [Int64], _ withStatus: Bool) -> UploadReply

  var machine: SyncMachine
  var server: Server
  var chance = 0.5
  /// Draws a chance of its own for each reply instead.
  var chances: SeededRandom?
  var latency_ms: Int64 = 100
  private(set) var queue: [Int64] = []
  private(set) var requests: [Request] = []
  private(set) var delivered: Set<Int64> = []
  private(set) var quarantined: [Int64] = []
  /// Of the records in quarantine.
  private(set) var reasons: [String] = []
  private(set) var waits_ms: [Int64] = []
  /// When `auth_command` was asked for.
  private(set) var renewals_s: [Double] = []
  /// In the order of delivery.
  private(set) var order: [Int64] = []
  /// Of each request.
  private(set) var backfills: [Bool] = []
  private(set) var batches: [[Int64]] = []
  /// Whether the server has another box's record of that number under that queue id.
  var isTaken: (Int64, UInt64) -> Bool = { _, _ in false }
  private var newestID: UInt64 = 1
  private var ids: [Int64: UInt64] = [:]
  /// By when they happened.
  private(set) var idRenewals_s: [Double] = []
  /// How often each record got another id.
  private(set) var renumberings: [Int64: Int] = [:]
  /// Of each delivered record.
  private(set) var deliveredIDs: [Int64: UInt64] = [:]
  private var events: Set<Int64> = []
  private(set) var now_ms: Int64 = 0
  private var lastSequence: Int64 = 0
  private var replyAt_ms: Int64?
  private var reply: UploadReply?

  /// The status is not due for a day, unless `status` says so.
  init(
    status: Bool = false, changing change: (inout SyncSettings) -> Void = { _ in },
    server: @escaping Server = { batch, _ in .of(200, sent: batch) }
  ) {
    var settings = Settings.with().sync
    change(&settings)
    machine = SyncMachine(settings: settings, at: status ? 0 : 86_400_000)
    self.server = server
  }

  mutating func run(to s: Double) {
    let until_ms = milliseconds(s)
    var idleSteps = 0
    while let next_ms = [machine.deadline_ms, replyAt_ms].compactMap({ $0 }).min(), next_ms <= until_ms {
      idleSteps = next_ms > now_ms ? 0 : idleSteps + 1
      if idleSteps > 100 {
        Issue.record("a deadline that ticking does not move")
        return
      }
      now_ms = max(now_ms, next_ms)
      step()
    }
    now_ms = until_ms
  }

  mutating func add(_ count: Int, urgent: Bool = false, at s: Double) {
    run(to: s)
    for _ in 0..<count {
      lastSequence += 1
      queue.append(lastSequence)
      ids[lastSequence] = newestID
    }
    if urgent { events.insert(lastSequence) }
    perform(machine.queueChanged(count: queue.count, urgent: urgent, at: now_ms))
  }

  mutating func event(at s: Double, _ happen: (inout SyncMachine, Int64) -> [SyncMachine.Action]) {
    run(to: s)
    perform(happen(&machine, now_ms))
  }

  private mutating func step() {
    if let at_ms = replyAt_ms, at_ms <= now_ms, let reply {
      replyAt_ms = nil
      let chance = chances?.unit() ?? chance
      perform(machine.uploadFinished(reply, at: now_ms, chance: chance))
    } else {
      perform(machine.tick(at: now_ms))
    }
  }

  /// The queue is asked once all is done, as the agent does.
  private mutating func perform(_ actions: [SyncMachine.Action]) {
    var isQueueTouched = false
    for action in actions {
      switch action {
      case .upload(let order): send(order)
      case .renewToken: renewals_s.append(Double(now_ms) / 1000)
      case .remove(let sequences):
        delivered.formUnion(sequences)
        for sequence in sequences { deliveredIDs[sequence] = id(sequence) }
        order += sequences
        let gone = Set(sequences)
        queue.removeAll { gone.contains($0) }
        isQueueTouched = true
      case .quarantine(let sequence, let reason):
        quarantined.append(sequence)
        reasons.append(reason)
        queue.removeAll { $0 == sequence }
        isQueueTouched = true
      case .renumber(let sequences, let renews):
        if renews {
          idRenewals_s.append(Double(now_ms) / 1000)
          newestID += 1
        }
        for sequence in sequences { ids[sequence] = newestID }
        for sequence in sequences { renumberings[sequence, default: 0] += 1 }
      case .failed(_, let wait_ms): waits_ms.append(wait_ms)
      case .delivered: break
      }
    }
    if isQueueTouched { perform(machine.queueChanged(count: queue.count, urgent: false, at: now_ms)) }
  }

  private func id(_ sequence: Int64) -> UInt64 { ids[sequence] ?? 0 }

  private mutating func send(_ order: UploadOrder) {
    #expect(replyAt_ms == nil, "two requests at once")
    let found = pick(order)
    let batch = found.filter { id($0) == id(found[0]) }
    replyAt_ms = now_ms + latency_ms
    guard !batch.isEmpty || order.withStatus else {
      reply = UploadReply(status: 0, failure: .nothingToSend, sent: [])
      replyAt_ms = now_ms
      return
    }
    requests.append(
      Request(
        at_s: Double(now_ms) / 1000, records: batch.count, withStatus: order.withStatus, pick: order.pick))
    batches.append(batch)
    backfills.append(order.isBackfill)
    var answer = server(batch, order.withStatus)
    answer.sent = batch
    reply = refusing(answer)
  }

  private func refusing(_ answer: UploadReply) -> UploadReply {
    let conflicts = answer.sent.filter { isTaken($0, id($0)) }
    guard let first = conflicts.first else { return answer }
    var answer = answer
    answer.conflicts = Set(conflicts)
    answer.refused = Dictionary(uniqueKeysWithValues: conflicts.map { ($0, "another one is there") })
    answer.echoed = answer.sent.filter { !answer.conflicts.contains($0) }
    answer.hasFormerID = id(first) != newestID
    if conflicts.count == answer.sent.count { answer.status = 409 }
    return answer
  }

  private func pick(_ order: UploadOrder) -> [Int64] {
    switch order.pick {
    case .oldest: Array(queue.prefix(order.limit))
    case .newest: Array(queue.suffix(order.limit))
    case .later: Array(queue.dropFirst(order.skip).prefix(order.limit))
    case .events: Array(queue.filter(events.contains).prefix(order.limit))
    case .positions: Array(queue.filter { !events.contains($0) }.prefix(order.limit))
    }
  }

  var times_s: [Double] { requests.map { $0.at_s } }
  var sizes: [Int] { requests.map { $0.records } }
}
