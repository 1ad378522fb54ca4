extension Record {
  /// What a record says beside when and where. TrackerWire makes the text of it.
  public enum Content: Equatable, Sendable {
    /// - Parameter isJump: too far away to be believed, and no part of the track.
    case position(isJump: Bool = false, details: PositionDetails? = nil)
    case motion(MotionChange)
    case geofence(GeofenceEvent)
    case trip(TripSummary)
    case status(StatusEvent)
    case warning(WarningEvent)
    case speed(SpeedEvent)
    case activity(Activity.Kind, from: Activity.Kind?)
    case gap(TrackGap)
    case incident(Incident)
    /// What another version of the program has queued, and this one has no type for. It is sent as it is.
    case unknown(Kind, text: String)

    public var kind: Kind {
      switch self {
      case .position: .position
      case .motion: .motionChange
      case .geofence: .geofence
      case .trip: .trip
      case .status: .status
      case .warning: .warning
      case .speed: .speed
      case .activity: .activity
      case .gap: .gap
      case .incident(let incident): incident.kind
      case .unknown(let kind, _): kind
      }
    }
  }
}

public struct MotionChange: Equatable, Sendable {
  public enum Cause: String, CaseIterable, Sendable {
    case fixes, ignition, probe, vibration, cell, voltage, acceleration, stayed
    case noFix = "no_fix"
    case foundParked = "found_parked"
    case shifted
  }

  public var cause: Cause
  /// Unix milliseconds; the vehicle left after this, when nobody saw it leave.
  public var leftAfter_ms: Int64?
  /// It was seen away from its place then.
  public var leftBefore_ms: Int64?

  public init(cause: Cause, leftAfter_ms: Int64? = nil, leftBefore_ms: Int64? = nil) {
    (self.cause, self.leftAfter_ms, self.leftBefore_ms) = (cause, leftAfter_ms, leftBefore_ms)
  }
}

public struct GeofenceEvent: Equatable, Sendable {
  public enum Transition: String, CaseIterable, Sendable {
    case enter = "ENTER"
    case exit = "EXIT"
    case dwell = "DWELL"
  }

  public var action: Transition
  /// The fence's id.
  public var geofence: String
  /// The fence's own: a JSON object, or empty.
  public var extras: String

  public init(action: Transition, geofence: String, extras: String = "") {
    (self.action, self.geofence, self.extras) = (action, geofence, extras)
  }
}

/// A trip that has ended. Times are Unix milliseconds.
public struct TripSummary: Equatable, Sendable {
  public enum EndCause: String, CaseIterable, Sendable {
    case stayed, ignition, superseded, window, paused
    case noFix = "no_fix"
    case safeMode = "safe_mode"
    case processEnded = "process_ended"
    case modeChanged = "mode_changed"
    case placeChanged = "place_changed"
    case clockJump = "clock_jump"
  }

  public var id: Int64
  public var start_ms: Int64
  public var end_ms: Int64
  public var idle_s: Int64
  /// In tenths, as the top speed.
  public var distance_m: Double
  /// The part of the distance that was not seen, in tenths: straight ways, so the true distance is longer.
  public var estimated_m = 0.0
  public var topSpeed_mps: Double
  /// See `Trip.leftAfter_ms`.
  public var leftAfter_ms: Int64?
  public var isTowed = false
  /// false: nothing vouches for the clock that dated start and end.
  public var isDated = true
  public var endCause: EndCause

  public init(
    id: Int64, start_ms: Int64, end_ms: Int64, idle_s: Int64, distance_m: Double, topSpeed_mps: Double,
    endCause: EndCause
  ) {
    (self.id, self.start_ms, self.end_ms) = (id, start_ms, end_ms)
    (self.idle_s, self.distance_m, self.topSpeed_mps) = (idle_s, distance_m, topSpeed_mps)
    self.endCause = endCause
  }

  public var duration_s: Int64 { max(0, (end_ms &- start_ms) / 1000) }
}

/// News that are no trouble. Numbers with a fraction have tenths.
public enum StatusEvent: Equatable, Sendable {
  /// Until the next change of the schedule, Unix milliseconds.
  case windowOpened(until_ms: Int64?)
  case windowClosed(cause: TripSummary.EndCause, until_ms: Int64?)
  /// What an operator wants now, and after how many crashes safe mode is on.
  case intent(IntentKind?, left_s: Int64? = nil, crashes: Int? = nil)
  case gpsBack(cause: NoTrackCause, lost_s: Int64)
  case batteryGood(volts: Double, factor: Double)
  case jammingOver(lasted_s: Int64)
  case antennaBack
  /// - Parameter volts: nil where a line has reported it.
  case powerBack(volts: Double?)
  /// The board goes to sleep. - Parameter until_ms: when it is to be woken, Unix milliseconds.
  case asleep(cause: SleepReason, until_ms: Int64)
  /// Where the vehicle is, since the server asked. - Parameter command: its id.
  case located(command: String)
  /// `godwit doctor` has looked at the box. It has no place: it says that a record gets there, and nothing else.
  case tested
}

public enum WarningEvent: Equatable, Sendable {
  /// In words.
  case queueDamaged(String)
  case gpsLost(cause: NoTrackCause)
  case batteryLow(volts: Double, factor: Double)
  /// - Parameter fall_dB: how much less is heard of the best satellites.
  case gpsJamming(fall_dB: Double)
  case gpsAntenna(cause: AntennaCause)
  /// The supply of the vehicle's is gone. - Parameter volts: nil where a line has reported it.
  case powerLost(volts: Double?)
}

/// Why the antenna is believed to be gone.
public enum AntennaCause: String, CaseIterable, Sendable {
  /// The receiver says so.
  case open, short
  /// Nothing is heard any more, and no roof explains it.
  case silent
}

/// Numbers have tenths.
public enum SpeedEvent: Equatable, Sendable {
  case over(limit_mps: Double)
  case under(top_mps: Double, duration_s: Double)
}
