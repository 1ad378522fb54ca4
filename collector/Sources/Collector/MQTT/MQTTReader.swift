import NIOCore

/// Takes a broker's bytes in pieces of any size, and gives whole packets. The bytes may come from anyone: nothing in them
/// traps, and none makes it hold more than a message that is taken.
struct MQTTReader: Equatable, Sendable {
  /// Of a payload.
  let most_bytes: Int
  private var buffer = ByteBuffer()
  /// A message whose payload is thrown away as it comes.
  private var skipped: (arrival: MQTTArrival, left_bytes: Int)?

  init(most_bytes: Int) { self.most_bytes = most_bytes }

  static func == (one: MQTTReader, other: MQTTReader) -> Bool {
    one.most_bytes == other.most_bytes && one.buffer == other.buffer
      && one.skipped?.arrival == other.skipped?.arrival
      && one.skipped?.left_bytes == other.skipped?.left_bytes
  }

  mutating func append(_ bytes: ByteBuffer) {
    buffer.discardReadBytes()
    buffer.writeImmutableBuffer(bytes)
  }

  /// - Returns: the next packet; nil while it is not whole.
  mutating func next() throws(MQTTError) -> MQTTReply? {
    if skipped != nil { return skip() }
    guard let head = try head() else { return nil }
    // A topic and an id come on top of a payload.
    if head.first & 0xF0 == 0x30, head.length > most_bytes { return try beginSkipping(head) }
    if head.first & 0xF0 != 0x30, head.length > 4 {
      throw .tooLong(Self.kind(head.first), bytes: head.length)
    }
    guard buffer.readableBytes >= head.size + head.length else { return nil }
    buffer.moveReaderIndex(forwardBy: head.size)
    guard let body = buffer.readSlice(length: head.length) else { return nil }
    return try Self.reply(head.first, body)
  }

  // MARK: The head

  private struct Head {
    var first: UInt8
    /// Of the head itself, and of what follows.
    var (size, length): (Int, Int)
  }

  private func head() throws(MQTTError) -> Head? {
    let bytes = buffer.readableBytesView
    guard let first = bytes.first else { return nil }
    // CONNACK, PUBLISH, SUBACK, PINGRESP: no other is an answer to what a subscriber says.
    guard [0x20, 0x90, 0xD0].contains(first) || first & 0xF0 == 0x30 else { throw .unexpected(first: first) }
    var length = 0
    for (place, byte) in bytes.dropFirst().prefix(4).enumerated() {
      length |= Int(byte & 0x7F) << (7 * place)
      if byte < 0x80 { return Head(first: first, size: 2 + place, length: length) }
    }
    if bytes.count >= 5 { throw .badLength }
    return nil
  }

  private static func kind(_ first: UInt8) -> String {
    switch first & 0xF0 {
    case 0x20: "CONNACK"
    case 0x30: "PUBLISH"
    case 0x90: "SUBACK"
    default: "PINGRESP"
    }
  }

  // MARK: Payloads that are too large

  private mutating func beginSkipping(_ head: Head) throws(MQTTError) -> MQTTReply? {
    var rest = buffer
    rest.moveReaderIndex(forwardBy: head.size)
    guard let topicLength = rest.getInteger(at: rest.readerIndex, as: UInt16.self) else { return nil }
    let before = 2 + Int(topicLength) + (head.first & 0x06 == 0 ? 0 : 2)
    guard before <= head.length else { throw .malformed("PUBLISH") }
    guard let body = rest.readSlice(length: before) else { return nil }
    var arrival = try Self.arrival(head.first, body)
    let payload_bytes = head.length - before
    if payload_bytes <= most_bytes {
      // Large only with its topic: as any other, once it is whole.
      guard buffer.readableBytes >= head.size + head.length else { return nil }
      buffer.moveReaderIndex(forwardBy: head.size)
      guard let body = buffer.readSlice(length: head.length) else { return nil }
      return try Self.reply(head.first, body)
    }
    buffer = rest
    arrival.tooLarge_bytes = payload_bytes
    skipped = (arrival, payload_bytes)
    return skip()
  }

  private mutating func skip() -> MQTTReply? {
    guard let (arrival, left_bytes) = skipped else { return nil }
    let taken = min(left_bytes, buffer.readableBytes)
    buffer.moveReaderIndex(forwardBy: taken)
    guard taken == left_bytes else {
      skipped = (arrival, left_bytes - taken)
      return nil
    }
    skipped = nil
    return .publish(arrival)
  }

  // MARK: Bodies

  private static func reply(_ first: UInt8, _ body: ByteBuffer) throws(MQTTError) -> MQTTReply {
    var body = body
    switch first & 0xF0 {
    case 0x20:
      guard let flags = body.readInteger(as: UInt8.self), let code = body.readInteger(as: UInt8.self),
        flags < 2, body.readableBytes == 0
      else { throw .malformed("CONNACK") }
      return .connack(isKept: flags == 1, code: code)
    case 0x90:
      guard let id = body.readInteger(as: UInt16.self), let code = body.readInteger(as: UInt8.self),
        code < 3 || code == 0x80, body.readableBytes == 0
      else { throw .malformed("SUBACK") }
      return .suback(id: id, code: code)
    case 0x30: return .publish(try arrival(first, body))
    default:
      guard body.readableBytes == 0 else { throw .malformed("PINGRESP") }
      return .pingresp
    }
  }

  /// 3.3. The topic has a character at least and no wildcard, and an id is not 0 (2.3.1).
  private static func arrival(_ first: UInt8, _ body: ByteBuffer) throws(MQTTError) -> MQTTArrival {
    var body = body
    if first & 0x06 == 0x04 { throw .qos2 }
    guard first & 0x06 != 0x06, let length = body.readInteger(as: UInt16.self), length > 0,
      let bytes = body.readBytes(length: Int(length)), let topic = String(validating: bytes, as: UTF8.self),
      !bytes.contains(where: { [0, UInt8(ascii: "+"), UInt8(ascii: "#")].contains($0) })
    else { throw .malformed("PUBLISH") }
    var id: UInt16?
    if first & 0x06 != 0 {
      guard let number = body.readInteger(as: UInt16.self), number != 0 else { throw .malformed("PUBLISH") }
      id = number
    }
    return MQTTArrival(topic: topic, payload: Array(body.readableBytesView), id: id)
  }
}
