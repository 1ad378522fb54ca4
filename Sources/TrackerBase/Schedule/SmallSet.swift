/// A set of the numbers 0...63.
struct SmallSet: Equatable, Sendable {
  private(set) var bits: UInt64 = 0

  mutating func insert(_ number: Int) { bits |= 1 << UInt64(number) }

  func contains(_ number: Int) -> Bool { (bits >> UInt64(number)) & 1 == 1 }
}
