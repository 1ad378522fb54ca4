/// What the parts draw, for the status' energy figures; docs/power.md.
public struct EnergySettings: SettingGroup {
  static let gps_ma = Setting<Double>(
    "gps_ma", in: 0...10_000, "Current of the GPS module while it has power, in mA. 0: not known.")
  public var gps_ma = 0.0
  static let modem_ma = Setting<Double>(
    "modem_ma", in: 0...10_000, "Mean current of the modem while it is on, in mA. 0: not known, or none.")
  public var modem_ma = 0.0
  static let board_ma = Setting<Double>(
    "board_ma", in: 0...10_000,
    """
    Mean current of the board while it is on, without GPS module and modem. 0: not known.
    """)
  public var board_ma = 0.0

  static let boardOff_ma = Setting<Double>(
    "board_off_ma", in: 0...1000,
    "Mean current of the board while it sleeps ([host.sleep]), with its HAT, in mA. 0: not known.")
  public var boardOff_ma = 0.0

  /// There is a charge to be told.
  package var hasCurrents: Bool { gps_ma > 0 || modem_ma > 0 || board_ma > 0 || boardOff_ma > 0 }

  public mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.visit(&gps_ma, Self.gps_ma)
    visitor.visit(&modem_ma, Self.modem_ma)
    visitor.visit(&board_ma, Self.board_ma)
    visitor.visit(&boardOff_ma, Self.boardOff_ma)
  }
}
