/// What a track file holds, recognised by its content; a file's name says nothing.
public enum TrackFormat: Equatable, Sendable {
  case csv
  case gpx
  /// As `gpspipe -w` writes it.
  case gpsdJSON
  /// What a receiver sent: NMEA, UBX, or another protocol that gpsd knows.
  case receiver

  /// As much of a file as is needed.
  public static let headLength = 65_536

  private static let understood =
    "Understood are CSV (a first line with time_unix_ms,lat,lon), GPX, gpsd's JSON (gpspipe -w), and NMEA or UBX "
    + "as a receiver sent it. docs/simulate.md says more."

  /// gzip is unpacked by whoever reads the file; what is still gzip then was packed twice.
  private static let packers: [(name: String, magic: [UInt8], advice: String)] = [
    ("gzip, twice", [0x1F, 0x8B], "gunzip -k"), ("xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "unxz -k"),
    ("zstd", [0x28, 0xB5, 0x2F, 0xFD], "unzstd"), ("bzip2", [0x42, 0x5A, 0x68], "bunzip2 -k"),
    ("zip", [0x50, 0x4B, 0x03, 0x04], "unzip"),
  ]

  /// - Parameter head: the file's first `headLength` bytes, or all of a shorter one.
  public init(head: [UInt8], file: String) throws(TrackError) {
    if head.allSatisfy({ $0 <= 0x20 && $0 != 0 }) { throw TrackError(file: file, reason: "is empty") }
    for (name, magic, advice) in TrackFormat.packers where head.starts(with: magic) {
      throw TrackError(file: file, reason: "is packed by \(name); unpack it first (\(advice))")
    }
    if let text = TrackFormat.utf16(head) {
      guard text.first == UInt8(ascii: "<") else {
        let advice = "convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW"
        throw TrackError(file: file, reason: "is text in UTF-16, as PowerShell's > writes it; \(advice)")
      }
      self = .gpx
      return
    }
    let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head[3...] : head[...]
    guard let format = TrackFormat.ofFirstLine(text) ?? TrackFormat.ofAnyLine(text) else {
      throw TrackError(
        file: file, reason: "is no track in a format that is understood. \(TrackFormat.understood)")
    }
    self = format
  }

  /// The ASCII characters behind a byte order mark of UTF-16 and white space; nil without the mark.
  private static func utf16(_ head: [UInt8]) -> [UInt8]? {
    guard head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) else { return nil }
    return Array(head.dropFirst(2).filter { $0 > 0x20 })
  }

  private static func ofFirstLine(_ text: ArraySlice<UInt8>) -> TrackFormat? {
    let start = text.drop { $0 <= 0x20 && $0 != 0 }
    if start.first == UInt8(ascii: "<") { return .gpx }
    let line = start.prefix { $0 != UInt8(ascii: "\n") }
    let names = line.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "\t") }
    // The header of another program's CSV: the reader says which columns are needed.
    let words = names.map { String(decoding: $0.trimmed, as: UTF8.self).lowercased() }
    let hasPlace = words.contains { $0.hasPrefix("lat") } && words.contains { $0.hasPrefix("lon") }
    return hasPlace || names.contains { CSVColumn(name: $0) == .time_unix_ms } ? .csv : nil
  }

  private static func ofAnyLine(_ text: ArraySlice<UInt8>) -> TrackFormat? {
    var sawJSON = false
    for line in text.split(separator: UInt8(ascii: "\n")) {
      // gpsd's own recordings begin with comments.
      if line.first == UInt8(ascii: "#") { continue }
      let message = gpsdClass(line)
      if message == "TPV" || message == "SKY" { return .gpsdJSON }
      // `gpspipe -r` writes NMEA after gpsd's greeting, which is JSON.
      if isSentence(line) || line.contains(where: isBinary) { return .receiver }
      sawJSON = sawJSON || message != nil
    }
    return sawJSON ? .gpsdJSON : nil
  }

  /// The class of a message of gpsd, as gpspipe or another program writes it: with spaces, with a time before it
  /// (`gpspipe -t`), with its members in any order.
  private static func gpsdClass(_ line: ArraySlice<UInt8>) -> String? {
    guard let start = line.firstIndex(of: UInt8(ascii: "{")), start - line.startIndex <= longestTime else {
      return nil
    }
    let words = String(decoding: line[start...].filter { $0 > 0x20 }, as: UTF8.self)
    guard let found = words.firstRange(of: #""class":""#) else { return nil }
    return String(words[found.upperBound...].prefix { $0 != "\"" })
  }

  /// `2026-03-02 07:00:00.123456: `, and some more.
  private static let longestTime = 40

  /// `$GPRMC,…`, also after the torn rest of another one.
  private static func isSentence(_ line: ArraySlice<UInt8>) -> Bool {
    if line.first == UInt8(ascii: "{") { return false }
    return line.indices.contains { start in
      guard line[start] == UInt8(ascii: "$") else { return false }
      let address = line[(start + 1)...].prefix { (0x30...0x5A).contains($0) }
      return (3...10).contains(address.count) && line[address.endIndex...].first == UInt8(ascii: ",")
    }
  }

  /// No text has such bytes, and every binary protocol does.
  private static func isBinary(_ byte: UInt8) -> Bool { byte < 0x20 && !(0x09...0x0D).contains(byte) }
}
