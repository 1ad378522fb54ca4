/// What woke it: the fixes of a GPS that was on, a line, a probe that was due, or what had it looked at before that.
public enum DepartureCause: String, FigureChoice {
  case fixes, ignition, probe, vibration, cell, voltage, acceleration

  /// A driver starts the engine, and leaves within minutes: for so long probes follow a sign more closely.
  package static let signLasts_ms: Int64 = 600_000

  /// `noticed by …`
  public var words: String {
    switch self {
    case .fixes: "the GPS, which was on"
    case .ignition: "the ignition"
    case .probe: "a probe"
    case .vibration: "vibration"
    case .cell: "the modem's cell"
    case .voltage: "the battery's voltage"
    case .acceleration: "the accelerometer"
    }
  }
}
