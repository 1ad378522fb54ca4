/// The tracker as an operator sees it. Coordinates are not part of it.
///
/// Each group is of one part of the tracker: window and GPS of the receiver; motion, lines, trip and geofences of the
/// journey; queue, sync and also of the dispatch; the rest of the tracker itself.
public struct TrackerStatus: StatusGroup {
  @Figure("schema", "Name and version of this form.")
  public private(set) var schema = "godwit-status/1"
  @Figure(
    "time", .time, metric: "status", "When it was made, by the best clock that there is, as in records.")
  public var time_ms: Int64 = 0
  public var identity = IdentityStatus()
  @Figure("uptime_s", .gauge, "For how long the agent has been running.")
  public var uptime_s: Int64 = 0
  @Figure(
    "board_uptime_s", .gauge, "For how long the board has been running, with the time it was suspended.")
  public var boardUptime_s: Int64 = 0
  @FigureGroup("starts", "Since the queue's folder was made; they outlive restarts.")
  public var starts = StartsStatus()
  @Figure(
    "clock", "What vouches for the time: nothing, GPS, or the kernel, which says that it is synchronised.")
  public var clock = ClockTrust.untrusted
  @Figure(
    "clock_source",
    "Where the time comes from: chrony or another that keeps the system clock right, GPS, or what set it at the start."
  )
  public var clockSource = ClockSource.none
  @Figure(
    "clock_offset_s", .signedGauge,
    "The system clock is ahead of GPS time by so much; absent while GPS vouches for no time.")
  public var clockOffset_s: Double? = nil
  @FigureGroup("host", "The board and its system.")
  public var host = HostStatus()
  @Figure(
    "undervoltage", absent: false,
    "true: the board says that its supply is too low at this moment; absent else.")
  public var undervoltage = false
  @Figure(
    "external_power",
    "The vehicle's supply is connected, by [external_power] or battery.lost_below_v; absent while neither says it."
  )
  public var isExternalPowerThere: Bool? = nil
  @FigureGroup("battery", "The vehicle's; absent unless battery.voltage_file is set and can be read.")
  public var battery: BatteryStatus? = nil
  public var motion = MotionStatus()
  @Figure("no_track_because", "Why no track is being made now; absent while one is.")
  public var noTrackCause: NoTrackCause? = nil
  @Figure(
    "no_track_since", .time, metric: "no_track_since", "Since when that is so; absent while track is made.")
  public var noTrackSince_ms: Int64? = nil
  @FigureGroup(
    "safe_mode", "After crashes the GPS stays off, or is tried again; absent outside of safe mode.")
  public var safeMode: SafeModeStatus? = nil
  @FigureGroup("sleep", "The board, which sleeps by [host.sleep]; absent where it never does.")
  public var sleep: SleepStatus? = nil
  @FigureGroup(
    "intent",
    """
    What an operator wants instead of the schedule (docs/schedule.md#by-hand); absent where that rules.
    """)
  public var intent: IntentStatus? = nil
  @FigureGroup("window", "What the schedule allows.")
  public var window = WindowStatus()
  @FigureGroup("lines", "Input lines; absent without any.")
  public var lines: LinesStatus? = nil
  @FigureGroup("trip", "Trips and the odometer.")
  public var trip = TripStatus()
  @FigureGroup("geofences", "The user's areas.")
  public var geofences = GeofenceStatus()
  @FigureGroup("gps", "The GPS module, its sessions and its fixes.")
  public var gps = GPSStatus()
  @FigureGroup("queue", "Records that wait.")
  public var queue = QueueStatus()
  @FigureGroup("sync", "The server of [sync].")
  public var sync = DeliveryStatus()
  @FigureGroup("traffic", "What went over the links, with all servers together; it outlives restarts.")
  public var traffic = TrafficStatus()
  @FigureGroup(
    "link",
    "The modem that carries the requests of [sync], by ModemManager; absent without, and over another way.")
  public var link: LinkStatus? = nil
  @FigureGroup("energy", "Charge drawn; absent without a current in [energy].")
  public var energy: EnergyStatus? = nil
  @FigureGroup("also", .list(label: "server"), "The servers of sync.also; absent where there are none.")
  public var others: [OtherServerStatus] = []
  @FigureGroup("update", "The agent's last update (docs/updates.md); absent before any.")
  public var update: UpdateStatus? = nil
  @FigureGroup("config", "Settings that the server has set (docs/remote.md#settings); absent before any.")
  public var config: ConfigStatus? = nil
  @FigureGroup("commands", "Commands of the server of [sync] (docs/remote.md); absent until one came.")
  public var commands: CommandStatus? = nil
  @FigureGroup("warnings", .byName(label: "name"), "What went wrong, by the names below.")
  public var warnings: [WarningStatus] = []

  public init() {}
}

public enum ClockSource: String, FigureChoice, Sendable {
  /// chrony, ntpd or timesyncd, which have it from the network or from gpsd.
  case ntp
  case gps
  /// The board's own clock. Nobody vouches for it.
  case rtc
  case none

  init(_ trust: ClockTrust, _ host: HostStatus) {
    switch trust {
    case .synchronised: self = .ntp
    case .gps: self = .gps
    case .untrusted: self = host.rtcSetClock == true ? .rtc : .none
    }
  }
}

/// What the tracker does not know by itself.
extension TrackerStatus {
  public mutating func add(_ host: HostStatus) {
    self.host = host
    clockSource = ClockSource(clock, host)
  }

  /// - Parameter queues: by server, in the tracker's order; fewer where not all are known.
  public mutating func add(_ queues: [QueueFigures]) {
    func age_s(_ queue: QueueFigures) -> Int64? { queue.oldest_ms.map { max(0, time_ms - $0) / 1000 } }
    if let first = queues.first {
      (queue.oldest_s, queue.quarantined, queue.ledger) = (age_s(first), first.quarantined, first.ledger)
    }
    for (index, other) in queues.dropFirst().enumerated() where others.indices.contains(index) {
      others[index].oldest_s = age_s(other)
      others[index].quarantined = other.quarantined
    }
  }
}
