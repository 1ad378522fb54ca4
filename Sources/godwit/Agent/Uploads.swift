import TrackerAgent
import TrackerBase
import TrackerDispatch
import TrackerIO
import TrackerWire

/// Batches of the queue on their way to the server, as the agent's upload port.
final class Uploads: UploadPort {
  /// As in `Event`.
  private let server: Int
  private let queue: QueueStore
  private var uploader: any Uploader
  private var settings: SyncSettings
  private var identity: StatusDocument.Identity
  private var format: any PayloadFormat.Type
  private let isMQTT: Bool
  private let isPlainHTTP: Bool
  private var log: Log
  private(set) var isUnderWay = false
  /// Other settings were read while a request was under way: the next one opens a connection of its own.
  private var isOutdated = false
  private var sent: [Int64] = []
  /// Of `sent`.
  private var sentEvents: [Int64] = []
  /// Under which its records were sent.
  private var queueID: UInt64 = 0
  private var isFromMemory = false
  private var leavesOthers = false
  /// Records of the batch that the format cannot carry, with the reason.
  private var faults: [Int64: String] = [:]
  private var gzip: GzipChoice
  /// What is under way, as it would be without compression.
  private var plain: UploadRequest?
  private var isCompressed = false
  /// What a compressed body cost that goes once more, plain.
  private var spent = UploadResult.Bytes()
  private var spentHandshake = UploadResult.Bytes()
  /// Unix milliseconds, if somebody vouches for the time; set once the agent exists.
  var trustedTime_ms: () -> Int64? = { nil }

  /// Of a file with certificates; all that Debian trusts have 220 kB.
  static let mostCertificateBytes = 4 << 20

  init(
    server: Int = 0, queue: QueueStore, settings: SyncSettings, identity: StatusDocument.Identity, log: Log
  ) throws {
    (self.server, self.queue, self.log) = (server, queue, log)
    (self.settings, self.identity, format) = (settings, identity, settings.format.wire)
    gzip = GzipChoice(setting: settings.gzip, format: settings.format)
    let scheme = (try? ServerURL(settings.url))?.scheme
    isMQTT = scheme?.isMQTT ?? false
    isPlainHTTP = scheme == .http
    uploader = try Uploads.uploader(settings, identity)
  }

  private static func uploader(
    _ settings: SyncSettings, _ identity: StatusDocument.Identity
  ) throws -> any Uploader {
    let isMQTT = (try? ServerURL(settings.url))?.scheme.isMQTT ?? false
    return isMQTT
      ? try MQTTUploader(
        device: identity.device, maxReply_bytes: settings.maxReply_kb * 1024, version: settings.mqttVersion,
        noSubscriber: settings.noSubscriber)
      : try HTTPUploader(version: Version.text)
  }

  /// A request is under way that may end, though these settings were read meanwhile.
  func goesOn(with settings: SyncSettings) -> Bool { isUnderWay && settings.url == self.settings.url }

  /// From the next request on.
  func adopt(_ settings: SyncSettings, _ identity: StatusDocument.Identity, log: Log) {
    isOutdated = isUnderWay
    if isUnderWay { gzip = GzipChoice(setting: settings.gzip, format: settings.format) }
    (self.settings, self.identity, self.log, format) = (settings, identity, log, settings.format.wire)
  }

  var descriptors: [PollDescriptor] { uploader.descriptors }
  var timeout_ms: Int? { uploader.timeout_ms }

  func start(_ order: UploadOrder, status: TrackerStatus?) -> Event? {
    // As text from here on: the value has several kB, and each question to it puts another copy on the stack.
    start(order, document: status.map { StatusDocument.json($0, identity: identity) })
  }

  private func start(_ order: UploadOrder, document: String?) -> Event? {
    (sent, sentEvents, faults, leavesOthers) = ([], [], [:], false)
    do {
      let found = try found(for: order)
      let (carried, faults) = format.choose(from: order.ready(found), for: order)
      let records = format.together(carried, for: order)
      leavesOthers = records.count < carried.count
      (sent, self.faults) = (records.map(\.sequence), faults)
      sentEvents = records.filter(\.kind.isEvent).map(\.sequence)
      if records.isEmpty, document == nil {
        return notStarted(faults.isEmpty ? .nothingToSend : .notCarried, "nothing to send")
      }
      queueID = records.first?.queueID ?? 0
      isFromMemory = order.unstored.contains { $0.sequence == records.first?.sequence }
      var payload = Payload(records: records, queueID: queueID, device: identity.device, status: document)
      let headers = headers(isBackfill: order.isBackfill)
      (payload.ownTracks.tid, payload.ownTracks.transitions) = (settings.tid, settings.transitions)
      if !isMQTT { payload.ownTracks.topic = OwnTracksFormat.topic(from: headers) }
      try send(request(order, headers, body: format.body(payload)))
      return nil
    } catch let error as SecretFile.ReadError {
      return notStarted(.noToken, "\(error)")
    } catch {
      return notStarted(.setup, "\(error)")
    }
  }

