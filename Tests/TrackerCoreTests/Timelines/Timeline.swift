@testable import TrackerCore

/// Fixes on a plane around one place, and the machines' settings, for tests that read as timelines.
enum On {
  static let home = Position(latitude_deg: 47, longitude_deg: 8)
  static let start_ms: Int64 = 1_800_000_000_000
  private static let metresPerDegree = 6_371_008.8 * Double.pi / 180

  static func position(east_m: Double, north_m: Double) -> Position {
    Position(
      latitude_deg: home.latitude_deg + north_m / metresPerDegree,
      longitude_deg: home.longitude_deg + east_m / (metresPerDegree * cosine(degrees: home.latitude_deg)))
  }

  static func fix(
    _ second: Int, east_m: Double = 0, north_m: Double = 0, speed_mps: Double? = 0, accuracy_m: Double = 5
  ) -> Fix {
    Fix(
      time_ms: start_ms + Int64(second) * 1000, position: position(east_m: east_m, north_m: north_m),
      speed_mps: speed_mps, accuracy_m: accuracy_m)
  }

  static func report(
    _ second: Int, east_m: Double = 0, north_m: Double = 0, speed_mps: Double? = 0, course_deg: Double? = 90,
    accuracy_m: Double? = 5, mode: Int = 3
  ) -> GPSReport {
    let place = position(east_m: east_m, north_m: north_m)
    return GPSReport(
      mode: mode, time_ms: start_ms + Int64(second) * 1000, latitude_deg: place.latitude_deg,
      longitude_deg: place.longitude_deg, speed_mps: speed_mps, course_deg: course_deg, accuracy_m: accuracy_m
    )
  }
}

/// SplitMix64 (Steele, Lea, Flood, 2014): the same numbers on every machine.
struct SeededNumbers {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func uniform() -> Double { Double(next() >> 11) / Double(1 << 53) }
  /// Sum of twelve uniforms: close enough to a normal distribution.
  mutating func normal() -> Double { (0..<12).reduce(-6.0) { sum, _ in sum + uniform() } }
}
