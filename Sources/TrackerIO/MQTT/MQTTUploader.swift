import CCurl
import TrackerBase
import TrackerWire

/// Publishes to an MQTT broker, over a connection that is kept for the next request.
///
/// What is said to the broker, and what its replies mean, is `MQTTPublisher`'s; here are sockets and time.
public final class MQTTUploader: Uploader {
  /// What a connection depends on: with another token or authority a new one is made.
  private typealias Way = [String]

  private struct Attempt {
    var request: UploadRequest
    var ends_ms: Int64
    /// When a byte last went or came, or the connection was begun.
    var moved_ms: Int64
    var connecting_ms: Int64
    var spent = (up: 0, down: 0)
    /// What of it TLS took.
    var handshake = UploadResult.Bytes()
    var interface = ""
    /// More was to come on the topic of commands than may.
    var isTopicCutOff = false
    var result: UploadResult?
  }

  /// Silence after which the connection is no longer trusted: what stands on the way forgets connections, and says
  /// nothing. Carriers are known to do so after five minutes.
  static let longestIdle_ms: Int64 = 240_000
  /// Of a `Way`.
  private static let keptSession = "kept session"

  private let device: String
  private let nameServers: String
  private var multi: CurlMulti
  private var trustStamp: [String] = []
  private var publisher: MQTTPublisher
  private(set) var connection: MQTTConnection?
  private var way: Way = []
  private var idleSince_ms: Int64 = 0
  private var attempt: Attempt?
  private var noticed: Set<String> = []
  private var proxyNotice = ""
  /// What has come on the topic of commands since the last result.
  private var documents: [[UInt8]] = []
  /// Packets on this connection that the broker keeps until they are confirmed: of the request that is under way …
  private var arrived: [UInt16] = []
  /// … and of the one before it.
  private var unconfirmed: [UInt16] = []
  /// When the first that were not confirmed in time came: only a new connection brings them, and what waits behind them.
  private var heldSince_ms: Int64?
  /// Why commands do not come, until it is reported.
  private var commandsRefused: UInt8?
  /// What had come over connections that were given up, since the last result: it was paid for.
  private var unread = 0

  /// - Parameters:
  ///   - device: its name: the client id, and `{device}` in topics.
  ///   - maxReply_bytes: longer packets of the broker are refused.
  public convenience init(
    device: String, maxReply_bytes: Int, version: SyncSettings.MQTTVersion = .auto,
    noSubscriber: SyncSettings.NoSubscriber = .wait
  ) throws(UploadError) {
    try self.init(
      device: device, maxReply_bytes: maxReply_bytes, version: version, noSubscriber: noSubscriber,
      nameServers: "")
  }

  /// - Parameter nameServers: as in `CurlMulti`.
  init(
    device: String, maxReply_bytes: Int, version: SyncSettings.MQTTVersion = .auto,
    noSubscriber: SyncSettings.NoSubscriber = .wait, nameServers: String
  ) throws(UploadError) {
    self.device = device
    self.nameServers = nameServers
    multi = try CurlMulti(nameServers: nameServers)
    publisher = MQTTPublisher(
      mostReply_bytes: maxReply_bytes, version: version, noSubscriber: noSubscriber)
  }

  deinit { sayGoodbye() }

  public var descriptors: [PollDescriptor] {
    guard attempt != nil, let connection else { return [] }
    guard connection.isOpen else { return multi.descriptors }
    return [PollDescriptor(descriptor: connection.socket, wantsWrite: connection.hasUnsent)]
  }

  public var timeout_ms: Int? {
    guard let attempt else { return nil }
    if attempt.result != nil { return 0 }
    let remaining_ms = Int(max(0, deadline(of: attempt).at_ms - now_ms))
    let curl_ms = connection?.isOpen == true ? nil : multi.timeout_ms
    return min(remaining_ms, curl_ms ?? remaining_ms)
  }

  public func start(_ request: UploadRequest) throws(UploadError) {
    guard attempt == nil else { throw .inFlight }
    let url = try address(in: request.url)
    guard let topic = url.topic(for: device) else { throw .badTopic }
    let properties = request.headers.map { MQTTMessage.Property($0.0, $0.1) }
    var message = MQTTMessage(
      topic: topic, payload: request.body, contentType: request.contentType, properties: properties,
      responseTopic: request.awaitsAnswer ? topic + ServerURL.answers : "")
    let bringsCommands = request.topicAllowed_bytes > 0
    if bringsCommands { message.commandTopic = topic + ServerURL.commands }
    let user = url.user.isEmpty && !request.bearerToken.isEmpty ? device : url.user
    var login = MQTTLogin(clientID: device, user: user, password: request.bearerToken)
    login.keepsSession = bringsCommands
    (login.mostArriving_bytes, login.mostUnconfirmed_bytes) =
      (request.maxReply_bytes, request.topicAllowed_bytes)
    let stamp = request.trustStamp
    let way =
      [
        request.url, request.bearerToken, request.caFile, request.clientCertFile, request.clientKeyFile,
        request.interface,
      ] + stamp + [bringsCommands ? MQTTUploader.keptSession : ""]
    let mayReuse = publisher.isReady && way == self.way && !isStale(bringsCommands: bringsCommands)
    if !mayReuse { sayGoodbye() }
    if stamp != trustStamp { (multi, trustStamp) = (try CurlMulti(nameServers: nameServers), stamp) }
    self.way = way
    let now_ms = now_ms
    attempt = Attempt(
      request: try webRequest(request, url), ends_ms: now_ms + request.requestTimeout_ms,
      moved_ms: now_ms, connecting_ms: now_ms)
    let allowed_bytes = request.awaitsAnswer ? 4 * request.maxReply_bytes : request.topicAllowed_bytes
    perform(
      publisher.start(
        message, login, mayReuse: mayReuse, allowed_bytes: allowed_bytes, lastSpoken: request.lastSpoken))
  }

