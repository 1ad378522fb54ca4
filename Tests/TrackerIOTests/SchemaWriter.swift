import TrackerBase

@testable import TrackerWire

/// Writes the JSON Schema (2020-12) of the settings file, for editors that know schemas for TOML.
enum SchemaWriter {
  static func text() -> String {
    let head = [
      JSONMember(key: "$schema", value: .string("https://json-schema.org/draft/2020-12/schema")),
      JSONMember(key: "title", value: .string("Settings of Godwit")),
    ]
    var json = JSONWriter(isIndented: true)
    json.value(.object(head + object(of: Settings().nodes)))
    return json.text + "\n"
  }

  private static func object(of nodes: [SettingNode]) -> [JSONMember] {
    let properties = nodes.map { node in
      switch node {
      case .setting(let setting): member(of: setting)
      case .group(let group): member(group.key, group.doc, object(of: group.nodes))
      }
    }
    return [
      JSONMember(key: "type", value: .string("object")),
      JSONMember(key: "additionalProperties", value: .bool(false)),
      JSONMember(key: "properties", value: .object(properties)),
    ]
  }

  private static func member(of setting: any AnySetting) -> JSONMember {
    var members = members(of: setting.type)
    if let standard = json(setting.value) { members.append(("default", standard)) }
    // For programs: a form of what a server may set.
    if setting.isRemote { members.append(("x-remote", .bool(true))) }
    let doc = setting.isRemote ? "\(setting.doc) The server may set it too (docs/remote.md)." : setting.doc
    return member(setting.key, doc, members.map { JSONMember(key: $0.0, value: $0.1) })
  }

  private static func members(of type: SettingType) -> [(String, JSONValue)] {
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
  private static func json(_ value: SettingValue) -> JSONValue? {
    switch value {
    case .number(let number): .whole(number)
    case .integer(let number): .integer(Int64(number))
    case .flag(let flag): .bool(flag)
    case .text(let text): .string(text)
    case .texts(let texts): .array(texts.map { .string($0) })
    case .table: nil
    }
  }

  private static func member(_ key: String, _ doc: String, _ members: [JSONMember]) -> JSONMember {
    let words = doc.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
    let description = JSONMember(key: "description", value: .string(words))
    return JSONMember(key: key, value: .object([description] + members))
  }
}

extension JSONValue {
  /// As in the settings file: whole numbers without a fraction.
  fileprivate static func whole(_ value: Double) -> JSONValue {
    Int64(exactly: value).map { .integer($0) } ?? .number(value)
  }
}
