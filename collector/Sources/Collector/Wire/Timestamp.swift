/// RFC 3339 times to the millisecond, read strictly and written in UTC.
enum Timestamp {
  static let millisecondsPerDay: Int64 = 86_400_000

  /// Whether it is of the years 0 to 9999, all that RFC 3339 has (section 1). A device may say any other, and
  /// no browser reads what is written of it.
  static func isReadable(_ time_ms: Int64) -> Bool {
    (-62_167_219_200_000...253_402_300_799_999).contains(time_ms)
  }

  /// Unix milliseconds, or nil if the text is not an RFC 3339 date and time, or its offset leads out of those
  /// years. Digits after the third decimal are dropped. A leap second is read as the second that follows it.
  static func milliseconds(_ text: String) -> Int64? {
    var rest = text.utf8[...]
    guard let year = digits(4, &rest), skip("-", &rest), let month = digits(2, &rest), skip("-", &rest),
      let day = digits(2, &rest), skip("Tt ", &rest), let hour = digits(2, &rest), skip(":", &rest),
      let minute = digits(2, &rest), skip(":", &rest), let second = digits(2, &rest),
      let fraction_ms = fraction(&rest), let offset_min = offset(&rest), rest.isEmpty,
      (1...12).contains(month), day >= 1, day <= daysInMonth(month, of: year),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let seconds = Int64((hour * 60 + minute - offset_min) * 60 + second)
    let time_ms = daysFromEpoch(year, month, day) * millisecondsPerDay + seconds * 1000 + Int64(fraction_ms)
    return isReadable(time_ms) ? time_ms : nil
  }

  /// `2026-01-01T00:00:00.000Z`; of what is not readable the year has a sign or more digits.
  static func text(_ time_ms: Int64) -> String {
    let days = time_ms.flooredQuotient(millisecondsPerDay)
    let inDay_ms = time_ms.flooredRemainder(millisecondsPerDay)
    let (year, month, day) = date(daysFromEpoch: days)
    guard (0...9999).contains(year) else {
      // The calendar repeats itself after 400 years, which are so many days.
      return String(year) + text(time_ms.flooredRemainder(146_097 * millisecondsPerDay)).dropFirst(4)
    }
    return String(unsafeUninitializedCapacity: 24) { text in
      var place = 0
      func put(_ number: Int64, _ width: Int, _ end: Unicode.Scalar) {
        var rest = number
        for digit in (place..<place + width).reversed() {
          text[digit] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        }
        text[place + width] = UInt8(ascii: end)
        place += width + 1
      }
      put(year, 4, "-")
      put(month, 2, "-")
      put(day, 2, "T")
      put(inDay_ms / 3_600_000, 2, ":")
      put(inDay_ms / 60_000 % 60, 2, ":")
      put(inDay_ms / 1000 % 60, 2, ".")
      put(inDay_ms % 1000, 3, "Z")
      return place
    }
  }

  private typealias Rest = Substring.UTF8View

  private static func digits(_ count: Int, _ rest: inout Rest) -> Int? {
    var number = 0
    for _ in 0..<count {
      guard let digit = digit(&rest) else { return nil }
      number = number * 10 + digit
    }
    return number
  }

  private static func digit(_ rest: inout Rest) -> Int? {
    guard let first = rest.first, (0x30...0x39).contains(first) else { return nil }
    rest.removeFirst()
    return Int(first - 0x30)
  }

  private static func skip(_ allowed: StaticString, _ rest: inout Rest) -> Bool {
    guard let first = rest.first, allowed.withUTF8Buffer({ $0.contains(first) }) else { return false }
    rest.removeFirst()
    return true
  }

  /// Milliseconds of an optional `.123456`.
  private static func fraction(_ rest: inout Rest) -> Int? {
    guard skip(".", &rest) else { return 0 }
    guard let tenths = digit(&rest) else { return nil }
    let number_ms = tenths * 100 + (digit(&rest) ?? 0) * 10 + (digit(&rest) ?? 0)
    while digit(&rest) != nil {}
    return number_ms
  }

  /// Minutes east of UTC.
  private static func offset(_ rest: inout Rest) -> Int? {
    if skip("Zz", &rest) { return 0 }
    let isWest = rest.first == UInt8(ascii: "-")
    guard skip("+-", &rest), let hours = digits(2, &rest), skip(":", &rest), let minutes = digits(2, &rest),
      hours < 24, minutes < 60
    else { return nil }
    return (isWest ? -1 : 1) * (hours * 60 + minutes)
  }

  private static func daysInMonth(_ month: Int, of year: Int) -> Int {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
  private static func daysFromEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    let shifted = Int64(month <= 2 ? year - 1 : year)
    let era = shifted.flooredQuotient(400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * Int64((month + 9) % 12) + 2) / 5 + Int64(day) - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The same source, `civil_from_days`.
  private static func date(daysFromEpoch days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted.flooredQuotient(146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }
}

extension Int64 {
  fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// What is left of ``flooredQuotient(_:)``, whose product with the divisor may be more than 64 bits hold.
  fileprivate func flooredRemainder(_ divisor: Int64) -> Int64 {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}