  public func drive(ready: [Int32]) -> UploadResult? {
    guard attempt != nil else { return nil }
    open(ready: ready)
    exchange()
    if let attempt, attempt.result == nil {
      let deadline = deadline(of: attempt)
      if deadline.at_ms <= now_ms {
        // One that knows 3.1.1 alone may say nothing to MQTT 5.
        if let actions = publisher.silent() {
          perform(actions)
        } else if publisher.isAwaiting {
          unanswered()
        } else {
          fail(.timeout, deadline.words)
        }
      }
    }
    guard let attempt, var result = attempt.result else { return nil }
    self.attempt = nil
    idleSince_ms = now_ms
    result.bytesUp += attempt.spent.up
    result.bytesDown += attempt.spent.down
    result.handshake = attempt.handshake
    result.interface = attempt.interface
    result.mqttVersion = publisher.spoken
    result.notice = notice()
    result.documents = documents
    documents = []
    if !unconfirmed.isEmpty { heldSince_ms = heldSince_ms ?? now_ms }
    (unconfirmed, arrived) = (arrived, [])
    (result.topicBytes, result.isTopicCutOff) = (publisher.topicBytes, attempt.isTopicCutOff)
    if attempt.request.topicAllowed_bytes > 0 { result.topicBytes += unread }
    result.bytesDown += unread
    unread = 0
    return result
  }

  private func notice() -> String {
    var notices = [proxyNotice]
    if let code = commandsRefused {
      notices.append(
        "the broker lets this device read no topic with /cmd behind it (SUBACK \(code)): no commands come; look at its ACL"
      )
    }
    if publisher.spoken == .v3_1_1 {
      notices.append(
        "the broker is used with MQTT 3.1.1: it cannot report that it throws records away, so messages are small (sync.mqtt_3_1_1_batch_size; docs/transport.md)"
      )
    }
    if publisher.hasNoSubscriber {
      notices.append(
        "no client subscribes to the topic in sync.url: what the broker accepts counts as delivered, since sync.no_subscriber is \"accept\""
      )
    }
    let new = notices.first { !$0.isEmpty && !noticed.contains($0) } ?? ""
    noticed.insert(new)
    return new
  }

  // MARK: Time

  private var now_ms: Int64 { HostClock.now().boot_ms }

  /// Broken, or so long without a byte that it may be.
  ///
  /// - Parameter bringsCommands: then a byte that nobody asked for may be one; whether it is the end, reading shows.
  private func isStale(bringsCommands: Bool) -> Bool {
    let limit_ms = publisher.keepAlive_s.map { Int64($0) * 1000 } ?? MQTTUploader.longestIdle_ms
    let idle_ms = now_ms - idleSince_ms
    let isHeld = heldSince_ms.map { now_ms - $0 >= MQTTUploader.longestIdle_ms } ?? false
    return connection == nil || isHeld || !bringsCommands && connection?.hasInput != false
      || idle_ms >= min(limit_ms, MQTTUploader.longestIdle_ms)
  }

  private func deadline(of attempt: Attempt) -> (at_ms: Int64, words: String) {
    let request = attempt.request
    var deadlines = [(at_ms: attempt.ends_ms, words: "not done within sync.request_timeout_s")]
    // Until the consumer has stored them nobody has anything to say.
    if connection?.isOpen == true, !publisher.isAwaiting {
      let silence_s = UploadRequest.longestSilence_s
      deadlines.append((attempt.moved_ms + Int64(silence_s) * 1000, "not a byte for \(silence_s) s"))
    }
    if publisher.isGreeting {
      deadlines.append(
        (
          attempt.connecting_ms + request.connectTimeout_ms,
          "no CONNACK within sync.connect_timeout_s"
        ))
    }
    return deadlines.min { $0.at_ms < $1.at_ms } ?? deadlines[0]
  }

  // MARK: The connection

