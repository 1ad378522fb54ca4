/// The voltage of the vehicle's battery, where the board can read it; docs/power.md.
public struct BatterySettings: SettingGroup {
  static let voltageFile = Setting<String>(
    "voltage_file",
    """
    File of the kernel's that holds the voltage as a number, such as
    "/sys/bus/i2c/devices/1-0040/hwmon/hwmon*/in1_input"; * stands for any name. Empty: none is read.
    """)
  public var voltageFile = ""
  static let voltsPerUnit = Setting<Double>(
    "volts_per_unit", in: 1e-9...1000,
    "What the number is multiplied with: hwmon has millivolts (0.001), power_supply microvolts (0.000001).")
  public var voltsPerUnit = 0.001
  static let readInterval_s = Setting<Double>(
    "read_interval_s", in: 5...3600, remote: true, "The file is read this often.")
  public var readInterval_s = 60.0
  static let low_v = Setting<Double>(
    "low_v", in: 0.1...1000, remote: true, "Below so many volts the battery is low …")
  public var low_v = 12.0
  static let hysteresis_v = Setting<Double>(
    "hysteresis_v", in: 0...100, remote: true, "… and good again from so much above that on.")
  public var hysteresis_v = 0.4
  static let settle_s = Setting<Double>(
    "settle_s", in: 0...86400, remote: true,
    "Either counts once it has lasted so long: a starter pulls the voltage down for seconds.")
  public var settle_s = 60.0
  static let lostBelow_v = Setting<Double>(
    "lost_below_v", in: 0...1000,
    """
    Below so many volts the vehicle's supply is lost, as when somebody cuts the cable of a board that has a battery
    of its own: reported at once, and back from hysteresis_v above that on. It is seen within read_interval_s; well
    below what a starter leaves. 0: not watched.
    """)
  public var lostBelow_v = 0.0
  static let chargingAbove_v = Setting<Double>(
    "charging_above_v", in: 0...1000, remote: true,
    """
    When the voltage rises above so many volts, something charges the battery, most likely the alternator of a vehicle
    that is about to leave: a parked one is probed at once. hysteresis_v below it that is over; both must lie above what
    the battery has at rest: a lead battery 12.8, LiFePO4 13.3, and an alternator gives 13.8 to 14.8. It is seen within
    read_interval_s. 0: not watched. docs/power.md.
    """)
  public var chargingAbove_v = 0.0
  static let lowFactor = Setting<Double>(
    "low_factor", in: 1...1000, remote: true,
    """
    While the battery is low, so many times as long: motion.probe_interval_s, probe_interval_max_s and
    parked_heartbeat_s, and of each server sync_interval_s and status_interval_s; and so many times as many
    records: sync_threshold.
    """)
  public var lowFactor = 4.0

  public mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.visit(&voltageFile, Self.voltageFile)
    visitor.visit(&voltsPerUnit, Self.voltsPerUnit)
    visitor.visit(&readInterval_s, Self.readInterval_s)
    visitor.visit(&low_v, Self.low_v)
    visitor.visit(&hysteresis_v, Self.hysteresis_v)
    visitor.visit(&settle_s, Self.settle_s)
    visitor.visit(&lostBelow_v, Self.lostBelow_v)
    visitor.visit(&chargingAbove_v, Self.chargingAbove_v)
    visitor.visit(&lowFactor, Self.lowFactor)
  }

  public var exists: Bool { !voltageFile.isEmpty }

  /// What batteries of vehicles have, with a margin for empty ones and for those that are being charged.
  static let likely_v = 3.0...60.0
  /// What the kernel counts in.
  private static let factors = [0.001, 0.000001, 1]

  /// What the number in `voltage_file` comes to.
  public func volts(of number: Double) -> String { Self.text(number * voltsPerUnit) }

  /// Why no vehicle's battery can have what that comes to, and what to do; nil if one can.
  public func doubt(of number: Double) -> String? {
    let volts = number * voltsPerUnit
    if Self.likely_v.contains(volts) { return nil }
    let absurd = "\(Self.text(volts)), which no vehicle's battery has"
    guard let factor = Self.factors.first(where: { Self.likely_v.contains(number * $0) }) else {
      return
        "battery.voltage_file: it reads \(absurd): is the battery connected, and is this the right file?"
    }
    return
      "battery.volts_per_unit: \(SettingText.number(number)) times \(SettingText.number(voltsPerUnit)) is \(absurd): with \(SettingText.number(factor)) it would be \(Self.text(number * factor))"
  }

  /// To the hundredth.
  private static func text(_ volts: Double) -> String {
    "\(SettingText.number((volts * 100).rounded() / 100)) V"
  }
}
