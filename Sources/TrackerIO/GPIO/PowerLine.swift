import TrackerCore

/// The line that powers the GPS module. Opening one switches the power off.
public protocol PowerLine: AnyObject {
  func set(_ on: Bool) throws(GPIOError)
  /// The power as the line has it, which `set` may have failed to change.
  func read() throws(GPIOError) -> Bool
  /// Gives the line up as it is. Most Raspberry Pi kernels keep its level; do not rely on either.
  func close()
}

public enum PowerLines {
  /// The line that the settings name; nil if the module is always powered.
  public static func open(settings: GPSPowerSettings) throws(GPIOError) -> (any PowerLine)? {
    switch settings.mode {
    case .none:
      return nil
    case .level:
      if let directory = simulatedFolder(settings.chip) {
        return try SimulatedPowerLine(
          directory: directory, line: settings.line, activeLow: settings.activeLow)
      }
      return try GPIODPowerLine(
        chip: settings.chip, line: settings.line, activeLow: settings.activeLow)
    }
  }
}
