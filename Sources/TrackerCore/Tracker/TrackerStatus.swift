/// What happened since the process started.
struct Counters: Equatable, Sendable {
  var startedAt_ms: Int64 = 0
  var fixes = 0
  var kept = 0
  var reportsWithoutFix = 0
  var heldUntilSettled = 0
  var mergedReports = 0
  var reportsOfOthers = 0
  var receiverChanges = 0
  var rejected: [FixFilter.Rejection: Int] = [:]
  var speedsRefused = 0
  var satellites: Int?
  var gpsSessions = 0
  var gpsOn_ms: Int64 = 0
  var gpsOnSince_ms: Int64?
  var lastTTFF_ms: Int64?
  var probes = 0
  var probesUnanswered = 0
  var trips = 0
  var geofenceEvents = 0
  var storageFailed = false
  var undervoltage = false
  var pauseCause: TrackerStatus.NoTrackCause?
}

/// The tracker as an operator sees it. Coordinates are not part of it.
public struct TrackerStatus: Sendable {
  /// Why no track is being made at this moment.
  public enum NoTrackCause: String, Equatable, Sendable {
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
    case noSky = "no_sky"
    case gpsLost = "gps_lost"
    case acquiring
  }

  /// Bytes since the day and the month (UTC) began, and the limits, 0 for none.
  public struct Budget: Equatable, Sendable {
    public var level: Allowance.Level
    public var day_bytes: Int64
    public var dayLimit_bytes: Int64
    public var month_bytes: Int64
    public var monthLimit_bytes: Int64

    public init(
      level: Allowance.Level, day_bytes: Int64, dayLimit_bytes: Int64, month_bytes: Int64,
      monthLimit_bytes: Int64
    ) {
      self.level = level
      self.day_bytes = day_bytes
      self.dayLimit_bytes = dayLimit_bytes
      self.month_bytes = month_bytes
      self.monthLimit_bytes = monthLimit_bytes
    }
  }

  /// One server, and how it takes records.
  public struct Delivery: Equatable, Sendable {
    public var state = ""
    public var failures = 0
    public var nextAttempt_s: Int64?
    public var lastReply = ""
    /// What the broker speaks; auto over HTTP, and while none has answered. Of 3.1.1 nobody can say whether anyone
    /// subscribes.
    public var mqttVersion = SyncSettings.MQTTVersion.auto
    /// Why the last request delivered nothing, and for how long that has been so.
    public var problem: UploadReply.Problem?
    public var problem_s: Int64 = 0
    public var lastDelivery_s: Int64?
    public var requests = 0
    public var delivered = 0
    public var bytesUp: Int64 = 0
    public var bytesDown: Int64 = 0

    public init() {}
  }

  /// An operator's wish.
  public struct Intent: Equatable, Sendable {
    public var kind: Intents.Kind
    /// nil for no end.
    public var left_s: Int64?
    /// Unix milliseconds of the end; nil for none, and while the time is not trusted.
    public var until_ms: Int64?
  }

  /// Unix milliseconds.
  public struct Warning: Equatable, Sendable {
    public var name: String
    public var count: Int
    public var last_ms: Int64
    /// What it told of last began then; nil for what does not last.
    public var since_ms: Int64?
    /// And ended then; nil while it goes on.
    public var until_ms: Int64?
  }

  /// The vehicle's battery, and how many times as long the pauses between probes and requests are.
  public struct Battery: Equatable, Sendable {
    public var volts: Double
    public var isLow: Bool
    public var factor: Double
  }

  /// The GPS stays off, or is tried again, after crashes.
  public struct SafeMode: Equatable, Sendable {
    public var crashes: Int
    public var left_s: Int64
  }

