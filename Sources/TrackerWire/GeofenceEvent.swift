import TrackerCore

/// What a geofence record says, from its extras.
struct GeofenceEvent: Equatable {
  var identifier: String
  /// ENTER, EXIT or DWELL.
  var action: String
  /// The fence's own; nil without any.
  var extras: JSONValue?

  /// nil for records of another kind, and where the extras cannot be read.
  init?(_ record: Record) {
    guard record.kind == .geofence else { return nil }
    self.init(extras: record.extras)
  }

  /// - Parameter text: the extras of a geofence record.
  init?(extras text: String) {
    guard let value = JSONReader.parse(Array(text.utf8)), let action = value["action"]?.string,
      let identifier = value["geofence"]?.string
    else { return nil }
    self.identifier = identifier
    self.action = action
    extras = value["extras"]
  }
}
