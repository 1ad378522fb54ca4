import TrackerCore

/// The status of one device as JSON: what `status.json` holds, `godwit status` shows and a sync carries.
///
/// Its shape is documented in docs/status.md. Keys are only ever added.
public enum StatusDocument {
  /// What the process knows beside the tracker.
  public struct Identity: Equatable, Sendable {
    public var device: String
    public var version: String
    public var settingsHash: String
    public var bootID: String

    public init(device: String, version: String, settingsHash: String, bootID: String) {
      self.device = device
      self.version = version
      self.settingsHash = settingsHash
      self.bootID = bootID
    }
  }

  public static func json(_ status: TrackerStatus, identity: Identity) -> String {
    var json = JSONWriter(reservingCapacity: 1600)
    json.beginObject()
    json.member("schema", "godwit-status/1")
    json.member("time", ISO8601.text(ms: status.time_ms))
    json.member("device", identity.device)
    json.member("version", identity.version)
    json.member("settings", identity.settingsHash)
    json.member("boot_id", identity.bootID)
    json.member("uptime_s", status.uptime_s)
    json.member("clock", status.clockTrust)
    writeMotion(status, to: &json)
    writeGeofences(status, to: &json)
    writeGPS(status, to: &json)
    writeQueue(status, to: &json)
    writeSync(status, to: &json)
    writeWarnings(status, to: &json)
    json.endObject()
    return json.text
  }

  private static func writeMotion(_ status: TrackerStatus, to json: inout JSONWriter) {
    if status.undervoltage { json.member("undervoltage", true) }
    writeBattery(status.battery, to: &json)
    json.member("motion", status.motion)
    if let activity = status.activity {
      json.member("activity", activity.kind.rawValue)
      json.member("activity_confidence", activity.confidence)
    }
    optional("no_track_because", status.noTrackCause?.rawValue, to: &json)
    writeIntents(status, to: &json)
    json.key("window")
    json.beginObject()
    json.member("open", status.windowOpen)
    optional("next_change", status.nextWindowChange_ms.map { ISO8601.text(ms: $0) }, to: &json)
    json.endObject()
    writeLines(status, to: &json)
    json.key("trip")
    json.beginObject()
    if let id = status.tripID { json.member("id", id) }
    if let distance_m = status.tripDistance_m { json.member("distance_m", distance_m.rounded()) }
    json.member("ended", status.tripsEnded)
    json.member("odometer_m", status.odometer_m.rounded())
    json.endObject()
  }

  private static func writeBattery(_ battery: TrackerStatus.Battery?, to json: inout JSONWriter) {
    guard let battery else { return }
    json.key("battery")
    json.beginObject()
    json.member("volts", (battery.volts * 100).rounded() / 100)
    json.member("low", battery.isLow)
    json.member("factor", battery.factor)
    json.endObject()
  }

  /// The one that counts, and after it what waits behind it.
  private static func writeIntents(_ status: TrackerStatus, to json: inout JSONWriter) {
    if let safeMode = status.safeMode {
      json.key("safe_mode")
      json.beginObject()
      json.member("crashes", safeMode.crashes)
      json.member("left_s", safeMode.left_s)
      json.endObject()
    }
    guard !status.intents.isEmpty || status.intentsAreUnsaved else { return }
    json.key("intent")
    json.beginObject()
    if let first = status.intents.first { write(first, to: &json) } else { json.member("kind", "none") }
    if status.intentsAreUnsaved { json.member("saved", false) }
    if let next = status.intents.dropFirst().first {
      json.key("then")
      json.beginObject()
      write(next, to: &json)
      json.endObject()
    }
    json.endObject()
  }

  private static func write(_ intent: TrackerStatus.Intent, to json: inout JSONWriter) {
    json.member("kind", intent.kind.rawValue)
    optional("until", intent.until_ms.map { ISO8601.text(ms: $0) }, to: &json)
    if let left_s = intent.left_s { json.member("left_s", left_s) }
  }

  private static func writeLines(_ status: TrackerStatus, to json: inout JSONWriter) {
    guard status.hasLines else { return }
    json.key("lines")
    json.beginObject()
    if let isOn = status.ignitionIsOn { json.member("ignition", isOn) }
    json.member("vibration_edges", status.vibrationEdges)
    json.member("bounces", status.bounces)
    json.member("storms", status.bounceStorms)
    json.endObject()
  }

  /// So many are named; `inside_count` counts all.
  static let mostNamedFences = 50

  private static func writeGeofences(_ status: TrackerStatus, to json: inout JSONWriter) {
    json.key("geofences")
    json.beginObject()
    json.member("count", status.geofences)
    json.member("expired", status.geofencesExpired)
    json.member("events", status.geofenceEvents)
    json.member("inside_count", status.geofencesInside.count)
    json.key("inside")
    json.beginArray()
    for id in status.geofencesInside.prefix(mostNamedFences) { json.string(id) }
    json.endArray()
    json.endObject()
  }

