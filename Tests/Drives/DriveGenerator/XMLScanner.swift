/// A tag with the text before it.
struct XMLTag {
  /// Without a namespace prefix: `speed` for `gpxtpx:speed`.
  var name: String
  var attributes: [String: String] = [:]
  var isEnd = false
  /// `<trkpt …/>`
  var isEmpty = false
  /// Between the tag before and this one.
  var text: String
  var line: Int
}

/// Cuts XML into tags. Only as much XML as GPX files use: no entities (numbers and times have none), no DTD.
struct XMLScanner {
  private let bytes: [UInt8]
  private var index = 0
  private(set) var line = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next tag, or nil at the end of the file, even if it ends inside a tag.
  mutating func next() -> XMLTag? {
    while true {
      let text = take(until: "<")
      guard index < bytes.count else { return nil }
      if skip(from: "<!--", to: "-->") || skip(from: "<![CDATA[", to: "]]>") { continue }
      if skip(from: "<?", to: "?>") || skip(from: "<!", to: ">") { continue }
      let begin = line
      guard let inside = takeTag() else { return nil }
      return XMLScanner.tag(inside, text: text, line: begin)
    }
  }

  private mutating func take(until end: Character) -> String {
    let start = index
    while index < bytes.count, bytes[index] != end.asciiValue { step() }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func step() {
    if bytes[index] == UInt8(ascii: "\n") { line += 1 }
    index += 1
  }

  private func isAt(_ word: StaticString) -> Bool {
    bytes.count - index >= word.utf8CodeUnitCount
      && (0..<word.utf8CodeUnitCount).allSatisfy { bytes[index + $0] == word.utf8Start[$0] }
  }

  private mutating func skip(from begin: StaticString, to end: StaticString) -> Bool {
    guard isAt(begin) else { return false }
    while index < bytes.count, !isAt(end) { step() }
    for _ in 0..<min(end.utf8CodeUnitCount, bytes.count - index) { step() }
    return true
  }

  /// What stands between `<` and `>`; a `>` inside quotes does not end it. Nil if the file ends first.
  private mutating func takeTag() -> [UInt8]? {
    step()
    let start = index
    var quote: UInt8?
    while index < bytes.count {
      let byte = bytes[index]
      if quote == nil && byte == UInt8(ascii: ">") {
        step()
        return Array(bytes[start..<index - 1])
      }
      if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
      step()
    }
    return nil
  }

  private static func tag(_ inside: [UInt8], text: String, line: Int) -> XMLTag {
    var rest = inside[...]
    let isEnd = rest.first == UInt8(ascii: "/")
    if isEnd { rest.removeFirst() }
    let isEmpty = rest.last == UInt8(ascii: "/")
    if isEmpty { rest.removeLast() }
    let name = rest.prefix { $0 > 0x20 }
    let localName = String(decoding: name, as: UTF8.self).split(separator: ":").last.map(String.init) ?? ""
    return XMLTag(
      name: localName, attributes: attributes(rest.dropFirst(name.count)), isEnd: isEnd, isEmpty: isEmpty,
      text: text, line: line)
  }

  private static func attributes(_ bytes: ArraySlice<UInt8>) -> [String: String] {
    var found: [String: String] = [:]
    var rest = bytes
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      let name = rest[..<equals].filter { $0 > 0x20 }
      let after = rest[(equals + 1)...].drop { $0 <= 0x20 }
      guard let quote = after.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = after.dropFirst().firstIndex(of: quote)
      else { return found }
      let value = after[(after.startIndex + 1)..<end]
      found[String(decoding: name, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
      rest = rest[(end + 1)...]
    }
    return found
  }
}
