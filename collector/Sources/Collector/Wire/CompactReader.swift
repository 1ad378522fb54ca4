/// Why a compact body cannot be read. Holds no value of a record.
struct CompactError: Error, Equatable, CustomStringConvertible {
  var description: String

  static let cut = CompactError(description: "the body ends in the middle of a field")
}

/// The fields of a protobuf message (protobuf.dev/programming-guides/encoding), one after the other.
struct ProtobufReader {
  enum Value {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private var rest: ArraySlice<UInt8>

  init(_ message: [UInt8]) { rest = message[...] }

  /// Nil at the end.
  mutating func next() throws(CompactError) -> (field: UInt64, value: Value)? {
    if rest.isEmpty { return nil }
    let tag = try varint()
    switch tag & 7 {
    case 0: return (tag >> 3, .number(try varint()))
    case 1: return (tag >> 3, .number(little(try take(8))))
    case 2:
      let count = try varint()
      guard count <= UInt64(rest.count) else { throw .cut }
      return (tag >> 3, .bytes(try take(Int(count))))
    case 5: return (tag >> 3, .number(little(try take(4))))
    default: throw CompactError(description: "the body is not a protobuf message")
    }
  }

  private mutating func varint() throws(CompactError) -> UInt64 {
    var value: UInt64 = 0
    for place in 0..<10 {
      guard let byte = rest.popFirst() else { throw .cut }
      value |= UInt64(byte & 0x7F) << UInt64(7 * place)
      if byte < 0x80 { return value }
    }
    throw CompactError(description: "the body is not a protobuf message")
  }

  private mutating func take(_ count: Int) throws(CompactError) -> ArraySlice<UInt8> {
    guard rest.count >= count else { throw .cut }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  private func little(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// The columns of a batch; godwit.proto, "Columns".
struct CompactColumnReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func column(count: Int) throws(CompactError) -> [Int64] {
    var values = [Int64](repeating: 0, count: count)
    guard try bit() == 1 else { return values }
    let runKey = Int(try bits(4)) - 1
    let key = Int(try bits(4))
    var index = 0
    while index < count {
      if runKey >= 0 {
        let run = try number(key: runKey)
        guard run <= UInt64(count - index) else {
          throw CompactError(description: "a column is longer than the batch")
        }
        index += Int(run)
        if index == count { break }
      }
      let number = try number(key: key)
      values[index] = Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
      index += 1
    }
    return values
  }

  private mutating func number(key: Int) throws(CompactError) -> UInt64 {
    var width = 0
    while try bit() == 1 { width += 1 }
    guard width + key <= 64 else { throw CompactError(description: "a number has more than 64 bits") }
    let high = width == 0 ? 0 : 1 << UInt64(width - 1) | (try bits(width - 1))
    return high << UInt64(key) | (try bits(key))
  }

  private mutating func bits(_ count: Int) throws(CompactError) -> UInt64 {
    var value: UInt64 = 0
    for _ in 0..<count { value = value << 1 | (try bit()) }
    return value
  }

  private mutating func bit() throws(CompactError) -> UInt64 {
    guard position < 8 * bytes.count else { throw CompactError(description: "the columns end too early") }
    defer { position += 1 }
    return UInt64(bytes[position / 8] >> UInt8(7 - position % 8)) & 1
  }
}

/// Extras as they were before they were shortened; godwit.proto, "Extras".
enum CompactExtrasReader {
  private static let phrases: [UInt8: String] = [
    0x01: "{\"trip\":", 0x02: ",\"start_ms\":", 0x03: ",\"end_ms\":", 0x04: ",\"duration_s\":",
    0x05: ",\"idle_s\":", 0x06: ",\"distance_m\":", 0x07: ",\"top_speed_mps\":", 0x08: ",\"end_cause\":\"",
    0x0B: "\"}", 0x0C: ",\"left_after_ms\":", 0x0E: "{\"cause\":\"", 0x0F: "{\"action\":\"",
    0x10: "\",\"geofence\":\"", 0x11: "fixes", 0x12: "parked", 0x13: "ignition", 0x14: "ENTER", 0x15: "EXIT",
    0x16: "DWELL", 0x17: "\",\"extras\":", 0x18: "stayed", 0x19: "\",\"limit_mps\":", 0x1A: "\",\"top_mps\":",
    0x1B: "found_parked",
  ]

  static func text(_ short: ArraySlice<UInt8>, time_ms: Int64) throws(CompactError) -> String {
    if short.first == 0x1F { return String(decoding: short.dropFirst(), as: UTF8.self) }
    var rest = unpaired(short)[...]
    var text = ""
    while let byte = rest.popFirst() {
      if byte == 0x1E {
        let digits = rest.prefix { $0 == 0x2D || (0x30...0x39).contains($0) }
        guard let distance_ms = Int64(String(decoding: digits, as: UTF8.self)) else { throw unknown }
        rest = rest.dropFirst(digits.count)
        text += String(time_ms &- distance_ms)
      } else if byte >= 0x20 {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        guard let phrase = phrases[byte] else { throw unknown }
        text += phrase
      }
    }
    return text
  }

  private static let unknown = CompactError(description: "the extras have a code that is not in compact/1")

  private static func unpaired(_ short: ArraySlice<UInt8>) -> [UInt8] {
    short.flatMap { byte -> [UInt8] in
      byte < 0x80 ? [byte] : [0x30 + (byte - 0x80) / 10, 0x30 + (byte - 0x80) % 10]
    }
  }
}
