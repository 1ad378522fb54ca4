import TrackerCore
import TrackerWire

/// Numbers and times as a person reads them.
enum ReportText {
  /// Of a track behind its departure: `30 s`, `–` without a track, `not recorded` where nobody can say.
  static func delay(_ departure: ReplayedDeparture) -> String {
    if let delay_s = departure.delay_s { return duration(delay_s) }
    return departure.trackBegan_ms == nil ? "–" : "not recorded"
  }

  /// `45 s`, `3 min 20 s`, `12 min`, `2 h 36 min`, `3 d 4 h`; rounded.
  static func duration(_ seconds: Double) -> String {
    let whole_s = Int64(max(0, seconds).rounded())
    let minutes = (whole_s + 30) / 60
    return switch whole_s {
    case ..<60: "\(whole_s) s"
    case ..<600: pair(whole_s / 60, "min", whole_s % 60, "s")
    case ..<3570: "\(minutes) min"
    case ..<86_370: pair(minutes / 60, "h", minutes % 60, "min")
    default: pair((minutes + 30) / 1440, "d", (minutes + 30) % 1440 / 60, "h")
    }
  }

  private static func pair(_ big: Int64, _ bigUnit: String, _ small: Int64, _ smallUnit: String) -> String {
    small == 0 ? "\(big) \(bigUnit)" : "\(big) \(bigUnit) \(small) \(smallUnit)"
  }

  /// `2026-01-01 00:00:00`
  static func dateTime(_ time_ms: Int64) -> String {
    let text = ISO8601.text(ms: time_ms)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
  }

  /// `00:00:00`
  static func clock(_ time_ms: Int64) -> String {
    String(ISO8601.text(ms: time_ms).dropFirst(11).prefix(8))
  }

  /// `1 Jan`
  static func day(_ time_ms: Int64) -> String {
    let date = CivilTime(seconds: time_ms.flooredDivision(by: 1000)).date
    return "\(date.day) \(months[date.month - 1])"
  }

  static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The clock alone where the whole lies within one day, else with the date before it.
  static func time(_ time_ms: Int64, within span: Span) -> String {
    isOneDay(span) ? clock(time_ms) : "\(day(time_ms)) \(clock(time_ms))"
  }

  /// `2026-01-01 08:00:00 to 17:30:00`
  static func fromTo(_ span: Span) -> String {
    "\(dateTime(span.start_ms)) to \(isOneDay(span) ? clock(span.end_ms) : dateTime(span.end_ms))"
  }

  private static func isOneDay(_ span: Span) -> Bool {
    span.start_ms.flooredDivision(by: 86_400_000) == span.end_ms.flooredDivision(by: 86_400_000)
  }

  /// `850 m`, `83.2 km`
  static func distance(_ metres: Double) -> String {
    metres < 999.5 ? "\(fixed(metres, decimals: 0)) m" : "\(fixed(metres / 1000, decimals: 1)) km"
  }

  /// Decimal units: `850 B`, `12.4 kB`, `1.2 MB`
  static func bytes(_ count: Int) -> String {
    switch count {
    case ..<1000: "\(count) B"
    case ..<999_950: "\(fixed(Double(count) / 1000, decimals: 1)) kB"
    default: "\(fixed(Double(count) / 1_000_000, decimals: 1)) MB"
    }
  }

  static func speed(_ metresPerSecond: Double) -> String {
    "\(fixed(metresPerSecond * 3.6, decimals: 0)) km/h"
  }

  /// Per cent of a picture, with two decimals.
  static func percent(_ share: Double) -> String { "\(fixed(share * 100, decimals: 2))%" }
}
