import Glibc

/// Puts lines together from the pieces in which a socket delivers them, in bounded memory.
struct LineBuffer {
  /// Three times what gpsd calls the longest message it makes (`GPS_JSON_RESPONSE_MAX`, 10,240 bytes).
  static let longestLine = 32 * 1024

  private var partial: [UInt8] = []
  private var isSkipping = false
  /// Lines thrown away because they were longer than `longestLine`.
  private(set) var overlongLines = 0

  /// Whether a line has begun that has not ended.
  var hasPartial: Bool { isSkipping || !partial.isEmpty }

  /// The lines that `bytes` completes, without their line ends.
  mutating func take(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var rest = bytes
    while let end = LineBuffer.lineEnd(rest) {
      append(rest[..<end])
      if !isSkipping { lines.append(partial) }
      partial.removeAll(keepingCapacity: true)
      isSkipping = false
      rest = rest[(end + 1)...]
    }
    append(rest)
    return lines
  }

  /// By memchr(3): a search in generic code takes a tenth of all that a fix costs.
  private static func lineEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    bytes.withUnsafeBytes { raw in
      guard let begin = raw.baseAddress, let found = memchr(begin, Int32(UInt8(ascii: "\n")), raw.count)
      else {
        return nil
      }
      return bytes.startIndex + begin.distance(to: UnsafeRawPointer(found))
    }
  }

  private mutating func append(_ piece: ArraySlice<UInt8>) {
    guard !isSkipping else { return }
    if partial.count + piece.count <= Self.longestLine {
      partial += piece
    } else {
      isSkipping = true
      overlongLines += 1
      partial.removeAll()
    }
  }
}
