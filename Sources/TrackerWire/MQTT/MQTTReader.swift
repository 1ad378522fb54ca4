/// What a broker says to a publisher.
enum MQTTReply: Equatable, Sendable {
  /// - Parameter terms: nil where a broker answers in the form of 3.1.1.
  case connected(code: UInt8, terms: MQTTTerms?)
  case acknowledged(id: UInt16, code: UInt8)
  case disconnected(code: UInt8)
  case subscribed(id: UInt16, code: UInt8)
  case message(MQTTArrival)
}

/// What a topic that we subscribe to has brought.
struct MQTTArrival: Equatable, Sendable {
  var topic: String
  var payload: [UInt8]
  var isRetained: Bool
  /// To be acknowledged with it; nil with QoS 0.
  var id: UInt16?
}

/// What CONNACK allows (MQTT 5, 3.2.2.3), as far as a publisher must know it.
struct MQTTTerms: Equatable, Sendable {
  /// The largest packet that MQTT has: a first byte, four bytes of length, and what they can count.
  var mostBytes = 268_435_460
  var takesQoS1 = true
  /// nil: as the client wishes.
  var keepAlive_s: Int?
}

/// Why what came is no reply that a broker may give.
public enum MQTTError: Error, Equatable, Sendable {
  case malformed
  case unexpected
  /// PUBACK for a message that has not been sent.
  case unasked
  case tooLong
  /// More on topics than may come with a message of ours.
  case tooMuch
}

/// Takes the broker's bytes in pieces of any size, and gives whole packets. The bytes may come from anyone: nothing
/// in them traps.
struct MQTTReader: Equatable, Sendable {
  private var bytes: [UInt8] = []
  /// A longer packet is refused as soon as its length is known.
  let most_bytes: Int
  /// What may still come on topics; the head of a packet that exceeds it is all that is read of it.
  private(set) var left_bytes: Int

  init(most_bytes: Int) { (self.most_bytes, left_bytes) = (most_bytes, most_bytes) }

  var isEmpty: Bool { bytes.isEmpty }

  /// For another connection.
  var emptied: MQTTReader {
    var reader = MQTTReader(most_bytes: most_bytes)
    // What has come of a packet that is not whole has come all the same.
    let isOnTopic = (bytes.first ?? 0) & 0xF0 == 0x30
    reader.left_bytes = isOnTopic ? max(0, left_bytes - bytes.count) : left_bytes
    return reader
  }

  /// With the next message. What is left of the last one lapses.
  mutating func allow(_ bytes: Int) { left_bytes = bytes }

  mutating func append(_ more: [UInt8]) { bytes += more }

  /// - Parameter subscribes: SUBACK and messages may come.
  /// - Returns: the next packet; nil while it is not whole.
  mutating func next(_ version: MQTTPacket.Version, subscribes: Bool = false) throws(MQTTError) -> MQTTReply?
  {
    guard let first = bytes.first else { return nil }
    let mayCome = [0x20, 0x40].contains(first) || first == 0xE0 && version == .v5
    guard mayCome || subscribes && (first == 0x90 || 0x30...0x3B ~= first) else { throw .unexpected }
    var rest = MQTTField(bytes.dropFirst())
    guard let length = try rest.variableLength() else { return nil }
    let isOnTopic = first & 0xF0 == 0x30
    if isOnTopic, length > left_bytes { throw .tooMuch }
    guard length <= most_bytes else { throw .tooLong }
    guard rest.bytes.count >= length else { return nil }
    var body = MQTTField(rest.bytes.prefix(length))
    let size = bytes.count - rest.bytes.count + length
    bytes = Array(rest.bytes.dropFirst(length))
    if isOnTopic { left_bytes = max(0, left_bytes - size) }
    switch first {
    case 0x20: return try body.connack(version)
    case 0x40: return try body.puback(version)
    case 0x90: return try body.suback(version)
    case 0x30...0x3B: return try body.publish(flags: first & 0x0F, version)
    default: return try body.disconnect()
    }
  }
}

