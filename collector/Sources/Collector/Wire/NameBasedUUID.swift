import Foundation

/// An id made of a text: the same text always has the same one.
enum NameBasedUUID {
  /// The namespace for what comes without an id of its own, made once at random.
  static let namespace: [UInt8] = [
    0x5b, 0x1d, 0x0c, 0x57, 0x9e, 0x24, 0x4a, 0x0b, 0xa6, 0x8f, 0x2f, 0x43, 0x71, 0x7c, 0xd9, 0x10,
  ]

  /// RFC 9562, section 5.5: version 5.
  static func text(_ name: some Sequence<UInt8>, in namespace: [UInt8] = namespace) -> String {
    var bytes = Array(Digest.sha1(Data(namespace + name)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x50
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array("0123456789abcdef")
    return bytes.enumerated().map { index, byte in
      ([4, 6, 8, 10].contains(index) ? "-" : "") + String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }.joined()
  }
}
