import TrackerAgent
import TrackerBase
import TrackerWire

/// One request to the server and how it ended.
public struct ReplayedRequest: Equatable, Sendable {
  public var span: Span
  public var records: Int
  public var bytes: Int
  /// HTTP status, 0 without a reply.
  public var status: Int
  public var isDelivered: Bool
}

/// The link and the server, as the assumptions have them.
final class VirtualNetwork: UploadPort, Happening {
  private(set) var requests: [ReplayedRequest] = []
  private(set) var bytesByFormat: [String: Int] = [:]
  private let queue: MemoryQueue
  private let clock: VirtualClock
  private let assumptions: NetworkAssumptions
  private let format: SyncSettings.Format
  private let identity: StatusDocument.Identity
  private let outages: [Span]
  /// The recording's time at which the world's time is 0.
  private let offset_ms: Int64
  private var random: SeededRandom
  private var underWay: (reply: UploadReply, at_ms: Int64)?

  /// Any: the size of a uuid does not depend on it.
  static let queueID: UInt64 = 1

  /// - Parameter outages: in the recording's time.
  init(
    queue: MemoryQueue, clock: VirtualClock, assumptions: NetworkAssumptions, format: SyncSettings.Format,
    outages: [Span], identity: StatusDocument.Identity, offset_ms: Int64
  ) {
    self.queue = queue
    self.clock = clock
    self.assumptions = assumptions
    self.format = format
    self.outages = outages
    self.identity = identity
    self.offset_ms = offset_ms
    random = SeededRandom(seed: UInt64(assumptions.seed))
  }

  var descriptors: [PollDescriptor] { [] }
  var timeout_ms: Int? { nil }
  var isUnderWay: Bool { underWay != nil }
  var nextNews_ms: Int64? { underWay?.at_ms }

  func start(_ order: UploadOrder, status: TrackerStatus?) -> Event? {
    let waiting = queue.records(for: order, limit: format.wire.look(for: order))
    let (records, faults) = format.wire.choose(from: order.ready(waiting), for: order)
    if records.isEmpty, status == nil {
      return .uploadFinished(
        UploadReply(
          status: 0, failure: faults.isEmpty ? .nothingToSend : .notCarried, message: "nothing to send",
          sent: [], notCarried: faults))
    }
    let document = status.map { StatusDocument.json($0, identity: identity) }
    let body = format.wire.body(
      Payload(
        records: records, queueID: VirtualNetwork.queueID, device: identity.device, status: document))
    var reply = reply(to: records.map(\.sequence), bytes: body.count)
    reply.notCarried = faults
    let at_ms = clock.now_ms + milliseconds(assumptions.latency_s)
    underWay = (reply, at_ms)
    note(reply, records: records.count, bytes: body.count, until_ms: at_ms)
    return nil
  }

  func receive(ready: [Int32]) -> [Event] {
    guard let underWay, underWay.at_ms <= clock.now_ms else { return [] }
    self.underWay = nil
    return [.uploadFinished(underWay.reply)]
  }

  private func reply(to sent: [Int64], bytes: Int) -> UploadReply {
    let now_ms = clock.now_ms + offset_ms
    if outages.contains(where: { $0.start_ms <= now_ms && now_ms < $0.end_ms }) {
      return UploadReply(status: 0, failure: .connect, message: "no network", sent: sent)
    }
    if random.uniform() < assumptions.errorRate {
      return UploadReply(
        status: assumptions.errorStatus,
        retryAfter_s: assumptions.retryAfter_s > 0 ? assumptions.retryAfter_s : nil, sent: sent,
        bytesUp: Int64(bytes))
    }
    if random.uniform() < assumptions.lostReplyRate {
      return UploadReply(
        status: 0, failure: .dropped, message: "reply lost", sent: sent, bytesUp: Int64(bytes))
    }
    // The server names what it has stored, as Godwit's collector does.
    return UploadReply(
      status: 200, contentType: "application/json", sent: sent, echoed: sent, bytesUp: Int64(bytes))
  }

  private func note(_ reply: UploadReply, records: Int, bytes: Int, until_ms: Int64) {
    requests.append(
      ReplayedRequest(
        span: Span(start_ms: clock.now_ms + offset_ms, end_ms: until_ms + offset_ms), records: records,
        bytes: bytes, status: reply.status, isDelivered: reply.verdict == .acknowledged))
    guard reply.failure != .connect else { return }
    bytesByFormat[format.rawValue, default: 0] += bytes
  }
}
