/// Cuts a JSON text into the texts of its parts, so that a record can be kept as it was sent, byte for byte.
///
/// Only the outer structure is checked; each part must still be decoded. Nil means that the structure is
/// broken. Nothing here recurses: the depth of a hostile body costs no stack.
enum JSONSlices {
  typealias Slice = ArraySlice<UInt8>

  /// The members of an object, in order. A key is what stands between its quotes, escapes not resolved.
  static func members(_ object: Slice) -> [(key: String, value: Slice)]? {
    var members: [(key: String, value: Slice)] = []
    let isWhole = eachItem(of: object, open: "{", close: "}") { item in
      guard let keyEnd = endOfString(item, from: item.startIndex),
        let colon = item[keyEnd...].firstIndex(where: { !isSpace($0) }), item[colon] == UInt8(ascii: ":")
      else { return false }
      let value = trimmed(item[(colon + 1)...])
      members.append((String(decoding: item[(item.startIndex + 1)..<(keyEnd - 1)], as: UTF8.self), value))
      return !value.isEmpty
    }
    return isWhole ? members : nil
  }

  /// - Parameter members: texts of values by keys that need no escapes.
  static func object(_ members: [String: String]) -> String {
    "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
  }

  /// The texts of an object's members by their keys; none of what is no object.
  static func texts(_ object: String) -> [String: String] {
    let members = members(Array(object.utf8)[...]) ?? []
    return Dictionary(members.map { ($0.key, String(decoding: $0.value, as: UTF8.self)) }) { $1 }
  }

  /// The elements of an array, in order.
  static func elements(_ array: Slice) -> [Slice]? {
    var elements: [Slice] = []
    let isWhole = eachItem(of: array, open: "[", close: "]") { item in
      elements.append(item)
      return true
    }
    return isWhole ? elements : nil
  }

  /// A key that stands more than once in one object, at any depth; nil where there is none.
  static func firstDoubledKey(_ text: Slice) -> String? {
    var waiting = [text]
    while let next = waiting.popLast() {
      guard let members = members(next) else {
        waiting += elements(next) ?? []
        continue
      }
      var seen: Set<String> = []
      for member in members where !seen.insert(member.key).inserted { return member.key }
      waiting += members.map(\.value)
    }
    return nil
  }

  /// The key under which the first number stands that no double holds (RFC 8259, section 6), at any depth that JSON is
  /// read to; nil where there is none. In one pass, as it looks at what nobody could read.
  ///
  /// - Parameter key: under which the text itself stands.
  static func keyOfTooLargeNumber(_ text: Slice, under key: String = "") -> String? {
    // Of the values that have begun, the outermost first.
    var keys = [key]
    var index = text.startIndex
    while index < text.endIndex, let key = keys.last, keys.count < 1000 {
      var end = index + 1
      switch text[index] {
      case UInt8(ascii: "\""):
        guard let after = endOfString(text, from: index) else { return nil }
        if text[after...].first(where: { !isSpace($0) }) == UInt8(ascii: ":") {
          keys[keys.count - 1] = String(decoding: text[(index + 1)..<(after - 1)], as: UTF8.self)
        }
        end = after
      case UInt8(ascii: "{"), UInt8(ascii: "["): keys.append(key)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): keys.removeLast()
      case let byte where isOfNumber(byte):
        end = text[index...].firstIndex { !isOfNumber($0) } ?? text.endIndex
        if Double(String(decoding: text[index..<end], as: UTF8.self))?.isInfinite == true { return key }
      default: break
      }
      index = end
    }
    return nil
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
  }

  /// The same text without the white space between its parts.
  static func compact(_ text: Slice) -> String {
    var bytes: [UInt8] = []
    var index = text.startIndex
    while index < text.endIndex {
      let end = endOfString(text, from: index) ?? index + 1
      if !isSpace(text[index]) { bytes += text[index..<end] }
      index = end
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Hands over what stands between the commas of the outermost brackets.
  private static func eachItem(
    of text: Slice, open: Unicode.Scalar, close: Unicode.Scalar, _ take: (Slice) -> Bool
  ) -> Bool {
    let text = trimmed(text)
    guard text.count >= 2, text.first == UInt8(ascii: open), text.last == UInt8(ascii: close) else {
      return false
    }
    let inner = trimmed(text.dropFirst().dropLast())
    if inner.isEmpty { return true }
    var start = inner.startIndex
    while let end = endOfItem(inner, from: start) {
      let item = trimmed(inner[start..<end])
      guard !item.isEmpty, take(item) else { return false }
      if end == inner.endIndex { return true }
      start = end + 1
    }
    return false
  }

  /// The index of the comma that ends the item, or the end of the text.
  private static func endOfItem(_ text: Slice, from start: Int) -> Int? {
    var depth = 0
    var index = start
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "\""):
        guard let end = endOfString(text, from: index) else { return nil }
        index = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth < 0 { return nil }
      case UInt8(ascii: ",") where depth == 0: return index
      default: break
      }
      index += 1
    }
    return depth == 0 ? index : nil
  }

  /// The index after the closing quote.
  private static func endOfString(_ text: Slice, from start: Int) -> Int? {
    guard start < text.endIndex, text[start] == UInt8(ascii: "\"") else { return nil }
    var index = start + 1
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "\""): return index + 1
      case UInt8(ascii: "\\"): index += 2
      default: index += 1
      }
    }
    return nil
  }

  private static func trimmed(_ text: Slice) -> Slice {
    guard let first = text.firstIndex(where: { !isSpace($0) }),
      let last = text.lastIndex(where: { !isSpace($0) })
    else { return text[text.endIndex...] }
    return text[first...last]
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
  }
}
