import Foundation

/// Hours of Monday to Friday, such as 06:00-18:30, in which vehicles are to be on the road.
struct WorkingHours: Equatable, Sendable {
  /// Minutes since midnight, the last one left out.
  var minutes: Range<Int>

  /// Nil for what is no such span.
  init?(_ text: some StringProtocol) {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Self.minute($0) }
    guard ends.count == 2, let first = ends[0], let last = ends[1], first < last else { return nil }
    minutes = first..<last
  }

  private static func minute(_ text: some StringProtocol) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.count == 2 }), let hour = Int(parts[0]),
      let minute = Int(parts[1]), (0...24).contains(hour), (0...59).contains(minute)
    else { return nil }
    return hour * 60 + minute
  }

  func contains(_ time_ms: Int64, _ zone: TimeZone) -> Bool {
    let offset_s = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time_ms) / 1000))
    let local_minutes = (time_ms + Int64(offset_s) * 1000) / 60_000
    // 1970-01-01 was a Thursday; a week begins on Monday.
    let weekday = (local_minutes / 1440 + 3) % 7
    return weekday < 5 && minutes.contains(Int(local_minutes % 1440))
  }
}
