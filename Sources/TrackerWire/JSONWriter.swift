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
    bytes.append(contentsOf: isIndented ? ": ".utf8 : ":".utf8)
    needsComma = false
  }

  public mutating func string(_ value: String) {
    separate()
    appendQuoted(value)
  }

  public mutating func integer(_ value: some BinaryInteger) {
    separate()
    bytes.append(contentsOf: value.description.utf8)
  }

  /// The shortest decimal that reads back as the same number, always with a fraction or an exponent: 12.0,
  /// 4.7e-06. JSON has no word for NaN and infinity: they become null.
  public mutating func number(_ value: Double) {
    separate()
    guard value.isFinite else { return bytes.append(contentsOf: "null".utf8) }
    bytes.append(contentsOf: value.description.utf8)
  }

  public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }
  public mutating func null() { raw("null") }

  /// One value that is JSON already. It is not checked.
  public mutating func raw(_ json: String) {
    separate()
    bytes.append(contentsOf: json.utf8)
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
    if needsComma { bytes.append(contentsOf: isIndented ? ", ".utf8 : ",".utf8) }
    needsComma = true
  }

  private mutating func newLine() {
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
  }

  private mutating func appendQuoted(_ value: String) {
    bytes.append(UInt8(ascii: "\""))
    var value = value
    value.withUTF8 { text in
      var begin = 0
      for (index, byte) in text.enumerated()
      where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.append(contentsOf: text[begin..<index])
        appendEscaped(byte)
        begin = index + 1
      }
      bytes.append(contentsOf: text[begin...])
    }
    bytes.append(UInt8(ascii: "\""))
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
