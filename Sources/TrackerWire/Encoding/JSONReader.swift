import TrackerBase

/// Reads JSON exactly as RFC 8259 has it; what is not JSON, or nests deeper than `maxDepth`, is refused as a whole. The
/// text may come from anyone: nothing in it traps.
public struct JSONReader {
  public static let maxDepth = 32

  private let bytes: [UInt8]
  private var index = 0

  /// The one value that `bytes` holds, or nil.
  public static func parse(_ bytes: [UInt8]) -> JSONValue? {
    var reader = JSONReader(bytes: bytes)
    guard let value = reader.value(depth: 0) else { return nil }
    reader.skipSpace()
    return reader.index == bytes.count ? value : nil
  }

  /// Where the elements of an array stand that is a member of the object which `bytes` holds.
  public struct Elements: Equatable, Sendable {
    /// What is between the brackets.
    public var inside: Range<Int>
    public var each: [Range<Int>]
  }

  /// Those of the first member `key`; nil where there is no such array.
  public static func elements(of key: String, in bytes: [UInt8]) -> Elements? {
    var reader = JSONReader(bytes: bytes)
    return reader.skip("{") && reader.find(key) ? reader.elements() : nil
  }

  /// Of a text that may break off: the first member `key` of the object that it begins with; nil unless it is whole.
  public static func value(of key: String, beginning bytes: [UInt8]) -> JSONValue? {
    var reader = JSONReader(bytes: bytes)
    guard reader.skip("{"), reader.find(key), let value = reader.value(depth: 1) else { return nil }
    reader.skipSpace()
    // A number may go on behind the end.
    return reader.index < bytes.count ? value : nil
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// To the value of that member.
  private mutating func find(_ wanted: String) -> Bool {
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\""), let key = string(), skip(":") else { return false }
      if key == wanted { return true }
      guard value(depth: 1) != nil else { return false }
    } while skip(",")
    return false
  }

  private mutating func elements() -> Elements? {
    guard skip("[") else { return nil }
    let start = index
    var each: [Range<Int>] = []
    if skip("]") { return Elements(inside: start..<(index - 1), each: []) }
    repeat {
      skipSpace()
      let first = index
      guard value(depth: 2) != nil else { return nil }
      each.append(first..<index)
    } while skip(",")
    return skip("]") ? Elements(inside: start..<(index - 1), each: each) : nil
  }

  private mutating func value(depth: Int) -> JSONValue? {
    guard depth <= JSONReader.maxDepth else { return nil }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return take("null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> JSONValue? {
    index += 1
    var members: [JSONMember] = []
    if skip("}") { return .object(members) }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\""), let key = string(), skip(":"), let value = value(depth: depth + 1)
      else { return nil }
      members.append(JSONMember(key: key, value: value))
    } while skip(",")
    return skip("}") ? .object(members) : nil
  }

  private mutating func array(depth: Int) -> JSONValue? {
    index += 1
    var values: [JSONValue] = []
    if skip("]") { return .array(values) }
    repeat {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
    } while skip(",")
    return skip("]") ? .array(values) : nil
  }

  // MARK: Strings

  private mutating func string() -> String? {
    index += 1
    var text: [UInt8] = []
    while let byte = next {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
      case UInt8(ascii: "\\"): guard escape(into: &text) else { return nil }
      case 0..<0x20: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  private mutating func escape(into text: inout [UInt8]) -> Bool {
    guard let byte = next else { return false }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      guard let scalar = escapedScalar() else { return false }
      text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: return false
    }
    return true
  }

  /// After `\u`: four digits, or a surrogate pair. Half a pair is no character.
  private mutating func escapedScalar() -> Unicode.Scalar? {
    guard let unit = fourHexDigits() else { return nil }
    guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
    guard take("\\u"), let trail = fourHexDigits(), UTF16.isTrailSurrogate(trail) else { return nil }
    return Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(trail) - 0xDC00))
  }

  private mutating func fourHexDigits() -> UInt16? {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      value = value << 4 | UInt16(digit)
      index += 1
    }
    return value
  }

  // MARK: Numbers

  private mutating func number() -> JSONValue? {
    let start = index
    if next == UInt8(ascii: "-") { index += 1 }
    let firstDigit = next
    guard let digits = digits(), digits == 1 || firstDigit != UInt8(ascii: "0") else { return nil }
    var isInteger = true
    if next == UInt8(ascii: ".") {
      index += 1
      guard self.digits() != nil else { return nil }
      isInteger = false
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      index += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
      guard self.digits() != nil else { return nil }
      isInteger = false
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if isInteger, let value = Int64(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else { return .outOfRange }
    return .number(value)
  }

  /// How many digits were skipped; nil when there is none.
  private mutating func digits() -> Int? {
    let start = index
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    return index > start ? index - start : nil
  }

  // MARK: Parts

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
  }

  /// `mark` after any white space; false, and only the white space is gone, when something else stands there.
  private mutating func skip(_ mark: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: mark) else { return false }
    index += 1
    return true
  }

  private mutating func take(_ word: StaticString) -> Bool {
    let length = word.utf8CodeUnitCount
    guard bytes.count - index >= length else { return false }
    let isHere = word.withUTF8Buffer { bytes[index..<(index + length)].elementsEqual($0) }
    if isHere { index += length }
    return isHere
  }
}
