/// A number that may be missing, in the size of the number: nil is kept as NaN, which no field ever is.
///
/// An optional takes twice the room, and what is copied most often, a fix, has seven of them.
@propertyWrapper
public struct Packed: Sendable {
  private var number: Double

  public init(wrappedValue: Double?) { number = wrappedValue ?? .nan }

  public var wrappedValue: Double? {
    get { number.isNaN ? nil : number }
    set { number = newValue ?? .nan }
  }
}

extension Packed: Equatable {
  public static func == (one: Packed, other: Packed) -> Bool { one.wrappedValue == other.wrappedValue }
}
