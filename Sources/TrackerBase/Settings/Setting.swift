/// One setting, declared above its property: its key in the file, its range, whether the server may set it, and what it
/// means. The property's initial value is the default.
///
///     @Setting("port", in: 1...65535, "gpsd's port.")
///     public var port = 2947
///
/// From it come the reference file, the JSON Schema, the messages and the listing. The unit is in the key.
@propertyWrapper
public struct Setting<Value: SettingRepresentable>: AnySetting {
  public let declaration: SettingDeclaration
  public var wrappedValue: Value

  public var value: SettingValue {
    get { wrappedValue.settingValue }
    set { wrappedValue = Value(setting: newValue) ?? wrappedValue }
  }
}

extension Setting where Value: BoundedSetting {
  public init(
    wrappedValue: Value, _ key: StaticString, in range: ClosedRange<Value>, restart: Bool = false,
    remote: Bool = false, _ doc: StaticString
  ) {
    let type = Value.settingType(in: range)
    declaration = SettingDeclaration(type, key, restart: restart, remote: remote, doc)
    self.wrappedValue = wrappedValue
  }
}

extension Setting where Value: UnboundedSetting {
  public init(
    wrappedValue: Value, _ key: StaticString, restart: Bool = false, remote: Bool = false, _ doc: StaticString
  ) {
    declaration = SettingDeclaration(Value.settingType, key, restart: restart, remote: remote, doc)
    self.wrappedValue = wrappedValue
  }
}

extension Setting: Equatable {
  public static func == (a: Setting, b: Setting) -> Bool { a.wrappedValue == b.wrappedValue }
}

/// What is said of a setting. In a place of its own, so that copies of the settings stay small.
public final class SettingDeclaration: Sendable {
  /// What values it takes.
  public let type: SettingType
  /// Whether a running agent cannot exchange it: for a moment it would hold neither the old nor the new.
  public let needsRestart: Bool
  /// Whether the server may set it (docs/remote.md): never what says where anything is sent, read or run.
  public let isRemote: Bool
  private let name: StaticString
  private let meaning: StaticString

  init(
    _ type: SettingType, _ name: StaticString, restart: Bool, remote: Bool, _ meaning: StaticString
  ) {
    (self.type, self.name, self.meaning) = (type, name, meaning)
    (needsRestart, isRemote) = (restart, remote)
  }

  /// In a file, within its group.
  public var key: String { name.description }
  /// What it means, for people. Lines that are indented are an example and stay as they are.
  public var doc: String { needsRestart ? "\(meaning) A change needs a restart." : meaning.description }
}

/// A setting, whatever the type of its value.
@dynamicMemberLookup
public protocol AnySetting: Sendable {
  var declaration: SettingDeclaration { get }
  /// A value of another type than the setting's is ignored.
  var value: SettingValue { get set }
}

extension AnySetting {
  public subscript<Member>(dynamicMember part: KeyPath<SettingDeclaration, Member>) -> Member {
    declaration[keyPath: part]
  }
}
