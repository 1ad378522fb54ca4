extension [UInt8] {
  /// Seven bits a byte, the lowest ones first, with the top bit set where more follow: the varint of protobuf
  /// (protobuf.dev/programming-guides/encoding) and MQTT's variable byte integer (1.5.5).
  package mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest > 0x7F {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}

extension Int64 {
  /// 0, -1, 1, -2 … as 0, 1, 2, 3 …: protobuf's signed varints.
  package var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }
}
