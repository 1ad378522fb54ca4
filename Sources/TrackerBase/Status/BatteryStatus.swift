public struct BatteryStatus: StatusGroup {
  @Figure("volts", .gauge, decimals: 2, "Voltage of the vehicle's battery.")
  public var volts = 0.0
  @Figure("low", "The battery is low.")
  public var isLow = false
  @Figure(
    "factor", .gauge, "The pauses between probes and requests are so many times as long (docs/power.md).")
  public var factor = 1.0

  public init() {}

  public init(volts: Double, isLow: Bool, factor: Double) {
    (self.volts, self.isLow, self.factor) = (volts, isLow, factor)
  }
}
