import TrackerBase
import TrackerJourney

/// A span in which something had one name: a motion state, a cause.
public struct NamedSpan: Equatable, Sendable {
  public var name: String
  public var span: Span
}

/// One trip as the server would see it.
public struct ReplayedTrip: Equatable, Sendable {
  public var id: Int64
  public var span: Span
  public var distance_m: Double
  public var topSpeed_mps: Double
  /// See `TripSummary`.
  public var estimated_m = 0.0
  /// nil while it was still open at the recording's end.
  public var endCause: TripSummary.EndCause?
}

/// What was reported of one of the user's geofences.
public struct ReplayedGeofenceEvent: Equatable, Sendable {
  public var time_ms: Int64
  public var event: GeofenceEvent
}

/// How far the recorded fixes of the trips lie from the kept line, each at its own time (the synchronised
/// Euclidean distance, metres). Fixes that no kept points enclose are not counted.
public struct LineError: Equatable, Sendable {
  public var median_m = 0.0
  public var p95_m = 0.0
  public var worst_m = 0.0
  /// Where the worst one is; nil without any fix.
  public var worstAt: TrackPoint?
  public var fixes = 0
}

/// Charge in milliampere-hours, by consumer.
public struct Energy: Equatable, Sendable {
  public var gps_mAh = 0.0
  public var board_mAh = 0.0
  /// The modem, idle.
  public var modem_mAh = 0.0
  public var radio_mAh = 0.0
  public var total_mAh: Double { gps_mAh + board_mAh + modem_mAh + radio_mAh }
}

/// Counts and sums over the whole replay.
public struct ReplayTotals: Equatable, Sendable {
  public var gpsOn_s = 0.0
  public var gpsSessions = 0
  public var probes = 0
  public var probesUnanswered = 0
  /// Reports that the tracker was given, and fixes that it worked with.
  public var reports = 0
  public var fixes = 0
  public var rejected: [String: Int] = [:]
  /// Fixes of the model, not of the recording: the vehicle was assumed to stand in a gap.
  public var assumedFixes = 0
  public var keptFixes = 0
  /// Metres by the odometer within this replay.
  public var distance_m = 0.0
  public var events = 0
  public var records = 0
  public var delivered = 0
  public var queuedAtEnd = 0
  public var requests = 0
  public var requestsFailed = 0
  /// Bodies on the wire, with those that had to be sent again, by format. HTTP and TLS come on top.
  public var bytesByFormat: [String: Int] = [:]
  /// All records in each format, whatever was sent.
  public var formats: [FormatBytes] = []
  /// Transactions of the queue.
  public var commits = 0
  public var energy = Energy()
  /// In a day of this replay's kind.
  public var chargeADay_mAh = 0.0
  /// So long the battery lasts; nil without one.
  public var battery_days: Double?
  public var warnings: [String: Int] = [:]

  /// Kept fixes for each kilometre of the odometer; nil below 100 m.
  public var keptPerKm: Double? { distance_m >= 100 ? Double(keptFixes) / (distance_m / 1000) : nil }
}

/// All that one track with one set of settings gave.
public struct ReplayResult: Sendable {
  public var track: RecordedTrack
  /// What the settings are called: a file's name, or `defaults`.
  public var settingsName: String
  public var settingsHash: String
  /// Settings that differ from the defaults, as `group.key = value` lines.
  public var changedSettings: [String]
  /// The same for the model's assumptions.
  public var changedAssumptions: [String] = []
  public var span: Span
  /// Of the vehicle's wall clock, by the settings.
  public var zone: any ZoneRules = FixedZone.utc
  public var zoneName = "UTC"
  public var trips: [ReplayedTrip] = []
  /// The user's.
  public var geofences: [Geofence] = []
  /// In the order of reporting.
  public var geofenceEvents: [ReplayedGeofenceEvent] = []
  /// Fixes kept, in time order.
  public var kept: [TrackPoint] = []
  /// Fixes that were kept with the flag `jump`; not part of the line.
  public var jumps: [TrackPoint] = []
  /// Where it was parked, and when.
  public var stops: [(span: Span, position: Position)] = []
  /// Radius of the stationary geofence in the settings.
  public var stationaryRadius_m = 0.0
  /// What decides which recorded fixes count.
  public var gps = Settings().gps
  public var gpsOn: [Span] = []
  /// When the board slept.
  public var boardOff: [Span] = []
  /// When the schedule was open.
  public var windows: [Span] = []
  /// `unknown`, `moving`, `stationary`.
  public var motion: [NamedSpan] = []
  /// When no track was made, by cause; `parked` and `window_closed` among them.
  public var gaps: [NamedSpan] = []
  public var requests: [ReplayedRequest] = []
  /// Of the fixes that the GPS saw, …
  public var error = LineError()
  /// … and of all that were recorded.
  public var wholeError = LineError()
  /// Metres of the trips, by the recording, that were driven while the GPS was off or had no fix yet.
  public var unseen_m = 0.0
  /// In the order of reporting.
  public var departures: [ReplayedDeparture] = []
  /// nil: nothing is learned.
  public var learnedWeek: LearnedWeek?
  public var totals = ReplayTotals()
}
