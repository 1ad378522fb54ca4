import TrackerBase

/// Turns features into geofences, and collects everything that is wrong with them.
struct FeatureReader {
  private(set) var fences: [Geofence] = []
  private(set) var problems: [GeofenceDocumentError.Problem] = []
  private var number = 0
  private var id = ""
  private var properties: JSONValue = .null
  /// The number of the feature that has an id.
  private var numbers: [String: Int] = [:]

  /// Of members in RFC 7946 and of our properties.
  static let names: Set = [
    "type", "features", "geometry", "coordinates", "properties", "id", "radius_m", "notify_on_entry",
    "notify_on_exit", "notify_on_dwell", "loitering_delay_s", "extras", "expires",
  ]
  static let longestDelay_s = 604_800.0
  static let mostExtraBytes = 2000

  mutating func read(_ feature: JSONValue) {
    number += 1
    properties = feature["properties"] ?? .null
    let id = FeatureReader.id(of: feature)
    self.id = id ?? ""
    let problemsBefore = problems.count
    guard feature["type"]?.string == "Feature" else { return refuse("is not a GeoJSON Feature") }
    noteID(id)
    refuseDoubled(in: feature)
    let shape = shape(of: feature["geometry"])
    let (entry, exit) = (flag("notify_on_entry"), flag("notify_on_exit"))
    let (dwell, delay_s) = (flag("notify_on_dwell"), loiteringDelay_s())
    let (extras, expires_ms) = (extras(), expires_ms())
    refuseMisspelt()
    guard problems.count == problemsBefore, let shape, var fence = fence(shape) else { return }
    if let entry { fence.notifyOnEntry = entry }
    if let exit { fence.notifyOnExit = exit }
    if let dwell { fence.notifyOnDwell = dwell }
    if let delay_s { fence.loiteringDelay_s = delay_s }
    fence.extras = extras ?? ""
    fence.expires_ms = expires_ms
    fences.append(fence)
  }

  private mutating func refuse(_ reason: String) {
    problems.append(.init(feature: number, id: String(id.prefix(Geofence.longestID)), reason: reason))
  }

  // MARK: identity

  /// A text or a whole number; nil where the feature has none.
  static func id(of feature: JSONValue) -> String? {
    let value = given("id", in: feature["properties"]) ?? feature["id"]
    return value?.string ?? value?.whole.map { "\($0)" }
  }

  private mutating func noteID(_ id: String?) {
    guard let id else { return refuse("has no id: give it one, as a property or beside its type") }
    guard let first = numbers[id] else {
      numbers[id] = number
      return
    }
    refuse("feature \(first) has the same id: each needs its own")
  }

  // MARK: properties

  /// - Parameter read: nil for what is refused with `reason`.
  private mutating func value<Value>(
    _ key: String, _ reason: String, _ read: (JSONValue) -> Value?
  ) -> Value? {
    guard let given = given(key) else { return nil }
    let value = read(given)
    if value == nil { refuse(reason) }
    return value
  }

  private mutating func flag(_ key: String) -> Bool? {
    value(key, "\(key) must be true or false") { $0.bool }
  }

