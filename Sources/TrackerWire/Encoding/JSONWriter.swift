import TrackerBase

/// Writes JSON (RFC 8259), straight into bytes.
///
/// The caller keeps the order: `key`, then one value. Commas are placed here.
public struct JSONWriter: Sendable {
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false
  private let isIndented: Bool
  /// Objects that are open.
  private var depth = 0

  /// - Parameter isIndented: for people: one member a line, a list on one. Without, there is no white space at all.
  public init(reservingCapacity capacity: Int = 0, isIndented: Bool = false) {
    self.isIndented = isIndented
    bytes.reserveCapacity(capacity)
  }

  /// One object, as text.
  public static func object(_ fill: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    json.beginObject()
    fill(&json)
    json.endObject()
    return json.text
  }

  /// What was written, as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  public mutating func beginObject() {
    begin("{")
    depth += 1
  }

  public mutating func endObject() {
    depth -= 1
    if isIndented, needsComma { newLine() }
    end("}")
  }

  public mutating func beginArray() { begin("[") }
  public mutating func endArray() { end("]") }

  public mutating func key(_ key: String) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    if isIndented { newLine() }
    appendQuoted(key)
    append(isIndented ? ": " : ":")
    needsComma = false
  }

  public mutating func string(_ value: String) {
    separate()
    appendQuoted(value)
  }

  public mutating func integer(_ value: some BinaryInteger) {
    separate()
    append(value.description)
  }

  /// The shortest decimal that reads back as the same number, always with a fraction or an exponent: 12.0,
  /// 4.7e-06. JSON has no word for NaN and infinity: they become null.
  public mutating func number(_ value: Double) {
    separate()
    append(value.isFinite ? value.description : "null")
  }

  public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }
  public mutating func null() { raw("null") }

  /// One value that is JSON already. It is not checked.
  public mutating func raw(_ json: String) {
    separate()
    append(json)
  }

  // MARK: Members

  public mutating func member(_ key: String, _ value: String) {
    self.key(key)
    string(value)
  }

  public mutating func member(_ key: String, _ value: some BinaryInteger) {
    self.key(key)
    integer(value)
  }

  public mutating func member(_ key: String, _ value: Double) {
    self.key(key)
    number(value)
  }

  public mutating func member(_ key: String, _ value: Bool) {
    self.key(key)
    bool(value)
  }

  /// A member that is an object.
  public mutating func object(_ key: String, _ fill: (inout JSONWriter) -> Void) {
    self.key(key)
    beginObject()
    fill(&self)
    endObject()
  }

  // MARK: Parts

  private mutating func begin(_ bracket: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(ascii: bracket))
    needsComma = false
  }

  private mutating func end(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    needsComma = true
  }

  /// Before every value. After a key `needsComma` is false, and the value sets it again.
  private mutating func separate() {
    if needsComma { append(isIndented ? ", " : ",") }
    needsComma = true
  }

  private mutating func newLine() {
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
  }

  private mutating func append(_ text: String) { bytes += text.utf8 }

  private mutating func appendQuoted(_ value: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in value.utf8 { appendEscaped(byte) }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    switch byte {
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0A: append("\\n")
    case 0x0C: append("\\f")
    case 0x0D: append("\\r")
    case 0x00..<0x20: append("\\u" + SettingText.hex(UInt64(byte), digits: 4))
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    default: bytes.append(byte)
    }
  }
}

extension JSONWriter {
  /// A value that was read, without white space.
  public mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): bool(value)
    case .integer(let value): integer(value)
    case .number(let value): number(value)
    // Whoever reads it again finds the same.
    case .outOfRange: raw("1e999")
    case .string(let value): string(value)
    case .array(let values):
      beginArray()
      for value in values { self.value(value) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(member.key)
        self.value(member.value)
      }
      endObject()
    }
  }
}

extension [JSONMember] {
  /// Without those that are nil.
  init(_ pairs: KeyValuePairs<String, JSONValue?>) {
    self = pairs.compactMap { key, value in value.map { JSONMember(key: key, value: $0) } }
  }
}

extension JSONValue {
  /// Without white space.
  public var text: String {
    var json = JSONWriter()
    json.value(self)
    return json.text
  }
}
