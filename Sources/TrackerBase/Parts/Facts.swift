/// What the parts have published. Each of these is set by one part, and read by any.
package struct Facts: Sendable {
  // Of the event.
  /// Drawn for it, in 0..<1.
  package var chance = 0.0
  /// The process ends: nothing is begun any more.
  package var isStopping = false

  // The operators' wishes.
  /// What goes before the schedule.
  package var override: Override?
  package var hasIntent = false

  // The receiver.
  /// What records are dated by.
  package var time = RecordTime(
    boot_ms: 0, time_ms: 0, source: .untrustedWallClock, fixSource: .untrustedWallClock)
  /// Unix milliseconds; nil while the time is not trusted.
  package var trusted_ms: Int64?
  package var isWindowOpen = false
  package var isLearningTime = false
  /// Why no window is open; nil: one is.
  package var noWindowCause: NoTrackCause?
  /// The schedule's next opening, Unix milliseconds.
  package var nextOpening_ms: Int64?
  package var view = ReceiverView()
  /// The module has power, or may have: a line that refused has not switched it off yet.
  package var isGPSOn = false
  /// It is wanted, and off for its shortest time or as a pause.
  package var gpsRests = false
  package var gpsHasSettled = false
  /// Why it gives nothing that can be used, after a failure; nil: no failure.
  package var gpsFailure: NoTrackCause?
  /// Fixes come, and all are refused.
  package var gpsRefusal: NoTrackCause?
  /// The same in words, while a fix is waited for.
  package var gpsLacks: String?
  package var lastTTFF_ms: Int64?

  // The supply.
  /// How many times as long pauses are, for the battery's sake.
  package var lowFactor = 1.0
  package var isUndervoltage = false

  // The journey.
  package var motion = MotionStatus.State.unknown
  /// Fixes are followed, and the parked vehicle is probed.
  package var watchesMotion = false
  package var wantsGPS = false
  package var ignitionIsOn: Bool?
  /// Why there is no track, as far as the vehicle and `motion.mode` decide.
  package var journeyCause: NoTrackCause?
  /// Boot time at which a dwell in a geofence is due.
  package var dwell_ms: Int64?
  /// The shortest pause between two probes.
  package var probePause_ms: Int64 = 0

  // The link.
  package var isRoaming = false
  package var isModemOn = true

  // Commands and settings of the server.
  package var isLocating = false
  package var isCommandUnderWay = false
  package var isOnTrial = false
  /// What was offered is not on storage yet, nor refused.
  package var isOverlayUndecided = false

  // The board's sleep.
  package var isSuspended = false
  package var lastWake: WakeCause?

  // The dispatch.
  package var storageFailed = false
  package var isSending = false
  /// Over which the last request to the first server went; empty before one.
  package var interface = ""
  package var isBudgetUsedUp = false
  /// All records are on storage, and no request is under way.
  package var mayDrain = false
  /// Until then the servers have everything, or will not have it: boot time.
  package var drainedUntil_ms = Int64.min

  package init() {}

  /// Why no window is open, as a trip's summary says it.
  package var closingCause: TripSummary.EndCause {
    switch override {
    case .paused: .paused
    case .safeMode: .safeMode
    case .tracking, nil: .window
    }
  }

  /// Why no track is being made now; nil while one is. The first that holds, in this order.
  package var noTrackCause: NoTrackCause? {
    if isSuspended { return .boardOff }
    switch override {
    case .paused: return .paused
    case .safeMode: return .safeMode
    case .tracking, nil: break
    }
    if let noWindowCause { return noWindowCause }
    // Then nothing is looked for.
    if journeyCause == .ignitionOff { return .ignitionOff }
    if let gpsFailure { return isUndervoltage ? .undervoltage : gpsFailure }
    if let journeyCause { return journeyCause }
    if gpsRests { return .restarting }
    if gpsHasSettled && motion == .moving { return nil }
    return gpsRefusal ?? .acquiring
  }
}

/// What storage held when the process began, and what the board was then.
package struct Found: Sendable {
  package var state: SavedState
  package var bootID: String
  /// Fixes that were not yet kept.
  package var tail: [Record]
  /// Records that wait, by server.
  package var queued: [Int]
  /// Why storage takes no records, in words.
  package var storageProblem: String?
  /// Boot time of the last sign of life of a process in this boot; nil where there is none.
  package var alive_ms: Int64?
  package var board: BoardStart

  package init(
    state: SavedState, bootID: String, tail: [Record], queued: [Int], storageProblem: String?,
    alive_ms: Int64?, board: BoardStart
  ) {
    (self.state, self.bootID, self.tail, self.queued) = (state, bootID, tail, queued)
    (self.storageProblem, self.alive_ms, self.board) = (storageProblem, alive_ms, board)
  }
}

/// What the board had when this process began, as far as it says how a sleep ended.
public struct BoardStart: Equatable, Sendable {
  /// The clock with the alarm, in seconds; nil where there is none.
  public var rtc_s: Int64?
  public var ignitionIsOn: Bool?

  public init(rtc_s: Int64? = nil, ignitionIsOn: Bool? = nil) {
    (self.rtc_s, self.ignitionIsOn) = (rtc_s, ignitionIsOn)
  }
}