  private mutating func loiteringDelay_s() -> Double? {
    let range = 0...FeatureReader.longestDelay_s
    return value("loitering_delay_s", "loitering_delay_s must be 0 to \(Int(range.upperBound))") {
      $0.number.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  private mutating func extras() -> String? {
    guard let value = given("extras") else { return nil }
    guard case .object = value else {
      refuse("extras must be a JSON object")
      return nil
    }
    guard !value.holdsOutOfRange else {
      refuse("extras must not hold a number beyond 1.8e308: nobody can read it")
      return nil
    }
    var json = JSONWriter()
    json.value(value)
    guard json.bytes.count <= FeatureReader.mostExtraBytes else {
      refuse(
        "extras must not be larger than \(FeatureReader.mostExtraBytes) bytes: they ride with each event")
      return nil
    }
    return json.text
  }

  private mutating func expires_ms() -> Int64? {
    value("expires", "expires must be a time with its zone, such as \"2026-12-31T22:00:00Z\"") {
      $0.string.flatMap { ISO8601.unix_ms($0) }
    }
  }

  private func given(_ key: String) -> JSONValue? { FeatureReader.given(key, in: properties) }

  /// Tools write `null` for a property that a feature does not have.
  private static func given(_ key: String, in properties: JSONValue?) -> JSONValue? {
    guard let value = properties?[key], value != .null else { return nil }
    return value
  }

  private static let known = [
    "notify_on_entry", "notify_on_exit", "notify_on_dwell", "loitering_delay_s", "expires", "extras",
  ]

  /// Tools add properties of their own; but what begins like one of ours and is none is a slip that would
  /// silence an event.
  private mutating func refuseMisspelt() {
    guard case .object(let members) = properties else { return }
    for member in members where !FeatureReader.known.contains(member.key) {
      let word = member.key.lowercased()
      let begins = ["notify", "loiter", "expir"].contains { word.hasPrefix($0) }
      guard begins || FeatureReader.isLikeExtras(word, member.value) else { continue }
      refuse("\(SettingText.dotted([member.key])) is none of \(FeatureReader.known.joined(separator: ", "))")
    }
  }

  private static func isLikeExtras(_ word: String, _ value: JSONValue) -> Bool {
    guard case .object = value else { return false }
    return ["extra", "extras"].contains(word)
  }

  /// RFC 8259, section 4, leaves it open which of them counts: so somebody means the other one.
  private mutating func refuseDoubled(in feature: JSONValue) {
    let doubled = feature.doubled + properties.doubled + (feature["geometry"]?.doubled ?? [])
    for key in doubled where FeatureReader.names.contains(key) { refuse("has \(key) twice in one object") }
  }

  // MARK: shape

  private mutating func fence(_ shape: Geofence.Shape) -> Geofence? {
    do throws(GeofenceError) { return try Geofence(id: id, shape: shape) } catch {
      refuse(error.reason)
      return nil
    }
  }

  private mutating func shape(of geometry: JSONValue?) -> Geofence.Shape? {
    let coordinates = geometry?["coordinates"]
    switch geometry?["type"]?.string {
    case "Point": return circle(coordinates)
    case "Polygon": return polygon([coordinates])
    case "MultiPolygon": return polygon(coordinates?.array ?? [nil])
    default:
      refuse("its geometry must be a Point with the property radius_m, a Polygon or a MultiPolygon")
      return nil
    }
  }

  private mutating func circle(_ coordinates: JSONValue?) -> Geofence.Shape? {
    guard let centre = position(coordinates) else { return unreadable() }
    guard let radius_m = properties["radius_m"]?.number else {
      refuse("a Point needs the property radius_m, the circle's radius in metres")
      return nil
    }
    return .circle(centre: centre, radius_m: radius_m)
  }

  private mutating func polygon(_ polygons: [JSONValue?]) -> Geofence.Shape? {
    var rings: [[Position]] = []
    var holes: Set<Int> = []
    for polygon in polygons {
      guard let parts = polygon?.array, !parts.isEmpty else { return unreadable() }
      for (index, part) in parts.enumerated() {
        // The first ring is the outer one (RFC 7946, 3.1.6).
        if index > 0 { holes.insert(rings.count) }
        guard let corners = part.array else { return unreadable() }
        let ring = corners.compactMap(position)
        guard ring.count == corners.count else { return unreadable() }
        rings.append(ring)
      }
    }
    do throws(GeofenceError) { return .polygon(try GeofencePolygon(rings: rings, holes: holes)) } catch {
      refuse(error.reason)
      return nil
    }
  }

  private mutating func unreadable() -> Geofence.Shape? {
    refuse("its coordinates are not those of its geometry: [longitude, latitude], nested as RFC 7946 has it")
    return nil
  }

  /// Longitude, latitude; an altitude is ignored.
  private func position(_ value: JSONValue?) -> Position? {
    guard let numbers = value?.array, numbers.count >= 2, let longitude_deg = numbers[0].number,
      let latitude_deg = numbers[1].number
    else { return nil }
    return Position(latitude_deg: latitude_deg, longitude_deg: longitude_deg)
  }
}
