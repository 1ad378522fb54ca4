/// Whether the body of a reply is a page for people: a portal's, a proxy's, a carrier's "your credit is used up".
public enum WebPage {
  /// So much is looked at.
  static let looked_bytes = 1024

  /// By how it begins: behind white space, a byte order mark, an XML declaration and the like, with a document type or an
  /// element of HTML, or with what hotspots say to devices (WISPr).
  public static func begins(_ body: [UInt8]) -> Bool {
    // JSON may stand behind a comment.
    if [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(ReplyText.bare(body).first) { return false }
    var rest = String(decoding: body.prefix(looked_bytes), as: UTF8.self).lowercased()[...]
    while true {
      rest = rest.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
      // An XML declaration or another instruction to the reader.
      guard rest.hasPrefix("<?") else { break }
      guard let end = rest.firstIndex(of: ">") else { return false }
      rest = rest[rest.index(after: end)...]
    }
    guard rest.first == "<" else { return false }
    rest = rest.dropFirst()
    if rest.hasPrefix("!--") { return true }
    if rest.hasPrefix("!doctype") {
      return rest.dropFirst("!doctype".count).drop(while: \.isWhitespace).hasPrefix("html")
    }
    // With a prefix of XML, as in <html:body>, the element's name is behind it.
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == ":" }
    return name.split(separator: ":").contains { elements.contains(String($0)) }
  }

  /// Empty for a page without one, or whose title does not end early.
  static func title(of body: [UInt8]) -> String {
    let text = String(decoding: body.prefix(looked_bytes), as: UTF8.self)
    let lower = text.lowercased()
    // Where lower case has another length, places would not fit.
    guard lower.utf8.count == text.utf8.count, let start = lower.firstRange(of: "<title>"),
      let end = lower[start.upperBound...].firstRange(of: "</title>")
    else { return "" }
    let from = lower.utf8.distance(from: lower.startIndex, to: start.upperBound)
    let length = lower.utf8.distance(from: start.upperBound, to: end.lowerBound)
    return String(decoding: Array(text.utf8)[from..<from + length], as: UTF8.self)
  }

  /// What pages begin with; an answer of a program would not.
  private static let elements: Set<String> = [
    "html", "head", "body", "title", "meta", "script", "style", "link", "base", "frameset", "iframe",
    "noscript",
    "h1", "h2", "h3", "h4", "h5", "h6", "p", "b", "i", "a", "br", "hr", "div", "span", "center", "font",
    "big", "strong",
    "em", "img", "table", "form", "ul", "ol", "pre", "main", "section", "header", "article", "svg", "wml",
    "wispaccessgatewayparam",
  ]
}
