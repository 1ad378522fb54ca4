/// The protobuf wire format (protobuf.dev/programming-guides/encoding), as far as docs/godwit.proto needs it. What has
/// the value that proto3 takes for absent is left out.
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  mutating func unsigned(_ field: Int, _ value: UInt64) {
    if value != 0 { present(field, value) }
  }

  /// `sint64`.
  mutating func signed(_ field: Int, _ value: Int64) { unsigned(field, value.zigzag) }

  /// `optional sint64`: 0 is a value too.
  mutating func optional(_ field: Int, _ value: Int64?) {
    if let value { present(field, value.zigzag) }
  }

  mutating func bool(_ field: Int, _ value: Bool) { unsigned(field, value ? 1 : 0) }

  mutating func fixed64(_ field: Int, _ value: UInt64) {
    guard value != 0 else { return }
    bytes.appendVarint(UInt64(field << 3 | 1))
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func string(_ field: Int, _ text: String) {
    if !text.isEmpty { element(field, Array(text.utf8)) }
  }

  /// Packed; left out where all are 0.
  mutating func column(_ field: Int, _ values: [UInt64]) {
    guard values.contains(where: { $0 != 0 }) else { return }
    var packed = ProtobufWriter()
    for value in values { packed.bytes.appendVarint(value) }
    element(field, packed.bytes)
  }

  /// `sint64`, packed.
  mutating func column(_ field: Int, _ values: [Int64]) { column(field, values.map(\.zigzag)) }

  mutating func message(_ field: Int, _ fill: (inout ProtobufWriter) -> Void) {
    var message = ProtobufWriter()
    fill(&message)
    element(field, message.bytes)
  }

  private mutating func present(_ field: Int, _ value: UInt64) {
    bytes.appendVarint(UInt64(field << 3))
    bytes.appendVarint(value)
  }

  private mutating func element(_ field: Int, _ value: [UInt8]) {
    bytes.appendVarint(UInt64(field << 3 | 2))
    bytes.appendVarint(UInt64(value.count))
    bytes += value
  }
}
