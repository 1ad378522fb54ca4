import TrackerBase

/// How long a board takes to go off and to come back.
public struct BoardAssumptions: SettingGroup {
  @Setting("shutdown_s", in: 0...300, "From the order until it is off.")
  public var shutdown_s = 10.0
  @Setting("boot_s", in: 0...600, "From the alarm or the wire until the agent runs.")
  public var boot_s = 25.0
}

/// Mean currents by state, for the charge that a day takes.
public struct CurrentAssumptions: SettingGroup {
  /// Boards whose currents somebody has measured.
  public enum Board: String, SettingChoice {
    case other
    case zero2W = "zero_2_w"
    case threeBPlus = "3b_plus"
    case fourB = "4b"
    case five = "5"

    /// While on and idle, and while off by its alarm; nil: as set.
    var currents_mA: (on: Double, off: Double)? {
      switch self {
      case .other: nil
      case .zero2W: (120, 1)
      case .threeBPlus: (350, 1)
      case .fourB: (540, 1)
      case .five: (800, 4)
      }
    }
  }

  /// Modems whose currents somebody has measured.
  public enum Modem: String, SettingChoice {
    case other
    case sim7000
    case lteStick = "lte_stick"

    /// Registered and idle, what a request takes more, and for how long after it; nil: as set.
    var currents: (idle_mA: Double, radio_mA: Double, tail_s: Double)? {
      switch self {
      case .other: nil
      case .sim7000: (11, 156, 10)
      case .lteStick: (93, 91, 12)
      }
    }
  }

  @Setting("gps_ma", in: 0...2000, "The module with its antenna while powered.")
  public var gps_mA = 30.0
  @Setting(
    "board",
    """
    The board on and idle, and off. zero_2_w: 120 mA (CNX Software, 9 December 2021, with an Otii Arc). 3b_plus: 350 mA,
    4b: 540 mA (Raspberry Pi Dramble, power consumption benchmarks). 5: 800 mA, "typical bare-board active" (Raspberry Pi
    documentation, power supply; idle is less), off 4 mA with POWER_OFF_ON_HALT=1 (Raspberry Pi Official Magazine, "Remote
    Raspberry Pi 5 boot": 3 to 4 mA). The others cannot wake by themselves: off, a HAT that cuts their supply is taken to
    draw 1 mA. other: board_ma and board_off_ma.
    """)
  public var board = Board.other
  @Setting("board_ma", in: 0...5000, "The board itself while it is on.")
  public var board_mA = 110.0
  @Setting(
    "board_off_ma", in: 0...1000,
    """
    While it sleeps. A Raspberry Pi that is only halted goes on drawing 20 mA (3B+, by the same benchmarks) to 320 mA (5 without
    POWER_OFF_ON_HALT: 1.2 to 1.6 W, J. Geerling, "Reducing Raspberry Pi 5's power consumption by 140x", 2023).
    """)
  public var boardOff_mA = 4.0
  @Setting(
    "modem",
    """
    The modem, registered and idle, and in a request. sim7000: 11 mA on LTE-M, 167 mA sending at 23 dBm (its hardware
    design, by the wiki of the Botletics SIM7000 shield), and 10 s of it after a request, which is a guess. lte_stick: a
    Huawei E3276, 93 mA idle, 184 mA connected, and 12 s of it (S. Grunenberger, "4G 3G 2G power consumption",
    24 February 2014, with a Monsoon power monitor). Measure yours. other: modem_ma, radio_ma and radio_tail_s.
    """)
  public var modem = Modem.other
  @Setting(
    "modem_ma", in: 0...5000, "The modem while the board is on, registered and idle. 0: there is none.")
  public var modem_mA = 0.0
  @Setting("radio_ma", in: 0...5000, "The modem on top of its idle current, in a request …")
  public var radio_mA = 200.0
  @Setting("radio_tail_s", in: 0...120, "… and for so long after it.")
  public var radioTail_s = 10.0

  /// Of the modem.
  var ofModem: (idle_mA: Double, radio_mA: Double, tail_s: Double) {
    modem.currents ?? (modem_mA, radio_mA, radioTail_s)
  }

  /// Of the board.
  var onAndOff_mA: (on: Double, off: Double) { board.currents_mA ?? (board_mA, boardOff_mA) }
}

/// The battery that feeds the board through a converter.
public struct BatteryAssumptions: SettingGroup {
  @Setting("capacity_ah", in: 0...10_000, "0: there is none.")
  public var capacity_Ah = 60.0
  @Setting("volts_v", in: 1...100, "Its mean voltage.")
  public var volts_V = 12.0
  @Setting("usable_share", in: 0.01...1, "The part of it that may be used: a van must still start.")
  public var share = 0.5
  @Setting("supply_v", in: 1...100, "The voltage at which the currents flow.")
  public var supply_V = 5.0
  @Setting("efficiency", in: 0.1...1, "Of the converter between the two.")
  public var efficiency = 0.85

  /// How long it lasts with that charge a day; nil without a battery.
  func days(chargeADay_mAh: Double) -> Double? {
    guard capacity_Ah > 0, chargeADay_mAh > 0 else { return nil }
    let used_Wh = chargeADay_mAh / 1000 * supply_V / efficiency
    return capacity_Ah * volts_V * share / used_Wh
  }
}

extension Settings {
  /// The process of the model outlives a sleep, however the board sleeps.
  var onModelBoard: Settings {
    var settings = self
    if settings.host.sleep.isOn { (settings.host.sleep.mode, settings.host.sleep.state) = (.rtc, .mem) }
    return settings
  }
}
