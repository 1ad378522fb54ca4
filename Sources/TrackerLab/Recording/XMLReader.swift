import CExpat

/// What a document is read by. Names come without a namespace prefix: `speed` for `gpxtpx:speed`.
protocol XMLHandler: AnyObject {
  func begin(_ name: String, attributes: XMLAttributes, line: Int)
  func end(_ name: String, text: [UInt8], line: Int)
}

/// Those of an element, while it begins.
struct XMLAttributes {
  /// Name and value in turn, up to a nil.
  fileprivate var list: UnsafeMutablePointer<UnsafePointer<CChar>?>?

  /// Nil without the attribute.
  subscript(wanted: String) -> String? {
    var next = list
    while let pair = next, let name = pair[0], let value = pair[1] {
      if String(cString: name) == wanted { return String(cString: value) }
      next = pair + 2
    }
    return nil
  }
}

/// expat, which takes a document piece by piece: UTF-8, UTF-16 and Latin-1.
final class XMLReader {
  private let parser: XML_Parser
  private unowned let handler: any XMLHandler
  private var text: [UInt8] = []
  private var isFirst = true

  init(_ handler: any XMLHandler) {
    self.handler = handler
    // expat has no other failure here than memory, which Swift does not survive either.
    parser = XML_ParserCreate(nil)!
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { user, name, attributes in
        let reader = XMLReader.of(user)
        reader.text.removeAll(keepingCapacity: true)
        reader.handler.begin(
          XMLReader.local(name), attributes: XMLAttributes(list: attributes), line: reader.line)
      },
      { user, name in
        let reader = XMLReader.of(user)
        reader.handler.end(XMLReader.local(name), text: reader.text, line: reader.line)
        reader.text.removeAll(keepingCapacity: true)
      })
    XML_SetCharacterDataHandler(parser) { user, bytes, count in
      guard let bytes else { return }
      let piece = UnsafeBufferPointer(start: bytes, count: Int(count))
      XMLReader.of(user).text += piece.lazy.map { UInt8(bitPattern: $0) }
    }
  }

  deinit { XML_ParserFree(parser) }

  /// From 1.
  var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

  /// Nothing more is read.
  func stop() { _ = XML_StopParser(parser, 0) }

  /// - Returns: what is wrong with the document, in expat's words; nil while nothing is.
  func take(_ piece: [UInt8], isLast: Bool) -> String? {
    // Where a byte order mark begins the file, its declaration still says what it was before PowerShell's > wrote it.
    if isFirst, let first = piece.first {
      isFirst = false
      if first == 0xFE || first == 0xFF { XML_SetEncoding(parser, "UTF-16") }
    }
    let isFine = piece.withUnsafeBytes {
      XML_Parse(parser, $0.bindMemory(to: CChar.self).baseAddress, Int32($0.count), isLast ? 1 : 0)
    }
    guard isFine == XML_STATUS_ERROR else { return nil }
    let code = XML_GetErrorCode(parser)
    // What expat says of a file that is cut off, "no element found", is of no use to its owner.
    if isLast, code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN { return "it is cut off" }
    return XML_ErrorString(code).map { String(cString: $0) } ?? "no XML"
  }

  private static func of(_ user: UnsafeMutableRawPointer?) -> XMLReader {
    // What `init` has set.
    Unmanaged<XMLReader>.fromOpaque(user!).takeUnretainedValue()
  }

  private static func local(_ name: UnsafePointer<CChar>?) -> String {
    let name = name.map { String(cString: $0) } ?? ""
    return name.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(name[name.utf8.index(after: $0)...]) }
      ?? name
  }
}
