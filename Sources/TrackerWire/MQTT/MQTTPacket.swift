/// Who publishes.
public struct MQTTLogin: Equatable, Sendable {
  public var clientID: String
  /// Empty: none.
  public var user: String
  public var password: String
  /// The broker keeps the session, and in it what comes for us meanwhile, for `MQTTPacket.sessionExpiry_s`.
  public var keepsSession = false
  /// What that may bring: with a packet, and before the first is confirmed.
  public var mostArriving_bytes = MQTTPacket.mostArriving_bytes
  public var mostUnconfirmed_bytes = MQTTPacket.mostArriving_bytes

  public init(clientID: String, user: String = "", password: String = "") {
    self.clientID = clientID
    self.user = user
    self.password = password
  }
}

/// What is published, always with QoS 1.
public struct MQTTMessage: Equatable, Sendable {
  public struct Property: Equatable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public var topic: String
  public var payload: [UInt8]
  /// This and the user properties reach brokers of MQTT 5 only.
  public var contentType: String
  public var properties: [Property]
  /// Where whoever has stored it says so; empty: nobody is waited for. MQTT 5 names it to the receiver (3.3.2.3.5).
  public var responseTopic: String
  /// Where commands come, whatever is published; empty: none are awaited. Not together with `responseTopic`: in a session
  /// that is kept, answers to earlier messages would wait.
  public var commandTopic = ""

  public init(
    topic: String, payload: [UInt8], contentType: String = "", properties: [Property] = [],
    responseTopic: String = ""
  ) {
    self.responseTopic = responseTopic
    self.topic = topic
    self.payload = payload
    self.contentType = contentType
    self.properties = properties
  }
}

/// The packets that a publisher sends (OASIS: MQTT 5.0 and 3.1.1; sections are those of 5.0).
public enum MQTTPacket {
  /// The protocol level of CONNECT.
  public enum Version: UInt8, Equatable, Sendable {
    case v3_1_1 = 4
    case v5 = 5
  }

  /// A device that is away for longer finds its commands gone.
  static let sessionExpiry_s: UInt32 = 30 * 86_400

  /// 3.1. A clean start whose session ends with the connection, or one that is kept; no will, no keep alive.
  public static func connect(_ login: MQTTLogin, _ version: Version) -> [UInt8] {
    let cleanStart: UInt8 = login.keepsSession ? 0 : 0x02
    let hasUser: UInt8 = login.user.isEmpty ? 0 : 0x80
    let hasPassword: UInt8 = login.password.isEmpty ? 0 : 0x40
    var body = MQTTWriter()
    body.text("MQTT")
    body.byte(version.rawValue)
    body.byte(cleanStart | hasUser | hasPassword)
    body.number(0)
    if version == .v5 {
      // Request Problem Information: none. What a broker may add in words is not read.
      body.properties([0x17, 0] + (login.keepsSession ? keptSession(login) : []))
    }
    body.text(login.clientID)
    if !login.user.isEmpty { body.text(login.user) }
    if !login.password.isEmpty { body.text(login.password) }
    return body.packet(0x10)
  }

  /// Settings have 64 kB at most, with as many commands beside them.
  public static let mostArriving_bytes = 128 * 1024

  /// A broker that holds thousands of documents hands over a few with each request: Receive Maximum and Maximum Packet
  /// Size (3.1.2.11.3, 3.1.2.11.4).
  private static func keptSession(_ login: MQTTLogin) -> [UInt8] {
    let most = max(1, min(login.mostArriving_bytes, mostArriving_bytes))
    // Half as many: after a reconnection mosquitto 2.0.11 counts none of those that it has sent by then.
    let packets = UInt8(clamping: max(1, login.mostUnconfirmed_bytes / most / 2))
    return [0x11] + bytes(sessionExpiry_s) + [0x21, 0, packets, 0x27] + bytes(UInt32(clamping: most))
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// 3.3, with QoS 1, not retained.
  public static func publish(_ message: MQTTMessage, id: UInt16, _ version: Version) -> [UInt8] {
    var body = MQTTWriter()
    body.text(message.topic)
    body.number(id)
    if version == .v5 { body.properties(properties(of: message)) }
    body.data(message.payload)
    return body.packet(0x32)
  }

  /// 3.8: one topic with QoS 1. In MQTT 5 without what was retained there, which is no answer to anything.
  static func subscribe(_ topic: String, id: UInt16, _ version: Version) -> [UInt8] {
    var body = MQTTWriter()
    body.number(id)
    if version == .v5 { body.properties([]) }
    body.text(topic)
    body.byte(version == .v5 ? 0x21 : 0x01)
    return body.packet(0x82)
  }

  /// 3.4: of a message that came with QoS 1.
  static func puback(id: UInt16) -> [UInt8] {
    var body = MQTTWriter()
    body.number(id)
    return body.packet(0x40)
  }

  /// 3.14: normal disconnection.
  public static let disconnect: [UInt8] = [0xE0, 0]

  private static func properties(of message: MQTTMessage) -> [UInt8] {
    var writer = MQTTWriter()
    if !message.contentType.isEmpty {
      writer.byte(0x03)
      writer.text(message.contentType)
    }
    if !message.responseTopic.isEmpty {
      writer.byte(0x08)
      writer.text(message.responseTopic)
    }
    for property in message.properties {
      writer.byte(0x26)
      writer.text(property.name)
      writer.text(property.value)
    }
    return writer.bytes
  }
}

/// The data representation of MQTT (1.5).
struct MQTTWriter {
  private(set) var bytes: [UInt8] = []

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func number(_ value: UInt16) { bytes += [UInt8(value >> 8), UInt8(value & 0xFF)] }

  /// Settings, token files and formats have none that is longer; a cut one keeps the packet whole.
  mutating func text(_ text: String) {
    let short = text.utf8.prefix(65_535)
    number(UInt16(short.count))
    bytes += short
  }

  mutating func data(_ data: [UInt8]) { bytes += data }

  mutating func properties(_ properties: [UInt8]) {
    length(properties.count)
    bytes += properties
  }

  func packet(_ firstByte: UInt8) -> [UInt8] {
    var packet = MQTTWriter(bytes: [firstByte])
    packet.length(bytes.count)
    return packet.bytes + bytes
  }

  private mutating func length(_ value: Int) { bytes.appendVarint(UInt64(value)) }
}
