import Glibc
import TrackerBase
import TrackerWire

/// gpsd's reports as `gpspipe -w` writes them, decoded by libgps exactly as they are when they are live.
public struct GPSDRecording {
  public private(set) var reports: [GPSReport] = []
  /// Lines that are no whole message of gpsd, or a TPV that libgps cannot read. A recorder that is killed leaves
  /// half a line, at the end or where the next recorder went on; so they are counted, and are no error.
  public private(set) var skippedLines = 0
  /// From 1.
  public private(set) var firstSkippedLine: Int?
  private let decoder: GPSDDecoder
  private var buffer = LineBuffer()
  private var lines = 0

  public static func read(path: String) throws(RecordingError) -> GPSDRecording {
    let file = try RecordingFile.Unpacked(path)
    var recording = try GPSDRecording()
    while let piece = try file.next() { recording.take(piece[...]) }
    recording.finish()
    return recording
  }

  /// Everything up to the end of `file`.
  static func read(from file: Int32) throws(RecordingError) -> GPSDRecording {
    var recording = try GPSDRecording()
    while let piece = try RecordingFile.next(of: file) { recording.take(piece[...]) }
    recording.finish()
    return recording
  }

  init() throws(RecordingError) {
    guard let decoder = try? GPSDDecoder() else { throw .outOfMemory }
    self.decoder = decoder
  }

  /// Takes the next bytes, which may end anywhere.
  mutating func take(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    // Line by line, so that an overlong one is counted at its place.
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      take(line: buffer.take(rest[...end]).first)
      rest = rest[(end + 1)...]
    }
    _ = buffer.take(rest)
  }

  /// Takes the last line, if nothing ended it.
  mutating func finish() { if buffer.hasPartial { take([UInt8(ascii: "\n")]) } }

  /// - Parameter line: nil if it was too long.
  private mutating func take(line: [UInt8]?) {
    lines += 1
    guard line?.allSatisfy({ $0 <= 0x20 && $0 != 0 }) != true else { return }
    if let line = line.flatMap(Self.message) {
      let event = decoder.decode(line)
      if case .report(let report) = event { return reports.append(report) }
      if event != nil || !line.starts(with: #"{"class":"TPV""#.utf8) { return }
    }
    skippedLines += 1
    firstSkippedLine = firstSkippedLine ?? lines
  }

  /// A message as gpsd itself writes it, whichever program has written this one: without the time that `gpspipe -t` puts
  /// before it, without spaces, the class first. nil if it is not one whole JSON object.
  private static func message(_ line: [UInt8]) -> [UInt8]? {
    if line.starts(with: #"{"class":""#.utf8) { return isWhole(line) ? line : nil }
    guard let start = line.firstIndex(of: UInt8(ascii: "{")), line[..<start].last ?? 0x20 == 0x20,
      case .object(var members) = JSONReader.parse(Array(line[start...])),
      let kind = members.firstIndex(where: { $0.key == "class" })
    else { return nil }
    members.insert(members.remove(at: kind), at: 0)
    var json = JSONWriter()
    json.value(.object(members))
    return json.bytes + [UInt8(ascii: "\n")]
  }

  /// Whether `line` is one JSON object, as far as its brackets and strings show.
  private static func isWhole(_ line: [UInt8]) -> Bool {
    guard line.first == UInt8(ascii: "{") else { return false }
    var (depth, isText, isEscaped) = (0, false, false)
    for (index, byte) in line.enumerated() {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isText: isEscaped = true
      case UInt8(ascii: "\""): isText.toggle()
      case _ where isText: break
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return line[(index + 1)...].allSatisfy { $0 <= 0x20 } }
      default: break
      }
    }
    return false
  }
}
