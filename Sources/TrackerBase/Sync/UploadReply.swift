/// How one upload ended, as the adapter saw it. What MQTT says stands as the HTTP status that means the same.
public struct UploadReply: Equatable, Sendable {
  /// Why no usable reply came.
  public enum NoReply: String, CaseIterable, Equatable, Sendable {
    case resolve, connect, tls, timeout, dropped
    /// `sync.interface` is not there, or may not be used.
    case interface
    /// The server's certificate is outside its dates by a clock that nobody vouches for.
    case tlsClock = "tls_clock"
    /// What came back is not HTTP.
    case notHTTP = "not_http"
    /// What came back is not MQTT.
    case notMQTT = "not_mqtt"
    /// The broker accepts the message, and no client subscribes to its topic now: it may have thrown it away.
    case noSubscriber = "no_subscriber"
    case replyTooLarge = "reply_too_large"
    /// The server answered 2xx before the whole request had been sent, so it cannot have the records.
    case earlyReply = "early_reply"
    case setup
    /// The format has no room for any record of the batch; nothing was sent.
    case notCarried = "not_carried"
    /// The token file cannot be read; nothing was sent.
    case noToken = "no_token"
    /// The queue has none of the records that were asked for; nothing was sent.
    case nothingToSend = "nothing_to_send"
  }

  /// What the body of a 2xx that names no records says of them.
  public enum Answer: Equatable, Sendable {
    /// Nothing that is known.
    case other
    /// `sync.accept` is in it.
    case accepted
    /// It lacks `sync.accept`.
    case notAccepted
    /// As the format's servers answer.
    case expected
    /// Not as the format's servers answer.
    case unexpected
    /// That it failed.
    case failed
  }

  /// HTTP status, 0 without a reply.
  public var status: Int
  public var failure: NoReply?
  /// The adapter's words, free of secrets.
  public var message: String
  public var contentType: String
  /// The body begins as a web page does, whatever its type.
  public var looksLikePage: Bool
  public var retryAfter_s: Int?
  /// A redirect to another address of the same host, such as https:// in place of http://.
  public var redirectsToItself = false
  /// Then the message is of MQTT's own words, and says what to look at.
  public var isMQTT = false
  /// The broker ended the connection with DISCONNECT while the message was under way.
  public var endedByBroker = false
  /// What the broker speaks; auto over HTTP, and while none has answered.
  public var mqttVersion = SyncSettings.MQTTVersion.auto
  /// Sequences of the batch that was sent.
  public var sent: [Int64]
  /// Records that the format has no room for, with the reason: they were not sent, and never can be.
  public var notCarried: [Int64: String]
  /// Those of `sent` that the reply names as stored; nil if it has no word about that, and its status speaks
  /// for all.
  public var echoed: [Int64]?
  public var answer = Answer.other
  /// Events were sent, and it names some of them or none; nil: none were sent, or it has no word about that.
  public var namesEvents: Bool?
  /// Those of `sent` that the reply refuses by name, with the server's words.
  public var refused: [Int64: String]
  /// It refuses records by name, and none of `sent`: it may be the answer to another request.
  public var refusesOthers = false
  /// It was longer than `max_reply_kb`, and began with what it acknowledges; of the rest nothing is known.
  public var isCut = false
  /// What it says of settings; nil: nothing.
  public var config: ConfigOffer?
  /// Those of `refused` under whose identity the server has another record.
  public var conflicts: Set<Int64> = []
  /// They were sent under a queue id that new records no longer get.
  public var hasFormerID = false
  /// The order asked for more, which has another queue id: it goes with a request of its own.
  public var leavesOthers = false
  /// It came over http://, so anyone on the way may have written it.
  public var isPlainHTTP: Bool
  /// What it says of commands, whoever it is from; see `maySteer`.
  public var commands = CommandOffers()
  /// A broker has brought something on the topic of commands, and keeps it until it is confirmed.
  public var bringsDocuments = false
  /// What of `bytesDown` came on that topic.
  public var topicBytes: Int64 = 0
  /// The broker wanted to bring more there than it may: the connection was ended, and what the broker held is given up.
  public var isTopicCutOff = false
  public var bytesUp: Int64
  public var bytesDown: Int64
  /// The network interface that it went over; empty if unknown.
  public var interface = ""
  /// What of the bytes TLS handshakes took.
  public var handshakeUp: Int64 = 0
  public var handshakeDown: Int64 = 0

  public init(
    status: Int, failure: NoReply? = nil, message: String = "", contentType: String = "",
    looksLikePage: Bool = false, retryAfter_s: Int? = nil, sent: [Int64], notCarried: [Int64: String] = [:],
    echoed: [Int64]? = nil, refused: [Int64: String] = [:], isPlainHTTP: Bool = false,
    bytesUp: Int64 = 0, bytesDown: Int64 = 0
  ) {
    self.status = status
    self.failure = failure
    self.message = message
    self.contentType = contentType
    self.looksLikePage = looksLikePage
    self.retryAfter_s = retryAfter_s
    self.sent = sent
    self.notCarried = notCarried
    self.echoed = echoed
    self.refused = refused
    self.isPlainHTTP = isPlainHTTP
    self.bytesUp = bytesUp
    self.bytesDown = bytesDown
  }

  /// The records that may leave the queue.
  public var stored: [Int64] { echoed ?? sent }

  public var isWebPage: Bool {
    // text/html, application/xhtml+xml, application/vnd.wap.xhtml+xml
    let type = contentType.lowercased().prefix { $0 != ";" }
    return looksLikePage || type.contains("html") && answer != .accepted
  }

  /// A refusal without a word about records: one of several backends may be broken.
  package var isBare: Bool { status == 400 && refused.isEmpty && (message.isEmpty || isWebPage) }

  /// Something was sent, and the connection ended without a reply: the server may have fallen over it. 502 is the
  /// same, reported by a proxy, and what caddy's answers to a body over its limit (RFC 9110, 15.6.3).
  public var wasCutOff: Bool {
    status == 502 || endedByBroker || (failure == .dropped || failure == .timeout) && bytesUp > 0
  }

  /// Of a request for events: no more of them wait.
  package func hasBroughtAll(of order: UploadOrder, _ verdict: Verdict) -> Bool {
    let known = Set(stored).union(refused.keys)
    switch verdict {
    case .nothingToSend: return true
    case .acknowledged:
      let isWhole = conflicts.isEmpty && !leavesOthers && sent.allSatisfy(known.contains)
      return isWhole && sent.count + notCarried.count < order.limit
    case .transient, .unauthorised, .tooLarge, .refused: return false
    }
  }
}
