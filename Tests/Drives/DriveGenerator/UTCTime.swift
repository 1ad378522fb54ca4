import TrackerBase
import TrackerLab

/// A date and time of day in UTC, without leap seconds, as Unix time has it.
public struct UTCTime: Equatable, Sendable {
  public var year: Int
  public var month: Int
  public var day: Int
  public var millisecondOfDay: Int

  static let day_ms: Int64 = 86_400_000

  /// From Unix milliseconds.
  public init(unix_ms: Int64) {
    let days = unix_ms >= 0 ? unix_ms / Self.day_ms : (unix_ms - Self.day_ms + 1) / Self.day_ms
    let date = CivilDate(dayNumber: Int(days))
    (year, month, day) = (date.year, date.month, date.day)
    millisecondOfDay = Int(unix_ms - days * Self.day_ms)
  }

  init(year: Int, month: Int, day: Int, millisecondOfDay: Int) {
    (self.year, self.month, self.day) = (year, month, day)
    self.millisecondOfDay = millisecondOfDay
  }

  public var unix_ms: Int64 {
    Int64(CivilDate(year: year, month: month, day: day).dayNumber) * Self.day_ms + Int64(millisecondOfDay)
  }

  /// Reads ISO 8601 as GPX and people write it: `2026-03-02T07:00:00Z`, with or without a fraction; `Z`,
  /// `+01:00`, `+0100`, or nothing for UTC; a space for the `T`. Nil if it is anything else.
  public init?(iso8601 text: some StringProtocol) {
    guard let unix_ms = TimeText.unix_ms(text) else { return nil }
    self.init(unix_ms: unix_ms)
  }

  /// `hhmmss` with `secondDecimals` digits of the second's fraction.
  func clock(secondDecimals: Int) -> String {
    let second_ms = millisecondOfDay / 1000
    let whole = padded(second_ms / 3600, 2) + padded(second_ms / 60 % 60, 2) + padded(second_ms % 60, 2)
    if secondDecimals == 0 { return whole }
    let fraction =
      padded(millisecondOfDay % 1000, 3) + String(repeating: "0", count: max(0, secondDecimals - 3))
    return whole + "." + fraction.prefix(secondDecimals)
  }

  /// `ddmmyy`, as RMC has it.
  var ddmmyy: String { padded(day, 2) + padded(month, 2) + padded(year % 100, 2) }

  static func isDate(_ year: Int, _ month: Int, _ day: Int) -> Bool {
    CivilDate(year: year, month: month, day: day).isReal
  }
}
