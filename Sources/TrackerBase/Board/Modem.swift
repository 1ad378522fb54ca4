/// A modem, as ModemManager reports it.
public struct Modem: Equatable, Sendable {
  /// How it stands with a network (MMModem3gppRegistrationState).
  public enum Registration: String, FigureChoice {
    case idle, home, searching, denied, unknown, roaming
  }

  /// Newest last; of several that are in use together, the newest counts (MMModemAccessTechnology).
  public enum Technology: String, FigureChoice {
    case gsm, gprs, edge, umts, hspa, cdma
    case ltePlain = "lte"
    case lteM = "lte_m"
    case nbIoT = "nb_iot"
    case fiveG = "5g"
  }

  /// Network interfaces of its own; empty for one that is dialled up (ppp).
  public var interfaces: [String]
  /// It has power and is not switched off.
  public var isOn: Bool
  public var registration: Registration
  /// Empty if unknown.
  public var operatorName: String
  public var technology: Technology?
  /// 0 to 100.
  public var signal_percent: Int?
  /// Where somebody has set the modem up for it.
  public var signal_dbm: Double?
  /// That serves it; nil: it does not say, or nobody has it say.
  public var cell: Cell?

  public init(
    interfaces: [String] = [], isOn: Bool = true, registration: Registration = .unknown,
    operatorName: String = "", technology: Technology? = nil, signal_percent: Int? = nil,
    signal_dbm: Double? = nil, cell: Cell? = nil
  ) {
    self.interfaces = interfaces
    self.isOn = isOn
    self.registration = registration
    self.operatorName = operatorName
    self.technology = technology
    self.signal_percent = signal_percent
    self.signal_dbm = signal_dbm
    self.cell = cell
  }
}
