/// Dates as receivers say them.
public enum GPSDate {
  /// 1024 weeks: the GPS week number is sent in ten bits (IS-GPS-200, 20.3.3.3.1.1).
  public static let weekRollover_ms: Int64 = 1024 * 7 * 86_400_000
  /// From the GPS epoch up to the year 2100; anything else is a garbled report.
  package static let possible_ms: Range<Int64> = 315_964_800_000..<4_102_444_800_000

  /// Moved by whole rollovers into the 1024 weeks that begin when this program was built: receivers err to both
  /// sides, and within a rollover the date is unambiguous.
  package static func repaired(_ time_ms: Int64, notBefore_ms: Int64) -> Int64 {
    guard possible_ms.contains(time_ms), !isPlausible(time_ms, notBefore_ms: notBefore_ms) else {
      return time_ms
    }
    return time_ms - (time_ms - notBefore_ms).flooredDivision(by: weekRollover_ms) * weekRollover_ms
  }

  /// Whether any clock can be right that says so. Without a build date the future is open.
  package static func isPlausible(_ time_ms: Int64, notBefore_ms: Int64) -> Bool {
    time_ms >= notBefore_ms
      && (notBefore_ms < possible_ms.lowerBound || time_ms - weekRollover_ms < notBefore_ms)
  }
}
