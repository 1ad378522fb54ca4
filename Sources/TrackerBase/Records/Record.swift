/// Anything queued for the server.
///
/// Its identity is (device, queue id, `sequence`). When it is sent again it is the same, but for a date that was not
/// trusted and has become the true one.
public struct Record: Equatable, Sendable {
  /// What a record is, as a number that the queue file stores: append only. Newer programs may know more of them.
  public struct Kind: RawRepresentable, Hashable, Sendable, CaseIterable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let position = Kind(rawValue: 0)
    public static let motionChange = Kind(rawValue: 1)
    public static let geofence = Kind(rawValue: 2)
    public static let trip = Kind(rawValue: 3)
    public static let status = Kind(rawValue: 4)
    public static let warning = Kind(rawValue: 5)
    public static let speed = Kind(rawValue: 6)
    public static let activity = Kind(rawValue: 7)
    public static let gap = Kind(rawValue: 8)
    public static let crash = Kind(rawValue: 9)
    public static let harshBraking = Kind(rawValue: 10)
    public static let tow = Kind(rawValue: 11)

    private static let eventNames = [
      "", "motionchange", "geofence", "trip", "status", "warning", "speed", "activitychange",
      "gap", "crash", "harshbraking", "tow",
    ]
    public static let allCases = eventNames.indices.map { Kind(rawValue: $0) }

    /// Positions are dropped before events when the queue is full.
    public var isEvent: Bool { self != .position }

    /// A person is to hear of it at once, whatever its date is worth.
    public var isAlarm: Bool { Kind.alarms.contains(self) }

    private static let alarms: Set<Kind> = [.geofence, .warning, .speed, .crash, .harshBraking, .tow]

    /// It is written and sent at once. What ends a gap is news; the gap itself is not.
    public var isUrgent: Bool { isEvent && self != .gap }

    /// The `event` word on the wire; empty for a plain position, as in the geomony format.
    public var eventName: String {
      Kind.eventNames.indices.contains(rawValue) ? Kind.eventNames[rawValue] : "unknown"
    }
  }

  /// Where `time_ms` comes from. The raw values are stored in the queue file: append only.
  public enum TimeSource: Int, Sendable {
    case gps = 0
    case trustedWallClock = 1
    /// It gets the true date once that is known.
    case untrustedWallClock = 2
    /// As 2, of a boot that is over: the true date cannot be known any more.
    case untrustedForGood = 3

    public var isTrusted: Bool {
      switch self {
      case .gps, .trustedWallClock: true
      case .untrustedWallClock, .untrustedForGood: false
      }
    }
  }

  /// 1, 2, 3 … in the order of making, for the life of the store.
  public var sequence: Int64
  /// Under which queue id it is sent; 0: that of the store, which puts it in.
  public var queueID: UInt64 = 0
  public var content: Content
  /// Unix milliseconds.
  public var time_ms: Int64
  public var timeSource: TimeSource
  /// Reading of the boot clock when the record was made; means something only with the boot id beside it.
  public var boot_ms: Int64
  public var fix: Fix?
  public var isMoving: Bool
  /// The trip that the record belongs to, nil while parked.
  public var tripID: Int64?
  public var odometer_m: Double
  /// Of an event, as they were when it was made: ignition and voltage. A position has its own in its content.
  public var details: PositionDetails?

  public var kind: Kind { content.kind }

  public init(
    sequence: Int64, content: Content, time_ms: Int64, timeSource: TimeSource, boot_ms: Int64, fix: Fix?,
    isMoving: Bool, tripID: Int64?, odometer_m: Double
  ) {
    self.sequence = sequence
    self.content = content
    self.time_ms = time_ms
    self.timeSource = timeSource
    self.boot_ms = boot_ms
    self.fix = fix
    self.isMoving = isMoving
    self.tripID = tripID
    self.odometer_m = odometer_m
  }
}
