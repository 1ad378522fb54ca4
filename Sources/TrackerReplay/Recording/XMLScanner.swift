/// A tag with the text before it.
struct XMLTag {
  /// Without a namespace prefix: `speed` for `gpxtpx:speed`.
  var name: String
  var isEnd = false
  /// `<trkpt …/>`
  var isEmpty = false
  /// Between the tag before and this one.
  var text: ArraySlice<UInt8>
  var line: Int
  fileprivate var rest: ArraySlice<UInt8>

  /// The attribute's value; nil without the attribute.
  func attribute(_ wanted: String) -> ArraySlice<UInt8>? {
    var rest = rest
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      let after = rest[(equals + 1)...].drop { $0 <= 0x20 }
      guard let quote = after.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = after.dropFirst().firstIndex(of: quote)
      else { return nil }
      if rest[..<equals].trimmed.elementsEqual(wanted.utf8) { return after[(after.startIndex + 1)..<end] }
      rest = rest[(end + 1)...]
    }
    return nil
  }
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
      let start = index
      while index < bytes.count, bytes[index] != UInt8(ascii: "<") { step() }
      let text = bytes[start..<index]
      guard index < bytes.count else { return nil }
      if skip(from: "<!--", to: "-->") || skip(from: "<![CDATA[", to: "]]>") { continue }
      if skip(from: "<?", to: "?>") || skip(from: "<!", to: ">") { continue }
      let begin = line
      guard let inside = takeTag() else { return nil }
      return XMLScanner.tag(inside, text: text, line: begin)
    }
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
  private mutating func takeTag() -> ArraySlice<UInt8>? {
    step()
    let start = index
    var quote: UInt8?
    while index < bytes.count {
      let byte = bytes[index]
      if quote == nil && byte == UInt8(ascii: ">") {
        step()
        return bytes[start..<index - 1]
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

  private static func tag(_ inside: ArraySlice<UInt8>, text: ArraySlice<UInt8>, line: Int) -> XMLTag {
    var rest = inside
    let isEnd = rest.first == UInt8(ascii: "/")
    if isEnd { rest.removeFirst() }
    let isEmpty = rest.last == UInt8(ascii: "/")
    if isEmpty { rest.removeLast() }
    let name = rest.prefix { $0 > 0x20 }
    let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    return XMLTag(
      name: String(decoding: local, as: UTF8.self), isEnd: isEnd, isEmpty: isEmpty, text: text, line: line,
      rest: rest.dropFirst(name.count))
  }
}
