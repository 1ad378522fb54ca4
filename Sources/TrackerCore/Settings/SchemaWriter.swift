/// Writes the JSON Schema (2020-12) of the settings file, for editors that know schemas for TOML.
public struct SchemaWriter: SettingVisitor {
  /// The properties of each open group, outermost first.
  private var groups: [[(String, JSONNode)]] = [[]]
  private var docs: [String] = []

  public static func text() -> String {
    var writer = SchemaWriter()
    var settings = Settings()
    settings.visit(with: &writer)
    let head: [(String, JSONNode)] = [
      ("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
      ("title", .text("Settings of Godwit")),
    ]
    return JSONNode.object(head + object(of: writer.groups[0])).text() + "\n"
  }

  public mutating func begin(group name: String, _ doc: String) {
    groups.append([])
    docs.append(doc)
  }

  public mutating func end(group name: String) {
    let properties = groups.removeLast()
    add(name, docs.removeLast(), Self.object(of: properties))
  }

  public mutating func number(
    _ key: String, _ value: inout Double, in range: ClosedRange<Double>, _ doc: String
  ) {
    add(
      key, doc,
      [
        ("type", .text("number")), ("minimum", .number(range.lowerBound)),
        ("maximum", .number(range.upperBound)), ("default", .number(value)),
      ])
  }

  public mutating func integer(_ key: String, _ value: inout Int, in range: ClosedRange<Int>, _ doc: String) {
    add(
      key, doc,
      [
        ("type", .text("integer")), ("minimum", .number(Double(range.lowerBound))),
        ("maximum", .number(Double(range.upperBound))), ("default", .number(Double(value))),
      ])
  }

  public mutating func flag(_ key: String, _ value: inout Bool, _ doc: String) {
    add(key, doc, [("type", .text("boolean")), ("default", .flag(value))])
  }

  public mutating func text(_ key: String, _ value: inout String, _ doc: String) {
    add(key, doc, [("type", .text("string")), ("default", .text(value))])
  }

  public mutating func choice<Choice: SettingChoice>(_ key: String, _ value: inout Choice, _ doc: String) {
    let allowed = Choice.allCases.map { JSONNode.text($0.rawValue) }
    add(key, doc, [("type", .text("string")), ("enum", .list(allowed)), ("default", .text(value.rawValue))])
  }

  public mutating func texts(_ key: String, _ value: inout [String], _ doc: String) {
    add(
      key, doc,
      [
        ("type", .text("array")), ("items", .object([("type", .text("string"))])),
        ("default", .list(value.map { .text($0) })),
      ])
  }

  public mutating func table(_ key: String, _ value: inout [String: String], _ doc: String) {
    add(
      key, doc,
      [("type", .text("object")), ("additionalProperties", .object([("type", .text("string"))]))])
  }

  private mutating func add(_ key: String, _ doc: String, _ members: [(String, JSONNode)]) {
    let words = doc.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
    groups[groups.count - 1].append((key, .object([("description", .text(words))] + members)))
  }

  private static func object(of properties: [(String, JSONNode)]) -> [(String, JSONNode)] {
    [
      ("type", .text("object")), ("additionalProperties", .flag(false)),
      ("properties", .object(properties)),
    ]
  }
}

/// As much JSON as a schema needs; members keep their order.
private indirect enum JSONNode {
  case text(String)
  case number(Double)
  case flag(Bool)
  case list([JSONNode])
  case object([(String, JSONNode)])

  func text(indent: String = "") -> String {
    switch self {
    case .text(let text): return SettingText.quoted(text)
    case .number(let number): return SettingText.number(number)
    case .flag(let flag): return flag ? "true" : "false"
    case .list(let nodes): return "[" + nodes.map { $0.text() }.joined(separator: ", ") + "]"
    case .object(let members):
      if members.isEmpty { return "{}" }
      let inner = indent + "  "
      let lines = members.map { "\(inner)\(SettingText.quoted($0.0)): \($0.1.text(indent: inner))" }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    }
  }
}