  /// The first one counts.
  public var intents: [Intent] = []
  /// The intents could not be saved: a restart forgets them.
  public var intentsAreUnsaved = false
  /// nil: it is not in force.
  public var safeMode: SafeMode?
  /// Unix milliseconds by the best clock, as records have it: GPS time, the kernel's if that is kept right, else
  /// whatever the board's clock says.
  public var time_ms: Int64 = 0
  public var uptime_s: Int64 = 0
  public var motion = ""
  /// The board's supply is too low at this moment.
  public var undervoltage = false
  /// Of the vehicle's battery; nil: none is read, or it cannot be read.
  public var battery: Battery?
  /// By the last fix.
  public var activity: Activity?
  public var noTrackCause: NoTrackCause?
  public var windowOpen = false
  public var nextWindowChange_ms: Int64?
  public var clockTrust = ""
  public var gpsPowered = false
  public var gpsOn_s: Int64 = 0
  public var gpsSessions = 0
  public var timeToFirstFix_s: Double?
  public var startTimes = StartTimes()
  public var satellites: Int?
  /// GPS time of the last fix that was used.
  public var lastFix_ms: Int64?
  public var fixes = 0
  public var kept = 0
  public var reportsWithoutFix = 0
  public var rejected: [(name: String, count: Int)] = []
  /// Reported speeds that no vehicle can have: their fixes are used without.
  public var speedsRefused = 0
  public var heldUntilSettled = 0
  public var mergedReports = 0
  /// The receiver in use, by the path that gpsd has for it.
  public var receiver: String?
  public var receiverChanges = 0
  /// How far `gps.dynamic_model` is: `pending`, `set`, `failed`, `other_driver`; nil where nothing is to be set.
  public var dynamicModel: String?
  /// Of receivers that are not in use.
  public var reportsOfOthers = 0
  public var probes = 0
  public var probesUnanswered = 0
  public var tripID: Int64?
  public var tripDistance_m: Double?
  public var tripsEnded = 0
  public var odometer_m = 0.0
  /// nil: no line tells, or not yet.
  public var ignitionIsOn: Bool?
  public var hasLines = false
  public var vibrationEdges = 0
  public var bounces = 0
  public var bounceStorms = 0
  public var geofences = 0
  /// Ids, in the order of the file.
  public var geofencesInside: [String] = []
  public var geofencesExpired = 0
  public var geofenceEvents = 0
  public var queued = 0
  public var pending = 0
  public var droppedFromMemory = 0
  public var storageFailed = false
  public var sync = Delivery()
  /// The servers of `sync.also`; `queued` and `sync` are those of the first.
  public var others: [(name: String, queued: Int, sync: Delivery)] = []
  /// nil: no budget is set.
  public var budget: Budget?
  public var warnings: [Warning] = []

  init() {}
}

extension Tracker {
  public func status(at now: Moment) -> TrackerStatus {
    var status = TrackerStatus()
    let time_ms = stamp(nil, at: now).time_ms
    status.time_ms = time_ms
    status.uptime_s = (now.boot_ms - counters.startedAt_ms) / 1000
    status.undervoltage = counters.undervoltage
    status.battery = battery.volts.map {
      TrackerStatus.Battery(volts: $0, isLow: battery.isLow, factor: battery.factor)
    }
    status.motion = motionName
    status.activity = lastFix.map { Activity(isMoving: motion.isMoving, fix: $0) }
    status.noTrackCause = noTrackCause
    describeStanding(&status, at: now)
    status.windowOpen = window.isOpen
    status.nextWindowChange_ms = window.nextChange_ms
    status.clockTrust = clock.trust(at: now).rawValue
    status.odometer_m = odometer.total_m + odometer.open_m
    status.tripID = trip?.id
    status.tripDistance_m = tripDistance_m
    status.tripsEnded = counters.trips
    status.geofences = geofences.fences.count
    status.geofencesInside = geofences.insideIDs
    status.geofencesExpired = geofences.expired(at: time_ms)
    status.geofenceEvents = counters.geofenceEvents
    describeGPS(&status, at: now)
    describeLines(&status)
    describeSync(&status, at: now)
    let offset_ms = time_ms - now.boot_ms
    status.warnings = Warnings.Name.allCases.compactMap { name in
      warnings.entries[name].map { TrackerStatus.Warning(name, $0, offset_ms: offset_ms) }
    }
    return status
  }

  /// Of the trip that is going on, up to the newest fix.
  public var tripDistance_m: Double? { trip.map { $0.distance_m + odometer.open_m } }

  public var isWindowOpen: Bool { window.isOpen }

  /// `unknown`, `moving` or `stationary`.
  public var motionName: String {
    switch motion.state {
    case .unknown: "unknown"
    case .moving: "moving"
    case .stationary: "stationary"
    }
  }

