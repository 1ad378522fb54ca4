import TrackerWire

/// Numbers and texts as bytes, small ones in few. Whole numbers are varints, signed ones in zigzag, as in
/// protobuf (protobuf.dev/programming-guides/encoding).
struct FrontWriter {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ value: UInt64) { bytes.appendVarint(value) }

  mutating func add(_ value: Int64) { add(value.zigzag) }

  mutating func add(_ text: String) {
    add(UInt64(text.utf8.count))
    bytes += text.utf8
  }

  /// One row of `RecordColumns`. What is the same as in the row before it takes no room; a whole number is
  /// written as its difference. Two bit masks go first: columns that differ, and those of them that are NULL.
  mutating func add(_ row: [SQLiteValue], after last: [SQLiteValue]) {
    var (differing, nulls): (UInt64, UInt64) = (0, 0)
    for (column, value) in row.enumerated() where value != last[column] {
      differing |= 1 << UInt64(column)
      if value == .null { nulls |= 1 << UInt64(column) }
    }
    add(differing)
    add(nulls)
    for (column, value) in row.enumerated() where value != last[column] {
      switch value {
      case .null: break
      case .integer(let integer): add(integer &- last[column].base)
      case .text(let text): add(text)
      }
    }
  }
}

/// The way back. Every read gives nil once something does not fit.
struct FrontReader {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { bytes.isEmpty }

  mutating func unsigned() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  mutating func signed() -> Int64? {
    unsigned().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  mutating func text() -> String? {
    guard let count = unsigned().flatMap({ Int(exactly: $0) }), count <= bytes.count else { return nil }
    defer { bytes.removeFirst(count) }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  mutating func row(after last: [SQLiteValue]) -> [SQLiteValue]? {
    guard let differing = unsigned(), let nulls = unsigned() else { return nil }
    var row = last
    for column in row.indices where differing & (1 << UInt64(column)) != 0 {
      if nulls & (1 << UInt64(column)) != 0 {
        row[column] = .null
      } else if column == row.count - 1 {
        guard let text = text() else { return nil }
        row[column] = .text(text)
      } else {
        guard let difference = signed() else { return nil }
        row[column] = .integer(last[column].base &+ difference)
      }
    }
    return row
  }
}

extension SQLiteValue {
  /// What a difference is counted from.
  fileprivate var base: Int64 { if case .integer(let integer) = self { integer } else { 0 } }
}

/// CRC-64/XZ (the polynomial of ECMA-182, reflected): 0x995DC9BBDF1939FA for "123456789".
enum CRC64 {
  private static let table: [UInt64] = (0..<256).map { index in
    (0..<8).reduce(UInt64(index)) { crc, _ in crc & 1 == 1 ? (crc >> 1) ^ 0xC96C_5795_D787_0F42 : crc >> 1 }
  }

  static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
    ~bytes.reduce(~0) { crc, byte in table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ (crc >> 8) }
  }

  /// By how much the checksum changes when the last byte changes by `byte`, exclusive or both.
  static func trace(ofByte byte: UInt8) -> UInt64 { table[Int(byte)] }

  /// The same when one more byte follows.
  static func traceAfterByte(_ trace: UInt64) -> UInt64 { table[Int(trace & 0xFF)] ^ (trace >> 8) }
}
