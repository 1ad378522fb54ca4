/// How finely a record's numbers lie in the queue: whole numbers of so many parts. Finer than any receiver's noise.
public enum Resolution: Double {
  /// Degrees of latitude and longitude: 1.1 cm.
  case position = 1e7
  /// Altitude, accuracies (m), speed (m/s) and course (degrees): hundredths.
  case fix = 100
  /// Decimetres.
  case odometer = 10

  /// nil for nil, NaN, and what no Int64 holds.
  public func scaled(_ value: Double?) -> Int64? {
    value.flatMap { Int64(exactly: ($0 * rawValue).rounded()) }
  }

  public func unscaled(_ value: Int64?) -> Double? { value.map { Double($0) / rawValue } }

  func rounded(_ value: Double?) -> Double? { unscaled(scaled(value)) }

  /// The numbers of a record's content; 0 for what is none.
  package static func tenths(_ value: Double) -> Double { odometer.rounded(value) ?? 0 }
}

extension Record {
  /// As the queue gives it back: what is sent from memory must not differ from what is sent again from there.
  package var atResolution: Record {
    var record = self
    record.fix = fix?.atResolution
    record.odometer_m = Resolution.odometer.rounded(odometer_m) ?? 0
    return record
  }
}

extension Fix {
  /// nil where it has no position or accuracy that can be stored.
  var atResolution: Fix? {
    guard let latitude_deg = Resolution.position.rounded(position.latitude_deg),
      let longitude_deg = Resolution.position.rounded(position.longitude_deg),
      let accuracy_m = Resolution.fix.rounded(accuracy_m)
    else { return nil }
    return Fix(
      time_ms: time_ms, position: Position(latitude_deg: latitude_deg, longitude_deg: longitude_deg),
      altitude_m: Resolution.fix.rounded(altitude_m), speed_mps: Resolution.fix.rounded(speed_mps),
      course_deg: Resolution.fix.rounded(course_deg),
      accuracy_m: accuracy_m, altitudeAccuracy_m: Resolution.fix.rounded(altitudeAccuracy_m),
      speedAccuracy_mps: Resolution.fix.rounded(speedAccuracy_mps),
      courseAccuracy_deg: Resolution.fix.rounded(courseAccuracy_deg),
      satellites: satellites)
  }
}
