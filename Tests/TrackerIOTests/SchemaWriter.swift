import TrackerBase

@testable import TrackerWire

/// Writes the JSON Schema (2020-12) of the settings file, for editors that know schemas for TOML.
struct SchemaWriter: SettingVisitor {
  /// The properties of each open group, outermost first.
  private var groups: [[JSONMember]] = [[]]
  private var docs: [String] = []

  static func text() -> String {
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

  mutating func begin(group name: String, _ doc: String) {
    groups.append([])
    docs.append(doc)
  }

  mutating func end(group name: String) {
    let properties = groups.removeLast()
    add(name, docs.removeLast(), Self.object(of: properties))
  }

  mutating func visit<Value>(_ value: inout Value, _ setting: Setting<Value>) {
    var members = members(of: setting.type)
    if let standard = json(value.settingValue) { members.append(("default", standard)) }
    // For programs: a form of what a server may set.
    if setting.isRemote { members.append(("x-remote", .bool(true))) }
    let doc = setting.isRemote ? "\(setting.doc) The server may set it too (docs/remote.md)." : setting.doc
    add(setting.key, doc, members.map { JSONMember(key: $0.0, value: $0.1) })
  }

  private func members(of type: SettingType) -> [(String, JSONValue)] {
    let strings = JSONValue.object([JSONMember(key: "type", value: .string("string"))])
    return switch type {
    case .number(let range):
      [
        ("type", .string("number")), ("minimum", .whole(range.lowerBound)),
        ("maximum", .whole(range.upperBound)),
      ]
    case .integer(let range):
      [
        ("type", .string("integer")), ("minimum", .integer(Int64(range.lowerBound))),
        ("maximum", .integer(Int64(range.upperBound))),
      ]
    case .flag: [("type", .string("boolean"))]
    case .text: [("type", .string("string"))]
    case .choice(let choice):
      [("type", .string("string")), ("enum", .array(choice.names.map { .string($0) }))]
    case .texts: [("type", .string("array")), ("items", strings)]
    case .table: [("type", .string("object")), ("additionalProperties", strings)]
    }
  }

  /// Tables have no default in the schema: an editor would write one into the file.
  private func json(_ value: SettingValue) -> JSONValue? {
    switch value {
    case .number(let number): .whole(number)
    case .integer(let number): .integer(Int64(number))
    case .flag(let flag): .bool(flag)
    case .text(let text): .string(text)
    case .texts(let texts): .array(texts.map { .string($0) })
    case .table: nil
    }
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
