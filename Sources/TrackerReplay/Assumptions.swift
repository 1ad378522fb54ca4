import TrackerCore

/// What a replay assumes of everything that the recording does not tell: module, network, consumption.
public struct Assumptions: SettingGroup, Equatable, Sendable {
  public enum Ignition: String, CaseIterable, Sendable {
    case none
    case recorded
    case fromSpeed = "from_speed"
  }

  public var ignition = Ignition.none
  public var clockKnown = true
  public var unknownAccuracy_m = 10.0
  public var samePlace_m = 150.0
  public var receiver = ReceiverAssumptions()
  public var network = NetworkAssumptions()
  public var current = CurrentAssumptions()

  public init() {}

  public mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.choice(
      "ignition", &ignition,
      """
      none: there is no ignition line. recorded: the track's own column tells of it. from_speed: there is one, on from 5 s before the vehicle moves until 20 s
      after it has come to a stop of at least 3 minutes.
      """)
    visitor.flag("clock_known", &clockKnown, "false: the system clock is not synchronised at the start.")
    visitor.number(
      "unknown_accuracy_m", &unknownAccuracy_m, in: 1...100,
      "Accuracy of recorded fixes that carry neither an accuracy nor a HDOP.")
    visitor.number(
      "same_place_m", &samePlace_m, in: 0...10000,
      """
      In a gap of the recording whose ends lie closer than this the vehicle stands, and the module sees the place
      of the last fix. In any other gap it sees no sky.
      """)
    receiver.visit(with: &visitor)
    network.visit(with: &visitor)
    current.visit(with: &visitor)
  }
}

/// Time to the first fix, by how long the module was without power.
public struct ReceiverAssumptions: Equatable, Sendable {
  public var cold_s = 30.0
  public var warm_s = 20.0
  public var hot_s = 2.0
  public var hotUntil_s = 7200.0
  public var warmUntil_s = 604_800.0

  mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.begin(group: "receiver", "Time to the first fix after power-on.")
    visitor.number("cold_start_s", &cold_s, in: 0...900, "The first start, and after a long time off.")
    visitor.number("warm_start_s", &warm_s, in: 0...900, "The almanac is good, the ephemeris is not.")
    visitor.number(
      "hot_start_s", &hot_s, in: 0...900, "The ephemeris is good: the module keeps it on its backup supply.")
    visitor.number("hot_until_off_s", &hotUntil_s, in: 0...1e7, "Off for at most so long, a start is hot …")
    visitor.number("warm_until_off_s", &warmUntil_s, in: 0...1e8, "… and up to so long, warm.")
    visitor.end(group: "receiver")
  }
}

/// The link and the server.
public struct NetworkAssumptions: Equatable, Sendable {
  public var latency_s = 0.8
  public var outages: [String] = []
  public var errorRate = 0.0
  public var errorStatus = 503
  public var retryAfter_s = 0
  public var lostReplyRate = 0.0
  public var seed = 1

  mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.begin(group: "network", "The link and the server.")
    visitor.number("latency_s", &latency_s, in: 0...120, "From the start of a request to its reply.")
    visitor.texts(
      "outages", &outages,
      "When there is no network, counted from the recording's start, such as \"2h for 45m\" or \"90s for 30s\"."
    )
    visitor.number("error_rate", &errorRate, in: 0...1, "Share of requests that the server answers with …")
    visitor.integer("error_status", &errorStatus, in: 400...599, "… this status …")
    visitor.integer(
      "retry_after_s", &retryAfter_s, in: 0...86_400, "… and this Retry-After; 0: without one.")
    visitor.number(
      "lost_reply_rate", &lostReplyRate, in: 0...1,
      "Share of requests whose reply is lost after the server has stored the records.")
    visitor.integer("seed", &seed, in: 0...1_000_000_000, "Chooses which requests fail, and every jitter.")
    visitor.end(group: "network")
  }
}

/// Mean currents, for the charge that a day takes.
public struct CurrentAssumptions: Equatable, Sendable {
  public var gps_mA = 30.0
  public var board_mA = 110.0
  public var radio_mA = 200.0
  public var radioTail_s = 10.0

  mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.begin(group: "current", "Mean currents at the board's supply.")
    visitor.number("gps_ma", &gps_mA, in: 0...2000, "The module with its antenna while powered.")
    visitor.number("board_ma", &board_mA, in: 0...5000, "The board itself, always.")
    visitor.number(
      "radio_ma", &radio_mA, in: 0...5000, "The modem on top of its idle current, in a request …")
    visitor.number("radio_tail_s", &radioTail_s, in: 0...120, "… and for so long after it.")
    visitor.end(group: "current")
  }
}
