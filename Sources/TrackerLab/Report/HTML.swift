/// Text that is markup already. A literal is taken as it stands; a `String` put into one is escaped: what comes
/// from a file or a setting cannot become markup.
struct HTML: ExpressibleByStringInterpolation, Equatable, Sendable {
  private(set) var text: String

  init(stringLiteral value: String) { text = value }
  init(stringInterpolation interpolation: Interpolation) { text = interpolation.text }
  init(_ parts: some Sequence<HTML>) { text = parts.reduce(into: "") { $0 += $1.text } }

  var isEmpty: Bool { text.isEmpty }

  /// A key and perhaps its value, such as `motion.stop_timeout_s = 600`, that breaks between its words and never within.
  static func code(_ key: String) -> HTML {
    var html: HTML = "<code>"
    var piece = ""
    for character in key {
      piece.append(character)
      guard ".,/_".contains(character) else { continue }
      html += "\(piece)<wbr/>"
      piece = ""
    }
    return html + "\(piece)</code>"
  }

  static func += (left: inout HTML, right: HTML) { left.text += right.text }
  static func + (left: HTML, right: HTML) -> HTML { "\(left)\(right)" }

  struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ html: HTML) { text += html.text }
    mutating func appendInterpolation(_ number: some BinaryInteger) { text += number.description }
    mutating func appendInterpolation(_ plain: String) { HTML.escape(plain, into: &text) }
  }

  /// Scalar by scalar: a quotation mark with an accent on it ends an attribute too.
  private static func escape(_ plain: String, into text: inout String) {
    for scalar in plain.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      case "\t", "\n": text.unicodeScalars.append(scalar)
      // HTML has no place for control characters.
      case "\u{0}"..<" ", "\u{7F}"..<"\u{A0}": text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

/// A table with a caption. The first column names its row; columns of numbers stand to the right.
struct HTMLTable {
  struct Column {
    var title: String
    var isNumeric = true
  }

  var caption: String
  var columns: [Column]
  var rows: [[HTML]] = []
  /// On a telephone each row is a block of lines, each with its column's title.
  var stacksWhenNarrow = false
  /// What is said in place of a table without rows.
  var ifEmpty = ""

  init(_ caption: String, first: String, _ columns: [Column], ifEmpty: String = "") {
    self.caption = caption
    self.columns = [Column(title: first, isNumeric: false)] + columns
    self.ifEmpty = ifEmpty
  }

  var html: HTML {
    if rows.isEmpty {
      return "<p class=\"table\"><b>\(caption)</b> <span class=\"note\">\(ifEmpty)</span></p>\n"
    }
    let style: HTML = stacksWhenNarrow ? " class=\"stacks\"" : ""
    let head = HTML(columns.map { "<th scope=\"col\"\(HTMLTable.side($0))>\($0.title)</th>" })
    return """
      <div class="table" role="region" aria-label="\(caption)" tabindex="0"><table\(style)><caption>\(caption)</caption>
      <thead><tr>\(head)</tr></thead>
      <tbody>\(HTML(rows.map(row)))</tbody></table></div>

      """
  }

  private func row(_ cells: [HTML]) -> HTML {
    var html: HTML = "<tr>"
    for (column, cell) in zip(columns.indices, cells) {
      html +=
        column == 0
        ? "<th scope=\"row\">\(cell)</th>"
        : "<td\(HTMLTable.side(columns[column]))\(title(of: column))>\(cell)</td>"
    }
    return html + "</tr>\n"
  }

  private func title(of column: Int) -> HTML {
    stacksWhenNarrow ? " data-title=\"\(columns[column].title)\"" : ""
  }

  private static func side(_ column: Column) -> HTML { column.isNumeric ? " class=\"n\"" : "" }
}
