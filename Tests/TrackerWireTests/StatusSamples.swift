import TrackerWire

@testable import TrackerBase

enum StatusSamples {
  static let identity = StatusDocument.Identity(
    device: "van \"7\"", version: "1.2.3", settingsHash: "0f", bootID: "b", source: .random)

  /// Everything that one can hold; `StatusFigureTests` names what is missing here.
  static var full: TrackerStatus {
    var status = TrackerStatus()
    status.identity = identity
    (status.time_ms, status.uptime_s, status.clock) = (1_772_441_487_123, 86_401, .gps)
    status.boardUptime_s = 86_460
    (status.starts.boots, status.starts.restarts, status.starts.crashes) = (21, 22, 23)
    status.clockOffset_s = -0.25
    status.add(host)
    status.isExternalPowerThere = false
    status.undervoltage = true
    status.battery = BatteryStatus(volts: 11.804, isLow: true, factor: 4)
    (status.motion.state, status.motion.activity, status.motion.confidence) = (.moving, .driving, 90)
    (status.motion.cells, status.motion.cellsState) = (4, .told)
    (status.noTrackCause, status.noTrackSince_ms) = (.noSky, 1_772_441_000_000)
    status.safeMode = SafeModeStatus(crashes: 5, left_s: 3000)
    var sleep = SleepStatus()
    (sleep.state, sleep.heldBy, sleep.because) = (.asleep, .person, .windowClosed)
    (sleep.until_ms, sleep.wake, sleep.wokeAt_ms) = (1_772_470_000_000, .alarm, 1_772_440_100_000)
    (sleep.slept_s, sleep.lead_s) = (36_001, 66)
    status.sleep = sleep
    let wishes = [
      WishStatus(kind: .pause, left_s: 7200, until_ms: 1_772_442_287_000),
      WishStatus(kind: .track, left_s: 60, until_ms: 1_772_445_000_000),
    ]
    status.intent = IntentStatus(wishes, isSaved: false)
    (status.window.isOpen, status.window.nextChange_ms) = (true, 1_772_440_000_000)
    var lines = LinesStatus()
    (lines.ignition, lines.vibrationEdges, lines.bounces, lines.storms) = (true, 31, 32, 33)
    lines.accelerometer = .tells
    (lines.accelerationSigns, lines.accelerationThreshold_mps2) = (34, 0.75)
    status.lines = lines
    (status.trip.id, status.trip.distance_m) = (3, 1200.4)
    (status.trip.ended, status.trip.odometer_m) = (41, 98_765.6)
    (status.trip.noticedBy, status.trip.noticedWithin_s) = (.cell, 48)
    (status.geofences.count, status.geofences.expired, status.geofences.events) = (52, 1, 9)
    status.geofences.setInside((1...51).map { "f\($0)" })
    status.gps = gps
    (status.queue.records, status.queue.inMemory) = (201, 202)
    (status.queue.droppedFromMemory, status.queue.storage) = (203, .failed)
    (status.queue.oldest_s, status.queue.quarantined) = (205, 206)
    status.queue.ledger = [.quotaPositions: 207, .other: 1]
    (status.queue.idChanges, status.queue.idChanged_ms) = (204, 1_772_435_000_000)
    status.sync = sync
    status.link = link
    var energy = EnergyStatus()
    (energy.today_mah, energy.forecast_mah) = ([.gps: 31.5, .board: 1200], [.modem: 800.5])
    status.energy = energy
    status.traffic.todayUp_bytes = [.records: 311, .recordsWithStatus: 312, .failed: 313]
    status.traffic.todayDown_bytes = [.connecting: 321]
    status.traffic.monthUp_bytes = [.status: 331]
    status.traffic.monthDown_bytes = [.records: 341]
    var second = DeliveryStatus()
    (second.problem, second.problem_s, second.requests) = (.failed(.noSubscriber), 0, 6)
    status.others = [OtherServerStatus(name: "second", queued: 7, sync: second)]
    (status.others[0].oldest_s, status.others[0].quarantined) = (8, 9)
    var update = UpdateStatus()
    (update.state, update.version) = (.rolledBack, "0.3.0+deb12u1")
    (update.reason, update.group) = ("it does not answer", "canary")
    status.update = update
    status.config = config
    var commands = CommandStatus()
    (commands.done, commands.refused, commands.failed) = (61, 62, 63)
    (commands.expired, commands.repeated, commands.passedOver) = (64, 65, 66)
    (commands.topicToday_bytes, commands.topicCutOff, commands.topicRests) = (67, 68, true)
    var result = CommandResultStatus()
    (result.id, result.command, result.result) = ("c-1", "report", .done)
    (result.why, result.at_ms, result.report) = ("so", 1_772_435_000_000, ["one", "two"])
    commands.results = [result]
    status.commands = commands
    status.warnings = [
      WarningStatus(
        name: "sync_failed", count: 2, last_ms: 1_772_435_000_000, since_ms: 1_772_434_000_000,
        until_ms: 1_772_435_001_000),
      WarningStatus(name: "towed", count: 1, last_ms: 1_772_435_000_000),
    ]
    return status
  }

