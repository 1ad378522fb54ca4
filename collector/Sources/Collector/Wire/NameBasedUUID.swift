/// An id made of a text: the same text always has the same one.
enum NameBasedUUID {
  /// The namespace for what comes without an id of its own, made once at random.
  static let namespace: [UInt8] = [
    0x5b, 0x1d, 0x0c, 0x57, 0x9e, 0x24, 0x4a, 0x0b, 0xa6, 0x8f, 0x2f, 0x43, 0x71, 0x7c, 0xd9, 0x10,
  ]

  /// RFC 9562, section 5.5: version 5.
  static func text(_ name: some Sequence<UInt8>, in namespace: [UInt8] = namespace) -> String {
    var bytes = Array(SHA1.digest(namespace + name).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x50
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array("0123456789abcdef")
    return bytes.enumerated().map { index, byte in
      ([4, 6, 8, 10].contains(index) ? "-" : "") + String([digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    }.joined()
  }
}

/// RFC 3174. For names, not for secrets.
private enum SHA1 {
  static func digest(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
    padded += bytes(UInt64(message.count) * 8)
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: padded.count, by: 64) { add(padded[start..<start + 64], to: &state) }
    return state.flatMap(bytes)
  }

  private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { place in
      block[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for t in 16..<80 { words.append(turned(words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16], 1)) }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for (t, word) in words.enumerated() {
      let (mix, constant): (UInt32, UInt32) =
        switch t / 20 {
        case 0: (b & c | ~b & d, 0x5A82_7999)
        case 1: (b ^ c ^ d, 0x6ED9_EBA1)
        case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let sum = turned(a, 5) &+ mix &+ e &+ word &+ constant
      (a, b, c, d, e) = (sum, a, turned(b, 30), c, d)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
  }

  private static func turned(_ word: UInt32, _ places: UInt32) -> UInt32 {
    word << places | word >> (32 - places)
  }

  private static func bytes<Word: FixedWidthInteger>(_ word: Word) -> [UInt8] {
    withUnsafeBytes(of: word.bigEndian) { Array($0) }
  }
}
