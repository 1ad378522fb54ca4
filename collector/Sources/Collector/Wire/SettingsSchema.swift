import Foundation

/// The settings of devices that a server may set, read from `config/godwit.schema.json`.
public struct SettingsSchema: Sendable {
  /// A setting, for the form and for the check.
  struct Setting: Encodable, Equatable, Sendable {
    /// With its group before a dot.
    var key: String
    var description: String
    /// number, integer, boolean, string or array (of texts).
    var type: String
    var minimum: Double?
    var maximum: Double?
    var choices: [String]?
    var standard: JSONValue?

    enum CodingKeys: String, CodingKey {
      case key, description, type, minimum, maximum, choices
      case standard = "default"
    }
  }

  struct Problem: Encodable, Equatable {
    var key: String
    var problem: String
  }

  /// In the order of their groups, by key within each.
  let settings: [Setting]

  /// Where the package has it.
  public static let usualFile = "/usr/share/godwit-collector/godwit.schema.json"

  /// Nil for what is none, and for one that marks no setting with `x-remote`.
  public init?(text: String) {
    guard let root = JSONValue(text: text) else { return nil }
    settings = Self.settings(of: root, under: "").sorted { $0.key < $1.key }
    if settings.isEmpty { return nil }
  }

  private static func settings(of object: JSONValue, under prefix: String) -> [Setting] {
    (object["properties"]?.members ?? [:]).flatMap { key, value in
      if value["properties"] != nil { return settings(of: value, under: "\(prefix)\(key).") }
      guard value["x-remote"] == .bool(true), let type = value["type"]?.string else { return [] }
      return [
        Setting(
          key: prefix + key, description: value["description"]?.string ?? "", type: type,
          minimum: value["minimum"]?.double, maximum: value["maximum"]?.double,
          choices: value["enum"]?.elements?.compactMap(\.string), standard: value["default"])
      ]
    }
  }

  /// What is wrong with values, by their keys; empty where nothing is. Whether they fit together, and fit the device's
  /// own file, only the device can say.
  func problems(of values: [String: JSONValue]) -> [Problem] {
    let known = Dictionary(uniqueKeysWithValues: settings.map { ($0.key, $0) })
    return values.sorted { $0.key < $1.key }.compactMap { key, value in
      guard let setting = known[key] else {
        return Problem(key: String(key.prefix(100)), problem: "is no setting that a server may set")
      }
      return setting.problem(of: value).map { Problem(key: key, problem: $0) }
    }
  }
}

extension SettingsSchema.Setting {
  fileprivate func problem(of value: JSONValue) -> String? {
    switch type {
    case "number", "integer":
      guard let number = value.double else { return "must be a number" }
      if type == "integer", number != number.rounded() { return "must be a whole number" }
      if let minimum, let maximum, !(minimum...maximum).contains(number) {
        return "must be from \(Self.text(minimum)) to \(Self.text(maximum))"
      }
      return nil
    case "boolean": return value == .bool(true) || value == .bool(false) ? nil : "must be true or false"
    case "array":
      let isTexts = value.elements?.allSatisfy { $0.string != nil } == true
      return isTexts ? nil : "must be a list of texts"
    default:
      guard let text = value.string else { return "must be text" }
      if let choices, !choices.contains(text) { return "must be one of \(choices.joined(separator: ", "))" }
      return nil
    }
  }

  private static func text(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? String(number)
  }
}
