import TrackerCore

extension ISO8601 {
  /// Unix milliseconds of `2026-12-31T22:00:00Z`, `2026-12-31T23:00:00.250+01:00` and the like (RFC 3339); nil for
  /// anything else. The zone must be named: a local time says nothing on a vehicle.
  public static func unix_ms(_ text: String) -> Int64? {
    var rest = Array(text.utf8)[...]
    guard let year = number(4, "-", &rest), let month = number(2, "-", &rest),
      let day = number(2, "T", &rest),
      let hour = number(2, ":", &rest), let minute = number(2, ":", &rest),
      let second = number(2, nil, &rest),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let date = CivilDate(year: year, month: month, day: day)
    guard date.isReal, let fraction_ms = fraction_ms(&rest), let offset_s = offset_s(rest) else { return nil }
    let time = CivilTime(date: date, hour: hour, minute: minute, second: second)
    return (time.seconds - offset_s) * 1000 + fraction_ms
  }

  /// Exactly so many digits, and what follows them.
  private static func number(_ digits: Int, _ mark: Unicode.Scalar?, _ rest: inout ArraySlice<UInt8>) -> Int?
  {
    var value = 0
    for _ in 0..<digits {
      guard let byte = rest.popFirst(), (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    guard let mark else { return value }
    return rest.popFirst() == UInt8(ascii: mark) ? value : nil
  }

  private static func fraction_ms(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    guard rest.first == UInt8(ascii: ".") else { return 0 }
    let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(1 + digits.count)
    guard !digits.isEmpty else { return nil }
    return (digits.prefix(3) + [0x30, 0x30]).prefix(3).reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  private static func offset_s(_ text: ArraySlice<UInt8>) -> Int64? {
    var rest = text
    guard let sign = rest.popFirst() else { return nil }
    if sign == UInt8(ascii: "Z") { return rest.isEmpty ? 0 : nil }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = number(2, ":", &rest),
      let minutes = number(2, nil, &rest), rest.isEmpty, hours < 24, minutes < 60
    else { return nil }
    return Int64(hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }
}
