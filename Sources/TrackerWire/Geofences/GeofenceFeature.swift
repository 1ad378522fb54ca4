import TrackerBase

/// A geofence as somebody asks for it. Nothing is checked here: whoever reads the file does that.
public struct GeofenceFeature {
  public enum Shape {
    case circle(centre: Position, radius_m: Double)
    /// Corners, the last one joined to the first.
    case polygon([Position])
  }

  public var id: String
  public var shape: Shape
  public var notifyOnEntry = true
  public var notifyOnExit = true
  public var notifyOnDwell = false
  public var loiteringDelay_s: Double?
  /// A time with its zone.
  public var expires: String?
  public var extras: JSONValue?

  public init(id: String, shape: Shape) {
    self.id = id
    self.shape = shape
  }

  /// A GeoJSON feature with what differs from the defaults, on one line.
  public var json: String {
    var json = JSONWriter()
    json.beginObject()
    json.member("type", "Feature")
    json.key("geometry")
    writeGeometry(to: &json)
    json.key("properties")
    json.beginObject()
    json.member("id", id)
    if case .circle(_, let radius_m) = shape { json.short("radius_m", radius_m) }
    if !notifyOnEntry { json.member("notify_on_entry", false) }
    if !notifyOnExit { json.member("notify_on_exit", false) }
    if notifyOnDwell { json.member("notify_on_dwell", true) }
    if let loiteringDelay_s { json.short("loitering_delay_s", loiteringDelay_s) }
    if let expires { json.member("expires", expires) }
    if let extras {
      json.key("extras")
      json.value(extras)
    }
    json.endObject()
    json.endObject()
    return json.text
  }

  private func writeGeometry(to json: inout JSONWriter) {
    json.beginObject()
    switch shape {
    case .circle(let centre, _):
      json.member("type", "Point")
      json.key("coordinates")
      json.position(centre)
    case .polygon(var corners):
      // A ring ends where it began (RFC 7946, 3.1.6).
      if corners.first != corners.last, let first = corners.first { corners.append(first) }
      json.member("type", "Polygon")
      json.key("coordinates")
      json.beginArray()
      json.beginArray()
      for corner in corners { json.position(corner) }
      json.endArray()
      json.endArray()
    }
    json.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func position(_ position: Position) {
    beginArray()
    number(position.longitude_deg)
    number(position.latitude_deg)
    endArray()
  }

  /// As a person writes it: 150, not 150.0.
  fileprivate mutating func short(_ key: String, _ value: Double) {
    if let whole = Int(exactly: value) { member(key, whole) } else { member(key, value) }
  }
}
