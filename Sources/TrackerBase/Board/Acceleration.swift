import CMath

/// As an accelerometer measures it, gravity and all, in m/s² along the chip's own axes.
public struct Acceleration: Equatable, Sendable {
  public var x: Double
  public var y: Double
  public var z: Double

  public init(_ x: Double, _ y: Double, _ z: Double) { (self.x, self.y, self.z) = (x, y, z) }

  package var length: Double { (x * x + y * y + z * z).squareRoot() }

  package static func - (a: Acceleration, b: Acceleration) -> Acceleration {
    Acceleration(a.x - b.x, a.y - b.y, a.z - b.z)
  }

  /// nil of none.
  package static func mean(_ all: [Acceleration]) -> Acceleration? {
    if all.isEmpty { return nil }
    let count = Double(all.count)
    return Acceleration(
      all.reduce(0) { $0 + $1.x } / count, all.reduce(0) { $0 + $1.y } / count,
      all.reduce(0) { $0 + $1.z } / count)
  }

  /// A step of that share towards another one.
  package func moved(to other: Acceleration, share: Double) -> Acceleration {
    Acceleration(x + (other.x - x) * share, y + (other.y - y) * share, z + (other.z - z) * share)
  }

  /// nil where one of them has no direction.
  package func angle_deg(to other: Acceleration) -> Double? {
    let (a, b) = (length, other.length)
    guard a > 0, b > 0 else { return nil }
    let chord = Acceleration(x / a - other.x / b, y / a - other.y / b, z / a - other.z / b).length
    return 2 * cmath_asin(min(1, chord / 2)) * 180 / .pi
  }
}

/// What the accelerometer says.
public enum AccelerationNews: Equatable, Sendable {
  /// It was found, and is read when it is asked for. - Parameter hasEvent: it tells by itself, too.
  case opened(hasEvent: Bool)
  /// The threshold that it was given is exceeded. It may tell the same again after some seconds.
  case exceeded
  /// What it measures at this moment, within some hundredths of a second.
  case samples([Acceleration])
  /// The driver does not take the threshold, in words: it is read only.
  case eventRefused(String)
  /// It cannot be found or read, in words; reported once, and tried again.
  case failed(String)
}

/// What is wanted of it.
public enum AccelerationOrder: Equatable, Sendable {
  /// `.exceeded` is wanted from now on above this; nil: not at all.
  case tell(above_mps2: Double?)
  /// `.samples` are wanted, or `.failed`.
  case read
}
