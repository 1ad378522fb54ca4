import TrackerBase

@testable import TrackerWire

/// The JSON Schema (2020-12) of the status document, out of the figures' declarations.
///
/// A receiver passes over what it does not know, so no object is closed; an agent of an older version has fewer figures,
/// so none is required.
enum StatusSchema {
  static func text() -> String {
    let head = [
      JSONMember(key: "$schema", value: .string("https://json-schema.org/draft/2020-12/schema")),
      JSONMember(key: "title", value: .string("Status of Godwit")),
    ]
    var json = JSONWriter(isIndented: true)
    json.value(.object(head + object(of: TrackerStatus().nodes)))
    return json.text + "\n"
  }

  private static func object(of nodes: [StatusNode]) -> [JSONMember] {
    object(
      nodes.map { node in
        switch node {
        case .figure(let figure): JSONMember(key: figure.key, value: .object(schema(of: figure)))
        case .group(let group): JSONMember(key: group.key, value: .object(schema(of: group)))
        }
      })
  }

  private static func schema(of group: any AnyFigureGroup) -> [JSONMember] {
    let inner = object(of: group.blank.nodes)
    let description = [JSONMember(key: "description", value: .string(group.doc))]
    return switch group.form {
    case .object: description + inner
    case .list: description + type("array", [JSONMember(key: "items", value: .object(inner))])
    case .byName:
      description + type("object", [JSONMember(key: "additionalProperties", value: .object(inner))])
    }
  }

  private static func schema(of figure: any AnyFigure) -> [JSONMember] {
    [JSONMember(key: "description", value: .string(figure.doc))] + schema(of: figure.type, figure)
  }

  private static func schema(of type: FigureType, _ figure: any AnyFigure) -> [JSONMember] {
    switch type {
    case .integer where figure.kind == .time:
      self.type("string", [JSONMember(key: "format", value: .string("date-time"))])
    case .integer: self.type("integer", bounds(of: figure.kind))
    case .number: self.type("number", bounds(of: figure.kind))
    case .flag: self.type("boolean")
    case .only(let flag): [JSONMember(key: "const", value: .bool(flag))]
    case .text: self.type("string")
    case .texts: self.type("array", [JSONMember(key: "items", value: .object(self.type("string")))])
    case .name: self.type("string", [JSONMember(key: "pattern", value: .string("^[a-z0-9_]+$"))])
    case .choice(let names):
      [JSONMember(key: "enum", value: .array(names.map { .string($0) }))]
    case .table(let names, let content):
      object(names.map { JSONMember(key: $0, value: .object(schema(of: content, figure))) })
    }
  }

  private static func bounds(of kind: FigureKind) -> [JSONMember] {
    let least = JSONMember(key: "minimum", value: .integer(0))
    if kind == .signedGauge { return [] }
    return kind == .percent ? [least, JSONMember(key: "maximum", value: .integer(100))] : [least]
  }

  private static func object(_ properties: [JSONMember]) -> [JSONMember] {
    type("object", [JSONMember(key: "properties", value: .object(properties))])
  }

  private static func type(_ name: String, _ rest: [JSONMember] = []) -> [JSONMember] {
    [JSONMember(key: "type", value: .string(name))] + rest
  }
}
