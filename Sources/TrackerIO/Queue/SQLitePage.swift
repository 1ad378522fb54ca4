/// The rows on one leaf page of a SQLite file, as sections 1.6 and 2.1 of sqlite.org/fileformat2.html have them.
///
/// What it reads may be damaged in any way: everything is looked at before it is used.
struct SQLitePage {
  struct Cell: Equatable {
    var rowID: Int64
    /// Of the whole row.
    var bytes: Int
    var local: [UInt8]
    /// The page with the rest; 0 when all is local.
    var overflow: Int
  }

  private static let tableLeaf: UInt8 = 0x0D
  private static let indexLeaf: UInt8 = 0x0A
  /// Of a leaf: then come the starts of its cells, two bytes each.
  private static let headerBytes = 8
  private static let cellCountAt = 3
  /// Before the header of the first page.
  private static let fileHeaderBytes = 100
  private static let pageSizeAt = 16
  /// A longer row is none of ours.
  static let mostBytes = 1 << 20

  private let page: [UInt8]

  init(_ page: [UInt8]) { self.page = page }

  static func hasMagic(_ page: [UInt8]) -> Bool { page.starts(with: Array("SQLite format 3\0".utf8)) }

  /// Whether a file with pages of 4,096 bytes may begin with it.
  static func isFirst(_ page: [UInt8]) -> Bool {
    page.count >= fileHeaderBytes && hasMagic(page) && number(in: page, at: pageSizeAt) == QueueLog.pageBytes
  }

  /// Of a leaf of a table with row ids; empty for any other page.
  var tableCells: [Cell] {
    guard page.first == SQLitePage.tableLeaf else { return [] }
    return starts.compactMap { start in
      var reader = SQLiteReader(page[start...])
      guard let bytes = reader.varint(), let rowID = reader.varint() else { return nil }
      return cell(bytes: bytes, rowID: rowID, reader, mostLocal: page.count - 35)
    }
  }

  /// Of a leaf of a table without row ids, those that need no other page.
  var indexRows: [[SQLiteValue]] {
    guard page.first == SQLitePage.indexLeaf else { return [] }
    return starts.compactMap { start in
      var reader = SQLiteReader(page[start...])
      guard let bytes = reader.varint(), bytes > 0, let payload = reader.take(Int(clamping: bytes)) else {
        return nil
      }
      return SQLitePage.row(Array(payload))
    }
  }

  /// - Returns: nil when the bytes are no row of whole numbers and texts.
  static func row(_ payload: [UInt8]) -> [SQLiteValue]? {
    var header = SQLiteReader(payload[...])
    guard let end = header.varint().flatMap({ Int(exactly: $0) }), end >= 1, end <= payload.count else {
      return nil
    }
    var values = SQLiteReader(payload[end...])
    header = header.upTo(end)
    var row: [SQLiteValue] = []
    while !header.isAtEnd {
      guard row.count < 64, let type = header.varint(), let value = values.value(ofType: type) else {
        return nil
      }
      row.append(value)
    }
    return row
  }

  // MARK: Parts

  private var starts: [Int] {
    guard page.count >= SQLitePage.headerBytes else { return [] }
    let count = SQLitePage.number(in: page, at: SQLitePage.cellCountAt)
    let end = SQLitePage.headerBytes + count * 2
    guard end <= page.count else { return [] }
    return stride(from: SQLitePage.headerBytes, to: end, by: 2).map { SQLitePage.number(in: page, at: $0) }
      .filter { (end..<page.count).contains($0) }
  }

  private static func number(in page: [UInt8], at offset: Int) -> Int {
    Int(page[offset]) << 8 | Int(page[offset + 1])
  }

  private func cell(bytes: Int64, rowID: Int64, _ reader: SQLiteReader, mostLocal: Int) -> Cell? {
    guard (1...Int64(SQLitePage.mostBytes)).contains(bytes) else { return nil }
    var reader = reader
    let bytes = Int(bytes)
    if bytes <= mostLocal {
      return reader.take(bytes).map { Cell(rowID: rowID, bytes: bytes, local: Array($0), overflow: 0) }
    }
    let least = (page.count - 12) * 32 / 255 - 23
    let wanted = least + (bytes - least) % (page.count - 4)
    guard let local = reader.take(wanted <= mostLocal ? wanted : least), let next = reader.take(4) else {
      return nil
    }
    return Cell(
      rowID: rowID, bytes: bytes, local: Array(local), overflow: next.reduce(0) { $0 << 8 | Int($1) })
  }
}

/// Numbers and values from bytes. Every read gives nil once something does not fit.
private struct SQLiteReader {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { bytes.isEmpty }

  /// What lies before `end`, an index of the bytes it was made from.
  func upTo(_ end: Int) -> SQLiteReader {
    SQLiteReader(bytes.startIndex <= end ? bytes[..<end] : [])
  }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= bytes.count else { return nil }
    defer { bytes.removeFirst(count) }
    return bytes.prefix(count)
  }

  /// Up to nine bytes, the most significant ones first; the ninth has eight bits.
  mutating func varint() -> Int64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard let byte = bytes.popFirst() else { return nil }
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return Int64(bitPattern: value) }
    }
    return nil
  }

  /// By the serial types of section 2.1; nil for fractions and bytes, which no table of ours has.
  mutating func value(ofType type: Int64) -> SQLiteValue? {
    switch type {
    case 0: .null
    case 1, 2, 3, 4: integer(Int(type))
    case 5: integer(6)
    case 6: integer(8)
    case 8, 9: .integer(type - 8)
    case 13... where type % 2 == 1:
      take(Int(clamping: (type - 13) / 2)).map { .text(String(decoding: $0, as: UTF8.self)) }
    default: nil
    }
  }

  private mutating func integer(_ count: Int) -> SQLiteValue? {
    take(count).map { bytes in
      let sign: Int64 = (bytes.first ?? 0) & 0x80 == 0 ? 0 : -1
      return .integer(bytes.reduce(sign) { $0 << 8 | Int64($1) })
    }
  }
}
