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

/// Which modem carries the requests, and whether it is abroad.
struct ModemWatch: Equatable, Sendable {
  /// nil: nothing has reported modems.
  private(set) var modems: [Modem]?
  /// As was last acted on.
  private(set) var isRoaming = false

  mutating func reported(_ modems: [Modem]) { self.modems = modems }

  /// - Parameter interface: over which the last request went; empty before the first.
  func used(_ interface: String) -> Modem? {
    guard let modems else { return nil }
    // Before the first request any of them may be the way; best the one that would cost most.
    if interface.isEmpty { return modems.first { $0.registration == .roaming } ?? modems.first }
    if let own = modems.first(where: { $0.interfaces.contains(interface) }) { return own }
    return interface.hasPrefix("ppp") ? modems.first { $0.interfaces.isEmpty } ?? modems.first : nil
  }

  /// - Returns: whether roaming has begun or ended.
  mutating func look(_ interface: String) -> Bool {
    let isRoaming = used(interface)?.registration == .roaming
    defer { self.isRoaming = isRoaming }
    return isRoaming != self.isRoaming
  }

  /// Without a word of ModemManager's a modem is on whenever the board is.
  var isModemOn: Bool { modems?.contains(where: \.isOn) ?? true }
}
