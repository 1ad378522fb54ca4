/// Metres driven, without the receiver's noise: it advances only when the vehicle has come farther from the
/// last counted point than a fix can err, and never while the vehicle stands.
public struct Odometer: Equatable, Sendable {
  /// Over the whole life of the device.
  public private(set) var total_m: Double
  /// The last counted point of the trip; nil while parked.
  private(set) var anchor: Fix?

  /// The shortest step that counts.
  static let minStep_m = 5.0

  /// - Parameter anchor: where the process before this one had counted to; the way since then counts straight.
  public init(total_m: Double = 0, anchor: Fix? = nil) {
    self.total_m = total_m
    self.anchor = anchor
  }

  /// A trip begins: the next step is measured from here.
  public mutating func begin(at fix: Fix?) { anchor = fix }

  /// - Returns: the metres that this fix added.
  public mutating func add(_ fix: Fix, halted: Bool) -> Double {
    guard let anchor else {
      self.anchor = fix
      return 0
    }
    guard !halted else { return 0 }
    return step(from: anchor, to: fix, atLeast_m: max(Odometer.minStep_m, fix.accuracy_m / 2))
  }

  /// A trip ends at `fix`: the last step counts whole.
  public mutating func end(at fix: Fix?) -> Double {
    defer { anchor = nil }
    guard let anchor, let fix else { return 0 }
    return step(from: anchor, to: fix, atLeast_m: Odometer.minStep_m)
  }

  private mutating func step(from anchor: Fix, to fix: Fix, atLeast_m: Double) -> Double {
    let step_m = anchor.position.distance_m(to: fix.position)
    guard step_m >= atLeast_m else { return 0 }
    self.anchor = fix
    total_m += step_m
    return step_m
  }
}