/// A part of a packet that is read from its beginning.
private struct MQTTField {
  var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// nil while its last byte is missing.
  mutating func variableLength() throws(MQTTError) -> Int? {
    var value = 0
    for shift in [0, 7, 14, 21] {
      guard let byte = bytes.popFirst() else { return nil }
      value |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw .malformed
  }

  /// Big-endian.
  mutating func number(_ count: Int) throws(MQTTError) -> Int {
    guard bytes.count >= count else { throw .malformed }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
  }

  mutating func skip(_ count: Int) throws(MQTTError) {
    guard bytes.count >= count else { throw .malformed }
    bytes = bytes.dropFirst(count)
  }

  func expectEnd() throws(MQTTError) {
    if !bytes.isEmpty { throw .malformed }
  }

  mutating func connack(_ version: MQTTPacket.Version) throws(MQTTError) -> MQTTReply {
    guard try number(1) < 2 else { throw .malformed }
    let code = UInt8(try number(1))
    let terms = version == .v5 && !bytes.isEmpty ? try properties() : nil
    try expectEnd()
    return .connected(code: code, terms: terms)
  }

  /// 3.4.2: a reason of 0 may be left out, and so may empty properties.
  mutating func puback(_ version: MQTTPacket.Version) throws(MQTTError) -> MQTTReply {
    let id = UInt16(try number(2))
    let code = version == .v5 && !bytes.isEmpty ? UInt8(try number(1)) : 0
    if version == .v5, !bytes.isEmpty { _ = try properties() }
    try expectEnd()
    return .acknowledged(id: id, code: code)
  }

  /// 3.9: one topic was asked for.
  mutating func suback(_ version: MQTTPacket.Version) throws(MQTTError) -> MQTTReply {
    let id = UInt16(try number(2))
    if version == .v5 { _ = try properties() }
    let code = UInt8(try number(1))
    try expectEnd()
    return .subscribed(id: id, code: code)
  }

  /// 3.3. QoS 2 was not asked for.
  mutating func publish(flags: UInt8, _ version: MQTTPacket.Version) throws(MQTTError) -> MQTTReply {
    let length = try number(2)
    guard bytes.count >= length, flags & 0x04 == 0 else { throw .malformed }
    let topic = String(decoding: bytes.prefix(length), as: UTF8.self)
    try skip(length)
    let id = flags & 0x02 == 0 ? nil : UInt16(try number(2))
    if version == .v5 {
      guard let length = try variableLength() else { throw .malformed }
      try skip(length)
    }
    return .message(
      MQTTArrival(topic: topic, payload: Array(bytes), isRetained: flags & 0x01 != 0, id: id))
  }

  mutating func disconnect() throws(MQTTError) -> MQTTReply {
    let code = bytes.isEmpty ? 0 : UInt8(try number(1))
    if !bytes.isEmpty { _ = try properties() }
    try expectEnd()
    return .disconnected(code: code)
  }

  /// 2.2.2.
  private mutating func properties() throws(MQTTError) -> MQTTTerms {
    guard let length = try variableLength(), bytes.count >= length else { throw .malformed }
    var list = MQTTField(bytes.prefix(length))
    bytes = bytes.dropFirst(length)
    var terms = MQTTTerms()
    while !list.bytes.isEmpty { try list.property(into: &terms) }
    return terms
  }

  private mutating func property(into terms: inout MQTTTerms) throws(MQTTError) {
    switch try number(1) {
    // Maximum Packet Size, Maximum QoS, Server Keep Alive.
    case 0x27:
      terms.mostBytes = min(terms.mostBytes, try number(4))
      if terms.mostBytes == 0 { throw .malformed }
    case 0x24: terms.takesQoS1 = try number(1) > 0
    case 0x13:
      let wanted_s = try number(2)
      terms.keepAlive_s = wanted_s == 0 ? nil : wanted_s
    // The others by their types: a byte, two, four, a text or data, a pair of texts.
    case 0x25, 0x28, 0x29, 0x2A: try skip(1)
    case 0x21, 0x22: try skip(2)
    case 0x11: try skip(4)
    case 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F: try skip(try number(2))
    case 0x26:
      try skip(try number(2))
      try skip(try number(2))
    default: throw .malformed
    }
  }
}
