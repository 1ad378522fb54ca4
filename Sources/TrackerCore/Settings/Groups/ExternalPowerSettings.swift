/// The line that reports whether the vehicle's supply is connected; docs/power.md, When the supply is cut.
public struct ExternalPowerSettings: SettingGroup {
  static let chip = Setting<String>(
    "chip", "GPIO chip by label or name, or \"simulated:DIRECTORY\", as in gps.power.chip.")
  public var chip = ""
  static let line = Setting<String>(
    "line", "Line by name or by offset, such as \"GPIO23\" or \"23\". Empty: no such line.")
  public var line = ""
  static let activeLow = Setting<Bool>("active_low", "true: the supply is there while the line is low.")
  public var activeLow = false
  static let bias = Setting<InputLineSettings.Bias>(
    "bias", "The resistor inside the chip on this line. as_is: leave it as the board has it.")
  public var bias = InputLineSettings.Bias.asIs
  static let debounce_ms = Setting<Double>(
    "debounce_ms", in: 0...10000,
    """
    A change counts once the line has been quiet for so long; no longer than the board lasts without the supply.
    """)
  public var debounce_ms = 500.0

  public var exists: Bool { !line.isEmpty }

  public var input: InputLineSettings {
    InputLineSettings(chip: chip, line: line, activeLow: activeLow, bias: bias, debounce_ms: debounce_ms)
  }

  public mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.visit(&chip, Self.chip)
    visitor.visit(&line, Self.line)
    visitor.visit(&activeLow, Self.activeLow)
    visitor.visit(&bias, Self.bias)
    visitor.visit(&debounce_ms, Self.debounce_ms)
  }
}
