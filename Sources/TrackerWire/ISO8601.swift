import TrackerBase

/// Time as text (RFC 3339, UTC), without a calendar library.
public enum ISO8601 {
  /// `2026-01-01T00:00:00.000Z`, always with milliseconds. Times outside the years 0 to 9999, which the form
  /// cannot hold, become its first and last instant.
  public static func text(ms: Int64) -> String {
    let time_ms = clamped(ms: ms)
    let time = CivilTime(seconds: time_ms.flooredDivision(by: 1000))
    let milliseconds = Int(time_ms - time.seconds * 1000)
    var text: [UInt8] = []
    text.reserveCapacity(24)
    append(time.date.year, digits: 4, then: "-", to: &text)
    append(time.date.month, digits: 2, then: "-", to: &text)
    append(time.date.day, digits: 2, then: "T", to: &text)
    append(time.hour, digits: 2, then: ":", to: &text)
    append(time.minute, digits: 2, then: ":", to: &text)
    append(time.second, digits: 2, then: ".", to: &text)
    append(milliseconds, digits: 3, then: "Z", to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The nearest time that the form can hold.
  static func clamped(ms: Int64) -> Int64 { min(max(ms, first_ms), last_ms) }

  /// 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z.
  private static let first_ms: Int64 = -62_167_219_200_000
  private static let last_ms: Int64 = 253_402_300_799_999

  private static func append(
    _ value: Int, digits: Int, then separator: Unicode.Scalar, to text: inout [UInt8]
  ) {
    var place = 1
    for _ in 1..<digits { place *= 10 }
    while place > 0 {
      text.append(UInt8(ascii: "0") + UInt8(value / place % 10))
      place /= 10
    }
    text.append(UInt8(ascii: separator))
  }
}
