/// Why no track is being made. The last three are known only afterwards, and are in the records of gaps alone.
public enum NoTrackCause: String, FigureChoice {
  case windowClosed = "window_closed"
  /// The schedule's zone cannot be read.
  case zoneUnknown = "zone_unknown"
  case paused
  case safeMode = "safe_mode"
  case learningTime = "learning_time"
  case parked
  /// `motion.mode`: only positions now and then.
  case probeOnly = "probe_only"
  /// `motion.mode`: the GPS is on only while the ignition is.
  case ignitionOff = "ignition_off"
  /// No satellite is heard.
  case noSky = "no_sky"
  /// Satellites are heard, and there is no position.
  case noFix = "no_fix"
  /// Fixes are refused: they are not accurate enough …
  case accuracy
  /// … or have no time …
  case noTime = "no_time"
  /// … or are refused for another reason, which `rejected` counts.
  case fixesRefused = "fixes_refused"
  case gpsSilent = "gps_silent"
  case gpsdLost = "gpsd_lost"
  /// One of those above that the module is the cause of, while the board's supply is too low.
  case undervoltage
  /// The GPS is off for the module's shortest time.
  case restarting
  /// Until the first good fix, and until it is known whether the vehicle moves.
  case acquiring
  /// Positions were dropped from memory, which was full.
  case storageFailed = "storage_failed"
  case processNotRunning = "process_not_running"
  case boardOff = "board_off"

  /// It may be over in a moment.
  package var isPassing: Bool { isOfModule || self == .learningTime || self == .processNotRunning }

  /// It keeps the GPS from giving fixes.
  package var isOfModule: Bool {
    switch self {
    case .noSky, .noFix, .accuracy, .noTime, .fixesRefused, .gpsSilent, .gpsdLost, .undervoltage,
      .restarting,
      .acquiring:
      true
    case .windowClosed, .zoneUnknown, .paused, .safeMode, .learningTime, .parked, .probeOnly, .ignitionOff,
      .storageFailed, .processNotRunning, .boardOff:
      false
    }
  }
}
