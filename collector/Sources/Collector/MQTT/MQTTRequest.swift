/// What goes to a broker (MQTT 3.1.1, the sections in brackets). Nothing here knows a socket.
enum MQTTRequest: Equatable, Sendable {
  case connect(MQTTLogin)
  /// With QoS 1: a broker lowers messages of QoS 2 to that, so that PUBACK is all that is ever answered (3.8.4).
  case subscribe(id: UInt16, filter: String)
  case puback(id: UInt16)
  /// With QoS 0, not retained.
  case publish(topic: String, payload: [UInt8])
  case pingreq
  case disconnect

  var bytes: [UInt8] {
    switch self {
    case .connect(let login): Self.packet(0x10, login.body)
    case .subscribe(let id, let filter): Self.packet(0x82, Self.number(id) + Self.text(filter) + [1])
    case .puback(let id): Self.packet(0x40, Self.number(id))
    case .publish(let topic, let payload): Self.packet(0x30, Self.text(topic) + payload)
    case .pingreq: [0xC0, 0]
    case .disconnect: [0xE0, 0]
    }
  }

  private static func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] {
    [first] + length(body.count) + body
  }

  /// 2.2.3: seven bits a byte, the lowest first.
  static func length(_ count: Int) -> [UInt8] {
    var (rest, bytes) = (count, [UInt8]())
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }

  fileprivate static func number(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

  /// 1.5.3. Whoever makes them keeps to 65,535 bytes.
  fileprivate static func text(_ text: String) -> [UInt8] { binary(Array(text.utf8)) }

  fileprivate static func binary(_ bytes: [UInt8]) -> [UInt8] {
    number(UInt16(clamping: bytes.count)) + bytes.prefix(Int(UInt16.max))
  }
}

/// Who connects, with a session that the broker keeps: what comes while the collector is away waits there (3.1.2.4).
struct MQTTLogin: Equatable, Sendable {
  var clientID: String
  var user: String?
  /// Never without a user, which 3.1.1 forbids (3.1.2.9).
  var password: [UInt8]?
  var keepAlive_s: UInt16

  /// 3.1.2 and 3.1.3; level 4 is 3.1.1, and clean session is 0.
  fileprivate var body: [UInt8] {
    let flags: UInt8 = user == nil ? 0 : password == nil ? 0x80 : 0xC0
    var body = MQTTRequest.text("MQTT") + [4, flags] + MQTTRequest.number(keepAlive_s)
    body += MQTTRequest.text(clientID)
    if let user {
      body += MQTTRequest.text(user)
      if let password { body += MQTTRequest.binary(password) }
    }
    return body
  }
}
