/// Figures that belong together: an object of the document, or the members of one.
public protocol StatusGroup: GroupValue where Member == Self {
  init()
  /// Among others of its kind; else empty.
  var name: String { get }
  /// Passes each figure and group once, in the order of the document.
  func visit(with visitor: inout some StatusVisitor)
}

/// One group, one that may be absent, or several.
public protocol GroupValue: Equatable, Sendable {
  associatedtype Member: StatusGroup
  var members: [Member] { get }
}

/// Walks the figures of a group. What each is and what it holds comes with it.
public protocol StatusVisitor {
  mutating func visit<Value>(_ figure: Figure<Value>)
  mutating func visit<Value>(_ group: FigureGroup<Value>)
}

/// A group with a key of its own, declared above its value.
@propertyWrapper
public struct FigureGroup<Value: GroupValue>: Equatable, Sendable {
  public let key: StaticString
  public let form: GroupForm
  public let doc: StaticString
  public var wrappedValue: Value

  public init(wrappedValue: Value, _ key: StaticString, _ form: GroupForm, _ doc: StaticString) {
    (self.key, self.form, self.doc, self.wrappedValue) = (key, form, doc, wrappedValue)
  }

  public init(wrappedValue: Value, _ key: StaticString, _ doc: StaticString) {
    self.init(wrappedValue: wrappedValue, key, .object, doc)
  }

  public static func == (a: FigureGroup, b: FigureGroup) -> Bool { a.wrappedValue == b.wrappedValue }
}

/// How the document has it. Of several, the metrics have the name as a label.
public enum GroupForm: Sendable {
  case object
  /// A list of objects with a `name`; absent where there are none. With an empty label they need no name, and are no
  /// metrics.
  case list(label: StaticString)
  /// An object with an object for each name.
  case byName(label: StaticString)

  public var isShownEmpty: Bool {
    switch self {
    case .object, .list: false
    case .byName: true
    }
  }
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
