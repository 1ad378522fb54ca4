public struct IgnitionSettings: InputLineGroup {
  public var chip = ""
  static let line = Setting<String>(
    "line", "Line by name or by offset, such as \"GPIO27\" or \"27\". Empty: no such line.")
  public var line = ""
  static let activeLow = Setting<Bool>("active_low", "true: the ignition is on while the line is low.")
  public var activeLow = false
  public var bias = InputLineSettings.Bias.asIs
  static let debounce_ms = Setting<Double>(
    "debounce_ms", in: 0...10000, "A change counts once the line has kept its new level for this time.")
  public var debounce_ms = 500.0

  public mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.visit(&chip, InputLineSettings.chip)
    visitor.visit(&line, Self.line)
    visitor.visit(&activeLow, Self.activeLow)
    visitor.visit(&bias, InputLineSettings.bias)
    visitor.visit(&debounce_ms, Self.debounce_ms)
  }
}