  private static var link: LinkStatus {
    var link = LinkStatus()
    (link.registration, link.operatorName, link.technology) = (.roaming, "Elsewhere", .ltePlain)
    (link.signal_percent, link.signal_dbm, link.isRoaming) = (61, -101.54, true)
    return link
  }

  private static var host: HostStatus {
    var host = HostStatus()
    (host.temperature_c, host.isThrottled, host.wasThrottled) = (51.24, false, true)
    (host.hadUndervoltage, host.diskFree_bytes) = (true, 1_234_567_890)
    (host.cardLifeUsed_percent, host.cardSpare) = (30, .warning)
    (host.hasRTC, host.clockError_s) = (true, 0.0125)
    (host.rtcSetClock, host.rtcOffset_s) = (true, -3)
    return host
  }

  private static var config: ConfigStatus {
    var config = ConfigStatus()
    (config.desired, config.inForce, config.ignored) = (9, 8, 401)
    (config.trialLeft_s, config.trialUntil_ms) = (402, 1_772_441_889_000)
    (config.refused, config.refusedBecause) = (9, "schedule: rule 1 is malformed")
    config.offBecause = "motion.mode: needs an ignition line"
    (config.trialWaitsFor, config.notSavedBecause) = ("the byte budget", "disk full")
    (config.waits, config.waitsUntil_ms) = (10, 1_772_441_890_000)
    return config
  }

  private static var gps: GPSStatus {
    var gps = GPSStatus()
    (gps.isPowered, gps.on_s, gps.sessions) = (true, 3601, 12)
    (gps.receiver, gps.dynamicModel) = ("/dev/ttyAMA0", .otherDriver)
    (gps.receiverChanges, gps.reportsOfOthers) = (13, 14)
    gps.gpsdDevices = ["/dev/ttyAMA0", "/dev/ttyUSB1"]
    (gps.onToday_s, gps.sessionsToday) = (1802, 4)
    (gps.heard, gps.cn0_dBHz, gps.lastFixAgo_s) = (11, 43.25, 5)
    gps.health = GPSHealthStatus(level_dBHz: 42.5, loss_dB: 1.5, startRatio: 1.25)
    gps.timeToFirstFix_s = 2.5
    gps.startTimes_s = [.longer: 31.5, .hours: 2.5]
    (gps.satellites, gps.lastFix_ms) = (9, 1_772_435_086_000)
    (gps.fixes, gps.sampling.kept, gps.reportsWithoutFix, gps.heldUntilSettled) = (101, 102, 103, 104)
    (gps.mergedReports, gps.speedsRefused) = (105, 106)
    (gps.accuracyAssumed, gps.fixDelay_s) = (109, 2)
    (gps.probes.begun, gps.probes.unanswered) = (107, 108)
    gps.rejected = [.stale: 1, .accuracy: 7]
    return gps
  }

  private static var sync: DeliveryStatus {
    var sync = DeliveryStatus()
    (sync.state, sync.failures, sync.nextAttempt_s, sync.lastReply) = (.backingOff, 4, 12, "503")
    sync.mqttVersion = .v3_1_1
    (sync.acknowledgedBy, sync.problem, sync.problem_s) = (.certificate, .busy, 40)
    (sync.lastDelivery_s, sync.requests, sync.delivered, sync.repliesCut) = (70, 301, 302, 305)
    (sync.bytesUp, sync.bytesDown, sync.interface) = (303, 304, "wwan0")
    (sync.todayUp_bytes, sync.todayDown_bytes) = (305, 306)
    (sync.monthUp_bytes, sync.monthDown_bytes) = (307, 308)
    sync.roamingBudget = BudgetStatus(
      level: .none, day_bytes: 50, dayLimit_bytes: 51, month_bytes: 52, monthLimit_bytes: 53)
    sync.budget = BudgetStatus(
      level: .events, day_bytes: 900, dayLimit_bytes: 1000, month_bytes: 1, monthLimit_bytes: 2)
    return sync
  }
}
