/// One flipped bit of a slot can be set right: the checksum shows which one it was. (Two of 65,536 bits that together
/// look like one other are as good as impossible with 64 bits of checksum, and so is a torn slot that does.)
extension FrontSlot {
  /// - Returns: the slot with the bit set right; nil when it was not one bit.
  static func mended(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= headerBytes else { return nil }
    // Without these two it is not known over what the checksum is.
    for index in Array(0..<8) + Array(32..<40) {
      for bit in 0..<8 {
        let candidate = flipped(bytes, index, bit)
        if isWhole(candidate) { return candidate }
      }
    }
    guard let end = end(bytes) else { return nil }
    let difference = checksum(bytes, end) ^ word(bytes, 5)
    if difference.nonzeroBitCount == 1 {
      let bit = difference.trailingZeroBitCount
      return flipped(bytes, 40 + bit / 8, bit % 8)
    }
    // What a bit does to the checksum, from the last byte to the first.
    var traces = (0..<8).map { CRC64.trace(ofByte: 1 << UInt8($0)) }
    for index in (Array(0..<40) + Array(headerBytes..<end)).reversed() {
      if let bit = traces.firstIndex(of: difference) { return flipped(bytes, index, bit) }
      for bit in 0..<8 { traces[bit] = CRC64.traceAfterByte(traces[bit]) }
    }
    return nil
  }

  static func isWhole(_ bytes: [UInt8]) -> Bool {
    end(bytes).map { checksum(bytes, $0) == word(bytes, 5) } ?? false
  }

  private static func flipped(_ bytes: [UInt8], _ index: Int, _ bit: Int) -> [UInt8] {
    var bytes = bytes
    bytes[index] ^= 1 << UInt8(bit)
    return bytes
  }
}
