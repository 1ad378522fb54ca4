/// A position in a text. Both count from 1.
public struct SettingPlace: Equatable, Comparable, Sendable {
  public var line: Int
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  public static func < (a: SettingPlace, b: SettingPlace) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }
}

/// A table or a value as a settings file holds it, before anyone knows whether there is such a setting.
public struct SettingEntry: Equatable, Sendable {
  public struct Element: Equatable, Sendable {
    public var text: String
    public var place: SettingPlace

    public init(text: String, place: SettingPlace) {
      self.text = text
      self.place = place
    }
  }

  public enum Value: Equatable, Sendable {
    case table
    case text(String)
    case integer(Int64)
    case number(Double)
    case flag(Bool)
    case texts([Element])
    /// Something that no setting takes; the words say what, such as "a date".
    case other(String)
  }

  /// Never empty.
  public var path: [String]
  public var value: Value
  /// Where the key stands.
  public var place: SettingPlace

  public init(path: [String], value: Value, place: SettingPlace) {
    self.path = path
    self.value = value
    self.place = place
  }

  var key: String { path[path.count - 1] }
}

extension SettingEntry.Value {
  /// What it is, for a message. Never the value itself.
  var kind: String {
    switch self {
    case .table: "a table"
    case .text: "text"
    case .integer: "a whole number"
    case .number: "a decimal number"
    case .flag: "true or false"
    case .texts: "a list of texts"
    case .other(let words): words
    }
  }
}
