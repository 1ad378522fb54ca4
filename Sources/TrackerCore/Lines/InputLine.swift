/// The lines that watch the vehicle.
public enum InputLine: String, CaseIterable, Sendable {
  case ignition, vibration
}
