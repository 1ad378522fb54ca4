/// Time as text (RFC 3339, UTC), without a calendar library.
public enum ISO8601 {
  /// `2026-01-01T00:00:00.000Z`, always with milliseconds. Times outside the years 0 to 9999, which the form
  /// cannot hold, become its first and last instant.
  public static func text(ms: Int64) -> String {
    let time_ms = min(max(ms, first_ms), last_ms)
    let day = floorDivide(time_ms, 86_400_000)
    let inDay_ms = time_ms - day * 86_400_000
    let date = civilDate(daysSinceEpoch: day)
    var text: [UInt8] = []
    text.reserveCapacity(24)
    append(date.year, digits: 4, then: "-", to: &text)
    append(date.month, digits: 2, then: "-", to: &text)
    append(date.day, digits: 2, then: "T", to: &text)
    append(inDay_ms / 3_600_000, digits: 2, then: ":", to: &text)
    append(inDay_ms / 60_000 % 60, digits: 2, then: ":", to: &text)
    append(inDay_ms / 1000 % 60, digits: 2, then: ".", to: &text)
    append(inDay_ms % 1000, digits: 3, then: "Z", to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z.
  private static let first_ms: Int64 = -62_167_219_200_000
  private static let last_ms: Int64 = 253_402_300_799_999

  /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days: years begin in March, so
  /// that the leap day is the last of its year, and are counted in eras of 400 years.
  private static func civilDate(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = daysSinceEpoch + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 { (a - (a % b + b) % b) / b }

  private static func append(
    _ value: Int64, digits: Int, then separator: Unicode.Scalar, to text: inout [UInt8]
  ) {
    var place: Int64 = 1
    for _ in 1..<digits { place *= 10 }
    while place > 0 {
      text.append(UInt8(ascii: "0") + UInt8(value / place % 10))
      place /= 10
    }
    text.append(UInt8(ascii: separator))
  }
}
