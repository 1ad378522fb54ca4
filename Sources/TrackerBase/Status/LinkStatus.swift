/// The modem that carries the requests to the server of `[sync]`.
public struct LinkStatus: StatusGroup {
  @Figure("registration", "How the modem stands with a network. The modem's figures are of ModemManager.")
  public var registration: Modem.Registration? = nil
  @Figure("operator", "Whose network it is in.")
  public var operatorName: String? = nil
  @Figure("technology", "What it speaks there.")
  public var technology: Modem.Technology? = nil
  @Figure("signal", .percent, "How well it is received, by the modem's own measure.")
  public var signal_percent: Int? = nil
  @Figure(
    "signal_dbm", .signedGauge, decimals: 1,
    "Received power (RSRP, RSCP or RSSI); absent unless somebody has set ModemManager up to measure it.")
  public var signal_dbm: Double? = nil
  @Figure("roaming", absent: false, "true: the settings of sync.roaming are in force; absent else.")
  public var isRoaming = false

  public init() {}

  package init(_ modem: Modem?, isRoaming: Bool) {
    self.isRoaming = isRoaming
    guard let modem else { return }
    registration = modem.registration
    operatorName = modem.operatorName.isEmpty ? nil : modem.operatorName
    (technology, signal_percent, signal_dbm) = (modem.technology, modem.signal_percent, modem.signal_dbm)
  }
}
