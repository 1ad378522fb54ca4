/// The structure of a zone's file (RFC 9636, which replaced RFC 8536). libc passes over what it does not understand, and
/// answers in UTC under the zone's name.
enum TZif {
  struct Flaw: Error, Equatable {
    let reason: String
  }

  /// More than this is another file; the largest of the tz database are below 4 kB.
  static let mostBytes = 256 * 1024

  /// A change of the local time: the first second of it, and what holds from then on.
  struct Change: Equatable {
    var at_s: Int64
    var offset_s: Int
  }

  /// Reads it whole. - Returns: the changes of the block that counts, in order.
  static func changes(in bytes: [UInt8]) throws(Flaw) -> [Change] {
    var reader = ByteReader(bytes)
    let first = try Header(&reader)
    let old = try block(&reader, first, timeSize: 4)
    guard first.version >= 2 else {
      guard reader.isAtEnd else { throw Flaw(reason: "goes on after its end") }
      return old
    }
    let second = try Header(&reader)
    guard second.version == first.version else { throw Flaw(reason: "has two versions") }
    let new = try block(&reader, second, timeSize: 8)
    try checkFooter(reader.rest)
    return new
  }

  /// A newline, the rule for the years after the last change in ASCII, or nothing, and a newline.
  private static func checkFooter(_ footer: ArraySlice<UInt8>) throws(Flaw) {
    let newline = UInt8(ascii: "\n")
    guard footer.count >= 2, footer.first == newline, footer.last == newline else {
      throw Flaw(reason: "is cut: its last line is missing")
    }
    let rule = footer.dropFirst().dropLast()
    guard rule.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw Flaw(reason: "ends with garbage") }
  }

  private struct Header {
    let version: Int
    let isUTCount: Int
    let isStandardCount: Int
    let leapCount: Int
    let timeCount: Int
    let typeCount: Int
    let charCount: Int

    init(_ reader: inout ByteReader) throws(Flaw) {
      guard try reader.take(4).elementsEqual("TZif".utf8) else { throw Flaw(reason: "is not zone data") }
      switch try reader.take(1).first {
      case 0: version = 1
      case .some(UInt8(ascii: "2")...UInt8(ascii: "9")): version = 2
      default: throw Flaw(reason: "has a version that nobody knows")
      }
      _ = try reader.take(15)
      isUTCount = Int(try reader.number(4))
      isStandardCount = Int(try reader.number(4))
      leapCount = Int(try reader.number(4))
      timeCount = Int(try reader.number(4))
      typeCount = Int(try reader.number(4))
      charCount = Int(try reader.number(4))
      guard (1...256).contains(typeCount), (1...10_000).contains(charCount), (0...50_000).contains(timeCount),
        (0...10_000).contains(leapCount), [0, typeCount].contains(isUTCount),
        [0, typeCount].contains(isStandardCount)
      else { throw Flaw(reason: "has counts that no zone has") }
      guard leapCount == 0 else { throw Flaw(reason: "counts leap seconds, which Unix time does not") }
    }
  }

  private static func block(
    _ reader: inout ByteReader, _ header: Header, timeSize: Int
  ) throws(Flaw) -> [Change] {
    var times: [Int64] = []
    for _ in 0..<header.timeCount { times.append(try reader.number(timeSize)) }
    guard zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw Flaw(reason: "has changes out of order")
    }
    let kinds = try reader.take(header.timeCount)
    var offsets: [Int] = []
    for _ in 0..<header.typeCount {
      let offset_s = try reader.number(4)
      let (isSummer, name) = (try reader.number(1), try reader.number(1))
      guard (-93_599...93_599).contains(offset_s), (0...1).contains(isSummer),
        (0..<header.charCount).contains(Int(name))
      else { throw Flaw(reason: "has an offset that no zone has") }
      offsets.append(Int(offset_s))
    }
    let names = try reader.take(header.charCount)
    guard names.last == 0, names.allSatisfy({ $0 == 0 || (0x20...0x7E).contains($0) }) else {
      throw Flaw(reason: "has garbage for names")
    }
    let flags = try reader.take(header.isStandardCount + header.isUTCount)
    guard flags.allSatisfy({ $0 <= 1 }), kinds.allSatisfy({ Int($0) < offsets.count }) else {
      throw Flaw(reason: "names what it does not have")
    }
    return zip(times, kinds).map { Change(at_s: $0, offset_s: offsets[Int($1)]) }
  }
}

/// Numbers in network order.
private struct ByteReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ count: Int) throws(TZif.Flaw) -> ArraySlice<UInt8> {
    guard rest.count >= count else { throw TZif.Flaw(reason: "is cut") }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// Signed, of 1, 4 or 8 bytes; one byte alone is unsigned.
  mutating func number(_ size: Int) throws(TZif.Flaw) -> Int64 {
    let value = try take(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
  }
}
