public struct IgnitionSettings: InputLineGroup {
  @Setting("chip", InputLineSettings.chipDoc)
  public var chip = ""
  @Setting("line", "Line by name or by offset, such as \"GPIO27\" or \"27\". Empty: no such line.")
  public var line = ""
  @Setting("active_low", "true: the ignition is on while the line is low.")
  public var activeLow = false
  @Setting("bias", InputLineSettings.biasDoc)
  public var bias = InputLineSettings.Bias.asIs
  @Setting(
    "debounce_ms", in: 0...10000, "A change counts once the line has kept its new level for this time.")
  public var debounce_ms = 500.0
}
