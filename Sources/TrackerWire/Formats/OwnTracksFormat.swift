import TrackerBase

/// OwnTracks' messages: one `_type: location` a request, or for a geofence that is entered or left `_type: transition`,
/// for the OwnTracks Recorder, Home Assistant and others (owntracks.org/booklet/tech/json). Whole seconds, km/h and
/// degrees, as the apps send them.
public enum OwnTracksFormat: PayloadFormat {
  public static let name = SyncSettings.Format.owntracks

  /// Whose position it is: without them receivers do not know where to put it.
  public static func headers(device: String) -> [(String, String)] {
    [(userHeader, "godwit"), (deviceHeader, DeviceName.topicLevel(device))]
  }

  private static let (userHeader, deviceHeader) = ("X-Limit-U", "X-Limit-D")

  /// The same as a topic, as iOS' app sends it over HTTP: for receivers that do not read the headers.
  ///
  /// - Parameter headers: those of the request.
  /// - Returns: empty where one of them is a secret of its own.
  public static func topic(from headers: [(String, String)]) -> String {
    let levels = [userHeader, deviceHeader].compactMap { name in
      headers.first { $0.0.lowercased() == name.lowercased() }?.1
    }
    return levels.count < 2 ? "" : "owntracks/" + levels.joined(separator: "/")
  }

  public static func body(_ payload: Payload) -> [UInt8] {
    var json = JSONWriter(reservingCapacity: 400)
    json.beginObject()
    let record = payload.records.first
    let crossing = payload.ownTracks.transitions ? record.flatMap(crossing) : nil
    json.member("_type", crossing == nil ? "location" : "transition")
    if let record, let fix = record.fix {
      // Home Assistant passes over an accuracy of 0.
      whole("acc", max(1, fix.accuracy_m), to: &json)
      whole("alt", fix.altitude_m, to: &json)
      whole("cog", fix.course_deg, to: &json)
      json.member("created_at", record.time_ms.flooredDivision(by: 1000))
      if let crossing { json.member("desc", crossing.fence) }
      if record.kind.isEvent { json.member("event", crossing?.event ?? record.kind.eventName) }
      writeExtras(of: record, to: &json)
      if case .position(_, let details?) = record.content, !details.geofences.isEmpty {
        json.key("inregions")
        json.value(.texts(details.geofences))
      }
      json.member("lat", fix.position.latitude_deg)
      json.member("lon", fix.position.longitude_deg)
      json.member("tid", payload.ownTracks.tid.isEmpty ? payload.device : payload.ownTracks.tid)
      if !payload.ownTracks.topic.isEmpty { json.member("topic", payload.ownTracks.topic) }
      json.member("tst", fix.time_ms.flooredDivision(by: 1000))
      json.member("uuid", UUIDv8.text(queueID: payload.queueID, sequence: record.sequence))
      whole("vac", fix.altitudeAccuracy_m, to: &json)
      whole("vel", fix.speed_mps.map { $0 * 3.6 }, to: &json)
    }
    json.endObject()
    return json.bytes
  }

  /// A fence that is entered or left, with OwnTracks' word for it; nil for a stay in one, which it has none for.
  private static func crossing(_ record: Record) -> (event: String, fence: String)? {
    guard case .geofence(let event) = record.content else { return nil }
    switch event.action {
    case .enter: return ("enter", event.geofence)
    case .exit: return ("leave", event.geofence)
    case .dwell: return nil
    }
  }

  /// What is not known is left out.
  private static func whole(_ key: String, _ value: Double?, to json: inout JSONWriter) {
    if let value, let number = Int64(exactly: value.rounded()) { json.member(key, number) }
  }

  /// A key of our own, which receivers store or pass over.
  private static func writeExtras(of record: Record, to json: inout JSONWriter) {
    let members = record.membersOnWire?.filter { record.kind != .position || $0.key != "inregions" } ?? []
    if members.isEmpty { return }
    json.key("extras")
    json.value(.object(members))
  }
}
