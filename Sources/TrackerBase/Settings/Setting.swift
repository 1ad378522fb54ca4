/// One setting, declared above its property: its key in the file, its range, whether the server may set it, and what it
/// means. The property's initial value is the default.
///
///     @Setting("port", in: 1...65535, "gpsd's port.")
///     public var port = 2947
///
/// From it come the reference file, the JSON Schema, the messages and the listing. The unit is in the key.
@propertyWrapper
public struct Setting<Value: SettingRepresentable>: AnySetting {
  public let type: SettingType
  public let needsRestart: Bool
  public let isRemote: Bool
  private let name: StaticString
  private let meaning: StaticString
  public var wrappedValue: Value

  private init(
    _ value: Value, _ type: SettingType, _ name: StaticString, _ restart: Bool, _ remote: Bool,
    _ meaning: StaticString
  ) {
    (wrappedValue, self.type, self.name, self.meaning) = (value, type, name, meaning)
    (needsRestart, isRemote) = (restart, remote)
  }

  public var key: String { name.description }
  public var doc: String { needsRestart ? "\(meaning) A change needs a restart." : meaning.description }
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
    self.init(wrappedValue, Value.settingType(in: range), key, restart, remote, doc)
  }
}

extension Setting where Value: UnboundedSetting {
  public init(
    wrappedValue: Value, _ key: StaticString, restart: Bool = false, remote: Bool = false, _ doc: StaticString
  ) {
    self.init(wrappedValue, Value.settingType, key, restart, remote, doc)
  }
}

extension Setting: Equatable {
  public static func == (a: Setting, b: Setting) -> Bool { a.wrappedValue == b.wrappedValue }
}

/// A setting, whatever the type of its value.
public protocol AnySetting: Sendable {
  /// In a file, within its group.
  var key: String { get }
  var type: SettingType { get }
  /// Whether a running agent cannot exchange it: for a moment it would hold neither the old nor the new.
  var needsRestart: Bool { get }
  /// Whether the server may set it (docs/remote.md): never what says where anything is sent, read or run.
  var isRemote: Bool { get }
  /// What it means, for people. Lines that are indented are an example and stay as they are.
  var doc: String { get }
  /// A value of another type than the setting's is ignored.
  var value: SettingValue { get set }
}
