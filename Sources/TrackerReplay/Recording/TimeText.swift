import TrackerCore

/// Times as people and GPX files write them.
public enum TimeText {
  /// Unix milliseconds of ISO 8601: `2026-03-02T07:00:00Z`, with or without a fraction; `Z`, `+01:00`, `+0100`, or
  /// nothing for UTC; a space for the `T`. Nil if it is anything else.
  public static func unix_ms(_ text: some StringProtocol) -> Int64? { unix_ms(Array(text.utf8)[...]) }

  static func unix_ms(_ text: ArraySlice<UInt8>) -> Int64? {
    let start = text.startIndex
    func number(_ offset: Int, _ count: Int) -> Int? {
      NumberText.digits(text[(start + offset)..<(start + offset + count)]).map(Int.init)
    }
    func isAt(_ offset: Int, _ characters: StaticString) -> Bool {
      UnsafeBufferPointer(start: characters.utf8Start, count: characters.utf8CodeUnitCount)
        .contains(text[start + offset])
    }
    guard text.count >= 19, isAt(4, "-"), isAt(7, "-"), isAt(10, "T "), isAt(13, ":"), isAt(16, ":"),
      let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
      let minute = number(14, 2), let second = number(17, 2), hour < 24, minute < 60, second <= 60
    else { return nil }
    let date = CivilDate(year: year, month: month, day: day)
    let rest = text.dropFirst(19)
    let zone = rest.drop { !"Z+-".utf8.contains($0) }
    guard date.isReal, let fraction_ms = fraction_ms(rest[..<zone.startIndex]), let offset_s = offset_s(zone)
    else { return nil }
    let time = CivilTime(date: date, hour: hour, minute: minute, second: second)
    return (time.seconds - offset_s) * 1000 + fraction_ms
  }

  private static func fraction_ms(_ text: ArraySlice<UInt8>) -> Int64? {
    guard let mark = text.first else { return 0 }
    let figures = text.dropFirst()
    guard mark == UInt8(ascii: ".") || mark == UInt8(ascii: ","),
      !figures.isEmpty, figures.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let padded = Array(figures) + Array("00".utf8)
    return NumberText.digits(padded.prefix(3))
  }

  private static func offset_s(_ text: ArraySlice<UInt8>) -> Int64? {
    if text.isEmpty || text.elementsEqual("Z".utf8) { return 0 }
    let figures = Array(text.dropFirst().filter { $0 != UInt8(ascii: ":") })
    guard figures.count == 4, let value = NumberText.digits(figures[...]), value % 100 < 60, value / 100 < 24
    else { return nil }
    return (value / 100 * 3600 + value % 100 * 60) * (text.first == UInt8(ascii: "-") ? -1 : 1)
  }
}
