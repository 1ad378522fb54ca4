import TrackerBase

/// What a replay assumes of everything that the recording does not say: module, network, consumption.
public struct Assumptions: SettingGroup {
  public enum Ignition: String, SettingChoice {
    case none
    case recorded
    case fromSpeed = "from_speed"
  }

  @Setting(
    "ignition",
    """
    none: there is no ignition line. recorded: the track's own column has it. from_speed: there is one,
    on from 5 s before the vehicle moves until 20 s after it has come to a stop of at least 3 minutes.
    """)
  public var ignition = Ignition.none
  @Setting("clock_known", "false: the system clock is not synchronised at the start.")
  public var clockKnown = true
  @Setting(
    "same_place_m", in: 0...10000,
    """
    In a gap of the recording whose ends lie closer than this the vehicle stands, and the module sees the
    place of the last fix. In any other gap it sees no sky.
    """)
  public var samePlace_m = 150.0
  @Setting(
    "cells",
    """
    A CSV file with the modem's serving cells in the recording's time (docs/simulate.md). Empty: the modem does not tell.
    """)
  public var cells = ""
  @Group("receiver", "Time to the first fix after power-on.")
  public var receiver = ReceiverAssumptions()
  @Group("network", "The link and the server.")
  public var network = NetworkAssumptions()
  @Group("board", "A board that sleeps (host.sleep).")
  public var board = BoardAssumptions()
  @Group("current", "Mean currents at the board's supply.")
  public var current = CurrentAssumptions()
  @Group("battery", "The battery that all of it is drawn from.")
  public var battery = BatteryAssumptions()

  public init() {}
}

/// Time to the first fix, by how long the module was without power.
public struct ReceiverAssumptions: SettingGroup {
  @Setting("cold_start_s", in: 0...900, "The first start, and after a long time off.")
  public var cold_s = 30.0
  @Setting("warm_start_s", in: 0...900, "The almanac is good, the ephemeris is not.")
  public var warm_s = 20.0
  @Setting("hot_start_s", in: 0...900, "The ephemeris is good: the module keeps it on its backup supply.")
  public var hot_s = 2.0
  @Setting("hot_until_off_s", in: 0...1e7, "Off for at most so long, a start is hot …")
  public var hotUntil_s = 7200.0
  @Setting("warm_until_off_s", in: 0...1e8, "… and up to so long, warm.")
  public var warmUntil_s = 604_800.0
}

/// The link and the server.
public struct NetworkAssumptions: SettingGroup {
  @Setting("latency_s", in: 0...120, "From the start of a request to its reply.")
  public var latency_s = 0.8
  @Setting(
    "outages",
    """
    When there is no network, counted from the recording's start, such as "2h for 45m" or "90s for 30s".
    """)
  public var outages: [String] = []
  @Setting("error_rate", in: 0...1, "Share of requests that the server answers with …")
  public var errorRate = 0.0
  @Setting("error_status", in: 400...599, "… this status …")
  public var errorStatus = 503
  @Setting("retry_after_s", in: 0...86_400, "… and this Retry-After; 0: without one.")
  public var retryAfter_s = 0
  @Setting(
    "lost_reply_rate", in: 0...1,
    "Share of requests whose reply is lost after the server has stored the records.")
  public var lostReplyRate = 0.0
  @Setting("seed", in: 0...1_000_000_000, "Chooses which requests fail, and every jitter.")
  public var seed = 1
}
