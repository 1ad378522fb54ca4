/// A large value that is replaced as a whole, and seldom: what is copied with it copies a reference.
@propertyWrapper
public struct Shared<Value: Sendable>: Sendable {
  @usableFromInline
  final class Box: Sendable {
    @usableFromInline let value: Value
    @usableFromInline init(_ value: Value) { self.value = value }
  }

  @usableFromInline var box: Box

  @inlinable
  public init(wrappedValue: Value) { box = Box(wrappedValue) }

  @inlinable public var wrappedValue: Value {
    get { box.value }
    set { box = Box(newValue) }
  }
}

extension Shared: Equatable where Value: Equatable {
  public static func == (one: Shared, other: Shared) -> Bool {
    one.box === other.box || one.wrappedValue == other.wrappedValue
  }
}
