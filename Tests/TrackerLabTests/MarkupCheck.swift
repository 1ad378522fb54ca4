/// What is wrong with the markup: tags that do not match, attributes without quotes, bare `<` and `&`, ids twice.
/// It knows as much of HTML as the report uses.
struct MarkupCheck {
  private(set) var problems: [String] = []
  private(set) var ids: Set<String> = []
  private var open: [String] = []
  private static let void: Set<String> = ["meta", "!doctype"]

  init(_ html: String) {
    // Scalar by scalar, as a browser reads: to Swift, a bracket with an accent is another character.
    var rest = String(html.unicodeScalars.map { $0.isASCII ? Character($0) : "x" })[...]
    while let bracket = rest.firstIndex(of: "<") {
      check(text: rest[..<bracket])
      guard let end = rest[bracket...].firstIndex(of: ">") else {
        problems.append("a tag without an end")
        return
      }
      let tag = rest[rest.index(after: bracket)..<end]
      rest = rest[rest.index(after: end)...]
      take(tag)
      if tag == "style", let close = rest.firstRange(of: "</style>") { rest = rest[close.lowerBound...] }
    }
    check(text: rest)
    if !open.isEmpty { problems.append("not closed: \(open)") }
  }

  private mutating func take(_ tag: Substring) {
    if tag.hasPrefix("/") {
      let name = String(tag.dropFirst())
      if open.popLast() != name { problems.append("</\(name)> closes something else") }
      return
    }
    let name = String(tag.prefix { $0 != " " && $0 != "/" })
    check(attributes: tag.dropFirst(name.count), of: name)
    if !tag.hasSuffix("/"), !MarkupCheck.void.contains(name) { open.append(name) }
  }

  /// Outside of quotes there are only names, `=`, spaces and the slash of an empty element.
  private mutating func check(attributes: Substring, of name: String) {
    let pieces = attributes.split(separator: "\"", omittingEmptySubsequences: false)
    if pieces.count % 2 == 0 { problems.append("<\(name)>: a quotation mark is missing") }
    for (index, piece) in pieces.enumerated() {
      if index % 2 == 1 {
        check(text: piece)
        if pieces[index - 1].hasSuffix(" id="), !ids.insert(String(piece)).inserted {
          problems.append("id \(piece) twice")
        }
      } else if piece.filter({ $0 == "=" }).count != (index + 1 < pieces.count ? 1 : 0) {
        problems.append("<\(name)>: attribute without quotes")
      }
    }
  }

  private mutating func check(text: Substring) {
    for piece in text.split(separator: "&", omittingEmptySubsequences: false).dropFirst() {
      if !["amp;", "lt;", "gt;", "quot;", "#39;"].contains(where: piece.hasPrefix) {
        problems.append("a bare &")
      }
    }
  }
}
