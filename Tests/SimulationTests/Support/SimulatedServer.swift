import TrackerAgent
import TrackerBase
import TrackerIO
import TrackerLab

/// A receiving server, and the link to it. Outlives the device's processes.
final class SimulatedServer {
  /// By number. A life that ended before it had stored what it sent leaves its numbers to the next one, which gives them
  /// to other records under another queue id.
  private(set) var stored: [Int64: [Record]] = [:]
  /// The same in the order in which they came first.
  private(set) var arrivals: [Record] = []
  private(set) var requests = 0
  /// Records that were sent by themselves and not taken, by number.
  private var failedAlone: [Int64: [Record]] = [:]
  /// Something was taken since a record failed alone for the first time.
  private(set) var othersTaken = false
  /// When the device set a record aside that this server falls over without a word.
  private var silentFinds_ms: [Int64] = []
  /// No request may come before that, as the last Retry-After said.
  var notBefore_ms: Int64 = 0
  /// Records that are refused whenever they come.
  private let poisonEvery: UInt64
  private let seed: UInt64

  init(seed: UInt64) {
    self.seed = seed
    // One that falls over a record costs a search with growing waits: a server that does so more often than this is
    // down.
    poisonEvery = seed % 3 == 0 ? (seed % 2 == 0 ? 97 : 397) : 0
  }

  /// Under whatever id.
  func has(_ record: Record) -> Bool { has(record.sequence, record) }

  /// - Parameter record: the one with that number that is meant, if it is known.
  func has(_ sequence: Int64, _ record: Record?) -> Bool { stored[sequence].holds(record) }
  func hasFailedAlone(_ sequence: Int64, _ record: Record?) -> Bool { failedAlone[sequence].holds(record) }

  func isPoison(_ sequence: Int64) -> Bool {
    guard poisonEvery > 0 else { return false }
    var random = SeededRandom(seed: seed ^ UInt64(sequence))
    return random.next() % poisonEvery == 0
  }

  private var isSilent: Bool { poisonEvery > 0 && seed % 2 == 1 }

  func setAside(_ sequence: Int64, at now_ms: Int64) {
    if isSilent, isPoison(sequence) { silentFinds_ms.append(now_ms) }
  }

  func silentFinds(after_ms: Int64) -> Int { silentFinds_ms.count { $0 >= after_ms } }

  /// Another box with the same card has sent as many under this id.
  func twinSends(under id: UInt64, from first: Int64) { ofTwin[id] = first...first + 300 }

  /// By queue id.
  private var ofTwin: [UInt64: ClosedRange<Int64>] = [:]

  private func isOfTwin(_ record: Record) -> Bool {
    guard ofTwin[record.queueID]?.contains(record.sequence) == true else { return false }
    return stored[record.sequence]?.contains { $0.queueID == record.queueID } != true
  }

  func receive(_ batch: [Record], in world: SimulatedWorld) -> UploadReply {
    let conflicts = Set(batch.filter(isOfTwin).map(\.sequence))
    if conflicts.isEmpty { return receiveOwn(batch, in: world) }
    var reply = receiveOwn(batch.filter { !conflicts.contains($0.sequence) }, in: world)
    reply.sent = batch.map(\.sequence)
    guard (200..<300).contains(reply.status), !reply.isWebPage else { return reply }
    world.noteMet("identity conflict")
    reply.echoed = reply.echoed ?? []
    reply.conflicts = conflicts
    for sequence in conflicts { reply.refused[sequence] = "another record has this identity" }
    return reply
  }

  private func receiveOwn(_ batch: [Record], in world: SimulatedWorld) -> UploadReply {
    requests += 1
    let (now_ms, violations) = (world.clock.now_ms, world.violations)
    let sent = batch.map(\.sequence)
    let bytes = 400 + 300 * Int64(batch.count)
    func failed(_ failure: UploadReply.NoReply) -> UploadReply {
      UploadReply(
        status: 0, failure: failure, message: failure.rawValue, sent: sent,
        bytesUp: failure == .connect ? 0 : bytes)
    }
    func answer(_ status: Int, retryAfter_s: Int? = nil, echoed: [Int64]? = nil) -> UploadReply {
      if let retryAfter_s { notBefore_ms = max(notBefore_ms, now_ms + Int64(retryAfter_s) * 1000) }
      return UploadReply(
        status: status, contentType: "application/json", retryAfter_s: retryAfter_s, sent: sent,
        echoed: echoed, bytesUp: bytes, bytesDown: 200)
    }
    if world.meets(.noNetwork) || world.isCutOff { return failed(.connect) }
    if world.meets(.captivePortal) { return UploadReply(status: 200, contentType: "text/html", sent: sent) }
    if world.meets(.redirect) { return answer(302) }
    if world.meets(.unauthorised) { return answer(401) }
    if world.meets(.serverBusy) { return answer(503, retryAfter_s: 90) }
    if world.meets(.serverError) { return answer(500) }
    if world.meets(.ackOfOthers) { return answer(200, echoed: []) }
    if batch.count > 3, world.meets(.tooLarge) { return answer(413) }
    if world.meets(.refusesAll) { return answer(422) }
    if batch.contains(where: { isPoison($0.sequence) }) {
      world.noteMet("poison")
      // Some servers say so, others fall over it.
      if !isSilent { return answer(422) }
      world.noteMet("poison without a word")
      return failed(.dropped)
    }
    if world.meets(.slowServer) {
      storeSometimes(batch, violations)
      return failed(.timeout)
    }
    if world.meets(.partialAck) {
      let half = Array(batch.prefix((batch.count + 1) / 2))
      store(half, violations)
      return answer(200, echoed: half.map(\.sequence))
    }
    if world.meets(.repliesLost) {
      storeSometimes(batch, violations)
      return failed(.dropped)
    }
    store(batch, violations)
    return answer(200, echoed: sent)
  }

