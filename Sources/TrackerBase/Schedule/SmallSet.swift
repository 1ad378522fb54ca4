/// A set of the numbers 0...63.
struct SmallSet: Equatable, Sendable {
  private(set) var bits: UInt64 = 0

  mutating func insert(_ number: Int) { bits |= 1 << UInt64(number) }

  func contains(_ number: Int) -> Bool { (bits >> UInt64(number)) & 1 == 1 }

  /// The smallest member that is not below the number.
  func first(from number: Int) -> Int? {
    let left = number > 63 ? 0 : bits & (UInt64.max << UInt64(number))
    return left == 0 ? nil : left.trailingZeroBitCount
  }

  /// The largest member that is not above the number.
  func last(through number: Int) -> Int? {
    guard number >= 0 else { return nil }
    let left = number >= 63 ? bits : bits & ((1 << UInt64(number + 1)) - 1)
    return left == 0 ? nil : 63 - left.leadingZeroBitCount
  }
}
