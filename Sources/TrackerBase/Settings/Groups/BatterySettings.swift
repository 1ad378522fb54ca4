/// The voltage of the vehicle's battery, where the board can read it; docs/power.md.
public struct BatterySettings: SettingGroup {
  @Setting(
    "voltage_file",
    """
    The kernel's file that holds the voltage as a number, such as
    "/sys/bus/i2c/devices/1-0040/hwmon/hwmon*/in1_input"; * stands for any name. Empty: none is read.
    """)
  public var voltageFile = ""
  @Setting(
    "volts_per_unit", in: 1e-9...1000,
    "What the number is multiplied with: hwmon has millivolts (0.001), power_supply microvolts (0.000001).")
  public var voltsPerUnit = 0.001
  @Setting("read_interval_s", in: 5...3600, remote: true, "The file is read this often.")
  public var readInterval_s = 60.0
  @Setting("low_v", in: 0.1...1000, remote: true, "Below this voltage the battery is low …")
  public var low_v = 12.0
  @Setting("hysteresis_v", in: 0...100, remote: true, "… and good again once it is this much above that.")
  public var hysteresis_v = 0.4
  @Setting(
    "settle_s", in: 0...86400, remote: true,
    "Either counts once it has lasted this long: a starter pulls the voltage down for seconds.")
  public var settle_s = 60.0
  @Setting(
    "lost_below_v", in: 0...1000,
    """
    Below this voltage the vehicle's supply is lost, as when somebody cuts the cable of a board that has a \
    battery of its own. That is reported at once; it is back from hysteresis_v above this voltage on. It is \
    seen within read_interval_s. Set it well below what a starter leaves. 0: not watched.
    """)
  public var lostBelow_v = 0.0
  @Setting(
    "charging_above_v", in: 0...1000, remote: true,
    """
    When the voltage rises above this, something charges the battery, most likely the alternator of a \
    vehicle that is about to leave: if it is parked, a probe starts at once. Charging is over hysteresis_v \
    below this. Both voltages must lie above that of the battery at rest: a lead battery 12.8, LiFePO4 13.3, \
    and an alternator gives 13.8 to 14.8. It is seen within
    read_interval_s. 0: not watched. docs/power.md.
    """)
  public var chargingAbove_v = 0.0
  @Setting(
    "low_factor", in: 1...1000, remote: true,
    """
    While the battery is low, these are multiplied by this factor: motion.probe_interval_s, \
    probe_interval_max_s and parked_heartbeat_s, and sync_interval_s, status_interval_s and sync_threshold \
    of each server.
    """)
  public var lowFactor = 4.0

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
