/// Gives recorded sentences another time.
enum Retiming {
  /// Where the sentences have the time of day.
  private static let clockField = ["RMC": 1, "GGA": 1, "GNS": 1, "ZDA": 1, "GST": 1, "GBS": 1, "GLL": 5]

  /// `lines` with `shift_ms` added to every time and date, and new checksums. Other lines stay as they are.
  static func shifted(_ lines: [UInt8], by shift_ms: Int64) -> [UInt8] {
    var out: [UInt8] = []
    for line in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
      out += shiftedLine(line, by: shift_ms) ?? Array(line)
      out.append(UInt8(ascii: "\n"))
    }
    return out
  }

  private static func shiftedLine(_ line: ArraySlice<UInt8>, by shift_ms: Int64) -> [UInt8]? {
    guard var sentence = NMEASentence(line), let index = clockField[sentence.type],
      let clock_ms = NMEASentence.clock_ms(sentence.field(index))
    else { return nil }
    // The date matters only where the sentence has one; any other day gives the same time of day.
    let midnight_ms = date_ms(of: sentence)
    let time = UTCTime(unix_ms: (midnight_ms ?? 0) + Int64(clock_ms) + shift_ms)
    let decimals = sentence.field(index).split(separator: ".").dropFirst().first?.count ?? 0
    sentence.set(index, to: time.clock(secondDecimals: decimals))
    if midnight_ms != nil { setDate(of: &sentence, to: time) }
    let text = NMEA.sentence(sentence.fields.joined(separator: ","))
    return sentence.prefix + text.utf8.dropLast(line.last == UInt8(ascii: "\r") ? 1 : 2)
  }

  private static func date_ms(of sentence: NMEASentence) -> Int64? {
    switch sentence.type {
    case "RMC": return NMEASentence.date_ms(sentence.field(9))
    case "ZDA":
      guard let day = digits(sentence.field(2)), let month = digits(sentence.field(3)),
        let year = digits(sentence.field(4)), UTCTime.isDate(year, month, day)
      else { return nil }
      return UTCTime(year: year, month: month, day: day, millisecondOfDay: 0).unix_ms
    default: return nil
    }
  }

  private static func setDate(of sentence: inout NMEASentence, to time: UTCTime) {
    if sentence.type == "RMC" { return sentence.set(9, to: time.ddmmyy) }
    sentence.set(2, to: padded(time.day, 2))
    sentence.set(3, to: padded(time.month, 2))
    sentence.set(4, to: padded(time.year, 4))
  }
}
