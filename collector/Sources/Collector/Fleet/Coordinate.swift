import Foundation

/// A place on the sphere, in degrees.
struct Coordinate: Equatable, Sendable {
  var latitude: Double
  var longitude: Double

  static let degree_m = 6_371_008.8 * Double.pi / 180

  /// By the haversine formula.
  func metres(to other: Coordinate) -> Double {
    func half(_ degrees: Double) -> Double {
      let sine = sin(degrees * .pi / 360)
      return sine * sine
    }
    let chord =
      half(other.latitude - latitude)
      + cos(latitude * .pi / 180) * cos(other.latitude * .pi / 180) * half(other.longitude - longitude)
    return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
  }

  /// Clockwise from north; good for the few kilometres of a neighbourhood.
  func bearing_deg(to other: Coordinate) -> Double {
    let east = (other.longitude - longitude) * cos(latitude * .pi / 180)
    let degrees = atan2(east, other.latitude - latitude) * 180 / .pi
    return degrees < 0 ? degrees + 360 : degrees
  }
}

/// Where something is, in words that a person knows.
struct PlaceName: Codable, Equatable, Sendable {
  enum Kind: String, Codable, Sendable { case geofence, town }

  var name: String
  var kind: Kind
  /// From the named place to the vehicle; left out where the vehicle is in it.
  var distance_m: Double?
  var bearing_deg: Double?

  private static let points = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]

  /// `1.2 km N of Depot Nord`
  var text: String {
    guard let distance_m, let bearing_deg else { return name }
    let distance =
      distance_m < 1000
      ? "\(Int((distance_m / 10).rounded()) * 10) m"
      : "\(Fixed.text(distance_m / 1000, decimals: 1) ?? "?") km"
    return "\(distance) \(Self.points[Int((bearing_deg / 45).rounded()) % 8]) of \(name)"
  }
}