  /// While the queue cannot be read, what memory holds goes, and the status, which says so.
  private func found(for order: UploadOrder) throws -> [Record] {
    let limit = format.look(for: order)
    do {
      let stored = try queue[server].records(for: order, limit: limit)
      return stored.isEmpty ? order.picked(limit: limit) : stored
    } catch {
      if order.unstored.isEmpty, !order.withStatus { throw error }
      return order.picked(limit: limit)
    }
  }

  private func notStarted(_ failure: UploadReply.NoReply, _ words: String) -> Event {
    return .uploadFinished(
      UploadReply(status: 0, failure: failure, message: words, sent: sent, notCarried: faults), server: server
    )
  }

  private func send(_ request: UploadRequest) throws(UploadError) {
    let compressed = gzip.isWanted(forBodyOf: request.body.count) ? Gzip.compressed(request.body) : nil
    plain = request
    isCompressed = compressed != nil
    var request = request
    if let compressed {
      request.body = compressed
      request.headers.append(("Content-Encoding", "gzip"))
    }
    isUnderWay = false
    try uploader.start(request)
    isUnderWay = true
  }

  func confirm() { uploader.confirm() }

  func receive(ready: [Int32]) -> [Event] {
    guard let result = uploader.drive(ready: ready) else { return [] }
    isUnderWay = false
    if isOutdated, let fresh = try? Uploads.uploader(settings, identity) {
      (uploader, isOutdated) = (fresh, false)
    }
    if !result.notice.isEmpty { log.write(.notice, result.notice) }
    var reply = reply(result)
    let isAgain = gzip.replied(
      reply, announced: GzipChoice.isNamed(in: result.acceptEncoding), wasCompressed: isCompressed,
      ack: settings.ack
    )
    if isAgain, let plain, (try? send(plain)) != nil {
      spent = UploadResult.Bytes(up: result.bytesUp, down: result.bytesDown)
      spentHandshake = result.handshake
      return []
    }
    reply.bytesUp += Int64(spent.up)
    reply.bytesDown += Int64(spent.down)
    reply.handshakeUp += Int64(spentHandshake.up)
    reply.handshakeDown += Int64(spentHandshake.down)
    (spent, spentHandshake) = (UploadResult.Bytes(), UploadResult.Bytes())
    plain = nil
    return [.uploadFinished(reply, server: server)]
  }

  private func request(
    _ order: UploadOrder, _ headers: [(String, String)], body: [UInt8]
  ) throws -> UploadRequest {
    // TLS opens them by their names.
    for file in [settings.caFile, settings.clientCertFile, settings.clientKeyFile] where !file.isEmpty {
      try OutsideFile.check(file, limit_bytes: Uploads.mostCertificateBytes)
    }
    if !settings.clientKeyFile.isEmpty { try OutsideFile.checkIsPrivate(settings.clientKeyFile) }
    var request = UploadRequest(
      url: settings.url,
      headers: headers, body: body,
      contentType: settings.format.traits.contentType,
      connectTimeout_s: settings.connectTimeout_s,
      requestTimeout_s: settings.requestTimeout_s, maxReply_bytes: settings.maxReply_kb * 1024,
      caFile: settings.caFile, clientCertFile: settings.clientCertFile,
      clientKeyFile: settings.clientKeyFile, interface: settings.interface,
      trustedTime_s: trustedTime_ms().map { $0 / 1000 }, allowPlaintext: settings.allowPlaintext)
    request.lastSpoken = order.brokerVersion
    request.awaitsAnswer = isMQTT && settings.ack == .strict
    request.topicAllowed_bytes = isMQTT ? Int(clamping: order.topicAllowed_bytes) : 0
    try addSecrets(to: &request)
    return request
  }

  /// From their files, anew each time.
  private func addSecrets(to request: inout UploadRequest) throws(SecretFile.ReadError) {
    if !settings.tokenFile.isEmpty { request.bearerToken = try SecretFile.read(settings.tokenFile) }
    if !settings.passwordFile.isEmpty {
      request.user = settings.user
      request.password = try SecretFile.read(settings.passwordFile, mayHaveBlanks: true)
    }
    for (name, file) in settings.headerFiles.sorted(by: { $0.key < $1.key }) {
      request.secretHeaders.append((name, try SecretFile.read(file, mayHaveBlanks: true)))
    }
  }

  private func headers(isBackfill: Bool) -> [(String, String)] {
    let batch = sent.isEmpty ? ServerReply.statusBatch : "\(sent[0])-\(sent[sent.count - 1])"
    let own =
      [("Godwit-Schema", settings.format.traits.schema), ("Godwit-Batch", batch)]
      + (isBackfill ? [("Godwit-Backfill", "1")] : [])
    // The topic says whose records these are; headers cannot be set.
    if isMQTT { return own }
    let set = settings.headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    let names = Set((Array(settings.headers.keys) + settings.headerFiles.keys).map { $0.lowercased() })
    let wanted = format.headers(device: identity.device).filter { !names.contains($0.0.lowercased()) }
    return set + wanted + [("Godwit-Device", DeviceName.header(identity.device))] + own
  }

