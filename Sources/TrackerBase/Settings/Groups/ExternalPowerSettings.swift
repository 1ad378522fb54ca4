/// The line that reports whether the vehicle's supply is connected; docs/power.md, When the supply is cut.
public struct ExternalPowerSettings: InputLineGroup {
  @Setting("chip", InputLineSettings.chipDoc)
  public var chip = ""
  @Setting("line", "Line by name or by offset, such as \"GPIO23\" or \"23\". Empty: no such line.")
  public var line = ""
  @Setting("active_low", "true: the supply is there while the line is low.")
  public var activeLow = false
  @Setting("bias", InputLineSettings.biasDoc)
  public var bias = InputLineSettings.Bias.asIs
  @Setting(
    "debounce_ms", in: 0...10000,
    """
    A change counts once the line has kept its new level for this time; no longer than the board lasts \
    without the supply.
    """)
  public var debounce_ms = 500.0
}