  private static func writeGPS(_ status: TrackerStatus, to json: inout JSONWriter) {
    json.key("gps")
    json.beginObject()
    json.member("powered", status.gpsPowered)
    json.member("on_s", status.gpsOn_s)
    optional("device", status.receiver, to: &json)
    json.member("device_changes", status.receiverChanges)
    json.member("reports_of_others", status.reportsOfOthers)
    optional("dynamic_model", status.dynamicModel, to: &json)
    json.member("sessions", status.gpsSessions)
    if let ttff_s = status.timeToFirstFix_s { json.member("time_to_first_fix_s", ttff_s) }
    writeStartTimes(status.startTimes, to: &json)
    if let satellites = status.satellites { json.member("satellites", satellites) }
    optional("last_fix", status.lastFix_ms.map { ISO8601.text(ms: $0) }, to: &json)
    json.member("fixes", status.fixes)
    json.member("kept", status.kept)
    json.member("reports_without_fix", status.reportsWithoutFix)
    json.member("held_until_settled", status.heldUntilSettled)
    json.member("merged_reports", status.mergedReports)
    json.member("speeds_refused", status.speedsRefused)
    json.member("probes", status.probes)
    json.member("probes_unanswered", status.probesUnanswered)
    json.key("rejected")
    json.beginObject()
    for (name, count) in status.rejected { json.member(name, count) }
    json.endObject()
    json.endObject()
  }

  private static func writeStartTimes(_ times: StartTimes, to json: inout JSONWriter) {
    guard StartTimes.Gap.allCases.contains(where: { times[$0] != nil }) else { return }
    json.key("time_to_first_fix_after")
    json.beginObject()
    for gap in StartTimes.Gap.allCases {
      if let needed_ms = times[gap] { json.member(gap.rawValue, Double(needed_ms) / 1000) }
    }
    json.endObject()
  }

  private static func writeQueue(_ status: TrackerStatus, to json: inout JSONWriter) {
    json.key("queue")
    json.beginObject()
    json.member("records", status.queued)
    json.member("in_memory", status.pending)
    json.member("dropped_from_memory", status.droppedFromMemory)
    json.member("storage", status.storageFailed ? "failed" : "ok")
    json.endObject()
  }

  private static func writeSync(_ status: TrackerStatus, to json: inout JSONWriter) {
    json.key("sync")
    json.beginObject()
    writeDelivery(status.sync, to: &json)
    writeBudget(status.budget, to: &json)
    json.endObject()
    guard !status.others.isEmpty else { return }
    json.key("also")
    json.beginArray()
    for other in status.others {
      json.beginObject()
      json.member("name", other.name)
      json.member("records", other.queued)
      json.key("sync")
      json.beginObject()
      writeDelivery(other.sync, to: &json)
      json.endObject()
      json.endObject()
    }
    json.endArray()
  }

  private static func writeDelivery(_ sync: TrackerStatus.Delivery, to json: inout JSONWriter) {
    json.member("state", sync.state)
    json.member("failures", sync.failures)
    if let next_s = sync.nextAttempt_s { json.member("next_attempt_s", next_s) }
    json.member("last_reply", sync.lastReply)
    if sync.mqttVersion != .auto { json.member("mqtt_version", sync.mqttVersion.rawValue) }
    if let problem = sync.problem {
      json.member("problem", problem.name)
      json.member("problem_for_s", sync.problem_s)
    }
    if let ago_s = sync.lastDelivery_s { json.member("last_delivery_ago_s", ago_s) }
    json.member("requests", sync.requests)
    json.member("delivered", sync.delivered)
    json.member("bytes_up", sync.bytesUp)
    json.member("bytes_down", sync.bytesDown)
  }

  private static func writeBudget(_ budget: TrackerStatus.Budget?, to json: inout JSONWriter) {
    guard let budget else { return }
    json.key("budget")
    json.beginObject()
    json.member("sends", budget.level.rawValue)
    if budget.dayLimit_bytes > 0 {
      json.member("day_bytes", budget.day_bytes)
      json.member("day_limit_bytes", budget.dayLimit_bytes)
    }
    if budget.monthLimit_bytes > 0 {
      json.member("month_bytes", budget.month_bytes)
      json.member("month_limit_bytes", budget.monthLimit_bytes)
    }
    json.endObject()
  }

  private static func writeWarnings(_ status: TrackerStatus, to json: inout JSONWriter) {
    json.key("warnings")
    json.beginObject()
    for warning in status.warnings {
      json.key(warning.name)
      json.beginObject()
      json.member("count", warning.count)
      json.member("last", ISO8601.text(ms: warning.last_ms))
      optional("since", warning.since_ms.map { ISO8601.text(ms: $0) }, to: &json)
      optional("until", warning.until_ms.map { ISO8601.text(ms: $0) }, to: &json)
      json.endObject()
    }
    json.endObject()
  }

  private static func optional(_ key: String, _ value: String?, to json: inout JSONWriter) {
    if let value { json.member(key, value) }
  }
}
