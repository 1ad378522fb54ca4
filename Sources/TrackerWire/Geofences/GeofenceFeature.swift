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
    let properties = [JSONMember]([
      "id": .string(id), "radius_m": radius_m.map(GeofenceFeature.short),
      "notify_on_entry": notifyOnEntry ? nil : .bool(false),
      "notify_on_exit": notifyOnExit ? nil : .bool(false),
      "notify_on_dwell": notifyOnDwell ? .bool(true) : nil,
      "loitering_delay_s": loiteringDelay_s.map(GeofenceFeature.short),
      "expires": expires.map { .string($0) }, "extras": extras,
    ])
    let feature: JSONValue = ["type": "Feature", "geometry": geometry, "properties": .object(properties)]
    return feature.text
  }

  private var radius_m: Double? {
    switch shape {
    case .circle(_, let radius_m): radius_m
    case .polygon: nil
    }
  }

  private var geometry: JSONValue {
    switch shape {
    case .circle(let centre, _): return ["type": "Point", "coordinates": GeofenceFeature.pair(centre)]
    case .polygon(var corners):
      // A ring ends where it began (RFC 7946, 3.1.6).
      if corners.first != corners.last, let first = corners.first { corners.append(first) }
      return ["type": "Polygon", "coordinates": [.array(corners.map(GeofenceFeature.pair))]]
    }
  }

  private static func pair(_ position: Position) -> JSONValue {
    [.number(position.longitude_deg), .number(position.latitude_deg)]
  }

  /// As a person writes it: 150, not 150.0.
  private static func short(_ value: Double) -> JSONValue {
    Int64(exactly: value).map { .integer($0) } ?? .number(value)
  }
}