  func note(_ reply: UploadReply, to batch: [Record], _ ack: SyncSettings.Acknowledgement) {
    if reply.verdict(ack) == .acknowledged {
      othersTaken = true
    } else if batch.count == 1, !hasFailedAlone(batch[0].sequence, batch[0]) {
      failedAlone[batch[0].sequence, default: []].append(batch[0])
      othersTaken = false
    }
  }

  /// A connection breaks before the server has stored the records, or after.
  private func storeSometimes(_ batch: [Record], _ violations: Violations) {
    if requests.isMultiple(of: 2) { store(batch, violations) }
  }

  private func store(_ batch: [Record], _ violations: Violations) {
    for record in batch {
      let known = stored[record.sequence] ?? []
      if let index = known.firstIndex(where: { $0.queueID == record.queueID }) {
        let before = known[index]
        if before != record, !before.isUndated || record.isUndated {
          violations.note("N2", "record \(record.sequence) was sent again and differs")
        }
        stored[record.sequence]?[index] = record
      } else {
        if known.contains(where: { $0.isSame(as: record) }) {
          violations.note("N2", "record \(record.sequence) was sent again under another id")
        }
        stored[record.sequence, default: []].append(record)
        arrivals.append(record)
      }
    }
  }
}

extension Record {
  /// It is the same one, whatever has become of its date and of its queue id.
  func isSame(as other: Record) -> Bool {
    (sequence, kind, boot_ms, tripID) == (other.sequence, other.kind, other.boot_ms, other.tripID)
      && odometer_m == other.odometer_m && fix?.position == other.fix?.position
  }
}

extension [Record]? {
  /// - Parameter record: nil: any will do.
  fileprivate func holds(_ record: Record?) -> Bool {
    guard let records = self, let record else { return self != nil }
    return records.contains { $0.isSame(as: record) }
  }
}

/// One device process's requests to one server.
final class SimulatedUploads: UploadPort, Happening {
  private let world: SimulatedWorld
  /// As in `Event`.
  private let number: Int
  private let queue: QueueStore
  private let life: Life
  private let settings: SyncSettings
  private var server: SimulatedServer { world.servers[number] }
  private var underWay: (reply: UploadReply, at_ms: Int64)?
  private var lastRequest: (at_ms: Int64, wasAcknowledged: Bool)?

  init(world: SimulatedWorld, number: Int, queue: QueueStore, life: Life) {
    self.world = world
    self.number = number
    settings = number == 0 ? world.settings.sync : world.settings.others[number - 1].sync
    self.queue = queue
    self.life = life
  }

  var descriptors: [PollDescriptor] { [] }
  var timeout_ms: Int? { nil }
  var isUnderWay: Bool { underWay != nil }
  var nextNews_ms: Int64? { underWay?.at_ms }

  func start(_ order: UploadOrder, status: TrackerStatus?) -> Event? {
    guard life.effect() else { return nil }
    let stored = (try? queue[number].records(for: order)) ?? []
    if stored.isEmpty, !order.unstored.isEmpty {
      world.noteMet("from memory")
      world.noteSentFromMemory(order.picked())
    }
    let found = order.ready(stored.isEmpty ? order.picked() : stored)
    let records = together(found, order)
    if records.isEmpty, status == nil {
      return .uploadFinished(UploadReply(status: 0, failure: .nothingToSend, sent: []), server: number)
    }
    world.noteMet("\(order.pick)")
    if order.isBackfill { world.noteMet("backfill") }
    check(records, status: status)
    let now_ms = world.clock.now_ms
    var reply = server.receive(records, in: world)
    (reply.hasFormerID, reply.leavesOthers) = (
      records.first?.queueID != queue.queueID, records.count < found.count
    )
    if number == 0 { world.remote.answer(&reply, to: status, settings.ack) }
    server.note(reply, to: records, settings.ack)
    if number > 0 { world.noteMet("second server") }
    // The second draws nothing: the seeds keep their days.
    let spread_ms = number == 0 ? Int64(world.random.uniform() * 3_000) : 700
    let latency_ms: Int64 = reply.failure == .timeout ? 120_000 : 200 + spread_ms
    underWay = (reply, now_ms + latency_ms)
    lastRequest = (now_ms + latency_ms, reply.verdict == .acknowledged)
    return nil
  }

  /// As `PayloadFormat.together`.
  private func together(_ found: [Record], _ order: UploadOrder) -> [Record] {
    let isNewest = order.pick == .newest
    let id = (isNewest ? found.last : found.first)?.queueID
    if isNewest { return found.reversed().prefix { $0.queueID == id }.reversed() }
    return Array(found.prefix { $0.queueID == id })
  }

  func receive(ready: [Int32]) -> [Event] {
    guard let underWay, underWay.at_ms <= world.clock.now_ms else { return [] }
    self.underWay = nil
    return [.uploadFinished(underWay.reply, server: number)]
  }

  private func check(_ records: [Record], status: TrackerStatus?) {
    let now_ms = world.clock.now_ms
    if underWay != nil { world.violations.note("N6", "a second request while one is under way") }
    if now_ms < server.notBefore_ms { world.violations.note("N6", "Retry-After was undercut") }
    if let lastRequest, !lastRequest.wasAcknowledged, now_ms - lastRequest.at_ms < 1000 {
      world.violations.note("N6", "less than a second after a failure")
    }
    if records.isEmpty, status == nil { world.violations.note("N6", "an empty request") }
    if records.count > settings.maxBatchSize { world.violations.note("N6", "too large a batch") }
  }
}
