/// Writes one JSON object, member by member. An encoder would do, at ten times the work: a record is written so for each
/// of a compact body.
struct JSONText {
  private var bytes: [UInt8]

  /// - Parameter capacity: about so many bytes it will have.
  init(capacity: Int) {
    bytes = []
    bytes.reserveCapacity(capacity)
    bytes.append(UInt8(ascii: "{"))
  }

  /// The whole; nothing is added any more.
  var object: String { String(decoding: bytes + [UInt8(ascii: "}")], as: UTF8.self) }

  /// What follows is within another object, until ``close()``.
  mutating func open(_ key: StaticString) {
    add(key)
    bytes.append(UInt8(ascii: "{"))
  }

  mutating func close() { bytes.append(UInt8(ascii: "}")) }

  mutating func add(_ key: StaticString, _ value: Bool) {
    add(key)
    bytes += (value ? "true" : "false").utf8
  }

  mutating func add(_ key: StaticString, _ value: Int64) {
    add(key)
    append(value.magnitude, isNegative: value < 0, decimals: 0)
  }

  /// - Parameters:
  ///   - value: nil is -1, "not measured".
  ///   - decimals: how many of its digits stand behind the point; zeros at the end are left out.
  mutating func add(_ key: StaticString, _ value: Int64?, decimals: Int) {
    add(key)
    guard let value else { return bytes += "-1".utf8 }
    append(value.magnitude, isNegative: value < 0, decimals: decimals)
  }

  mutating func add(_ key: StaticString, _ text: String) {
    add(key)
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x20...: bytes.append(byte)
      default: bytes += "\\u00".utf8 + [Self.digit(byte >> 4), Self.digit(byte & 15)]
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func add(_ key: StaticString) {
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    key.withUTF8Buffer { bytes += $0 }
    bytes += "\":".utf8
  }

  private mutating func append(_ number: UInt64, isNegative: Bool, decimals: Int) {
    if isNegative { bytes.append(UInt8(ascii: "-")) }
    var (rest, left) = (number, decimals)
    while left > 0, rest % 10 == 0 { (rest, left) = (rest / 10, left - 1) }
    // Backwards, the last digit first.
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
      left -= 1
      if left == 0 { bytes.append(UInt8(ascii: ".")) }
    } while rest > 0 || left >= 0
    bytes[start...].reverse()
  }

  private static func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? 0x30 : 0x57) }
}
