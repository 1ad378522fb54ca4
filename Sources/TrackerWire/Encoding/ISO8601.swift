import TrackerBase

/// Time as text (RFC 3339, UTC), without a calendar library.
public enum ISO8601 {
  /// `2026-01-01T00:00:00.000Z`, always with milliseconds. Times outside the years 0 to 9999, which the form
  /// cannot hold, become its first and last instant.
  public static func text(ms: Int64) -> String {
    let time_ms = clamped(ms: ms)
    let time = CivilTime(seconds: time_ms.flooredDivision(by: 1000))
    let milliseconds = Int(time_ms - time.seconds * 1000)
    let clock = "\(padded(time.hour)):\(padded(time.minute)):\(padded(time.second))"
    return "\(time.date.text)T\(clock).\(padded(milliseconds, digits: 3))Z"
  }

  /// The nearest time that the form can hold.
  static func clamped(ms: Int64) -> Int64 { min(max(ms, first_ms), last_ms) }

  /// 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z.
  private static let first_ms: Int64 = -62_167_219_200_000
  private static let last_ms: Int64 = 253_402_300_799_999
}

/// With zeros before it.
func padded(_ number: Int, digits: Int = 2) -> String {
  let text = "\(number)"
  return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}

extension CivilDate {
  /// `2026-03-29`
  var text: String { "\(padded(year, digits: 4))-\(padded(month))-\(padded(day))" }
}

extension ISO8601 {
  /// Unix milliseconds of `2026-12-31T22:00:00Z`, `2026-12-31T23:00:00.250+01:00` and the like (RFC 3339); nil for
  /// anything else. The zone must be named: a local time says nothing on a vehicle.
  public static func unix_ms(_ text: String) -> Int64? {
    var reader = DateReader(rest: text.utf8[...])
    guard let date = reader.date(), reader.skip("T"), let hour = reader.number(2, upTo: 23), reader.skip(":"),
      let minute = reader.number(2, upTo: 59), reader.skip(":"), let second = reader.number(2, upTo: 60),
      let fraction_ms = reader.fraction_ms(), let offset_s = reader.offset_s(), reader.rest.isEmpty
    else { return nil }
    let time = CivilTime(date: date, hour: hour, minute: minute, second: second)
    return (time.seconds - offset_s) * 1000 + fraction_ms
  }
}

/// Takes the parts of a date and time off the front of a text; nil where something else stands there.
struct DateReader {
  var rest: Substring.UTF8View

  /// `2026-12-31`, a day that the calendar has.
  mutating func date() -> CivilDate? {
    guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2)
    else { return nil }
    let date = CivilDate(year: year, month: month, day: day)
    return date.isReal ? date : nil
  }

  /// A number of exactly so many digits.
  mutating func number(_ digits: Int, upTo limit: Int = .max) -> Int? {
    let taken = rest.prefix(digits)
    guard taken.count == digits, taken.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    rest = rest.dropFirst(digits)
    let number = taken.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return number <= limit ? number : nil
  }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// `.250`; 0 where there is none.
  mutating func fraction_ms() -> Int64? {
    guard skip(".") else { return 0 }
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(digits.count)
    guard !digits.isEmpty else { return nil }
    return (digits.prefix(3) + [0x30, 0x30]).prefix(3).reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  /// `Z` or `+01:00`.
  mutating func offset_s() -> Int64? {
    if skip("Z") { return 0 }
    let isWest = skip("-")
    guard isWest || skip("+"), let hours = number(2, upTo: 23), skip(":"), let minutes = number(2, upTo: 59)
    else { return nil }
    return Int64(hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
  }
}
