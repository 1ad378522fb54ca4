import TrackerBase

/// A message of u-blox' binary protocol (u-blox M10 interface description, UBX-21035062, chapter "UBX protocol"): B5 62,
/// class, id, length (little endian), payload, checksum (RFC 1145).
struct UBXFrame: Equatable, Sendable {
  var messageClass: UInt8
  var id: UInt8
  var payload: [UInt8]

  init(_ messageClass: UInt8, _ id: UInt8, _ payload: [UInt8] = []) {
    (self.messageClass, self.id, self.payload) = (messageClass, id, payload)
  }

  /// The one that `bytes` are; nil if they are none, or not whole.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 8 else { return nil }
    self.init(bytes[2], bytes[3], Array(bytes[6..<(bytes.count - 2)]))
    guard bytes == self.bytes else { return nil }
  }

  var bytes: [UInt8] {
    let body = [messageClass, id, UInt8(payload.count & 0xFF), UInt8(payload.count >> 8 & 0xFF)] + payload
    var (a, b): (UInt8, UInt8) = (0, 0)
    for byte in body {
      a &+= byte
      b &+= a
    }
    return [0xB5, 0x62] + body + [a, b]
  }
}

/// The dynamic model, as both generations of receivers have it.
extension UBXFrame {
  private static let configuration: UInt8 = 0x06
  /// CFG-NAVSPG-DYNMODEL, 0x20110021, little endian.
  private static let key: [UInt8] = [0x21, 0x00, 0x11, 0x20]

  /// UBX-CFG-VALSET into RAM alone (version 0, layer 1), then UBX-CFG-VALGET: generation 9 and later.
  static func setByKey(_ code: UInt8) -> [UBXFrame] {
    [
      UBXFrame(configuration, 0x8A, [0, 1, 0, 0] + key + [code]),
      UBXFrame(configuration, 0x8B, [0, 0, 0, 0] + key),
    ]
  }

  /// UBX-CFG-NAV5 with dynModel alone (mask 1), then its poll: generations up to 8.
  static func setInNAV5(_ code: UInt8) -> [UBXFrame] {
    var payload = [UInt8](repeating: 0, count: 36)
    (payload[0], payload[2]) = (1, code)
    return [UBXFrame(configuration, 0x24, payload), UBXFrame(configuration, 0x24)]
  }

  /// What the receiver says that it has; nil for another message.
  var dynamicModel: UInt8? {
    switch (messageClass, id, payload.count) {
    case (Self.configuration, 0x8B, 9) where payload[0] == 1 && Array(payload[4..<8]) == Self.key: payload[8]
    case (Self.configuration, 0x24, 36): payload[2]
    default: nil
    }
  }
}
