import TrackerBase

/// How the attempt to publish a message ended.
public enum MQTTOutcome: Equatable, Sendable {
  public enum Packet: String, Equatable, Sendable {
    case connack = "CONNACK"
    case puback = "PUBACK"
    case disconnect = "DISCONNECT"
    case suback = "SUBACK"
  }

  /// The broker has taken it, and with 3.1.1 this is all that it can say.
  case stored
  /// And whoever has stored it has said this.
  case answered([UInt8])
  /// The broker has accepted it, and no client subscribes now (MQTT 5, reason 0x10): it may have thrown it away.
  case noSubscriber
  /// A reason code of MQTT 5; those of 3.1.1 are translated.
  case refused(by: Packet, code: UInt8)
  /// DISCONNECT came while the message was under way: perhaps the message is why.
  case cutOff(code: UInt8)
  /// Not sent: larger than the broker's Maximum Packet Size.
  case tooLarge(most_bytes: Int)
  /// The connection ended before the broker had accepted it, so the message was not sent.
  case notAccepted
  /// The connection ended while the message was under way.
  case dropped
  case notMQTT(MQTTError)
}

/// As the sync machine knows it from HTTP; docs/sync.md has the table.
extension MQTTOutcome {
  /// nil where `status` speaks.
  public var failure: UploadReply.NoReply? {
    switch self {
    case .stored, .answered, .refused, .cutOff, .tooLarge: nil
    case .noSubscriber: .noSubscriber
    case .notAccepted: .connect
    case .dropped: .dropped
    case .notMQTT: .notMQTT
    }
  }

  /// The HTTP status that means the same; 0 where there is none.
  public var status: Int {
    switch self {
    case .stored, .answered: 200
    case .tooLarge: 413
    case .refused(by: .connack, code: 0x95): 500
    case .refused(_, let code), .cutOff(let code): MQTTOutcome.status(of: code)
    case .noSubscriber, .notAccepted, .dropped, .notMQTT: 0
    }
  }

  /// None of these says of a single record that it is bad, so nothing goes into quarantine for a code but for its size.
  private static func status(of code: UInt8) -> Int {
    switch code {
    case 0x86, 0x87, 0x8A, 0x8C: 401
    case 0x88, 0x89, 0x8B, 0x93, 0x97, 0x9F: 503
    case 0x95: 413
    case 0x9C, 0x9D: 302
    default: 500
    }
  }

  /// For operators; empty when there is nothing to say.
  public var words: String {
    switch self {
    case .stored, .answered: ""
    case .noSubscriber:
      "the broker accepts it, and no client subscribes to the topic in sync.url now (0x10), so it may be lost: give the topic a subscriber with a lasting session, or set sync.no_subscriber = \"accept\" if the broker itself stores what comes there"
    case .refused(let packet, let code): "\(packet.rawValue): \(MQTTOutcome.words(for: code, by: packet))"
    case .cutOff(let code): "DISCONNECT: \(MQTTOutcome.words(for: code, by: .disconnect))"
    case .tooLarge(let most_bytes): "larger than the \(most_bytes) bytes that the broker takes in a packet"
    case .notAccepted: "the connection ended before the broker had accepted it"
    case .dropped: "the connection ended before the broker's PUBACK"
    case .notMQTT(let problem): problem.words
    }
  }

  private static func words(for code: UInt8, by packet: Packet) -> String {
    let hex = String(code, radix: 16, uppercase: true)
    let number = "0x" + (hex.count < 2 ? "0" : "") + hex
    let meaning = MQTTOutcome.meanings[code] ?? "refused"
    return "\(meaning) (\(number))" + (advice(on: code, by: packet).map { "; \($0)" } ?? "")
  }

  private static func advice(on code: UInt8, by packet: Packet) -> String? {
    switch packet {
    // Some brokers call a wrong password so.
    case .connack where code == 0x87: advice[0x86]
    case .suback: "may this device read the topic in sync.url with /ack behind it (the broker's ACL)?"
    case .connack, .puback, .disconnect: advice[code]
    }
  }

  /// MQTT 5, 2.4.
  private static let meanings: [UInt8: String] = [
    0x00: "disconnected", 0x80: "unspecified error", 0x81: "malformed packet", 0x82: "protocol error",
    0x83: "implementation specific error", 0x84: "unsupported protocol version",
    0x85: "client identifier not valid", 0x86: "bad user name or password", 0x87: "not authorised",
    0x88: "server unavailable", 0x89: "server busy", 0x8A: "banned", 0x8B: "server shutting down",
    0x8C: "bad authentication method", 0x8D: "keep alive timeout", 0x8E: "session taken over",
    0x90: "topic name invalid", 0x93: "receive maximum exceeded", 0x95: "packet too large",
    0x96: "message rate too high", 0x97: "quota exceeded", 0x98: "administrative action",
    0x99: "payload format invalid", 0x9A: "retain not supported", 0x9B: "QoS not supported",
    0x9C: "use another server", 0x9D: "server moved", 0x9F: "connection rate exceeded",
    0xA0: "maximum connect time",
  ]

  private static let advice: [UInt8: String] = [
    0x85: "it is the device's name, device_id",
    0x86: "look at the user in sync.url and at sync.token_file, which holds the password",
    0x87: "may this device publish to the topic in sync.url?",
    0x8A: "ask who runs the broker",
    0x8C: "look at the user in sync.url and at sync.token_file: the agent has no other way to log in",
    0x8E: "is there another device of the same device_id?",
    0x90: "look at the topic in sync.url",
    0x9B: "QoS 1 is needed, since QoS 0 acknowledges nothing",
    0x9C: "look at sync.url",
    0x9D: "look at sync.url",
  ]
}

extension MQTTError {
  var words: String {
    switch self {
    case .malformed: "a packet of the broker is malformed"
    case .unexpected: "what came is not what an MQTT broker answers; is it one, and the port right?"
    case .unasked: "the broker acknowledges a message that has not been sent to it"
    case .tooLong: "a packet of the broker is longer than sync.max_reply_kb"
    case .tooMuch: "the broker brings more than sync.max_reply_kb that nobody has asked for"
    }
  }
}
