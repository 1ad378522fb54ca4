/// What the parts draw, for the status' energy figures; docs/power.md.
public struct EnergySettings: SettingGroup {
  @Setting("gps_ma", in: 0...10_000, "Current of the GPS module while it has power, in mA. 0: not known.")
  public var gps_ma = 0.0
  @Setting(
    "modem_ma", in: 0...10_000, "Mean current of the modem while it is on, in mA. 0: not known, or none.")
  public var modem_ma = 0.0
  @Setting(
    "board_ma", in: 0...10_000,
    """
    Mean current of the board while it is on, without GPS module and modem. 0: not known.
    """)
  public var board_ma = 0.0

  @Setting(
    "board_off_ma", in: 0...1000,
    "Mean current of the board while it sleeps ([host.sleep]), with its HAT, in mA. 0: not known.")
  public var boardOff_ma = 0.0

  /// There is a charge to be told.
  package var hasCurrents: Bool { gps_ma > 0 || modem_ma > 0 || board_ma > 0 || boardOff_ma > 0 }
}
