import TrackerWire

/// Times as people and GPX files write them.
public enum TimeText {
  /// Unix milliseconds of ISO 8601: `2026-03-02T07:00:00Z`, with or without a fraction; `Z`, `+01:00`, `+0100`, `+01`,
  /// or nothing for UTC; a space for the `T`. Nil if it is anything else.
  public static func unix_ms(_ text: some StringProtocol) -> Int64? { unix_ms(Array(text.utf8)[...]) }

  static func unix_ms(_ text: ArraySlice<UInt8>) -> Int64? {
    var text = Array(text)
    guard text.count >= 19 else { return nil }
    if text[10] == UInt8(ascii: " ") { text[10] = UInt8(ascii: "T") }
    if text.count > 19, text[19] == UInt8(ascii: ",") { text[19] = UInt8(ascii: ".") }
    let zone = text[19...].drop { !"Z+-".utf8.contains($0) }
    if zone.isEmpty { text.append(UInt8(ascii: "Z")) }
    if zone.count == 3 { text += Array("00".utf8) }
    if zone.count == 3 || zone.count == 5 { text.insert(UInt8(ascii: ":"), at: zone.startIndex + 3) }
    return ISO8601.unix_ms(String(decoding: text, as: UTF8.self))
  }
}
