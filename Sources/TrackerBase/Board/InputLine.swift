/// The lines that watch the vehicle. The raw values are their groups of the settings.
public enum InputLine: String, CaseIterable, Sendable {
  case ignition, vibration
  case externalPower = "external_power"

  /// For people.
  package var words: String {
    switch self {
    case .ignition: "ignition"
    case .vibration: "vibration"
    case .externalPower: "external power"
    }
  }
}
