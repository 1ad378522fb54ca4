import TrackerBase

/// The body that geomony's servers take: `{"geofence":[…],"location":[…]}`, byte-compatible with the seed's encoder.
///
/// No white space; the keys of each object in alphabetical order; `-1.0` for an unknown number, `0.0` for an
/// unknown altitude; a location's `extras` is a string that holds JSON, or empty, a geofence event's are JSON, or
/// left out. The status document rides under `status`. Two things the seed never needed: a record made before the
/// device had any fix at all has `null` as latitude and longitude, since 0, 0 would be an invented place; and a
/// geofence event has the `uuid` of its record too.
public enum GeomonyFormat: PayloadFormat {
  public static let name = SyncSettings.Format.geomony

  public static func body(_ payload: Payload) -> [UInt8] {
    body(records: payload.records, queueID: payload.queueID, status: payload.status)
  }

  /// The records in the order given. `status` is a whole JSON object, and is not checked.
  public static func body(records: [Record], queueID: UInt64, status: String? = nil) -> [UInt8] {
    var json = JSONWriter(reservingCapacity: 420 * records.count + (status?.utf8.count ?? 0) + 32)
    json.beginObject()
    let each = records.map { (record: $0, event: event(of: $0)) }
    let events = each.count { $0.event != nil }
    if events > 0 {
      json.key("geofence")
      json.beginArray()
      for case (let record, let event?) in each { write(event, of: record, queueID: queueID, to: &json) }
      json.endArray()
    }
    if events == 0 || events < records.count {
      json.key("location")
      json.beginArray()
      for case (let record, nil) in each { write(record, queueID: queueID, to: &json) }
      json.endArray()
    }
    if let status {
      json.key("status")
      json.raw(status)
    }
    json.endObject()
    return json.bytes
  }

  /// One record with all its members, geofence events too, and the number of satellites, which the seed does not send.
  public static func location(_ record: Record, queueID: UInt64) -> String {
    var json = JSONWriter(reservingCapacity: 420)
    write(record, queueID: queueID, satellites: record.fix?.satellites, to: &json)
    return json.text
  }

  /// The element of `geofence` for a location that is such an event; nil for others.
  public static func geofence(_ location: JSONValue) -> String? {
    guard location["event"]?.string == Record.Kind.geofence.eventName,
      let extras = location["extras"]?.string.flatMap({ JSONReader.parse(Array($0.utf8)) }),
      let event = GeofenceEvent(extras)
    else { return nil }
    var json = JSONWriter(reservingCapacity: 300)
    write(
      event, accuracy_m: location["accuracy"]?.number ?? unknown, isDated: extras["clock"] == nil,
      latitude_deg: location["latitude"]?.number ?? .nan,
      longitude_deg: location["longitude"]?.number ?? .nan, timestamp: location["timestamp"]?.string ?? "",
      uuid: location["uuid"]?.string ?? "", to: &json)
    return json.text
  }

  private static func event(of record: Record) -> GeofenceEvent? {
    guard case .geofence(let event) = record.content else { return nil }
    return event
  }

  private static func write(
    _ event: GeofenceEvent, of record: Record, queueID: UInt64, to json: inout JSONWriter
  ) {
    write(
      event, accuracy_m: record.fix?.accuracy_m ?? unknown, isDated: record.timeSource.isTrusted,
      latitude_deg: record.fix?.position.latitude_deg ?? .nan,
      longitude_deg: record.fix?.position.longitude_deg ?? .nan, timestamp: ISO8601.text(ms: record.time_ms),
      uuid: UUIDv8.text(queueID: queueID, sequence: record.sequence), to: &json)
  }

  private static func write(
    _ event: GeofenceEvent, accuracy_m: Double, isDated: Bool, latitude_deg: Double, longitude_deg: Double,
    timestamp: String, uuid: String, to json: inout JSONWriter
  ) {
    json.beginObject()
    json.member("accuracy", accuracy_m)
    json.member("action", event.action.rawValue)
    if !isDated { json.member("clock", "untrusted") }
    if !event.extras.isEmpty {
      json.key("extras")
      json.raw(event.extras)
    }
    json.member("identifier", event.geofence)
    json.member("latitude", latitude_deg)
    json.member("longitude", longitude_deg)
    json.member("timestamp", timestamp)
    json.member("uuid", uuid)
    json.endObject()
  }

  private static func write(
    _ record: Record, queueID: UInt64, satellites: Int? = nil, to json: inout JSONWriter
  ) {
    let fix = record.fix
    json.beginObject()
    json.member("accuracy", fix?.accuracy_m ?? unknown)
    json.object("activity") { json in
      json.member("confidence", record.activity.confidence)
      json.member("type", record.activity.kind == .driving ? "automotive" : "stationary")
    }
    json.member("altitude", fix?.altitude_m ?? 0)
    json.member("altitude_accuracy", fix?.altitudeAccuracy_m ?? unknown)
    json.member("event", record.kind.eventName)
    json.member("extras", record.extrasOnWire)
    json.member("heading", fix?.course_deg ?? unknown)
    json.member("heading_accuracy", fix?.courseAccuracy_deg ?? unknown)
    json.member("is_moving", record.isMoving)
    json.member("latitude", fix?.position.latitude_deg ?? .nan)
    json.member("longitude", fix?.position.longitude_deg ?? .nan)
    if let satellites { json.member("satellites", satellites) }
    json.member("speed", fix?.speed_mps ?? unknown)
    json.member("speed_accuracy", fix?.speedAccuracy_mps ?? unknown)
    json.member("timestamp", ISO8601.text(ms: record.time_ms))
    json.member("uuid", UUIDv8.text(queueID: queueID, sequence: record.sequence))
    json.endObject()
  }

  private static let unknown = -1.0
}
