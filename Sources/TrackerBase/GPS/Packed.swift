/// A number that may be missing, in the size of the number: nil is kept as one NaN of 2⁵², which no arithmetic makes.
///
/// An optional takes twice the room, and what is copied most often, a fix, has seven of them.
@propertyWrapper
public struct Packed: Sendable {
  private static let missing: UInt64 = 0x7FF8_6E6F_6E65_0000
  private var bits: UInt64

  public init(wrappedValue: Double?) { bits = wrappedValue?.bitPattern ?? Packed.missing }

  public var wrappedValue: Double? {
    get { bits == Packed.missing ? nil : Double(bitPattern: bits) }
    set { bits = newValue?.bitPattern ?? Packed.missing }
  }
}

extension Packed: Equatable {
  public static func == (one: Packed, other: Packed) -> Bool { one.wrappedValue == other.wrappedValue }
}
