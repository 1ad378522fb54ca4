/// The protobuf wire format (protobuf.dev/programming-guides/encoding), as far as a batch needs it. Fields with
/// the value that proto3 takes for absent are left out.
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  mutating func unsigned(_ field: Int, _ value: UInt64) {
    guard value != 0 else { return }
    varint(UInt64(field << 3))
    varint(value)
  }

  /// `sint64`.
  mutating func signed(_ field: Int, _ value: Int64) { unsigned(field, BitColumn.zigzag(value)) }

  mutating func fixed64(_ field: Int, _ value: UInt64) {
    guard value != 0 else { return }
    varint(UInt64(field << 3 | 1))
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func bytes(_ field: Int, _ value: [UInt8]) {
    if !value.isEmpty { element(field, value) }
  }

  /// Of a repeated field, where an empty element counts.
  mutating func element(_ field: Int, _ value: [UInt8]) {
    varint(UInt64(field << 3 | 2))
    varint(UInt64(value.count))
    bytes += value
  }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
