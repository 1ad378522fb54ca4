/// The extras of a record, shorter: the words of the agent's own extras are one control character each, which
/// JSON never holds; a time in milliseconds is its distance to the record's; two digits are one byte from 0x80 on.
enum CompactExtras {
  /// Their places are on the wire: append only, and in docs/godwit.proto too. A nil has no phrase: 9, 10 and 13
  /// are white space in JSON.
  static let phrases: [String?] = [
    nil, "{\"trip\":", ",\"start_ms\":", ",\"end_ms\":", ",\"duration_s\":", ",\"idle_s\":",
    ",\"distance_m\":",
    ",\"top_speed_mps\":", ",\"end_cause\":\"", nil, nil, "\"}", ",\"left_after_ms\":", nil, "{\"cause\":\"",
    "{\"action\":\"", "\",\"geofence\":\"", "fixes", "parked", "ignition", "ENTER", "EXIT", "DWELL",
    "\",\"extras\":", "stayed", "\",\"limit_mps\":", "\",\"top_mps\":", "found_parked",
  ]
  private static let texts = phrases.map { $0.map { Array($0.utf8) } }
  private static let time: UInt8 = 0x1E
  private static let verbatim: UInt8 = 0x1F

  static func shorten(_ json: String, time_ms: Int64) -> [UInt8] {
    let text = Array(json.utf8)
    if text.contains(where: { $0 < 0x20 || $0 >= 0x80 }) { return [verbatim] + text }
    var short: [UInt8] = []
    var index = 0
    while index < text.count {
      if let code = phrase(in: text, at: index) {
        short.append(UInt8(code))
        index += texts[code]?.count ?? 0
      } else if let distance_ms = timeDistance_ms(in: text, at: index, from: time_ms) {
        short.append(time)
        short += Array(String(distance_ms).utf8)
        index += digits
      } else {
        short.append(text[index])
        index += 1
      }
    }
    return paired(short)
  }

  private static func paired(_ text: [UInt8]) -> [UInt8] {
    var paired: [UInt8] = []
    var index = 0
    while index < text.count {
      if index + 1 < text.count, isDigit(text[index]), isDigit(text[index + 1]) {
        paired.append(0x80 + (text[index] - 0x30) * 10 + (text[index + 1] - 0x30))
        index += 2
      } else {
        paired.append(text[index])
        index += 1
      }
    }
    return paired
  }

  private static func phrase(in text: [UInt8], at index: Int) -> Int? {
    texts.indices.first { code in texts[code].map { text[index...].starts(with: $0) } ?? false }
  }

  /// Of a Unix time in milliseconds, from 2001 to 2286.
  private static let digits = 13

  /// The record's time minus the number of 13 digits that stands alone here, if that is shorter.
  private static func timeDistance_ms(in text: [UInt8], at index: Int, from time_ms: Int64) -> Int64? {
    let end = index + digits
    guard end < text.count, index > 0, !isNumber(text[index - 1]), !isNumber(text[end]),
      text[index] != UInt8(ascii: "0")
    else { return nil }
    var number: Int64 = 0
    for byte in text[index..<end] {
      guard isDigit(byte) else { return nil }
      number = number * 10 + Int64(byte - 0x30)
    }
    let distance_ms = time_ms - number
    return distance_ms.magnitude < 1_000_000_000 ? distance_ms : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isNumber(_ byte: UInt8) -> Bool {
    isDigit(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
  }
}
