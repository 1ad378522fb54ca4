/// Figures that belong together: an object of the document, or the members of one.
public protocol StatusGroup: GroupValue where Member == Self {
  init()
  /// Among others of its kind; else empty.
  var name: String { get }
}

/// A member of the document's object.
public enum StatusNode {
  case figure(any AnyFigure)
  case group(any AnyFigureGroup)
}

extension StatusGroup {
  /// Its figures and groups as they are declared, which is the order of the document. The members of a group without a
  /// key are members of this one.
  public var nodes: [StatusNode] {
    Mirror(reflecting: self).children.flatMap { child -> [StatusNode] in
      switch child.value {
      case let figure as any AnyFigure: [.figure(figure)]
      case let group as any AnyFigureGroup: [.group(group)]
      case let part as any StatusGroup: part.nodes
      default: []
      }
    }
  }
}

/// One group, one that may be absent, or several.
public protocol GroupValue: Equatable, Sendable {
  associatedtype Member: StatusGroup
  var members: [Member] { get }
}

/// A group with a key of its own, declared above its value.
@propertyWrapper
public struct FigureGroup<Value: GroupValue>: Equatable, AnyFigureGroup {
  private let name: StaticString
  public let form: GroupForm
  private let meaning: StaticString
  public var wrappedValue: Value

  public var key: String { name.description }
  public var doc: String { meaning.description }
  public var members: [any StatusGroup] { wrappedValue.members }
  public var blank: any StatusGroup { Value.Member() }

  public init(wrappedValue: Value, _ key: StaticString, _ form: GroupForm, _ doc: StaticString) {
    (name, self.form, meaning, self.wrappedValue) = (key, form, doc, wrappedValue)
  }

  public init(wrappedValue: Value, _ key: StaticString, _ doc: StaticString) {
    self.init(wrappedValue: wrappedValue, key, .object, doc)
  }

  public static func == (a: FigureGroup, b: FigureGroup) -> Bool { a.wrappedValue == b.wrappedValue }
}

/// A group with a key, whatever it holds.
public protocol AnyFigureGroup: Sendable {
  var key: String { get }
  var form: GroupForm { get }
  var doc: String { get }
  var members: [any StatusGroup] { get }
  /// A member without values.
  var blank: any StatusGroup { get }
}

/// How the document has it. Of several, the metrics have the name as a label.
public enum GroupForm: Sendable {
  case object
  /// A list of objects with a `name`; absent where there are none. With an empty label they need no name, and are no
  /// metrics.
  case list(label: StaticString)
  /// An object with an object for each name.
  case byName(label: StaticString)
}

extension StatusGroup {
  public var members: [Self] { [self] }
  public var name: String { "" }
}

extension Optional: GroupValue where Wrapped: StatusGroup {
  public typealias Member = Wrapped
  public var members: [Wrapped] { map { [$0] } ?? [] }
}

extension Array: GroupValue where Element: StatusGroup {
  public typealias Member = Element
  public var members: [Element] { self }
}
