import TrackerBase

// What gpsd's decoder makes of a receiver's words when it is live, for recordings that did not come through it.
extension GPSReport {
  /// Without what this mode does not have: a position without a fix, a height in two dimensions.
  var withinMode: GPSReport {
    if mode < 2 { return GPSReport(mode: mode, time_ms: time_ms, satellites: satellites) }
    var report = self
    if mode == 2 { report.altitude_m = nil }
    return report
  }

  /// Nil for the 99.9 or 99.99 of a receiver that has no figure.
  static func hdop(_ figure: Double) -> Double? { figure > 0 && figure < 99 ? figure : nil }

  /// 0 up to 360; nil for anything else.
  static func course_deg(_ figure: Double) -> Double? {
    (0...360).contains(figure) ? (figure == 360 ? 0 : figure) : nil
  }
}
