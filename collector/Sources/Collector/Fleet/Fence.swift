import Foundation

/// A geofence as the server has sent it (docs/geofences.md): a circle, or polygons.
struct Fence: Equatable, Sendable {
  enum Shape: Equatable, Sendable {
    case circle(Coordinate, radius_m: Double)
    /// Polygons of rings; the first ring is the outer one.
    case polygons([[[Coordinate]]])
  }

  var name: String
  var shape: Shape
  private var south = 90.0, north = -90.0, west = 180.0, east = -180.0

  /// Nil for what is no geofence.
  init?(_ feature: JSONValue) {
    let properties = feature["properties"]
    guard let name = (properties?["id"] ?? feature["id"])?.string, let geometry = feature["geometry"],
      let coordinates = geometry["coordinates"]
    else { return nil }
    self.name = name
    switch geometry["type"]?.string {
    case "Point":
      guard let middle = Self.coordinate(coordinates), let radius_m = properties?["radius_m"]?.double else {
        return nil
      }
      shape = .circle(middle, radius_m: radius_m)
      let latitude = radius_m / Coordinate.degree_m
      let longitude = latitude / max(0.01, cos(middle.latitude * .pi / 180))
      (south, north) = (middle.latitude - latitude, middle.latitude + latitude)
      (west, east) = (middle.longitude - longitude, middle.longitude + longitude)
    case "Polygon": shape = .polygons([Self.rings(coordinates)])
    case "MultiPolygon": shape = .polygons((coordinates.elements ?? []).map(Self.rings))
    default: return nil
    }
    guard case .polygons(let polygons) = shape else { return }
    for corner in polygons.flatMap({ $0.first ?? [] }) {
      (south, north) = (min(south, corner.latitude), max(north, corner.latitude))
      (west, east) = (min(west, corner.longitude), max(east, corner.longitude))
    }
    if south > north { return nil }
  }

  private static func coordinate(_ value: JSONValue) -> Coordinate? {
    guard let pair = value.elements, pair.count >= 2, let longitude = pair[0].double,
      let latitude = pair[1].double
    else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func rings(_ value: JSONValue) -> [[Coordinate]] {
    (value.elements ?? []).map { ($0.elements ?? []).compactMap(coordinate) }
  }

  var middle: Coordinate { Coordinate(latitude: (south + north) / 2, longitude: (west + east) / 2) }
  /// Of the box around it, in square degrees: of two that hold a place the smaller one names it.
  var size: Double { (north - south) * (east - west) }

  func contains(_ place: Coordinate) -> Bool {
    guard (south...north).contains(place.latitude), (west...east).contains(place.longitude) else {
      return false
    }
    switch shape {
    case .circle(let middle, let radius_m): return middle.metres(to: place) <= radius_m
    case .polygons(let polygons):
      return polygons.contains { rings in
        // Inside the outer ring and in no hole: an odd number of rings holds it.
        rings.count { Self.contains($0, place) } % 2 == 1
      }
    }
  }

  /// By the number of edges that a ray to the east crosses.
  private static func contains(_ ring: [Coordinate], _ place: Coordinate) -> Bool {
    var isInside = false
    for (one, next) in zip(ring, ring.dropFirst() + ring.prefix(1))
    where (one.latitude > place.latitude) != (next.latitude > place.latitude) {
      let share = (place.latitude - one.latitude) / (next.latitude - one.latitude)
      if place.longitude < one.longitude + share * (next.longitude - one.longitude) { isInside.toggle() }
    }
    return isInside
  }
}
