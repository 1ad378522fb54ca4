import TrackerWire

@testable import TrackerCore

enum StatusSamples {
  static let identity = StatusDocument.Identity(
    device: "van \"7\"", version: "1.2.3", settingsHash: "0f", bootID: "b")

  /// Everything that one can hold; `StatusFigureTests` names what is missing here.
  static var full: TrackerStatus {
    var status = TrackerStatus()
    status.identity = identity
    (status.time_ms, status.uptime_s, status.clock) = (1_772_441_487_123, 86_401, .gps)
    status.undervoltage = true
    status.battery = BatteryStatus(volts: 11.804, isLow: true, factor: 4)
    (status.motion.state, status.motion.activity, status.motion.confidence) = (.moving, .driving, 90)
    (status.noTrackCause, status.noTrackSince_ms) = (.noSky, 1_772_441_000_000)
    status.safeMode = SafeModeStatus(crashes: 5, left_s: 3000)
    let wishes = [
      WishStatus(kind: .pause, left_s: 7200, until_ms: 1_772_442_287_000),
      WishStatus(kind: .track, left_s: 60, until_ms: 1_772_445_000_000),
    ]
    status.intent = IntentStatus(wishes, isSaved: false)
    (status.window.isOpen, status.window.nextChange_ms) = (true, 1_772_440_000_000)
    var lines = LinesStatus()
    (lines.ignition, lines.vibrationEdges, lines.bounces, lines.storms) = (true, 31, 32, 33)
    status.lines = lines
    (status.trip.id, status.trip.distance_m) = (3, 1200.4)
    (status.trip.ended, status.trip.odometer_m) = (41, 98_765.6)
    (status.geofences.count, status.geofences.expired, status.geofences.events) = (52, 1, 9)
    status.geofences.setInside((1...51).map { "f\($0)" })
    status.gps = gps
    (status.queue.records, status.queue.inMemory) = (201, 202)
    (status.queue.droppedFromMemory, status.queue.storage) = (203, .failed)
    (status.queue.idChanges, status.queue.idChanged_ms) = (204, 1_772_435_000_000)
    status.sync = sync
    var second = DeliveryStatus()
    (second.problem, second.problem_s, second.requests) = (.failed(.noSubscriber), 0, 6)
    status.others = [OtherServerStatus(name: "second", queued: 7, sync: second)]
    status.warnings = [
      WarningStatus(
        name: "sync_failed", count: 2, last_ms: 1_772_435_000_000, since_ms: 1_772_434_000_000,
        until_ms: 1_772_435_001_000),
      WarningStatus(name: "towed", count: 1, last_ms: 1_772_435_000_000),
    ]
    return status
  }

  private static var gps: GPSStatus {
    var gps = GPSStatus()
    (gps.isPowered, gps.on_s, gps.sessions) = (true, 3601, 12)
    (gps.receiver, gps.dynamicModel) = ("/dev/ttyAMA0", .otherDriver)
    (gps.receiverChanges, gps.reportsOfOthers) = (13, 14)
    gps.timeToFirstFix_s = 2.5
    gps.startTimes_s = [.longer: 31.5, .hours: 2.5]
    (gps.satellites, gps.lastFix_ms) = (9, 1_772_435_086_000)
    (gps.fixes, gps.sampling.kept, gps.reportsWithoutFix, gps.heldUntilSettled) = (101, 102, 103, 104)
    (gps.mergedReports, gps.speedsRefused) = (105, 106)
    (gps.probes.begun, gps.probes.unanswered) = (107, 108)
    gps.rejected = [.stale: 1, .accuracy: 7]
    return gps
  }

  private static var sync: DeliveryStatus {
    var sync = DeliveryStatus()
    (sync.state, sync.failures, sync.nextAttempt_s, sync.lastReply) = (.backingOff, 4, 12, "503")
    sync.mqttVersion = .v3_1_1
    (sync.problem, sync.problem_s) = (.busy, 40)
    (sync.lastDelivery_s, sync.requests, sync.delivered) = (70, 301, 302)
    (sync.bytesUp, sync.bytesDown) = (303, 304)
    sync.budget = BudgetStatus(
      level: .events, day_bytes: 900, dayLimit_bytes: 1000, month_bytes: 1, monthLimit_bytes: 2)
    return sync
  }
}