  private func open(ready: [Int32]) {
    guard let connection, !connection.isOpen, let code = multi.drive(ready: ready) else { return }
    if let failure = connection.failure(code) { return fail(failure.cause, failure.words) }
    connection.opened()
    perform(publisher.connected())
  }

  private func exchange() {
    while let connection, connection.isOpen, attempt?.result == nil {
      // First what the broker has said: it cannot be the answer to what goes next.
      switch connection.receive() {
      case .nothing:
        let (count, code) = connection.flush()
        if count > 0 { attempt?.moved_ms = now_ms }
        if code == CURLE_OK {
          if !connection.hasUnsent { publisher.sent() }
          return
        }
        broken(connection, code)
      case .bytes(let bytes):
        attempt?.moved_ms = now_ms
        perform(publisher.received(bytes))
      case .ended: perform(publisher.closed())
      case .failed(let code): broken(connection, code)
      }
    }
  }

  /// TLS 1.3 refuses a client's certificate only after the handshake: that is no lost connection.
  private func broken(_ connection: MQTTConnection, _ code: CURLcode) {
    if let failure = connection.failure(code), failure.cause == .tls {
      fail(failure.cause, failure.words)
    } else {
      perform(publisher.closed())
    }
  }

  private func perform(_ actions: [MQTTPublisher.Action]) {
    for action in actions {
      switch action {
      case .connect: connect()
      case .send(let bytes): connection?.send(bytes)
      case .close: close()
      case .arrived(let body, let id):
        documents.append(body)
        if let id { arrived.append(id) }
      case .topicCutOff:
        attempt?.isTopicCutOff = true
        way[way.count - 1] = ""
      case .commandsRefused(let code): commandsRefused = code
      case .finish(let outcome):
        var result = UploadResult(status: outcome.status, failure: outcome.failure, message: outcome.words)
        if case .answered(let body) = outcome { result.body = body }
        if case .cutOff = outcome { result.isCutOff = true }
        finish(result)
      }
    }
  }

  private func connect() {
    guard var request = attempt?.request, let attempt else { return }
    let now_ms = now_ms
    request.requestTimeout_s = Double(max(1, attempt.ends_ms - now_ms)) / 1000
    self.attempt?.connecting_ms = now_ms
    self.attempt?.moved_ms = now_ms
    do throws(UploadError) {
      let made = try MQTTConnection(request, in: multi)
      (connection, proxyNotice) = (made, made.proxyNotice)
    } catch {
      fail(.setup, "\(error)")
    }
  }

  /// A broker that does not hear it brings them again, and they are known then.
  public func confirm() {
    guard let connection, connection.isOpen else { return }
    connection.send(publisher.confirmation(of: unconfirmed))
    unconfirmed = []
    _ = connection.flush()
    // The next message may have gone with it, and its answer may be here before it is asked for.
    if !connection.hasUnsent { publisher.sent() }
  }

  private func close() {
    noteBytes()
    drop()
  }

  private func drop() {
    (unconfirmed, arrived, heldSince_ms) = ([], [], nil)
    unread += connection?.unread ?? 0
    connection = nil
  }

  private func noteBytes() {
    guard let connection else { return }
    let bytes = connection.takeBytes()
    attempt?.spent.up += bytes.up
    attempt?.spent.down += bytes.down
    attempt?.handshake += connection.takeHandshake()
    attempt?.interface = connection.interface
  }

  /// Without waiting for anything: a broker that does not hear it finds out by itself.
  private func sayGoodbye() {
    if publisher.isReady, let connection {
      connection.send(MQTTPacket.disconnect)
      _ = connection.flush()
    }
    publisher.forget()
    drop()
  }

  // MARK: Results

  private func fail(_ failure: UploadReply.NoReply, _ words: String) {
    finish(UploadResult(status: 0, failure: failure, message: words))
    publisher.forget()
    close()
  }

  /// The broker has it, and that is no acknowledgement here. The next connection hears no late answer to this one.
  private func unanswered() {
    finish(
      UploadResult(
        status: 200, failure: nil,
        message:
          "the broker has them, and nobody has said on its topic with /ack behind it that they are stored: does the consumer run and confirm, and may this device read that topic (the broker's ACL)?"
      ))
    publisher.forget()
    close()
  }

  private func finish(_ result: UploadResult) {
    noteBytes()
    if attempt?.result == nil { attempt?.result = result }
  }

  // MARK: Addresses

  private func address(in text: String) throws(UploadError) -> ServerURL {
    do throws(ServerURL.ParseError) { return try ServerURL(text) } catch { throw .badURL(error.reason) }
  }

  /// libcurl's view: a connection as if to a web server.
  private func webRequest(_ request: UploadRequest, _ url: ServerURL) throws(UploadError) -> UploadRequest {
    var web = request
    let host = url.host.contains(":") ? "[\(url.host)]" : url.host
    web.url =
      "\(url.isEncrypted ? "https" : "http")://\(host):\(url.port ?? (url.isEncrypted ? 8883 : 1883))/"
    return web
  }
}
