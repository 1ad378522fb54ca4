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

  /// A word of the format, in which nothing is to be escaped.
  public mutating func key(_ key: StaticString) {
    beginKey()
    bytes.append(UInt8(ascii: "\""))
    key.withUTF8Buffer { word in
      assert(!word.contains(where: JSONWriter.needsEscape))
      bytes.append(contentsOf: word)
    }
    bytes.append(UInt8(ascii: "\""))
    endKey()
  }

  /// A key that was read somewhere, or is made.
  public mutating func key(named key: String) {
    beginKey()
    appendQuoted(key)
    endKey()
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

  public mutating func member(_ key: StaticString, _ value: String) {
    self.key(key)
    string(value)
  }

  public mutating func member(_ key: StaticString, _ value: some BinaryInteger) {
    self.key(key)
    integer(value)
  }

  public mutating func member(_ key: StaticString, _ value: Double) {
    self.key(key)
    number(value)
  }

  public mutating func member(_ key: StaticString, _ value: Bool) {
    self.key(key)
    bool(value)
  }

  /// A member that is an object.
  public mutating func object(_ key: StaticString, _ fill: (inout JSONWriter) -> Void) {
    self.key(key)
    beginObject()
    fill(&self)
    endObject()
  }

  // MARK: Parts

  private mutating func beginKey() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    if isIndented { newLine() }
  }

  private mutating func endKey() {
    bytes.append(UInt8(ascii: ":"))
    if isIndented { bytes.append(UInt8(ascii: " ")) }
    needsComma = false
  }

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

  private mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  private mutating func appendQuoted(_ value: String) {
    bytes.append(UInt8(ascii: "\""))
    var value = value
    value.withUTF8 { text in
      if text.contains(where: JSONWriter.needsEscape) {
        for byte in text {
          if JSONWriter.needsEscape(byte) { appendEscaped(byte) } else { bytes.append(byte) }
        }
      } else {
        bytes.append(contentsOf: text)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func appendEscaped(_ byte: UInt8) {
    switch byte {
    case 0x08: bytes.append(contentsOf: "\\b".utf8)
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0x0C: bytes.append(contentsOf: "\\f".utf8)
    case 0x0D: bytes.append(contentsOf: "\\r".utf8)
    case 0x00..<0x20:
      bytes.append(contentsOf: byte < 0x10 ? "\\u000".utf8 : "\\u001".utf8)
      bytes.append(lowercaseHexDigit(byte & 0xF))
    default: bytes += [UInt8(ascii: "\\"), byte]
    }
  }
}

/// 0...15 as 0–9, a–f.
func lowercaseHexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
