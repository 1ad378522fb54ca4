/// What happened to the vehicle at a moment. Numbers have tenths.
public enum Incident: Equatable, Sendable {
  /// It was hit harder than that.
  case crash(over_mps2: Double)
  /// Somebody lifts or tows it: it is tilted by that against how it stood.
  case tow(tilt_deg: Double)
  /// It braked from one speed to another: over two seconds at that rate at the hardest.
  case harshBraking(from_mps: Double, to_mps: Double, peak_mps2: Double)

  public var kind: Record.Kind {
    switch self {
    case .crash: .crash
    case .tow: .tow
    case .harshBraking: .harshBraking
    }
  }
}