  /// Why no track is being made now; nil while one is.
  public var noTrackCause: TrackerStatus.NoTrackCause? {
    switch standing.override {
    case .paused: return .paused
    case .safeMode: return .safeMode
    case .tracking, nil: break
    }
    switch window.state {
    case .closed: return window.lacksZone ? .zoneUnknown : .windowClosed
    case .learningTime: return .learningTime
    case .open: break
    }
    if let cause = counters.pauseCause ?? modeCause { return cause }
    if case .stationary = motion.state { return .parked }
    guard case .powered(let powered) = session.state, powered.settled else { return .acquiring }
    return nil
  }

  private func describeGPS(_ status: inout TrackerStatus, at now: Moment) {
    status.gpsPowered = session.isPowered
    status.gpsOn_s = (counters.gpsOn_ms + (counters.gpsOnSince_ms.map { now.boot_ms - $0 } ?? 0)) / 1000
    status.gpsSessions = counters.gpsSessions
    status.timeToFirstFix_s = counters.lastTTFF_ms.map { Double($0) / 1000 }
    status.startTimes = session.startTimes
    status.satellites = session.isPowered ? counters.satellites : nil
    status.lastFix_ms = lastFix?.time_ms
    status.fixes = counters.fixes
    status.kept = counters.kept
    status.reportsWithoutFix = counters.reportsWithoutFix
    status.heldUntilSettled = counters.heldUntilSettled
    status.mergedReports = counters.mergedReports
    status.receiver = receiver.used
    status.dynamicModel = dynamicModel.progress?.rawValue
    status.receiverChanges = counters.receiverChanges
    status.reportsOfOthers = counters.reportsOfOthers
    status.rejected = FixFilter.Rejection.allCases.compactMap { reason in
      counters.rejected[reason].map { (reason.rawValue, $0) }
    }
    status.speedsRefused = counters.speedsRefused
    status.probes = counters.probes
    status.probesUnanswered = counters.probesUnanswered
  }

  private func describeSync(_ status: inout TrackerStatus, at now: Moment) {
    status.queued = servers[0].sync.queued
    status.pending = outbox.pending.count
    status.droppedFromMemory = outbox.droppedFromMemory
    status.storageFailed = counters.storageFailed
    status.sync = servers[0].status(at: now.boot_ms)
    status.others = servers.dropFirst().map { ($0.name, $0.sync.queued, $0.status(at: now.boot_ms)) }
    guard budget.isLimited else { return }
    status.budget = TrackerStatus.Budget(
      level: servers[0].sync.allowance.level, day_bytes: budget.day.used, dayLimit_bytes: budget.day_bytes,
      month_bytes: budget.month.used, monthLimit_bytes: budget.month_bytes)
  }
}

extension TrackerStatus.Warning {
  /// - Parameter offset_ms: Unix time minus boot time.
  fileprivate init(_ name: Warnings.Name, _ entry: Warnings.Entry, offset_ms: Int64) {
    self.init(name: name.rawValue, count: entry.count, last_ms: entry.lastAt_ms + offset_ms)
    switch entry.course {
    case .moment: break
    case .lasting(let since_ms): self.since_ms = since_ms + offset_ms
    case .over(let since_ms, let until_ms):
      (self.since_ms, self.until_ms) = (since_ms + offset_ms, until_ms + offset_ms)
    }
  }
}

extension Server {
  func status(at now_ms: Int64) -> TrackerStatus.Delivery {
    var status = TrackerStatus.Delivery()
    switch sync.state {
    case .idle: status.state = "idle"
    case .splaying: status.state = "splaying"
    case .pacing: status.state = "pacing"
    case .sending: status.state = "sending"
    case .backingOff: status.state = "backing_off"
    }
    status.failures = sync.failures
    status.nextAttempt_s = sync.nextAttempt_ms.map { max(0, ($0 - now_ms) / 1000) }
    status.problem = tally.problem
    status.problem_s = (now_ms - tally.problemSince_ms) / 1000
    status.lastReply = tally.lastReply
    status.mqttVersion = tally.mqttVersion
    status.lastDelivery_s = tally.lastDeliveryAt_ms.map { (now_ms - $0) / 1000 }
    status.requests = tally.requests
    status.delivered = tally.delivered
    status.bytesUp = tally.bytesUp
    status.bytesDown = tally.bytesDown
    return status
  }
}
