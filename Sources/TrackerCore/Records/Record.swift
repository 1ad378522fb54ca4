/// Anything queued for the server.
///
/// Its identity is (device, queue id, `sequence`); everything else may be sent again and must not differ.
public struct Record: Equatable, Sendable {
  /// What a record is. The raw values are stored in the queue file: append only.
  public enum Kind: Int, Sendable, CaseIterable {
    case position = 0
    case motionChange = 1
    case geofence = 2
    case trip = 3
    case status = 4
    case warning = 5
    case speed = 6
    case activity = 7

    /// Positions are dropped before events when the queue is full, and never start a sync by themselves.
    public var isEvent: Bool { self != .position }

    /// The `event` word on the wire; empty for a plain position, as in the geomony format.
    public var eventName: String {
      switch self {
      case .position: ""
      case .motionChange: "motionchange"
      case .geofence: "geofence"
      case .trip: "trip"
      case .status: "status"
      case .warning: "warning"
      case .speed: "speed"
      case .activity: "activitychange"
      }
    }
  }

  /// Where `time_ms` comes from. The raw values are stored in the queue file: append only.
  public enum TimeSource: Int, Sendable {
    case gps = 0
    case trustedWallClock = 1
    case untrustedWallClock = 2
    /// As 2, and a server may have it with this date: it stays.
    case untrustedAndSent = 3
  }

  /// 1, 2, 3 … in the order of making, for the life of the queue file.
  public var sequence: Int64
  public var kind: Kind
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
  /// A JSON object with what this kind alone has, or empty.
  public var extras: String

  public init(
    sequence: Int64, kind: Kind, time_ms: Int64, timeSource: TimeSource, boot_ms: Int64, fix: Fix?,
    isMoving: Bool, tripID: Int64?, odometer_m: Double, extras: String = ""
  ) {
    self.sequence = sequence
    self.kind = kind
    self.time_ms = time_ms
    self.timeSource = timeSource
    self.boot_ms = boot_ms
    self.fix = fix
    self.isMoving = isMoving
    self.tripID = tripID
    self.odometer_m = odometer_m
    self.extras = extras
  }
}