  private func reply(_ result: UploadResult) -> UploadReply {
    if result.cutStatus > 0, let reply = cutReply(result) { return reply }
    let secrets = plain?.secrets ?? []
    let body = ServerReply.parse(body: result.body, secrets: secrets)
    let answer =
      isMQTT ? .other : ServerReply.answer(result.body, to: settings.format, accept: settings.accept)
    let isRefused = result.failure == nil && (result.status >= 300 || answer == .failed) && !isMQTT
    let words = isRefused ? ServerReply.words(in: result.body, secrets: secrets) : result.message
    let isAboutCertificate = isRefused && ServerReply.isAboutCertificate(status: result.status, words: words)
    var reply = described(result, result.status, body)
    (reply.failure, reply.message) = (isAboutCertificate ? .tls : result.failure, words)
    reply.refused = body?.refused(of: sent, queueID: queueID, status: result.status) ?? [:]
    reply.answer = answer
    reply.namesEvents = namesEvents(reply)
    reply.refusesOthers = body?.refusesOthers(than: sent, queueID: queueID) ?? false
    reply.conflicts = body?.conflicts(of: sent, queueID: queueID, status: result.status) ?? []
    // The others are given records, and no say.
    if server == 0 { takeOrders(of: body, and: result.documents, secrets, into: &reply) }
    (reply.topicBytes, reply.isTopicCutOff) = (Int64(result.topicBytes), result.isTopicCutOff)
    (reply.isMQTT, reply.mqttVersion, reply.endedByBroker) = (isMQTT, result.mqttVersion, result.isCutOff)
    reply.redirectsToItself = (try? ServerURL(settings.url))?.isOwn(result.location) ?? false
    return reply
  }

  /// One that was too long, where what it acknowledges could be read: else the same records would come again and again.
  private func cutReply(_ result: UploadResult) -> UploadReply? {
    guard let body = ServerReply.parse(beginning: result.body) else { return nil }
    var reply = described(result, result.cutStatus, body)
    reply.isCut = true
    reply.namesEvents = namesEvents(reply)
    return reply.verdict(settings.ack) == .acknowledged ? reply : nil
  }

  private func namesEvents(_ reply: UploadReply) -> Bool? {
    guard let echoed = reply.echoed, !sentEvents.isEmpty else { return nil }
    // Where nothing is named at all, positions beside them are the proof that it is no matter of events.
    if echoed.isEmpty, reply.refused.isEmpty, sentEvents.count < sent.count { return nil }
    let known = Set(echoed).union(reply.refused.keys)
    return sentEvents.contains(where: known.contains)
  }

  /// What was sent, and how: of every reply, however much of it was read.
  private func described(_ result: UploadResult, _ status: Int, _ body: ServerReply?) -> UploadReply {
    var reply = UploadReply(
      status: status, message: result.message, contentType: result.contentType,
      looksLikePage: WebPage.begins(result.body), retryAfter_s: result.retryAfter_s, sent: sent,
      notCarried: faults, echoed: body?.echoed(of: sent, queueID: queueID), isPlainHTTP: isPlainHTTP,
      bytesUp: Int64(result.bytesUp), bytesDown: Int64(result.bytesDown))
    // One of memory is as new as the store's: another one is begun no oftener.
    reply.hasFormerID = queueID != queue.queueID && !isFromMemory
    reply.leavesOthers = leavesOthers
    reply.interface = result.interface
    (reply.handshakeUp, reply.handshakeDown) = (Int64(result.handshake.up), Int64(result.handshake.down))
    return reply
  }

  /// - Parameter documents: what a broker has kept, which says the same in the same way.
  private func takeOrders(
    of body: ServerReply?, and documents: [[UInt8]], _ secrets: [String], into reply: inout UploadReply
  ) {
    (reply.config, reply.commands) = (body?.config, body?.commands ?? CommandOffers())
    for document in documents {
      let said = ServerReply.parse(body: document, secrets: secrets)
      reply.commands.add(said?.commands ?? CommandOffers())
      // The newest one counts.
      reply.config = said?.config ?? reply.config
    }
    reply.bringsDocuments = !documents.isEmpty
  }
}

/// Runs `sync.auth_command`, one at a time.
final class TokenCommand: TokenPort {
  /// As in `Event`.
  private let server: Int
  let command: [String]
  private let timeout_s: Double
  private var child: ChildProcess?

  static let timeout_s = 60.0

  init(server: Int = 0, _ command: [String], timeout_s: Double = TokenCommand.timeout_s) {
    (self.server, self.command, self.timeout_s) = (server, command, timeout_s)
  }

  var descriptors: [PollDescriptor] { child?.descriptors ?? [] }

  func renew() -> Event? {
    guard child == nil, let program = command.first else { return nil }
    do {
      child = try ChildProcess(command, timeout_s: timeout_s)
      return nil
    } catch {
      return .tokenCommandEnded(problem: "\(program) could not be started: \(error)", server: server)
    }
  }

  func receive(ready: [Int32]) -> [Event] {
    guard let end = child?.poll() else { return [] }
    child = nil
    return [
      .tokenCommandEnded(problem: end.problem(of: command[0], timeout_s: timeout_s), server: server)
    ]
  }
}
