@_spi(Reflection) import Swift

/// Settings that are together in a file: each property has a `@Setting` or a `@Group`.
public protocol SettingGroup: Equatable, Sendable {}

/// A group of settings within another one, declared above its value: its name in a file, and what it is about.
@propertyWrapper
public struct Group<Members: SettingGroup>: Equatable, AnyGroup {
  private let name: StaticString
  private let meaning: StaticString
  public var wrappedValue: Members

  public init(wrappedValue: Members, _ name: StaticString, _ doc: StaticString) {
    (self.name, meaning, self.wrappedValue) = (name, doc, wrappedValue)
  }

  public var key: String { name.description }
  public var doc: String { meaning.description }
  public var nodes: [SettingNode] { wrappedValue.nodes }

  public static func == (a: Group, b: Group) -> Bool { a.wrappedValue == b.wrappedValue }
}

/// A group within another one, whatever it holds.
public protocol AnyGroup: Sendable {
  var key: String { get }
  var doc: String { get }
  var nodes: [SettingNode] { get }
}

/// A member of a group.
public enum SettingNode {
  case setting(any AnySetting)
  case group(any AnyGroup)
}

extension SettingGroup {
  /// Its settings and groups as they are declared, which is the order of the reference file.
  public var nodes: [SettingNode] {
    Mirror(reflecting: self).children.compactMap { child in
      switch child.value {
      case let setting as any AnySetting: .setting(setting)
      case let group as any AnyGroup: .group(group)
      default: nil
      }
    }
  }

  /// Offers each setting for a change, in the order of the nodes.
  ///
  /// - Parameter path: the names of the groups around this one.
  public mutating func change(
    in path: [String] = [], _ change: (_ setting: inout any AnySetting, _ path: [String]) -> Void
  ) {
    // `Mirror` reads and does not write. This is the standard library's only other list of properties.
    _forEachFieldWithKeyPath(of: Self.self) { _, field in
      if let declared = type(of: field).valueType as? any Changeable.Type {
        self.change(field, as: declared, in: path, change)
      }
      return true
    }
  }

  private mutating func change<Declared: Changeable>(
    _ field: PartialKeyPath<Self>, as _: Declared.Type, in path: [String],
    _ change: (inout any AnySetting, [String]) -> Void
  ) {
    guard let field = field as? WritableKeyPath<Self, Declared> else { return }
    self[keyPath: field].change(in: path, change)
  }
}

private protocol Changeable {
  mutating func change(in path: [String], _ change: (inout any AnySetting, [String]) -> Void)
}

extension Setting: Changeable {
  fileprivate mutating func change(in path: [String], _ change: (inout any AnySetting, [String]) -> Void) {
    var setting: any AnySetting = self
    change(&setting, path + [declaration.key])
    value = setting.value
  }
}

extension Group: Changeable {
  fileprivate mutating func change(in path: [String], _ change: (inout any AnySetting, [String]) -> Void) {
    wrappedValue.change(in: path + [key], change)
  }
}
