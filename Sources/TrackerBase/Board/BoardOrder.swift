/// What the tracker wants of the board.
public enum BoardOrder: Equatable, Sendable {
  /// Does anything outside of the agent keep the board awake? `.looked` follows.
  case look
  /// `.alarmSet` or `.alarmFailed` follows. - Parameter in_ms: from now. `at_ms` is the same as Unix milliseconds.
  case setAlarm(in_ms: Int64, at_ms: Int64)
  /// None is to wake the board any more.
  case clearAlarm
  /// Off, or suspended. First it is looked once more. `.accepted`, `.looked` with what is in the way, `.refused` or
  /// `.unanswered` follows.
  case sleep
}

/// What the board says.
public enum BoardNews: Equatable, Sendable {
  /// nil: nothing keeps it awake. - Parameter words: who or what does.
  case looked(SleepHold?, words: String = "")
  /// It was read back. - Parameter alarm_s: by the clock that has it; nil where that tells no time.
  case alarmSet(alarm_s: Int64?)
  case alarmFailed(String)
  /// The system is going down, or to sleep.
  case accepted
  /// It does neither, with the adapter's words.
  case refused(String)
  /// It was told to, and does not say whether it does.
  case unanswered(String)
  /// It was suspended, and is no longer.
  case resumed(slept_ms: Int64)
}

/// What keeps the board awake, in the order in which it is asked.
public enum SleepHold: String, FigureChoice, Sendable {
  /// An operator's pause or track.
  case operatorsWish = "operator"
  case safeMode = "safe_mode"
  case undervoltage
  /// A command of the server, or a locate, is not done.
  case command
  /// Settings of the server are on trial.
  case trial = "config_trial"
  /// Records are in memory alone.
  case storage = "storage_failed"
  case ignition
  case clock = "clock_unknown"
  /// A window is open, and the vehicle is not parked with a wire that wakes the board.
  case window = "window_open"
  /// There is no time to wake at.
  case noNextChange = "no_next_change"
  case justAwake = "just_awake"
  case tooOften = "too_often"
  case tooShort = "too_short"
  case person
  case upgrade
  /// systemd-logind has an inhibitor lock.
  case inhibitor
  case alarm = "alarm_failed"
  case powerOff = "power_off_failed"
}

/// Why the board may sleep.
public enum SleepReason: String, FigureChoice, Sendable {
  case windowClosed = "window_closed"
  case parked
}

/// What ended a sleep.
public enum WakeCause: String, FigureChoice, Sendable {
  case alarm
  /// The ignition.
  case wire
  /// The supply, which came back or was switched on by hand.
  case power
  /// A suspended board tells no more.
  case other
}
