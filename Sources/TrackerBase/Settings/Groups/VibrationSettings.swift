public struct VibrationSettings: InputLineGroup {
  @Setting("chip", InputLineSettings.chipDoc)
  public var chip = ""
  @Setting("line", "Line by name or by offset, such as \"GPIO27\" or \"27\". Empty: no such line.")
  public var line = ""
  @Setting("active_low", "true: the sensor is shaken while the line is low.")
  public var activeLow = false
  @Setting("bias", InputLineSettings.biasDoc)
  public var bias = InputLineSettings.Bias.asIs
  @Setting(
    "debounce_ms", in: 150...10000,
    """
    Edges that follow one another within this time count as one knock. The line is read ten times a second \
    at most, so a shorter time would count one knock twice.
    """)
  public var debounce_ms = 150.0
  @Setting("edges", in: 1...1000, remote: true, "The vehicle counts as shaken when this many edges come …")
  public var edges = 5
  @Setting("window_s", in: 1...600, remote: true, "… within this time.")
  public var window_s = 10.0
}
