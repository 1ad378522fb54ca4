/// Charge by on-times and the currents of `[energy]`. What has no current set is absent.
public struct EnergyStatus: StatusGroup {
  public enum Consumer: String, FigureChoice {
    case gps, modem, board
  }

  @Figure("today_mah", .gauge, label: "part", absent: [:], "Charge since the day (UTC) began, in mAh.")
  public var today_mah: [Consumer: Double] = [:]
  @Figure(
    "forecast_mah", .gauge, label: "part", absent: [:],
    """
    What the whole day will come to, if the board stays on, by the schedule's windows and the part of them in which \
    the GPS was on this month; absent while the time is not known.
    """)
  public var forecast_mah: [Consumer: Double] = [:]

  public init() {}
}
