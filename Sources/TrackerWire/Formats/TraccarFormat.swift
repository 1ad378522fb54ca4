import TrackerBase

/// What a Traccar server takes from its own clients since 6.7: the JSON of its OsmAnd port, one position a
/// request. It answers 200 with an empty body; 404 means that the device is not registered there.
///
/// A missing number among the six of `coords` makes it close the connection without a reply, so all are there:
/// -1 for an unknown speed or heading, which it passes over, 0 for an unknown altitude, as it has it itself.
/// Without `coords` it would store the event at the device's last position.
public enum TraccarFormat: PayloadFormat {
  public static let name = SyncSettings.Format.traccar

  /// It refuses more than 64 KiB with 413; the rest of a body is below 1 KiB.
  private static let mostExtras_bytes = 63 * 1024

  public static func problem(of record: Record) -> String? {
    record.extras.utf8.count > mostExtras_bytes ? "its extras are larger than 63 KiB" : nil
  }

  public static func body(_ payload: Payload) -> [UInt8] {
    var json = JSONWriter(reservingCapacity: 600)
    json.beginObject()
    json.member("device_id", payload.device)
    if let record = payload.records.first, let fix = record.fix {
      json.object("location") { json in
        let activity = record.activity.kind == .driving ? "in_vehicle" : "still"
        json.object("activity") { $0.member("type", activity) }
        if let alarm = alarm(of: record.content) { json.member("alarm", alarm) }
        write(coordsOf: fix, to: &json)
        if record.kind.isEvent { json.member("event", record.kind.eventName) }
        let uuid = UUIDv8.text(queueID: payload.queueID, sequence: record.sequence)
        write(attributes(of: record), uuid: uuid, to: &json)
        json.member("is_moving", record.isMoving)
        // Traccar reads it into 32 bits.
        json.member("odometer", Int32(clamping: Int64(exactly: record.odometer_m.rounded()) ?? 0))
        json.member("timestamp", ISO8601.text(ms: record.time_ms))
      }
    }
    json.endObject()
    return json.bytes
  }

  private static func write(coordsOf fix: Fix, to json: inout JSONWriter) {
    json.object("coords") { json in
      json.member("accuracy", finite(fix.accuracy_m) ?? 0)
      json.member("altitude", finite(fix.altitude_m) ?? 0)
      json.member("heading", finite(fix.course_deg) ?? -1)
      json.member("latitude", fix.position.latitude_deg)
      json.member("longitude", fix.position.longitude_deg)
      json.member("speed", finite(fix.speed_mps) ?? -1)
    }
  }

  private static func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }

  /// Traccar's word (its Position.ALARM_…), for what a record says that it has one for.
  private static func alarm(of content: Record.Content) -> String? {
    switch content {
    case .geofence(let event):
      switch event.action {
      case .enter: "geofenceEnter"
      case .exit: "geofenceExit"
      case .dwell: nil
      }
    case .speed(.over): "overspeed"
    case .trip(let summary): summary.isTowed ? "tow" : nil
    case .warning(.batteryLow): "lowPower"
    case .warning(.gpsJamming): "jamming"
    case .warning(.gpsAntenna): "gpsAntennaCut"
    case .warning(.powerLost): "powerCut"
    case .status(.powerBack): "powerRestored"
    case .incident(.crash): "accident"
    case .incident(.harshBraking): "hardBraking"
    case .incident(.tow): "tow"
    case .position, .motion, .status, .warning, .speed, .activity, .gap, .unknown: nil
    }
  }

  /// Under Traccar's own names where it has them (`sat`, `power` in volts, `ignition`); a fence's extras stand among
  /// the record's, since Traccar reads no objects.
  private static func attributes(of record: Record) -> [JSONMember] {
    var members: [JSONMember] = []
    func add(_ key: String, _ value: JSONValue) {
      if key != "uuid", !members.contains(where: { $0.key == key }) {
        members.append(JSONMember(key: key, value: value))
      }
    }
    if let satellites = record.fix?.satellites { add("sat", .integer(Int64(satellites))) }
    // The key that was turned goes before what a line says by now.
    if case .motion(let change) = record.content, change.cause == .ignition {
      add("ignition", .bool(record.isMoving))
    }
    var fence: [JSONMember] = []
    for member in record.membersOnWire ?? [] {
      if record.kind == .geofence, member.key == "extras" {
        if case .object(let own) = member.value { fence = own }
      } else if member.key != "inregions" {
        add(member.key, member.value)
      }
    }
    if let volts = members.first(where: { $0.key == "volts" }) { add("power", volts.value) }
    for member in fence { add(member.key, member.value) }
    return members
  }

  /// Its numbers, texts and truth values become attributes of the position; Traccar passes over the rest. It
  /// must be an object, even an empty one: any other value makes Traccar close the connection.
  private static func write(_ attributes: [JSONMember], uuid: String, to json: inout JSONWriter) {
    json.object("extras") { json in
      for member in attributes {
        json.key(member.key)
        json.value(member.value)
      }
      json.member("uuid", uuid)
    }
  }
}
