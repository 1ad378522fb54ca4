/// What files, messages, the reference and the schema must know of a setting. It stands above the setting's property,
/// under the same name:
///
///     static let port = Setting<Int>("port", in: 1...65535, "gpsd's port.")
///     public var port = 2947
///
/// The property's initial value is the default.
public struct Setting<Value: SettingRepresentable>: Sendable {
  public let type: SettingType
  /// Whether a running agent cannot exchange it: for a moment it would hold neither the old nor the new.
  public let needsRestart: Bool
  /// Whether the server may set it (docs/remote.md): never what says where anything is sent, read or run.
  public let isRemote: Bool
  private let name: StaticString
  private let meaning: StaticString

  private init(
    _ type: SettingType, _ name: StaticString, restart: Bool, remote: Bool, _ meaning: StaticString
  ) {
    self.type = type
    self.name = name
    (needsRestart, isRemote) = (restart, remote)
    self.meaning = meaning
  }

  /// In a file, within its group. It ends with the unit.
  public var key: String { name.description }
  /// What it means, for people. Lines that are indented are an example and stay as they are.
  public var doc: String { needsRestart ? "\(meaning) A change needs a restart." : meaning.description }
}

extension Setting where Value: BoundedSetting {
  public init(
    _ key: StaticString, in range: ClosedRange<Value>, restart: Bool = false, remote: Bool = false,
    _ doc: StaticString
  ) {
    self.init(Value.settingType(in: range), key, restart: restart, remote: remote, doc)
  }
}

extension Setting where Value: UnboundedSetting {
  public init(_ key: StaticString, restart: Bool = false, remote: Bool = false, _ doc: StaticString) {
    self.init(Value.settingType, key, restart: restart, remote: remote, doc)
  }
}

/// Settings that stand together in a file. A test says which property `visit` leaves out.
public protocol SettingGroup: Equatable, Sendable {
  /// Shows the visitor every setting and group, once each, in the order of the reference file.
  mutating func visit(with visitor: inout some SettingVisitor)
}

/// A group's name in a file, and what it is about. It stands above the group's property, as a `Setting` does.
public struct Group: Sendable {
  private let key: StaticString
  private let meaning: StaticString

  public init(_ name: StaticString, _ doc: StaticString) {
    key = name
    meaning = doc
  }

  public var name: String { key.description }
  public var doc: String { meaning.description }
}
