import TrackerCore

/// Writes the JSON Schema (2020-12) of the settings file, for editors that know schemas for TOML.
public struct SchemaWriter: SettingVisitor {
  /// The properties of each open group, outermost first.
  private var groups: [[JSONMember]] = [[]]
  private var docs: [String] = []

  public static func text() -> String {
    var writer = SchemaWriter()
    var settings = Settings()
    settings.visit(with: &writer)
    let head = [
      JSONMember(key: "$schema", value: .string("https://json-schema.org/draft/2020-12/schema")),
      JSONMember(key: "title", value: .string("Settings of Godwit")),
    ]
    var json = JSONWriter(isIndented: true)
    json.value(.object(head + object(of: writer.groups[0])))
    return json.text + "\n"
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
      key, doc, "number",
      [
        ("minimum", .whole(range.lowerBound)), ("maximum", .whole(range.upperBound)),
        ("default", .whole(value)),
      ])
  }

  public mutating func integer(_ key: String, _ value: inout Int, in range: ClosedRange<Int>, _ doc: String) {
    add(
      key, doc, "integer",
      [
        ("minimum", .integer(Int64(range.lowerBound))), ("maximum", .integer(Int64(range.upperBound))),
        ("default", .integer(Int64(value))),
      ])
  }

  public mutating func flag(_ key: String, _ value: inout Bool, _ doc: String) {
    add(key, doc, "boolean", [("default", .bool(value))])
  }

  public mutating func text(_ key: String, _ value: inout String, _ doc: String) {
    add(key, doc, "string", [("default", .string(value))])
  }

  public mutating func choice<Choice: SettingChoice>(_ key: String, _ value: inout Choice, _ doc: String) {
    let allowed = Choice.allCases.map { JSONValue.string($0.rawValue) }
    add(key, doc, "string", [("enum", .array(allowed)), ("default", .string(value.rawValue))])
  }

  public mutating func texts(_ key: String, _ value: inout [String], _ doc: String) {
    add(key, doc, "array", [("items", Self.strings), ("default", .array(value.map { .string($0) }))])
  }

  public mutating func table(_ key: String, _ value: inout [String: String], _ doc: String) {
    add(key, doc, "object", [("additionalProperties", Self.strings)])
  }

  private static let strings = JSONValue.object([JSONMember(key: "type", value: .string("string"))])

  private mutating func add(_ key: String, _ doc: String, _ type: String, _ rest: [(String, JSONValue)]) {
    let rest = rest.map { JSONMember(key: $0.0, value: $0.1) }
    add(key, doc, [JSONMember(key: "type", value: .string(type))] + rest)
  }

  private mutating func add(_ key: String, _ doc: String, _ members: [JSONMember]) {
    let words = doc.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
    let object = [JSONMember(key: "description", value: .string(words))] + members
    groups[groups.count - 1].append(JSONMember(key: key, value: .object(object)))
  }

  private static func object(of properties: [JSONMember]) -> [JSONMember] {
    [
      JSONMember(key: "type", value: .string("object")),
      JSONMember(key: "additionalProperties", value: .bool(false)),
      JSONMember(key: "properties", value: .object(properties)),
    ]
  }
}

extension JSONValue {
  /// As in the settings file: whole numbers without a fraction.
  fileprivate static func whole(_ value: Double) -> JSONValue {
    Int64(exactly: value).map { .integer($0) } ?? .number(value)
  }
}
