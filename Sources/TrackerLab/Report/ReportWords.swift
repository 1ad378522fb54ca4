import TrackerCore

/// Plain words for the names of the protocol. A name without words of its own is shown as it is.
enum ReportWords {
  static func gap(_ cause: String) -> String { gaps[cause] ?? cause }
  static func rejection(_ cause: String) -> String { rejections[cause] ?? cause }
  static func warning(_ name: String) -> String { warnings[name].map { "\($0) (\(name))" } ?? name }
  static func motion(_ state: String) -> String { motions[state] ?? state }

  static func departure(_ cause: MotionChange.Cause) -> String {
    Motion.DepartureCause(rawValue: cause.rawValue)?.words ?? cause.rawValue
  }

  static func end(_ cause: TripSummary.EndCause?) -> String {
    switch cause {
    case nil: "still open at the end"
    case .stayed: "stood still"
    case .ignition: "ignition off"
    case .noFix: "no fix for too long"
    case .window: "schedule closed"
    case .paused: "paused by an operator"
    case .safeMode: "safe mode"
    case .superseded: "a new trip began"
    case .processEnded: "agent was stopped"
    case .modeChanged: "another motion.mode"
    case .placeChanged: "the place was wrong"
    case .clockJump: "the clock jumped"
    }
  }

  private static let gaps = [
    "parked": "parked", "window_closed": "outside the schedule", "learning_time": "clock not known yet",
    "no_sky": "no fix: no view of the sky", "no_fix": "no fix: signals too weak",
    "accuracy": "fixes too inaccurate", "no_time": "positions without a time",
    "fixes_refused": "fixes refused", "gps_silent": "GPS module silent",
    "gpsd_lost": "gpsd not reachable", "undervoltage": "supply voltage too low",
    "restarting": "GPS module restarting", "acquiring": "waiting for a fix",
  ]
  private static let motions = ["moving": "moving", "stationary": "parked", "unknown": "not known"]
  private static let rejections = [
    "no_time": "without a time", "impossible_position": "impossible position", "accuracy": "too inaccurate",
    "stale": "too old", "duplicate": "same time twice", "time_backwards": "time ran backwards",
    "time_ahead": "date too far ahead", "date_not_known": "date not known",
    "elsewhere": "another place, out of reach",
  ]
  private static let warnings = [
    "gpsd_lost": "connection to gpsd lost", "gps_silent": "GPS module silent",
    "gps_no_sky": "no fix: no view of the sky", "gps_no_fix": "no fix: signals too weak",
    "gps_accuracy": "fixes too inaccurate", "gps_fixes_refused": "fixes refused",
    "gps_late": "fixes come late",
    "gps_power_line": "GPS power line failed",
    "gps_week_rollover": "GPS date repaired", "gps_jump": "position jumped",
    "clock_unknown": "clock not known",
    "clock_differs": "clock differs from GPS time", "clock_jump": "GPS date was wrong",
    "identity_changed": "the queue came from another box",
    "identity_conflict": "another box sends under the same identity", "storage_failed": "disk failed",
    "queue_front_failed": "the queue's front cannot be written",
    "records_dropped": "records dropped", "sync_failed": "sending failed",
    "captive_portal": "a web page answered instead of the server",
    "sync_unauthorised": "server refused the credentials", "records_refused": "server refused records",
  ]
}
