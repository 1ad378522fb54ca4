public struct VibrationSettings: InputLineGroup {
  public var chip = ""
  static let line = Setting<String>(
    "line", "Line by name or by offset, such as \"GPIO27\" or \"27\". Empty: no such line.")
  public var line = ""
  static let activeLow = Setting<Bool>("active_low", "true: the sensor is shaken while the line is low.")
  public var activeLow = false
  public var bias = InputLineSettings.Bias.asIs
  static let debounce_ms = Setting<Double>(
    "debounce_ms", in: 150...10000,
    """
    Edges that follow one another within this time count as one knock. The line is read ten times a second \
    at most, so a shorter time would count one knock twice.
    """)
  public var debounce_ms = 150.0
  static let edges = Setting<Int>(
    "edges", in: 1...1000, remote: true, "The vehicle counts as shaken when this many edges come …")
  public var edges = 5
  static let window_s = Setting<Double>("window_s", in: 1...600, remote: true, "… within this time.")
  public var window_s = 10.0

  public mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.visit(&chip, InputLineSettings.chip)
    visitor.visit(&line, Self.line)
    visitor.visit(&activeLow, Self.activeLow)
    visitor.visit(&bias, InputLineSettings.bias)
    visitor.visit(&debounce_ms, Self.debounce_ms)
    visitor.visit(&edges, Self.edges)
    visitor.visit(&window_s, Self.window_s)
  }
}
