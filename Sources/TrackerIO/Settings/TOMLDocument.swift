import CTOML
import TrackerBase

/// What toml++ found wrong with a text.
struct TOMLSyntaxError: Error, Equatable {
  enum Kind: Equatable {
    /// A key or a table that the text sets twice; its name as written there, if toml++ gives it.
    case duplicate(isTable: Bool, name: String?)
    case other(String)
  }

  var kind: Kind
  var place: SettingPlace
}

/// A TOML text as its tables and values, in the order of the text. toml++ is seen here only.
struct TOMLDocument: Equatable {
  let entries: [SettingEntry]

  init(_ bytes: [UInt8]) throws(TOMLSyntaxError) {
    let document = bytes.withUnsafeBytes { buffer in
      ctoml_parse(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    guard let document else {
      throw TOMLSyntaxError(
        kind: .other("there is no memory to read it"), place: SettingPlace(line: 1, column: 1))
    }
    defer { ctoml_free(document) }

    var message = ctoml_text()
    var place = ctoml_place()
    if ctoml_syntax_error(document, &message, &place) {
      throw TOMLSyntaxError(kind: .init(message: String(message)), place: SettingPlace(place))
    }
    entries = (0..<ctoml_count(document)).map { SettingEntry(ctoml_entry_at(document, $0)) }
  }
}

extension TOMLSyntaxError.Kind {
  /// Reads a message such as "Error while parsing key-value pair: cannot redefine existing integer 'port'".
  /// Values are left out: they may belong to a header.
  init(message: String) {
    var reason = message[...]
    if message.hasPrefix("Error while parsing "), let colon = message.firstRange(of: ": ") {
      reason = message[colon.upperBound...]
    }
    let duplicate = "cannot redefine existing "
    if reason.hasPrefix(duplicate) {
      let pieces = reason.split(separator: "'", omittingEmptySubsequences: false)
      let isTable = reason.hasPrefix(duplicate + "table '")
      self = .duplicate(isTable: isTable, name: pieces.count >= 3 ? String(pieces[1]) : nil)
    } else if Self.unquoted.contains(where: reason.hasPrefix) {
      self = .other(Self.notAValue)
    } else if let words = Self.plainWords.first(where: { reason.hasPrefix($0.theirs) }) {
      self = .other(words.ours)
    } else if reason.first == "'", let end = reason.lastIndex(of: "'") {
      self = .other("the value" + reason[reason.index(after: end)...])
    } else {
      self = .other(String(reason))
    }
  }

  static let notAValue = "not a value; text stands between straight quotes (\"…\")"

  /// What toml++ says of the slips that are made most often, and what they are.
  private static let plainWords = [
    (
      theirs: "unescaped control characters other than TAB",
      ours: "a text ends in the line where it begins: is the closing quote missing?"
    ),
    (
      theirs: "control characters other than TAB (U+0009) are explicitly prohibited in comments",
      ours: "a character that nobody sees stands in a comment: remove it"
    ),
    (
      theirs: "control characters other than TAB",
      ours: "a text ends in the line where it begins: is the closing quote missing?"
    ),
    (
      theirs: "encountered end-of-file",
      ours:
        "the file ends within a text, a value or a group's name: is a closing quote or bracket missing, or was it cut?"
    ),
    (theirs: "Encountered invalid utf-8", ours: "this is not UTF-8: save the file as UTF-8 text"),
  ]

  /// What toml++ says of text without quotes, depending on its first letter.
  private static let unquoted = [
    "could not determine value type", "expected value-terminator", "expected 'true'", "expected 'false'",
    "expected 'inf'", "expected 'nan'",
  ]
}

// MARK: From C

extension SettingPlace {
  fileprivate init(_ place: ctoml_place) {
    self.init(line: Int(place.line), column: Int(place.column))
  }
}

extension String {
  fileprivate init(_ text: ctoml_text) {
    let bytes = UnsafeRawBufferPointer(start: text.bytes, count: text.size)
    self.init(decoding: bytes, as: UTF8.self)
  }
}

extension SettingEntry {
  fileprivate init(_ entry: ctoml_entry) {
    let path = UnsafeBufferPointer(start: entry.path, count: entry.path_count).map { String($0) }
    self.init(path: path, value: Value(entry), place: SettingPlace(entry.place))
  }
}

extension SettingEntry.Value {
  fileprivate init(_ entry: ctoml_entry) {
    switch entry.kind {
    case CTOML_TABLE: self = .table
    case CTOML_STRING: self = .text(String(entry.text))
    case CTOML_INTEGER: self = .integer(entry.integer)
    case CTOML_FLOAT: self = .number(entry.number)
    case CTOML_BOOLEAN: self = .flag(entry.flag)
    case CTOML_STRINGS:
      let elements = UnsafeBufferPointer(start: entry.elements, count: entry.element_count)
      self = .texts(elements.map { .init(text: String($0.text), place: SettingPlace($0.place)) })
    default: self = .other(String(entry.text))
    }
  }
}
