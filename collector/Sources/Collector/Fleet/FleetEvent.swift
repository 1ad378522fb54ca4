/// Something that somebody else wants to be told of, once.
struct FleetEvent: Equatable, Sendable {
  /// What a webhook may ask for.
  enum Kind: String, Codable, CaseIterable, Sendable {
    /// A vehicle came into an area, left it, or stays in it.
    case geofence
    /// A trip has ended.
    case trip
    /// The device warns of something.
    case warning
    /// Nothing has come from the vehicle for too long. Once, until it has come again.
    case silence
  }

  var kind: Kind
  /// The same for the same, so that whoever is told twice knows it.
  var id: String
  var device: String
  var time_ms: Int64
  var place: (latitude: Double, longitude: Double)?
  /// Of the record: what is said there (docs/formats.md).
  var extras: JSONValue?

  static func == (one: FleetEvent, other: FleetEvent) -> Bool { one.json == other.json }

  /// As it is sent.
  var json: String {
    var members: [String: JSONValue] = [
      "id": .string(id), "event": .string(kind.rawValue), "device": .string(device),
      "timestamp": .string(Timestamp.text(time_ms)),
    ]
    if let place {
      (members["latitude"], members["longitude"]) = (.number(place.latitude), .number(place.longitude))
    }
    members["extras"] = extras
    return JSONValue.object(members).text
  }

  /// Nil for a record that makes none.
  init?(_ record: UploadedRecord, of device: String) {
    switch record.fields.event {
    case "geofence": kind = .geofence
    case "trip": kind = .trip
    case "warning": kind = .warning
    default: return nil
    }
    (id, self.device, time_ms) = (record.uuid, device, record.time_ms)
    place = record.hasPosition ? (record.latitude, record.longitude) : nil
    extras = JSONValue(text: record.fields.extras)
  }

  /// - Parameter last_ms: when something came last.
  init(silenceOf device: String, since last_ms: Int64) {
    (kind, id, self.device, time_ms) = (.silence, "silence-\(last_ms)-\(device)", device, last_ms)
  }
}
