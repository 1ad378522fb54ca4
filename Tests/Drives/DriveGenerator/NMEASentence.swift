/// One sentence with a right checksum (or with none, as some loggers write them), cut into its fields.
struct NMEASentence {
  /// `RMC` of `$GNRMC`.
  var type: String
  /// What stands before the first comma, without `$`.
  var address: String
  /// What stands before the `$`.
  var prefix: ArraySlice<UInt8>
  /// Whether it had a checksum, which was right: a torn line has none.
  var isChecked = false
  /// Field 1 is the first after the address, as manuals count.
  private(set) var fields: [String]

  /// Nil for anything else: a torn line, binary data, another protocol.
  init?(_ line: ArraySlice<UInt8>) {
    // Not only at the start: the torn rest of another sentence, or a second $, may come before.
    guard let dollar = line.lastIndex(of: UInt8(ascii: "$")) else { return nil }
    prefix = line[..<dollar]
    var body = Array(line[(dollar + 1)...])
    while let last = body.last, last <= 0x20 { body.removeLast() }
    if let star = body.lastIndex(of: UInt8(ascii: "*")) {
      let sum = UInt8(String(decoding: body[(star + 1)...], as: UTF8.self), radix: 16)
      guard sum == NMEA.checksum(body[..<star]) else { return nil }
      body.removeSubrange(star...)
      isChecked = true
    }
    fields = body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    address = fields[0]
    guard address.utf8.count >= 3 else { return nil }
    type = String(address.suffix(3))
  }

  /// Empty if the sentence is shorter.
  func field(_ index: Int) -> String { index < fields.count ? fields[index] : "" }

  mutating func set(_ index: Int, to text: String) {
    if index < fields.count { fields[index] = text }
  }

  /// Milliseconds since midnight of `hhmmss` or `hhmmss.sss`; nil if it is anything else.
  static func clock_ms(_ text: String) -> Int? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts[0].utf8.count == 6, let whole = digits(parts[0]),
      whole / 10_000 < 24, whole / 100 % 100 < 60, whole % 100 <= 60
    else { return nil }
    var fraction_ms = 0
    if parts.count == 2, !parts[1].isEmpty {
      guard digits(parts[1]) != nil, let figures = digits((parts[1] + "000").prefix(3)) else { return nil }
      fraction_ms = figures
    }
    let second = whole / 10_000 * 3600 + whole / 100 % 100 * 60 + whole % 100
    return second * 1000 + fraction_ms
  }

  /// Midnight of `ddmmyy` as Unix milliseconds. 80 to 99 are of the last century: GPS began in 1980.
  static func date_ms(_ text: String) -> Int64? {
    guard text.utf8.count == 6, let value = digits(text) else { return nil }
    let year = value % 100 + (value % 100 < 80 ? 2000 : 1900)
    let (month, day) = (value / 100 % 100, value / 10_000)
    guard UTCTime.isDate(year, month, day) else { return nil }
    return UTCTime(year: year, month: month, day: day, millisecondOfDay: 0).unix_ms
  }

  /// Degrees of `ddmm.mmmm` and its hemisphere; nil if malformed or farther than `limit`.
  static func angle_deg(_ text: String, _ hemisphere: String, limit: Double) -> Double? {
    let sign: Double
    switch hemisphere {
    case "N", "E": sign = 1
    case "S", "W": sign = -1
    default: return nil
    }
    guard text.utf8.first.map({ (0x30...0x39).contains($0) }) == true, let value = Double(text) else {
      return nil
    }
    let degrees = (value / 100).rounded(.down)
    let minutes = value - degrees * 100
    let angle = degrees + minutes / 60
    return minutes < 60 && angle <= limit ? sign * angle : nil
  }
}
