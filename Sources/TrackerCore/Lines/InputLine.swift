/// The lines that tell of the vehicle.
public enum InputLine: String, CaseIterable, Sendable {
  case ignition, vibration
}
