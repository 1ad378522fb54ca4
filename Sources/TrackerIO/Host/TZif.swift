import TrackerBase

/// A zone's file (RFC 9636, which replaced RFC 8536). Anything in it that is not understood is an error: libc passes over
/// it, and answers in UTC under the zone's name.
struct TZif: Equatable {
  struct ParseError: Error, Equatable {
    let reason: String
  }

  /// More than this is another file; the largest of the tz database are below 4 kB.
  static let mostBytes = 256 * 1024

  /// A change of the local time: the first second of it, and what holds from then on.
  struct Change: Equatable {
    var at_s: Int64
    var offset_s: Int
  }

  /// Before the first change.
  private let initial_s: Int
  /// In order.
  private let changes: [Change]
  /// After the last change.
  private let rule: ZoneRule?

  init(rule: ZoneRule) { (initial_s, changes, self.rule) = (rule.initial_s, [], rule) }

  /// Reads it whole.
  init(_ bytes: [UInt8]) throws(ParseError) {
    var reader = ByteReader(bytes)
    let first = try Header(&reader)
    let old = try TZif.block(&reader, first, timeSize: 4)
    guard first.version >= 2 else {
      guard reader.isAtEnd else { throw ParseError(reason: "goes on after its end") }
      (initial_s, changes, rule) = (old.initial_s, old.changes, nil)
      return
    }
    let second = try Header(&reader)
    guard second.version == first.version else { throw ParseError(reason: "has two versions") }
    let new = try TZif.block(&reader, second, timeSize: 8)
    (initial_s, changes, rule) = (new.initial_s, new.changes, try TZif.rule(in: reader.rest))
  }

  /// 2000-01-01 to 2070-01-01.
  private static let known_s = (first: Int64(946_684_800), last: Int64(3_155_760_000))

  /// From 2000 to 2069.
  var table: TransitionZone {
    let ruled = rule?.changes(years: 1999...2070).filter { $0.at_s > changes.last?.at_s ?? .min } ?? []
    let (first_s, last_s) = TZif.known_s
    let all = changes + ruled
    // A rule that follows no list holds from the beginning on.
    let begin_s = changes.isEmpty ? rule?.initial_s ?? initial_s : initial_s
    return TransitionZone(
      initial_s: all.last { $0.at_s <= first_s }?.offset_s ?? begin_s,
      transitions: all.filter { first_s < $0.at_s && $0.at_s <= last_s }
        .map { .init(at_s: $0.at_s, offset_s: $0.offset_s) })
  }

  /// A newline, the rule for the years after the last change in ASCII, or nothing, and a newline.
  private static func rule(in footer: ArraySlice<UInt8>) throws(ParseError) -> ZoneRule? {
    let newline = UInt8(ascii: "\n")
    guard footer.count >= 2, footer.first == newline, footer.last == newline else {
      throw ParseError(reason: "is cut: its last line is missing")
    }
    if footer.count == 2 { return nil }
    let text = String(decoding: footer.dropFirst().dropLast(), as: UTF8.self)
    guard let rule = ZoneRule(text) else { throw ParseError(reason: "ends with garbage") }
    return rule
  }

  private struct Header {
    let version: Int
    let isUTCount: Int
    let isStandardCount: Int
    let leapCount: Int
    let timeCount: Int
    let typeCount: Int
    let charCount: Int

    init(_ reader: inout ByteReader) throws(ParseError) {
      guard try reader.take(4).elementsEqual("TZif".utf8) else {
        throw ParseError(reason: "is not zone data")
      }
      switch try reader.take(1).first {
      case 0: version = 1
      case .some(UInt8(ascii: "2")...UInt8(ascii: "9")): version = 2
      default: throw ParseError(reason: "has a version that nobody knows")
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
      else { throw ParseError(reason: "has counts that no zone has") }
      guard leapCount == 0 else { throw ParseError(reason: "counts leap seconds, which Unix time does not") }
    }
  }

  private static func block(
    _ reader: inout ByteReader, _ header: Header, timeSize: Int
  ) throws(ParseError) -> (initial_s: Int, changes: [Change]) {
    var times: [Int64] = []
    for _ in 0..<header.timeCount { times.append(try reader.number(timeSize)) }
    guard zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw ParseError(reason: "has changes out of order")
    }
    let kinds = try reader.take(header.timeCount)
    var offsets: [Int] = []
    for _ in 0..<header.typeCount {
      let offset_s = try reader.number(4)
      let (isSummer, name) = (try reader.number(1), try reader.number(1))
      guard (-93_599...93_599).contains(offset_s), (0...1).contains(isSummer),
        (0..<header.charCount).contains(Int(name))
      else { throw ParseError(reason: "has an offset that no zone has") }
      offsets.append(Int(offset_s))
    }
    let names = try reader.take(header.charCount)
    guard names.last == 0, names.allSatisfy({ $0 == 0 || (0x20...0x7E).contains($0) }) else {
      throw ParseError(reason: "has garbage for names")
    }
    let flags = try reader.take(header.isStandardCount + header.isUTCount)
    guard flags.allSatisfy({ $0 <= 1 }), kinds.allSatisfy({ Int($0) < offsets.count }) else {
      throw ParseError(reason: "names what it does not have")
    }
    return (offsets[0], zip(times, kinds).map { Change(at_s: $0, offset_s: offsets[Int($1)]) })
  }
}

/// Numbers in network order.
private struct ByteReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ count: Int) throws(TZif.ParseError) -> ArraySlice<UInt8> {
    guard rest.count >= count else { throw TZif.ParseError(reason: "is cut") }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// Signed, of 1, 4 or 8 bytes; one byte alone is unsigned.
  mutating func number(_ size: Int) throws(TZif.ParseError) -> Int64 {
    let value = try take(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
  }
}
