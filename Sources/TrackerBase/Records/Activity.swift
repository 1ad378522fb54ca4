/// What the vehicle does, and how sure that is.
public struct Activity: Equatable, Sendable {
  public enum Kind: String, FigureChoice {
    /// No trip is going on.
    case parked
    /// Standing in a trip: at a light, in a jam, at a gate.
    case idling
    case driving
  }

  public var kind: Kind
  /// Per cent.
  public var confidence: Int

  /// Where a receiver does not say how well it knows the speed: Doppler speeds err by about so much, two
  /// deviations (GPS SPS Performance Standard, 5th edition, table 3.8-4, with a margin for vehicles).
  static let speedAccuracy_mps = 0.5

  /// Where no speed is known: the motion's state alone, which minutes of fixes have made.
  static let confidenceWithoutSpeed = 90

  /// The speed decides within a trip; without one, a vehicle on a trip is believed to drive.
  public init(isMoving: Bool, fix: Fix?) {
    guard let speed_mps = fix?.speed_mps else {
      kind = isMoving ? .driving : .parked
      confidence = Activity.confidenceWithoutSpeed
      return
    }
    let margin_mps = speed_mps - Fix.standing_mps
    kind = isMoving ? (margin_mps < 0 ? .idling : .driving) : .parked
    let deviation_mps = (fix?.speedAccuracy_mps ?? Activity.speedAccuracy_mps) / 2
    let deviations = (isMoving ? abs(margin_mps) : -margin_mps) / max(deviation_mps, 0.01)
    confidence = Activity.confidence(deviations: deviations)
  }

  /// The probability that an error is smaller than so many deviations to one side, by a sigmoid that needs no
  /// exponential: 50 % at 0, 85 % at 1, 95 % at 2, within 4 of the normal distribution.
  static func confidence(deviations: Double) -> Int {
    // Beyond, the square of them is no number.
    let deviations = min(max(deviations, -1e6), 1e6)
    return Int(saturating: (50 + 50 * deviations / (1 + deviations * deviations).squareRoot()).rounded())
  }
}

extension Record {
  public var activity: Activity { Activity(isMoving: isMoving, fix: fix) }
}
