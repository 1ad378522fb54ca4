import TrackerAgent
import TrackerCore
import TrackerIO
import TrackerWire

/// Batches of the queue on their way to the server, as the agent's upload port.
final class Uploads: UploadPort {
  private let queue: QueueStore
  private let uploader: HTTPUploader
  private let settings: SyncSettings
  private let identity: StatusDocument.Identity
  private let format: any PayloadFormat.Type
  private var sent: [Int64] = []
  /// Records of the batch that the format cannot carry, with the reason.
  private var faults: [Int64: String] = [:]

  init(queue: QueueStore, settings: SyncSettings, identity: StatusDocument.Identity) throws {
    self.queue = queue
    self.settings = settings
    self.identity = identity
    format = settings.format.wire
    uploader = try HTTPUploader(version: Version.text)
  }

  var descriptors: [PollDescriptor] { uploader.descriptors }
  var timeout_ms: Int? { uploader.timeout_ms }

  func start(_ order: UploadOrder, status: TrackerStatus?) -> Event? {
    sent = []
    faults = [:]
    do {
      let found = try queue.records(for: order, limit: format.look(for: order))
      let (records, faults) = format.choose(from: found, for: order)
      (sent, self.faults) = (records.map(\.sequence), faults)
      if records.isEmpty, status == nil {
        return notStarted(faults.isEmpty ? .nothingToSend : .notCarried, "nothing to send")
      }
      let document = status.map {
        StatusDocument.json($0, identity: identity, wall_ms: HostClock.now().wall_ms)
      }
      let payload = Payload(
        records: records, queueID: queue.queueID, device: identity.device, status: document)
      try uploader.start(request(body: format.body(payload), isBackfill: order.isBackfill))
      return nil
    } catch let error as SecretFile.Failure {
      return notStarted(.noToken, "\(error)")
    } catch {
      return notStarted(.setup, "\(error)")
    }
  }

  private func notStarted(_ failure: UploadReply.Failure, _ words: String) -> Event {
    .uploadFinished(
      UploadReply(status: 0, failure: failure, message: words, sent: sent, notCarried: faults))
  }

  func receive(ready: [Int32]) -> [Event] {
    guard let result = uploader.drive(ready: ready) else { return [] }
    return [.uploadFinished(reply(result))]
  }

  private func request(body: [UInt8], isBackfill: Bool) throws -> UploadRequest {
    let batch = sent.isEmpty ? "status" : "\(sent[0])-\(sent[sent.count - 1])"
    let own = [
      ("Godwit-Device", identity.device), ("Godwit-Schema", format.schema), ("Godwit-Batch", batch),
    ]
    let backfill = isBackfill ? [("Godwit-Backfill", "1")] : []
    let set = settings.headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    let names = Set(settings.headers.keys.map { $0.lowercased() })
    let wanted = format.headers(device: identity.device).filter { !names.contains($0.0.lowercased()) }
    let token = settings.tokenFile.isEmpty ? "" : try SecretFile.read(settings.tokenFile)
    return UploadRequest(
      url: settings.url,
      headers: set + wanted + own + backfill, body: body, contentType: format.contentType,
      connectTimeout_s: settings.connectTimeout_s,
      requestTimeout_s: settings.requestTimeout_s, maxReply_bytes: settings.maxReply_kb * 1024,
      caFile: settings.caFile, bearerToken: token, allowPlaintext: settings.allowPlaintext)
  }

  private func reply(_ result: UploadResult) -> UploadReply {
    UploadReply(
      status: result.status, failure: result.failure.map { failure($0) }, message: result.message,
      contentType: result.contentType, looksLikePage: ServerReply.looksLikePage(result.body),
      retryAfter_s: result.retryAfter_s, sent: sent,
      notCarried: faults, echoed: echoed(result.body),
      bytesUp: Int64(result.bytesUp),
      bytesDown: Int64(result.bytesDown))
  }

  private func echoed(_ body: [UInt8]) -> [Int64]? {
    ServerReply.parse(body: body)?.echoed(of: sent, queueID: queue.queueID)
  }

  private func failure(_ failure: HTTPFailure) -> UploadReply.Failure {
    switch failure {
    case .resolve: .resolve
    case .connect: .connect
    case .tls: .tls
    case .timeout: .timeout
    case .replyTooLarge: .replyTooLarge
    case .sendReceive: .dropped
    case .other: .setup
    }
  }
}
