/// A GPIO line that the agent listens to.
public struct InputLineSettings: Equatable, Sendable {
  public enum Bias: String, SettingChoice {
    case asIs = "as_is"
    case pullUp = "pull_up"
    case pullDown = "pull_down"
    case none
  }

  public var chip: String
  public var line: String
  public var activeLow: Bool
  public var bias = Bias.asIs
  public var debounce_ms: Double

  public var exists: Bool { !line.isEmpty }

  // The same for every line.
  static let chipDoc: StaticString =
    "GPIO chip by label or name, or \"simulated:DIRECTORY\", as in gps.power.chip."
  static let biasDoc: StaticString =
    "The resistor inside the chip on this line. as_is: leave it as the board has it."
}

/// A group of settings that names such a line.
public protocol InputLineGroup: SettingGroup {
  var chip: String { get }
  var line: String { get }
  var activeLow: Bool { get }
  var bias: InputLineSettings.Bias { get }
  var debounce_ms: Double { get }
}

extension InputLineGroup {
  public var input: InputLineSettings {
    InputLineSettings(chip: chip, line: line, activeLow: activeLow, bias: bias, debounce_ms: debounce_ms)
  }
}

extension Settings {
  /// Of every line that there may be; those without a name are not there.
  public var inputLines: [(line: InputLine, input: InputLineSettings)] {
    [(.ignition, ignition.input), (.vibration, vibration.input), (.externalPower, externalPower.input)]
  }
}
